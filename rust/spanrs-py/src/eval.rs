//! Scoring: behind `spanrs.score` and `spanrs.Scorer`.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use spanrs_base::Limits;
use spanrs_eval::{Counts, Scorer, Side, Violations};
use spanrs_io::ColumnReader;
use spanrs_jobs::{Alignment, OnMisaligned};
use spanrs_tags::{Evidence, Reader, Reading, Scheme};

use crate::arrow;
use crate::batch::Batch;
use crate::counting::{Alignments, Counting, PredScheme};
use crate::error::{Error, Result};
use crate::fair::{Filter, filter, state as fair_state};
use crate::files::{ColumnOptions, Progress, columns};
use crate::ids::{Ids, Sentences, numbering, with_values};
use crate::lists::Interner;
use crate::options::{PyDialect, reading, scheme_or_auto, violation_tuple};
use crate::rows::Rows;

/// Counts gold against pred, sentence after sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Counter(Mutex<Counting>);

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (scheme, pred_scheme, reading_name, dialect, keep, by_document, fair=None, /))]
    fn new(
        scheme: &str,
        pred_scheme: Option<&str>,
        reading_name: &str,
        dialect: PyDialect,
        keep: usize,
        by_document: bool,
        fair: Option<Filter>,
    ) -> Result<Self> {
        let scheme = scheme_or_auto(scheme)?;
        let pred_scheme = PredScheme::from_name(pred_scheme, scheme.is_none())?;
        let read_as = reading(reading_name)?;
        // A refusal names at least one.
        let keep = keep.max(usize::from(read_as == Reading::Refuse));
        let mut scorer = Scorer::new(keep);
        if by_document {
            scorer = scorer.by_document();
        }
        if let Some(only) = fair {
            scorer = scorer.with_fair(filter(only));
        }
        let first = scheme.unwrap_or(Scheme::Bio);
        let mut reader = Reader::new(first, read_as, dialect.checked()?)?;
        if let PredScheme::Named(pred_scheme) = pred_scheme {
            reader = reader.with_pred_scheme(pred_scheme)?;
        }
        Ok(Self(Mutex::new(Counting {
            reader,
            scorer,
            decided: scheme.is_some(),
            pred_scheme,
            detection: None,
            pred_detection: None,
            alignments: Alignments::default(),
        })))
    }

    /// Adds sentences given as sequences of sequences of str.
    #[pyo3(signature = (gold, pred, /))]
    fn update_lists(&self, gold: &Bound<'_, PyAny>, pred: &Bound<'_, PyAny>) -> Result<()> {
        let inner = &mut *self.lock()?;
        let rows = Rows::new(gold, pred)?;
        let mut interner = Interner::new();
        inner.run(
            |reader, side, most| rows.evidence(reader, side, most),
            |reader, scorer| rows.count(&mut interner, reader, scorer),
        )?;
        inner.refuse()
    }

    /// Reads in these schemes from now on, if none was found out yet. Without `pred_scheme` pred is in that of
    /// gold.
    #[pyo3(signature = (scheme, pred_scheme, /))]
    fn set_schemes(&self, scheme: &str, pred_scheme: Option<&str>) -> Result<()> {
        let inner = &mut *self.lock()?;
        let pred_scheme = PredScheme::from_name(pred_scheme, false)?;
        inner.set_schemes(crate::options::scheme(scheme)?, pred_scheme)
    }

    /// Adds sentences given as arrays of ids. `lengths` cuts arrays of one dimension into sentences.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, threads, /))]
    fn update_ids(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        vocabulary: Vec<String>,
        ignore_index: i64,
        lengths: Option<PyReadonlyArray1<'_, i64>>,
        threads: usize,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let py = gold.py();
        let (gold, pred) = (Ids::extract(gold)?, Ids::extract(pred)?);
        let (sentences, tokens) = gold.shape()?;
        if gold.shape()? != pred.shape()? {
            let (n, m) = pred.shape()?;
            return Err(Error::Shape {
                message: format!(
                    "gold is {sentences} by {tokens} (sentences by tokens), pred {n} by {m}"
                ),
                sentence: None,
            });
        }
        let numbers = numbering(&vocabulary, &mut inner.reader)?;
        // Copied, because another thread could change the array while sentences are cut by it.
        let lengths = lengths.map(|lengths| lengths.as_slice().map(<[i64]>::to_vec));
        let lengths = lengths.transpose().map_err(PyErr::from)?;
        let cut = match &lengths {
            None => Sentences::Equal(sentences, tokens),
            Some(_) if sentences != 1 => {
                return Err(Error::Shape {
                    message: "lengths are for arrays of one dimension".to_owned(),
                    sentence: None,
                });
            }
            Some(lengths) => cut(lengths, sentences * tokens)?,
        };
        cut.check()?;
        with_values!(&gold, gold => with_values!(&pred, pred => {
            let batch = Batch {
                gold,
                pred,
                cut,
                gold_numbers: &numbers,
                pred_numbers: &numbers,
                ignore: ignore_index,
                first: 0,
                nulls: false,
            };
            py.detach(|| inner.run(
                |_, side, most| {
                    let mut evidence = Evidence::default();
                    let whole = batch.evidence(side, most, &mut evidence)?;
                    Ok((evidence, whole))
                },
                |reader, scorer| batch.count(reader, scorer, threads),
            ))
        }))?;
        inner.refuse()
    }

    /// Adds Arrow list columns: of strings, of a dictionary, or of integers with a vocabulary.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, threads, /))]
    fn update_arrow(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        vocabulary: Option<Vec<String>>,
        ignore_index: i64,
        threads: usize,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let py = gold.py();
        let (gold, pred) = (arrow::import(gold, "gold")?, arrow::import(pred, "pred")?);
        py.detach(|| {
            let columns = arrow::Columns::new(
                (&gold, &pred),
                vocabulary.as_deref(),
                ignore_index,
                &mut inner.reader,
            )?;
            inner.run(
                |_, side, most| columns.evidence(side, most),
                |reader, scorer| columns.count(reader, scorer, threads),
            )
        })?;
        inner.refuse()
    }

    /// Scores files. `gold` and `pred` are functions that give the source from its beginning; with
    /// `pred` None the one file has two columns of tags.
    #[pyo3(signature = (gold, pred, gold_options, pred_options, on_misaligned, progress, /))]
    fn update_files(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: Option<&Bound<'_, PyAny>>,
        gold_options: ColumnOptions,
        pred_options: ColumnOptions,
        on_misaligned: &str,
        progress: Option<Py<PyAny>>,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let py = gold.py();
        let on_misaligned = match on_misaligned {
            "refuse" => OnMisaligned::Refuse,
            "report" => OnMisaligned::Report,
            "ignore" => OnMisaligned::Ignore,
            other => {
                let message = format!("on_misaligned is refuse, report or ignore, not {other:?}");
                return Err(PyValueError::new_err(message).into());
            }
        };
        let (mut alignment, mut warnings) = (Alignment::default(), Vec::new());
        let progress = RefCell::new(Progress::new(progress));
        inner.run(
            |reader, side, most| {
                let mut rows = match (side, pred) {
                    (Side::Gold, _) => columns(&gold.call0()?, &gold_options, Some(side))?,
                    (Side::Pred, Some(pred)) => {
                        columns(&pred.call0()?, &pred_options, Some(Side::Gold))?
                    }
                    (Side::Pred, None) => columns(&gold.call0()?, &gold_options, Some(side))?,
                };
                if side == Side::Pred && pred.is_some() {
                    // Scoring decides whether that is an error.
                    rows.allow_missing_key();
                }
                let progress = &mut *progress.borrow_mut();
                let result = py
                    .detach(|| spanrs_jobs::gather(rows, reader, most, &mut |n| progress.tell(n)));
                progress.check(result.map_err(Error::from))
            },
            |reader, scorer| {
                let first = columns(&gold.call0()?, &gold_options, None)?;
                let second = match pred {
                    Some(pred) => Some(columns(&pred.call0()?, &pred_options, None)?),
                    None => None,
                };
                let same_file = second
                    .as_ref()
                    .filter(|second| second.path() == first.path());
                warnings =
                    spanrs_jobs::column_warnings(&first, same_file.map(ColumnReader::tag_column));
                let sides = match second {
                    Some(pred) => spanrs_jobs::Sides::Two {
                        gold: Box::new(first),
                        pred: Box::new(pred),
                    },
                    None => spanrs_jobs::Sides::One(Box::new(first)),
                };
                let progress = &mut *progress.borrow_mut();
                let result = py.detach(|| {
                    spanrs_jobs::score(sides, reader, scorer, on_misaligned, &mut |n| {
                        progress.tell(n)
                    })
                });
                alignment = progress.check(result.map_err(Error::from))?;
                Ok(())
            },
        )?;
        if let Some(key) = &alignment.missing_key {
            warnings.push(format!(
                "no word of pred has the key {key}, which gold has; pred has no spans then"
            ));
        }
        inner.alignments.add(alignment);
        for warning in warnings {
            if !inner.alignments.warnings.contains(&warning) {
                inner.alignments.warnings.push(warning);
            }
        }
        Ok(())
    }

    /// Ends the current document.
    fn end_document(&self) -> Result<()> {
        let inner = &mut *self.lock()?;
        inner.scorer.end_document(&inner.reader);
        Ok(())
    }

    /// The scheme as far as it is found out, that of pred where it is another one, and the reading.
    fn made(&self) -> Result<Schemes> {
        let inner = &*self.lock()?;
        Ok(made(inner))
    }

    /// Everything counted so far, as plain Python values.
    fn state<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let inner = &mut *self.lock()?;
        let Counting { scorer, reader, .. } = &mut *inner;
        let all = scorer.counts(reader);
        let plain = |counted: &Counts| -> PyResult<_> {
            let state = counts(py, counted, reader)?;
            if let Some(fair) = scorer.fair(counted, reader) {
                state.set_item("fair", fair_state(py, &fair, |ty| reader.type_name(ty))?)?;
            }
            Ok(state)
        };
        let state = plain(&all)?;
        let documents = PyList::empty(py);
        for document in scorer.documents() {
            documents.append(plain(document)?)?;
        }
        state.set_item("documents", documents)?;
        let (scheme, pred_scheme, reading_name) = made(inner);
        state.set_item("scheme", scheme)?;
        state.set_item("pred_scheme", pred_scheme)?;
        state.set_item("reading", reading_name)?;
        let alignments = &inner.alignments;
        state.set_item("unaligned", alignments.unaligned)?;
        state.set_item("differing", alignments.differing)?;
        state.set_item("differing_examples", alignments.examples.clone())?;
        state.set_item("file_warnings", alignments.warnings.clone())?;
        state.set_item("tags", inner.reader.tags().names().collect::<Vec<_>>())?;
        let statement = inner.detection.as_ref().map(|d| d.statement.as_str());
        state.set_item("detection", statement)?;
        let statement = inner.pred_detection.as_ref().map(|d| d.statement.as_str());
        state.set_item("pred_detection", statement)?;
        for (name, side) in [("gold", Side::Gold), ("pred", Side::Pred)] {
            state.set_item(
                format!("{name}_violations"),
                located(inner.scorer.violations(side)),
            )?;
        }
        Ok(state)
    }
}

impl Counter {
    /// Waiting here could wait forever: the thread that counts may need the interpreter, which the one
    /// that waits would hold; and a generator may ask for the result of the very update that runs it.
    fn lock(&self) -> Result<MutexGuard<'_, Counting>> {
        match self.0.try_lock() {
            Ok(guard) => Ok(guard),
            // Poisoned by a panic half way; what is counted are whole sentences.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the scorer is in use: by another thread, or by an update that is still running; \
                 give each thread a scorer of its own and merge them",
            )
            .into()),
        }
    }
}

/// The scheme as far as it is found out, that of pred where it is another one, and the reading.
type Schemes = (Option<&'static str>, Option<&'static str>, &'static str);

fn made(counting: &Counting) -> Schemes {
    let reader = &counting.reader;
    let pred_scheme = match counting.pred_scheme {
        // It may yet turn out to be that of gold.
        PredScheme::Named(scheme) if !counting.decided => Some(scheme.name()),
        PredScheme::Undetected if counting.decided => Some("auto"),
        _ => reader
            .has_two_schemes()
            .then(|| reader.pred_scheme().name()),
    };
    (
        counting.decided.then(|| reader.scheme().name()),
        pred_scheme,
        reader.reading().name(),
    )
}

/// Lengths, which must cover all ids.
fn cut(lengths: &[i64], ids: usize) -> Result<Sentences<'_, i64>> {
    // Together they have the high bits that any of them has.
    let all = lengths.iter().fold(0, |all, &length| all | length);
    if all < 0
        && let Some(at) = lengths.iter().position(|&length| length < 0)
    {
        return Err(Error::Shape {
            message: format!(
                "sentence {at} has length {}; lengths are 0 or more",
                lengths[at]
            ),
            sentence: Some(at),
        });
    }
    let sum = if all <= i64::from(u32::MAX) {
        // Too few to be too many for i64.
        i128::from(lengths.iter().sum::<i64>())
    } else {
        lengths.iter().map(|&length| i128::from(length)).sum()
    };
    if sum != ids as i128 {
        return Err(Error::Shape {
            message: format!("lengths add up to {sum}, but there are {ids} ids a side"),
            sentence: None,
        });
    }
    Ok(Sentences::Lengths(lengths))
}

fn counts<'py>(py: Python<'py>, counts: &Counts, reader: &Reader) -> Result<Bound<'py, PyDict>> {
    let types = PyDict::new(py);
    for (id, tally) in counts.types.iter().enumerate() {
        if tally.gold + tally.pred > 0 {
            types.set_item(
                reader.type_name(id as u32),
                (tally.gold, tally.pred, tally.tp),
            )?;
        }
    }
    let confused: Vec<_> = counts
        .confused
        .iter()
        .map(|(&(gold, pred), n)| (reader.type_name(gold), reader.type_name(pred), *n))
        .collect();
    let state = PyDict::new(py);
    state.set_item("types", types)?;
    state.set_item("confused", confused)?;
    state.set_item("sentences", counts.sentences)?;
    state.set_item("tokens", counts.tokens)?;
    state.set_item("correct_tokens", counts.correct_tokens)?;
    state.set_item("gold_labelled", counts.gold_labelled)?;
    state.set_item("pred_labelled", counts.pred_labelled)?;
    // Alignment is tracked per file, not per document.
    state.set_item("unaligned", 0)?;
    state.set_item("differing", 0)?;
    Ok(state)
}

type Located = (u64, Vec<(u64, u64, crate::options::ViolationTuple)>);

/// (how many, the first as (sentence, line, violation))
pub(crate) fn located(violations: &Violations) -> Located {
    let first = violations
        .first
        .iter()
        .map(|l| (l.sentence, l.line, violation_tuple(&l.violation)))
        .collect();
    (violations.count, first)
}

/// What every vocabulary made here holds at most.
pub(crate) fn most_tags() -> usize {
    Limits::default().tags
}
