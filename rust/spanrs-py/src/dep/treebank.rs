//! Sentences with syntax, from files and from lists.

use std::path::PathBuf;
use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use spanrs_dep::{Roots, Treebank as Core, Word};
use spanrs_io::{SyntaxChunks, SyntaxFormat};

use super::dep;
use crate::error::Result;
use crate::files::stream;
use crate::stop;

/// A file that is read in chunks of whole sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SyntaxFile(pub(super) Mutex<SyntaxChunks>);

/// (words, XPOS, UPOS, heads, labels)
type SentenceTuple = (Vec<String>, Vec<String>, Vec<String>, Vec<u32>, Vec<String>);

pub(super) fn open(source: &Bound<'_, PyAny>, format: Option<&str>) -> Result<SyntaxChunks> {
    let format = match format {
        None => None,
        Some(name) => Some(SyntaxFormat::from_name(name).ok_or_else(|| {
            let known = SyntaxFormat::ALL.map(SyntaxFormat::name).join(", ");
            PyValueError::new_err(format!("unknown format {name:?}; one of {known}"))
        })?),
    };
    if let Some((name, stream)) = stream(source)? {
        return Ok(SyntaxChunks::new(&name, stream, format)?);
    }
    let path: PathBuf = source.extract()?;
    Ok(source.py().detach(|| SyntaxChunks::open(&path, format))?)
}

#[pymethods]
impl SyntaxFile {
    /// Opens a path or a binary file object; the format is recognised if it is not given.
    #[new]
    #[pyo3(signature = (source, format_name, /))]
    fn new(source: &Bound<'_, PyAny>, format_name: Option<&str>) -> Result<Self> {
        Ok(Self(Mutex::new(open(source, format_name)?)))
    }

    /// Name of the format.
    #[getter]
    fn format(&self, py: Python<'_>) -> &'static str {
        // Another thread may hold the lock and wait for the interpreter.
        py.detach(|| self.lock().format().name())
    }
}

impl SyntaxFile {
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, SyntaxChunks> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Sentences with tags and trees.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Treebank(pub(super) Mutex<Core>);

impl Treebank {
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Core> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A copy of the sentences, to work on without the lock.
    pub(super) fn core(&self) -> Core {
        self.lock().clone()
    }
}

impl Treebank {
    fn add(&self, sentences: &[SentenceTuple], trees: Option<Roots>) -> Result<()> {
        let mut core = self.lock();
        let before = core.len();
        for (at, (words, xpos, upos, heads, labels)) in sentences.iter().enumerate() {
            if let Some(roots) = trees {
                spanrs_dep::check_tree(heads, roots).map_err(|error| {
                    dep(spanrs_dep::Error::Sentence {
                        sentence: before + at,
                        message: error.to_string(),
                    })
                })?;
            }
            let of =
                |list: &'_ [String], at: usize| list.get(at).map_or("", String::as_str).to_owned();
            let tags: Vec<[String; 3]> = (0..words.len())
                .map(|at| [of(xpos, at), of(upos, at), of(labels, at)])
                .collect();
            let own = words.iter().zip(&tags).enumerate();
            core.push(own.map(|(at, (form, [xpos, upos, label]))| Word {
                form,
                xpos,
                upos,
                head: heads.get(at).copied().unwrap_or_default(),
                label,
            }));
        }
        Ok(())
    }
}

/// How many roots trees may have; None where there are no trees.
fn roots(name: Option<&str>) -> Result<Option<Roots>> {
    match name {
        None => Ok(None),
        Some("one") => Ok(Some(Roots::One)),
        Some("many") => Ok(Some(Roots::Many)),
        Some(other) => {
            Err(PyValueError::new_err(format!("roots must be one or many, not {other:?}")).into())
        }
    }
}

#[pymethods]
impl Treebank {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Core::default()))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().len())
    }

    /// Number of words.
    fn words(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().words())
    }

    /// Adds the sentences of a file; `trees` is None, "one" or "many" (roots).
    #[pyo3(signature = (file, trees, /))]
    fn read(&self, py: Python<'_>, file: &SyntaxFile, trees: Option<&str>) -> Result<()> {
        let trees = roots(trees)?;
        let mut clock = spanrs_base::Clock::new(stop);
        py.detach(|| {
            let stops = || clock.stops();
            spanrs::dep_files::read_treebank(&mut file.lock(), trees, &mut self.lock(), stops)
        })?;
        Ok(())
    }

    /// Adds sentences; lists are of one length, or empty where nothing is known.
    #[pyo3(signature = (sentences, trees, /))]
    fn extend(
        &self,
        py: Python<'_>,
        sentences: Vec<SentenceTuple>,
        trees: Option<&str>,
    ) -> Result<()> {
        let trees = roots(trees)?;
        py.detach(|| self.add(&sentences, trees))
    }

    /// Makes the trees projective; gives the numbers of words and sentences that were changed.
    fn projectivise(&self, py: Python<'_>) -> Result<(usize, usize)> {
        py.detach(|| self.lock().projectivise(stop)).map_err(dep)
    }

    /// All sentences as (words, XPOS, UPOS, heads, labels).
    fn sentences(&self, py: Python<'_>) -> Vec<SentenceTuple> {
        let core = py.detach(|| self.core());
        (0..core.len())
            .map(|at| {
                let mut all = SentenceTuple::default();
                for word in core.sentence(at) {
                    all.0.push(word.form.to_owned());
                    all.1.push(word.xpos.to_owned());
                    all.2.push(word.upos.to_owned());
                    all.3.push(word.head);
                    all.4.push(word.label.to_owned());
                }
                all
            })
            .collect()
    }
}
