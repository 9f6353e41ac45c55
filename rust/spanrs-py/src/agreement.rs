//! Agreement between annotators: the compiled part of `spanrs.agreement`.

use std::collections::HashMap;
use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde::Serialize;
use spanrs::base::Interrupted;
use spanrs::eval::agreement::gamma::{Continuum, DocumentGamma, Options as GammaOptions, gamma};
use spanrs::eval::agreement::{Answer, Content, DocumentValues, Project, ProjectSpan};
use spanrs::eval::mat::NO_CONTENT;
use spanrs::io::document::{Document, TOKEN, tokenize};

use crate::documents::PyDocument;
use crate::error::Result;
use crate::files::run_job;
use crate::locks::lock;
use crate::plain::Plain;

/// A span: type, first position, one past the last, and the fragments of a discontinuous span.
type SpanTuple = (String, u32, u32, Vec<(u32, u32)>);

/// Values of a pair of annotators.
#[derive(Serialize)]
struct PlainPair {
    /// Indices of the annotators.
    annotators: (u32, u32),
    /// Number of common documents.
    documents: u32,
    /// Number of common positions.
    positions: u64,
    values: [f64; 4],
    /// Exact F1 of each type.
    types: Vec<(u32, f64)>,
}

/// Values of a project; each list of values is in the order of the measures in Python.
#[derive(Serialize)]
struct PlainValues {
    types: Vec<String>,
    whole: Vec<f64>,
    pairs: Vec<PlainPair>,
    annotators: Vec<Vec<f64>>,
    by_type: Vec<Vec<f64>>,
    /// Index, number of annotators, positions, values.
    documents: Vec<(u32, u32, u32, Vec<f64>)>,
    /// Numbers of documents that were compared, have one annotator, and have none.
    seen: (usize, u32, u32),
    joined: u64,
}

/// Gamma of a project.
#[derive(Serialize)]
struct PlainGamma {
    gamma: f64,
    observed: f64,
    expected: f64,
    expected_error: f64,
    samples: usize,
    /// Gamma, observed and expected disorder, and mean number of units per annotator.
    documents: Vec<(f64, f64, f64, f64)>,
}

/// Statistics of the documents of an annotation project.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct AgreementProject(Mutex<Project>);

#[pymethods]
impl AgreementProject {
    /// `keep_units`: whether gamma will be computed.
    #[new]
    #[pyo3(signature = (keep_units, /))]
    fn new(keep_units: bool) -> Self {
        let project = if keep_units {
            Project::keeping_units()
        } else {
            Project::default()
        };
        Self(Mutex::new(project))
    }

    /// Adds a document of spans; positions are tokens.
    #[pyo3(signature = (length, answers, /))]
    fn add_spans(&self, py: Python<'_>, length: u32, answers: Vec<(u32, Vec<SpanTuple>)>) {
        self.add(py, length, answers, |project, spans| {
            let of_tuple = |(ty, start, end, pieces): SpanTuple| {
                let ty = project.intern(&ty);
                ProjectSpan {
                    start,
                    end,
                    ty,
                    pieces,
                }
            };
            Content::Spans(spans.into_iter().map(of_tuple).collect())
        });
    }

    /// Adds a document of labels that are not tags.
    #[pyo3(signature = (length, answers, /))]
    fn add_labels(&self, py: Python<'_>, length: u32, answers: Vec<(u32, Vec<String>)>) {
        self.add(py, length, answers, |project, labels| {
            Content::Labels(labels.iter().map(|label| project.intern(label)).collect())
        });
    }

    /// Adds a text document. Positions are the given tokens, or else characters, or, with `tokens=True`, the tokens of
    /// the document or of the built-in tokenizer. Each answer is an annotator, a document with the same text, and the
    /// index of a layer, or None for all annotations.
    #[pyo3(signature = (document, tokens, answers, /))]
    fn add_document(
        &self,
        py: Python<'_>,
        document: &Bound<'_, PyDocument>,
        tokens: Tokens,
        answers: Vec<(u32, Bound<'_, PyDocument>, Option<u32>)>,
    ) {
        let document = &document.get().0;
        let answers: Vec<_> = answers
            .iter()
            .map(|(annotator, other, layer)| (*annotator, &other.get().0, *layer))
            .collect();
        py.detach(|| {
            let tokens = match tokens {
                Tokens::Given(tokens) => Some(tokens),
                Tokens::Are(true) => Some(tokens_of(document)),
                Tokens::Are(false) => None,
            };
            let length = document.text.chars().count() as u32;
            let mut project = lock(&self.0);
            let answers = answers
                .into_iter()
                .map(|(annotator, other, layer)| Answer {
                    annotator,
                    content: Content::Spans(spans_of(&mut project, other, layer)),
                })
                .collect();
            project.add(length, tokens.as_deref(), answers);
        });
    }

    /// All measures.
    fn values(&self, py: Python<'_>) -> Plain<PlainValues> {
        Plain(py.detach(|| {
            let project = lock(&self.0);
            let layout = project.layout();
            let values = layout.values();
            let facts = layout.pairs().into_iter();
            let measured = values.pairs.iter().zip(layout.pair_types());
            let of_document = |document: DocumentValues| {
                let values = document.values.to_vec();
                (
                    document.index,
                    document.annotators,
                    document.positions,
                    values,
                )
            };
            PlainValues {
                types: project.types().map(str::to_owned).collect(),
                whole: values.whole.to_vec(),
                pairs: facts
                    .zip(measured)
                    .map(
                        |((annotators, documents, positions), (values, types))| PlainPair {
                            annotators,
                            documents,
                            positions,
                            values: *values,
                            types,
                        },
                    )
                    .collect(),
                annotators: values.annotators.iter().map(|row| row.to_vec()).collect(),
                by_type: values.types.iter().map(|row| row.to_vec()).collect(),
                documents: layout.documents().into_iter().map(of_document).collect(),
                seen: project.documents(),
                joined: project.joined(),
            }
        }))
    }

    /// Measures of resampled projects, an array (samples, values); values are those of all annotators, pairs (if wanted),
    /// annotators and types. `progress` is called with the number of finished resamples.
    #[pyo3(signature = (samples, seed, threads, with_pairs, progress=None, /))]
    fn resample<'py>(
        &self,
        py: Python<'py>,
        samples: u64,
        seed: u64,
        threads: usize,
        with_pairs: bool,
        progress: Option<Py<PyAny>>,
    ) -> Result<Bound<'py, PyArray2<f32>>> {
        let values = run_job(py, progress, |tell| {
            let project = lock(&self.0);
            let layout = project.layout();
            let values = layout.resample(samples, seed, threads, with_pairs, |done| !tell(done));
            values.ok_or(Interrupted)
        })?;
        let width = values.len().checked_div(samples as usize).unwrap_or(0);
        Ok(PyArray1::from_vec(py, values).reshape([samples as usize, width])?)
    }

    /// Gamma of the documents that several annotators saw, or of a pair of annotators, or of a type; the project must
    /// have kept its units. `progress` is called with the number of continua that have been aligned.
    #[pyo3(signature = (options, pair, ty, progress=None, /))]
    fn gamma(
        &self,
        py: Python<'_>,
        options: Plain<GammaOptions>,
        pair: Option<(u32, u32)>,
        ty: Option<u32>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Plain<PlainGamma>> {
        self.run(py, progress, |project, tell| {
            let continua = project.continua(pair, ty).unwrap_or_default();
            let all = gamma(&continua, &options.0, tell)?;
            let by_document = all.documents.iter().zip(&continua);
            let of_document = |(one, continuum): (&DocumentGamma, &Continuum)| {
                (
                    one.gamma,
                    one.observed,
                    one.expected,
                    continuum.mean_units(),
                )
            };
            Ok(Plain(PlainGamma {
                gamma: all.gamma,
                observed: all.observed,
                expected: all.expected,
                expected_error: all.expected_error,
                samples: all.samples,
                documents: by_document.map(of_document).collect(),
            }))
        })
    }
}

impl AgreementProject {
    /// Runs a job on the project; see [`run_job`].
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        job: impl FnOnce(&Project, &mut (dyn FnMut(u64) -> bool + Send)) -> Result<T> + Send,
    ) -> Result<T> {
        run_job(py, progress, |tell| job(&lock(&self.0), tell))
    }

    /// Adds a document. Releases the GIL, because the thread that holds the lock may be waiting for the GIL.
    fn add<T: Send>(
        &self,
        py: Python<'_>,
        length: u32,
        answers: Vec<(u32, T)>,
        content: impl Fn(&mut Project, T) -> Content + Send + Sync,
    ) {
        py.detach(|| {
            let mut project = lock(&self.0);
            let answers = answers
                .into_iter()
                .map(|(annotator, given)| Answer {
                    annotator,
                    content: content(&mut project, given),
                })
                .collect();
            project.add(length, None, answers);
        });
    }
}

/// Tokens of a document: given, or whether to use tokens.
#[derive(FromPyObject)]
pub(crate) enum Tokens {
    Are(bool),
    Given(Vec<(u32, u32)>),
}

/// The tokens of a document: its own, if it has any, otherwise those of the built-in tokenizer.
fn tokens_of(document: &Document) -> Vec<(u32, u32)> {
    let is_space: Vec<bool> = document.text.chars().map(char::is_whitespace).collect();
    let is_token = |annotation: &&spanrs::io::document::Annotation| {
        let range = annotation.start as usize..annotation.end as usize;
        let is_blank = is_space
            .get(range)
            .is_none_or(|all| all.iter().all(|space| *space));
        document.type_of(annotation) == TOKEN && !is_blank
    };
    let annotations = document.annotations.iter().filter(is_token);
    let mut tokens: Vec<_> = annotations.map(|token| (token.start, token.end)).collect();
    if tokens.is_empty() {
        return tokenize(&document.text);
    }
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The annotations of one layer, without tokens and administrative annotations.
fn spans_of(project: &mut Project, document: &Document, layer: Option<u32>) -> Vec<ProjectSpan> {
    // Types are numbered by document; names are looked up once for each.
    let mut numbers: HashMap<u32, Option<u32>> = HashMap::new();
    let chosen = document.annotations.iter();
    let chosen = chosen.filter(|annotation| layer.is_none_or(|layer| annotation.layer == layer));
    chosen
        .filter_map(|annotation| {
            let ty = *numbers.entry(annotation.ty).or_insert_with(|| {
                let name = document.type_of(annotation);
                (!NO_CONTENT.contains(&name)).then(|| project.intern(name))
            });
            Some(ProjectSpan {
                start: annotation.start,
                end: annotation.end,
                ty: ty?,
                pieces: document.pieces(annotation).to_vec(),
            })
        })
        .collect()
}
