//! Sentences with dependency trees, from files and from lists.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use spanrs::base::Named;
use spanrs::dep::{Roots, Treebank as Core, Word};
use spanrs::dep_files::Trees;
use spanrs::io::{SyntaxChunks, SyntaxFormat};

use crate::error::Result;
use crate::files::SourceArgument;
use crate::locks::lock;
use crate::plain::Plain;
use crate::stop;

/// A file that is read in chunks of whole sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SyntaxFile(pub(super) Mutex<SyntaxChunks>);

/// (words, XPOS, UPOS, heads, labels, morphological features, lemmas)
type Annotated = (
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Vec<u32>,
    Vec<String>,
    Vec<String>,
    Vec<String>,
);

pub(super) fn open(
    py: Python<'_>,
    source: &SourceArgument,
    format: Option<Plain<SyntaxFormat>>,
    raw: bool,
) -> Result<SyntaxChunks> {
    let format = format.map(|format| format.0);
    let open = match raw {
        true => SyntaxChunks::open_or_raw,
        false => SyntaxChunks::open,
    };
    Ok(py.detach(|| open(source, format))?)
}

#[pymethods]
impl SyntaxFile {
    /// Opens a path or a binary file object; if no format is given, it is detected. With `raw` the file may also be
    /// raw text.
    #[new]
    #[pyo3(signature = (source, format_name, raw=false, /))]
    fn new(
        py: Python<'_>,
        source: SourceArgument,
        format_name: Option<Plain<SyntaxFormat>>,
        raw: bool,
    ) -> Result<Self> {
        Ok(Self(Mutex::new(open(py, &source, format_name, raw)?)))
    }

    /// Name of the format.
    #[getter]
    fn format(&self, py: Python<'_>) -> &'static str {
        // Another thread may hold the lock and wait for the GIL.
        py.detach(|| self.lock().format().name())
    }
}

impl SyntaxFile {
    pub(super) fn lock(&self) -> MutexGuard<'_, SyntaxChunks> {
        lock(&self.0)
    }
}

/// Sentences with tags and trees.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Treebank(pub(super) Mutex<Core>);

impl Treebank {
    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        lock(&self.0)
    }

    /// A copy of the sentences, for processing without the lock.
    pub(super) fn core(&self) -> Core {
        self.lock().clone()
    }
}

/// Returns a field of a word; empty if the column is missing.
fn field(column: &[String], at: usize) -> &str {
    column.get(at).map_or("", String::as_str)
}

/// Returns a field, or the empty string for `_`, which stands for a missing value.
fn known(field: &str) -> &str {
    if field == "_" { "" } else { field }
}

/// Number of roots that trees may have, `one` or `many`; None without trees.
type TreeRoots = Option<Plain<Roots>>;

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

    /// Adds the sentences of a file; `trees` is None, "one" or "many" (roots). With `optional`, no word of the file may
    /// have a head. Returns whether heads were read.
    #[pyo3(signature = (file, trees, optional=false, /))]
    fn read(
        &self,
        py: Python<'_>,
        file: &SyntaxFile,
        trees: TreeRoots,
        optional: bool,
    ) -> Result<bool> {
        let trees = match trees {
            None => Trees::Ignored,
            Some(roots) if optional => Trees::Optional(roots.0),
            Some(roots) => Trees::Required(roots.0),
        };
        let mut clock = spanrs::base::Clock::new(stop);
        Ok(py.detach(|| {
            let stops = || clock.stops();
            spanrs::dep_files::read_treebank(&mut file.lock(), trees, &mut self.lock(), stops)
        })?)
    }

    /// A copy of the sentences.
    fn copy(&self, py: Python<'_>) -> Self {
        Self(Mutex::new(py.detach(|| self.core())))
    }

    /// Removes the XPOS or the UPOS of all words unless they are to be kept.
    #[pyo3(signature = (xpos, upos, /))]
    fn keep_tags(&self, py: Python<'_>, xpos: bool, upos: bool) {
        py.detach(|| self.lock().keep_tags(xpos, upos));
    }

    /// Whether a word has morphological features, and whether a word has a lemma.
    fn has_morphology(&self, py: Python<'_>) -> (bool, bool) {
        py.detach(|| {
            let core = self.lock();
            let mut has = (false, false);
            for word in (0..core.len()).flat_map(|at| core.sentence(at)) {
                has = (
                    has.0 || !word.feats.is_empty(),
                    has.1 || !matches!(word.lemma, "" | "_"),
                );
            }
            has
        })
    }

    /// Adds sentences; lists have equal length or are empty.
    #[pyo3(signature = (sentences, trees, /))]
    fn extend(&self, py: Python<'_>, sentences: Vec<Annotated>, trees: TreeRoots) -> Result<()> {
        let trees = trees.map(|roots| roots.0);
        py.detach(|| {
            let mut core = self.lock();
            for (words, xpos, upos, heads, labels, feats, lemmas) in &sentences {
                let words = words.iter().enumerate().map(|(at, form)| Word {
                    form,
                    xpos: field(xpos, at),
                    upos: field(upos, at),
                    feats: known(field(feats, at)),
                    lemma: if form == "_" {
                        field(lemmas, at)
                    } else {
                        known(field(lemmas, at))
                    },
                    head: heads.get(at).copied().unwrap_or_default(),
                    label: field(labels, at),
                });
                core.push_tree(words, trees)?;
            }
            Ok(())
        })
    }

    /// Projectivises the trees. Returns the number of changed words and sentences.
    fn projectivise(&self, py: Python<'_>) -> Result<(usize, usize)> {
        Ok(py.detach(|| self.lock().projectivise(stop))?)
    }

    /// All sentences as (words, XPOS, UPOS, heads, labels, morphological features, lemmas).
    fn sentences(&self, py: Python<'_>) -> Vec<Annotated> {
        let core = py.detach(|| self.core());
        (0..core.len())
            .map(|at| {
                let mut all = Annotated::default();
                for word in core.sentence(at) {
                    all.0.push(word.form.to_owned());
                    all.1.push(word.xpos.to_owned());
                    all.2.push(word.upos.to_owned());
                    all.3.push(word.head);
                    all.4.push(word.label.to_owned());
                    all.5.push(word.feats.to_owned());
                    all.6.push(word.lemma.to_owned());
                }
                all
            })
            .collect()
    }
}
