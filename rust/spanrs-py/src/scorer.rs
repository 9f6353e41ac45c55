//! Scoring with any matcher: the compiled part of `spanrs.score` and `spanrs.Scorer`.

use std::sync::{Mutex, MutexGuard};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use spanrs::arrow::{ColumnError, Columns as ArrowColumns};
use spanrs::eval::input::{DocumentEnds, IdBatch, InputError, numbering};
use spanrs::eval::{AutoSchemeScorer, Detail, MatcherOptions, PredScheme, ScorerOptions, Side};
use spanrs::io::Columns;
use spanrs::span_files::SpanFileOptions;
use spanrs::tags::{Evidence, Scheme};
use spanrs::{Alignment, ErrorKind, ErrorOptions, Notes, OnMisaligned};

use crate::arrow;
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::files::{SourceArgument, column_files, row_kind, run_job, span_source};
use crate::ids::IdSides;
use crate::locks::lock_now;
use crate::nested_lists::NestedLists;
use crate::options::{DocumentSizes, matcher};
use crate::plain::Plain;
use crate::span_lists::SpanLists;
use crate::stop;
use crate::tag_interner::TagInterner;

/// Counts the outcomes of comparing gold and pred, batch by batch.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Scorer(Mutex<Scoring>);

/// State of a scorer.
pub(crate) struct Scoring {
    pub(crate) auto: AutoSchemeScorer,
    notes: Notes,
}

#[pymethods]
impl Scorer {
    #[new]
    #[pyo3(signature = (matcher_options, options, /))]
    fn new(matcher_options: Plain<MatcherOptions>, options: Plain<ScorerOptions>) -> Result<Self> {
        Ok(Self(Mutex::new(Scoring {
            auto: options.0.build(matcher(matcher_options.0)?)?,
            notes: Notes::default(),
        })))
    }

    /// Adds sentences given as sequences of sequences of str.
    #[pyo3(signature = (gold, pred, documents, /))]
    fn update_lists(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        documents: Option<DocumentSizes<'_>>,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let lists = NestedLists::new(gold, pred)?;
        let documents = ends(inner, documents.as_ref(), lists.len()?)?;
        let mut interner = TagInterner::new();
        inner.auto.run(
            |reader, side, most| lists.evidence(reader, side, most),
            |reader, scorer| lists.count(&mut interner, reader, scorer, documents.as_ref()),
        )?;
        Ok(refuse(&inner.auto)?)
    }

    /// Sets the schemes, if none has been detected yet. Without `pred_scheme` pred has the same scheme as gold, or its
    /// scheme is detected.
    #[pyo3(signature = (scheme, pred_scheme=None, detect_pred=false, /))]
    fn set_schemes(
        &self,
        scheme: Plain<Scheme>,
        pred_scheme: Option<Plain<Scheme>>,
        detect_pred: bool,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let pred_scheme = PredScheme::new(pred_scheme.map(|scheme| scheme.0), detect_pred);
        Ok(inner.auto.set_schemes(scheme.0, pred_scheme)?)
    }

    /// Adds sentences given as arrays of ids. `lengths` splits one-dimensional arrays into sentences.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, threads, documents, /))]
    #[allow(clippy::too_many_arguments)] // There is only one caller.
    fn update_ids(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        vocabulary: Vec<String>,
        ignore_index: i64,
        lengths: Option<PyReadonlyArray1<'_, i64>>,
        threads: usize,
        documents: Option<DocumentSizes<'_>>,
    ) -> Result<()> {
        let (inner, py) = (&mut *self.lock()?, gold.py());
        let sides = IdSides::new(gold, pred, lengths)?;
        let (gold, pred, cut) = sides.values()?;
        let numbers = numbering(&vocabulary, &mut inner.auto.reader)?;
        let documents = ends(inner, documents.as_ref(), cut.len())?;
        let batch = IdBatch {
            gold,
            pred,
            cut,
            gold_numbers: &numbers,
            pred_numbers: &numbers,
            ignore: ignore_index,
            first: 0,
            nulls: false,
            documents: documents.as_ref(),
            watch: stop,
        };
        py.detach(|| {
            inner.auto.run::<InputError>(
                |_, side, most| {
                    let mut evidence = Evidence::default();
                    let whole = batch.evidence(side, most, &mut evidence)?;
                    Ok((evidence, whole))
                },
                |reader, scorer| batch.count(reader, scorer, threads),
            )
        })?;
        Ok(refuse(&inner.auto)?)
    }

    /// Adds Arrow list columns of strings, dictionary values, or integers with a vocabulary.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, threads, documents, /))]
    #[allow(clippy::too_many_arguments)] // There is only one caller.
    fn update_arrow(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        vocabulary: Option<Vec<String>>,
        ignore_index: i64,
        threads: usize,
        documents: Option<DocumentSizes<'_>>,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let py = gold.py();
        let (gold, pred) = (arrow::import(gold, "gold")?, arrow::import(pred, "pred")?);
        let documents = documents.map(|documents| documents.ends()).transpose()?;
        py.detach(|| {
            let columns = ArrowColumns::new(
                (&gold, &pred),
                vocabulary.as_deref(),
                ignore_index,
                &mut inner.auto.reader,
            )?;
            if let Some(documents) = &documents {
                documents.check(columns.rows())?;
                inner.auto.scorer.end_document(&inner.auto.reader, None);
            }
            inner.auto.run::<ColumnError>(
                |_, side, most| columns.evidence(side, most),
                |reader, scorer| columns.count(reader, scorer, (threads, stop), documents.as_ref()),
            )?;
            Ok::<_, Error>(())
        })?;
        Ok(refuse(&inner.auto)?)
    }

    /// Scores files, and lists their errors if requested. Without `pred` the gold file has two tag columns. If a scheme
    /// must be detected, the sources must support being opened again.
    #[pyo3(signature = (gold, pred, columns, errors, on_misaligned, by_sentence, threads, progress, /))]
    #[allow(clippy::too_many_arguments)] // There is only one caller.
    fn update_files(
        &self,
        py: Python<'_>,
        gold: SourceArgument,
        pred: Option<SourceArgument>,
        columns: (Plain<Columns>, Plain<Columns>),
        errors: Option<&Bound<'_, ErrorFinder>>,
        on_misaligned: Plain<OnMisaligned>,
        by_sentence: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Result<()> {
        let Scoring { auto, notes } = &mut *self.lock()?;
        let options = (on_misaligned.0, row_kind(by_sentence), threads);
        let files = column_files(gold, pred, columns);
        let mut finder = errors.map(|errors| errors.get().take()).transpose()?;
        let scored = run_job(py, progress, |tell| {
            spanrs::score_column_files(auto, &files, finder.as_mut(), options, notes, tell)
        });
        if let (Some(errors), Some(finder)) = (errors, finder) {
            errors.get().put_back(finder)?;
        }
        scored
    }

    /// Adds sentences of spans; only the selected types are counted.
    #[pyo3(signature = (gold, pred, documents, /))]
    fn update_spans(
        &self,
        py: Python<'_>,
        gold: &SpanLists,
        pred: &SpanLists,
        documents: Option<DocumentSizes<'_>>,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let documents = ends(inner, documents.as_ref(), gold.0.len())?;
        let (scorer, reader) = (&mut inner.auto.scorer, &inner.auto.reader);
        Ok(py
            .detach(|| scorer.add_span_lists(reader, &gold.0, &pred.0, documents.as_ref(), stop))?)
    }

    /// Adds a pair of span files or files of stacked tags as one document. Returns the formats of gold and pred, the
    /// types in the order of their first occurrence in gold, and the number of sentences. If `errors` is given, it
    /// collects the errors, with a path if several pairs are scored.
    #[pyo3(signature = (gold, pred, name, errors, progress, /))]
    fn update_span_files(
        &self,
        py: Python<'_>,
        gold: (SourceArgument, Plain<SpanFileOptions>),
        pred: (SourceArgument, Plain<SpanFileOptions>),
        name: Option<&str>,
        errors: Option<(Bound<'_, ErrorFinder>, Option<String>)>,
        progress: Option<Py<PyAny>>,
    ) -> Result<(&'static str, &'static str, Vec<String>, u64)> {
        let inner = &mut *self.lock()?;
        let (gold, pred) = (span_source(py, gold)?, span_source(py, pred)?);
        let (gold_format, pred_format) = (gold.format(), pred.format());
        let mut part = inner.auto.scorer.part(&inner.auto.reader);
        let mut finder = None;
        if let Some((errors, path)) = &errors {
            let mut taken = errors.get().take()?;
            taken.begin_file(path.as_deref());
            finder = Some(taken);
        }
        let files = run_job(py, progress, |tell| {
            spanrs::span_files::score_spans(gold, pred, &mut part, finder.as_mut(), tell)
        })?;
        if let (Some((errors, _)), Some(finder)) = (errors, finder) {
            errors.get().put_back(finder)?;
        }
        part.end_document(&inner.auto.reader, name);
        inner.auto.scorer.add_part(part, &inner.auto.reader);
        inner.notes.warn(files.warnings);
        Ok((gold_format, pred_format, files.gold_types, files.sentences))
    }

    /// Adds a number of tokens that differ between the sides, with a description of the first differences.
    #[pyo3(signature = (tokens, examples, /))]
    fn add_differing(&self, tokens: u64, examples: Vec<String>) -> Result<()> {
        let Scoring { auto, notes } = &mut *self.lock()?;
        let differing = Alignment {
            differing: tokens,
            examples,
            ..Alignment::default()
        };
        notes.add(differing, &mut auto.scorer);
        Ok(())
    }

    /// Ends the current document and names it.
    #[pyo3(signature = (name=None, /))]
    fn end_document(&self, name: Option<&str>) -> Result<()> {
        let inner = &mut *self.lock()?;
        inner.auto.scorer.end_document(&inner.auto.reader, name);
        Ok(())
    }

    /// Number of sentences in total and in the open document.
    fn position(&self) -> Result<(u64, u64)> {
        Ok(self.lock()?.auto.scorer.position())
    }

    /// Restores the counts and the position of another scorer.
    #[pyo3(signature = (counts, position, /))]
    fn resume(&self, counts: &Counts, position: (u64, u64)) -> Result<()> {
        let (sentences, open) = position;
        let inner = &mut *self.lock()?;
        inner.auto.scorer.resume(counts.core(), sentences, open);
        Ok(())
    }

    /// The scheme if it is decided, the scheme of pred if it differs, and the reading.
    #[allow(clippy::type_complexity)] // The tuple has three names.
    fn schemes(&self) -> Result<(Option<&'static str>, Option<&'static str>, &'static str)> {
        Ok(self.lock()?.auto.names())
    }

    /// The counts so far. With `take` the counts are moved out and the scorer is reset, except for its violations.
    #[pyo3(signature = (take=false, /))]
    fn counts(&self, take: bool) -> Result<Counts> {
        let inner = &mut *self.lock()?;
        let counts = match take {
            true => inner.auto.scorer.take_counts(&inner.auto.reader),
            false => inner.auto.scorer.counts(&inner.auto.reader),
        };
        Ok(Counts::new(counts))
    }

    /// Counts of the exact matcher for compat: a dict from type to (gold, pred, both) in the order of the types, the
    /// distinct tags, numbers of tokens and of tokens with equal tags, and violations on both sides.
    fn tag_state<'py>(&self, py: Python<'py>) -> Result<TagState<'py>> {
        let AutoSchemeScorer { scorer, reader, .. } = &mut self.lock()?.auto;
        let counts = scorer.counts(reader);
        let totals = counts.tag_totals();
        let types = PyDict::new(py);
        for name in reader.types().names() {
            if let Some(ty) = counts.type_number(name) {
                let [gold, pred, both] = totals.types[ty as usize];
                types.set_item(name, (gold, pred, both))?;
            }
        }
        let tags = reader.tags().names().map(str::to_owned).collect();
        let (tokens, equal) = (totals.tokens, totals.equal_tokens);
        Ok((types, tags, tokens, equal, totals.violations))
    }

    /// Located violations, warnings, and the evidence for detected schemes.
    fn evidence<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let Scoring { auto, notes } = &*self.lock()?;
        let evidence = PyDict::new(py);
        for (name, side) in [
            ("gold_violations", Side::Gold),
            ("pred_violations", Side::Pred),
        ] {
            let violations = &auto.scorer.violations(side).first;
            evidence.set_item(name, Plain(violations))?;
        }
        evidence.set_item("differing", &notes.examples)?;
        evidence.set_item("warnings", &notes.warnings)?;
        for (name, detection) in [
            ("detection", &auto.detection),
            ("pred_detection", &auto.pred_detection),
        ] {
            let statement = detection.as_ref().map(|found| &found.statement);
            evidence.set_item(name, statement)?;
        }
        Ok(evidence)
    }
}

/// (types, tags, number of tokens, number of correct tokens, violations)
type TagState<'py> = (Bound<'py, PyDict>, Vec<String>, u64, u64, u64);

/// Raises an error for violations under the reading `refuse`.
fn refuse(auto: &AutoSchemeScorer) -> spanrs::Result<()> {
    spanrs::refuse_violations(&auto.reader, &auto.scorer, ["gold", "pred"])
}

/// Document boundaries for `sentences` sentences. Ends the open document, if any.
fn ends(
    inner: &mut Scoring,
    documents: Option<&DocumentSizes<'_>>,
    sentences: usize,
) -> Result<Option<DocumentEnds>> {
    let Some(documents) = documents else {
        return Ok(None);
    };
    let ends = documents.ends()?;
    ends.check(sentences)?;
    inner.auto.scorer.end_document(&inner.auto.reader, None);
    Ok(Some(ends))
}

impl Scorer {
    /// Takes the lock without waiting, because waiting could cause a deadlock: the counting thread may need the GIL,
    /// which the waiting thread holds, and a generator may request the result of the update that consumes it.
    fn lock(&self) -> Result<MutexGuard<'_, Scoring>> {
        lock_now(
            &self.0,
            "the scorer is in use by another thread or by an update that is still running; \
             give each thread a scorer of its own and merge them",
        )
    }
}

/// Adds files to several scorers with different readings in one pass. The schemes of the scorers must be decided.
#[pyfunction]
#[pyo3(signature = (scorers, gold, pred, columns, by_sentence, progress, /))]
pub(crate) fn score_readings(
    py: Python<'_>,
    scorers: Vec<Bound<'_, Scorer>>,
    gold: SourceArgument,
    pred: Option<SourceArgument>,
    columns: (Plain<Columns>, Plain<Columns>),
    by_sentence: bool,
    progress: Option<Py<PyAny>>,
) -> Result<()> {
    let locked: Result<Vec<_>> = scorers.iter().map(|scorer| scorer.get().lock()).collect();
    let mut locked = locked?;
    let files = column_files(gold, pred, columns);
    let (sides, _) = py.detach(|| files.open())?;
    let targets = locked.iter_mut().map(|inner| {
        let AutoSchemeScorer { reader, scorer, .. } = &mut inner.auto;
        (reader, scorer)
    });
    let mut targets: Vec<_> = targets.collect();
    run_job(py, progress, |tell| {
        spanrs::score_readings(sides, &mut targets, row_kind(by_sentence), tell)
    })
}

/// Errors of files in compact form.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct FileErrors(spanrs::SpanErrors);

#[pymethods]
impl FileErrors {
    /// Number of kept errors.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// An error by index.
    #[pyo3(signature = (at, /))]
    fn row(&self, at: usize) -> PyResult<Plain<Detail>> {
        let detail = self.0.get(at).map(Plain);
        detail.ok_or_else(|| PyIndexError::new_err("error index is out of range"))
    }

    /// Number of errors of each kind, including errors that were not kept.
    fn numbers(&self) -> Vec<(ErrorKind, u64)> {
        self.0.numbers().into_iter().collect()
    }

    /// For each error with a gold span: the index of the sentence times 2^32 plus the index of the span in the
    /// sentence.
    fn gold_places<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let places = self.0.gold_places();
        let places = places.map(|(sentence, index)| (sentence << 32) + u64::from(index));
        PyArray1::from_iter(py, places)
    }
}

/// Collects the errors in files during scoring.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct ErrorFinder(Mutex<Option<spanrs::ErrorFinder>>);

#[pymethods]
impl ErrorFinder {
    #[new]
    #[pyo3(signature = (matcher_options, options, /))]
    fn new(matcher_options: Plain<MatcherOptions>, options: Plain<ErrorOptions>) -> Result<Self> {
        let finder = spanrs::ErrorFinder::new(matcher(matcher_options.0)?, options.0);
        Ok(Self(Mutex::new(Some(finder))))
    }

    /// The errors; the finder cannot be used afterwards.
    fn finish(&self) -> Result<FileErrors> {
        Ok(FileErrors(self.take()?.finish()))
    }
}

impl ErrorFinder {
    /// Takes the finder, so that it cannot be used at the same time or after an error.
    fn take(&self) -> Result<spanrs::ErrorFinder> {
        let message = "the error finder is in use or finished";
        let mut finder = lock_now(&self.0, message)?;
        finder.take().ok_or_else(|| Error::model(message))
    }

    fn put_back(&self, finder: spanrs::ErrorFinder) -> Result<()> {
        *lock_now(&self.0, "the error finder is in use")? = Some(finder);
        Ok(())
    }
}
