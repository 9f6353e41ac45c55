//! Agreement between annotators: the compiled part of `spanrs.agreement`.

use std::collections::HashMap;
use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde::Serialize;
use spanrs::base::Interrupted;
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

/// Values of a project; each list of values is in the order of the measures in Python.
#[derive(Serialize)]
struct PlainValues {
    types: Vec<String>,
    whole: Vec<f64>,
    /// Indices of the annotators, common documents, common positions, values, F1 by type.
    pairs: Vec<(u32, u32, u32, u64, Vec<f64>, Vec<(u32, f64, f64, f64)>)>,
    annotators: Vec<Vec<f64>>,
    by_type: Vec<Vec<f64>>,
    /// Index, number of annotators, positions, values.
    documents: Vec<(u32, u32, u32, Vec<f64>)>,
    /// Numbers of documents that were compared, have one annotator, and have none.
    seen: (usize, u32, u32),
    joined: u64,
}

/// Statistics of the documents of an annotation project.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct AgreementProject(Mutex<Project>);

#[pymethods]
impl AgreementProject {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
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
                    .map(|((names, documents, positions), (values, types))| {
                        (
                            names.0,
                            names.1,
                            documents,
                            positions,
                            values.to_vec(),
                            types,
                        )
                    })
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
}

impl AgreementProject {
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
