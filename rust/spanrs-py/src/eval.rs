//! Scoring: behind `spanrs.score` and `spanrs.Scorer`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use spanrs_base::{Limits, Vocabulary};
use spanrs_eval::{Counts, Scorer, Side, Violations};
use spanrs_tags::{Detection, Dialect, Evidence, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::files::{ColumnOptions, Progress, columns};
use crate::ids::{Id, Ids, Sentences, bad_id, numbering, with_values};
use crate::interrupted;
use crate::lists::{Interner, as_list_or_tuple};
use crate::options::{PyDialect, reading, scheme_or_auto, violation_tuple};

/// Sentences between two looks for Ctrl-C.
const PAUSE: usize = 1 << 14;

/// Counts gold against pred, sentence after sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Counter(Mutex<Inner>);

struct Inner {
    reader: Reader,
    scorer: Scorer,
    /// False while the scheme is still to be found out.
    decided: bool,
    detection: Option<Detection>,
}

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (scheme, reading_name, dialect, keep, by_document, /))]
    fn new(
        scheme: &str,
        reading_name: &str,
        dialect: PyDialect,
        keep: usize,
        by_document: bool,
    ) -> Result<Self> {
        let scheme = scheme_or_auto(scheme)?;
        let mut scorer = Scorer::new(keep);
        if by_document {
            scorer = scorer.by_document();
        }
        Ok(Self(Mutex::new(Inner {
            reader: Reader::new(scheme.unwrap_or(Scheme::Bio), reading(reading_name)?, dialect.into())?,
            scorer,
            decided: scheme.is_some(),
            detection: None,
        })))
    }

    /// Adds sentences given as sequences of sequences of str.
    #[pyo3(signature = (gold, pred, /))]
    fn update_lists(&self, gold: &Bound<'_, PyAny>, pred: &Bound<'_, PyAny>) -> Result<()> {
        let inner = &mut *self.lock();
        let (gold, pred) = (as_list_or_tuple(gold)?, as_list_or_tuple(pred)?);
        same_number(gold.len()?, pred.len()?)?;
        let mut interner = Interner::new();
        let mut flat = Vec::new();
        let gold_lengths = intern_all(&gold, &mut interner, &mut inner.reader, &mut flat)?;
        if !inner.decided {
            inner.decide(Sentences::Lengths(&gold_lengths), &flat);
        }
        if !inner.decided {
            let mut flat = Vec::new();
            let lengths = intern_all(&pred, &mut interner, &mut inner.reader, &mut flat)?;
            inner.decide(Sentences::Lengths(&lengths), &flat);
        }
        let py = gold.py();
        let mut ids = Vec::new();
        for (at, range) in Sentences::Lengths(&gold_lengths).ranges().enumerate() {
            ids.clear();
            interner.sentence(&pred.get_item(at)?, &mut inner.reader, &mut ids)?;
            let gold = &flat[range];
            if gold.len() != ids.len() {
                return Err(unequal(at, gold.len(), ids.len()));
            }
            inner.scorer.add(&inner.reader, gold, &ids, |_, _| 0);
            if at % PAUSE == PAUSE - 1 {
                py.check_signals()?;
            }
        }
        inner.refuse()
    }

    /// Adds sentences given as arrays of ids. `lengths` cuts arrays of one dimension into sentences.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, /))]
    fn update_ids(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        vocabulary: Vec<String>,
        ignore_index: i64,
        lengths: Option<Vec<usize>>,
    ) -> Result<()> {
        let inner = &mut *self.lock();
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
        let cut = match &lengths {
            None => Sentences::Equal(sentences, tokens),
            Some(lengths) => {
                if sentences * tokens != lengths.iter().sum::<usize>() {
                    return Err(Error::Shape {
                        message: format!(
                            "lengths add up to {}, but there are {} ids",
                            lengths.iter().sum::<usize>(),
                            sentences * tokens
                        ),
                        sentence: None,
                    });
                }
                Sentences::Lengths(lengths)
            }
        };
        with_values!(&gold, gold => with_values!(&pred, pred => {
            let batch = Batch { gold, pred, cut, numbers: &numbers, ignore: ignore_index };
            py.detach(|| batch.count(inner))
        }))?;
        inner.refuse()
    }

    /// Finds out the scheme from files, gold first; pred is asked only where gold says nothing.
    ///
    /// `gold` and `pred` are functions that give the source from its beginning. With `one_file` pred is
    /// the second column of tags of the same file.
    #[pyo3(signature = (gold, pred, gold_options, pred_options, one_file, progress, /))]
    #[allow(clippy::too_many_arguments)] // One call, made from one place in Python.
    fn detect_files(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: &Bound<'_, PyAny>,
        gold_options: ColumnOptions,
        pred_options: ColumnOptions,
        one_file: bool,
        progress: Option<Py<PyAny>>,
    ) -> Result<()> {
        let inner = &mut *self.lock();
        let py = gold.py();
        let mut progress = Progress::new(progress);
        let dialect = inner.reader.dialect().clone();
        for (column, (source, options)) in
            [(gold, gold_options), (pred, pred_options)].into_iter().enumerate()
        {
            let rows = columns(&source.call0()?, &options, one_file.then_some(column))?;
            let result = py
                .detach(|| spanrs_jobs::detect(rows, &dialect, &mut |n| progress.tell(n)))
                .map_err(Error::from);
            inner.take(progress.check(result)?);
            if inner.decided {
                break;
            }
        }
        Ok(())
    }

    /// Scores files; with `pred` None the one file has two columns of tags.
    #[pyo3(signature = (gold, pred, gold_options, pred_options, progress, /))]
    fn update_files(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: Option<&Bound<'_, PyAny>>,
        gold_options: ColumnOptions,
        pred_options: ColumnOptions,
        progress: Option<Py<PyAny>>,
    ) -> Result<()> {
        let inner = &mut *self.lock();
        let sides = match pred {
            Some(pred) => spanrs_jobs::Sides::Two {
                gold: columns(gold, &gold_options, None)?,
                pred: columns(pred, &pred_options, None)?,
            },
            None => spanrs_jobs::Sides::One(columns(gold, &gold_options, None)?),
        };
        let mut progress = Progress::new(progress);
        let (reader, scorer) = (&mut inner.reader, &mut inner.scorer);
        let result = gold
            .py()
            .detach(|| spanrs_jobs::score(sides, reader, scorer, &mut |n| progress.tell(n)))
            .map_err(Error::from);
        progress.check(result)
    }

    /// Ends the current document.
    fn end_document(&self) {
        self.lock().scorer.end_document();
    }

    /// Everything counted so far, as plain Python values.
    fn state<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let inner = &*self.lock();
        let state = counts(py, &inner.scorer.counts(), &inner.reader)?;
        let documents = PyList::empty(py);
        for document in inner.scorer.documents() {
            documents.append(counts(py, document, &inner.reader)?)?;
        }
        state.set_item("documents", documents)?;
        state.set_item("scheme", inner.decided.then(|| inner.reader.scheme().name()))?;
        state.set_item("reading", inner.reader.reading().name())?;
        let statement = inner.detection.as_ref().map(|d| d.statement.as_str());
        state.set_item("detection", statement)?;
        for (name, side) in [("gold", Side::Gold), ("pred", Side::Pred)] {
            state.set_item(format!("{name}_violations"), located(inner.scorer.violations(side)))?;
        }
        Ok(state)
    }
}

impl Counter {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A poisoned lock holds counts of an update that failed half way; they are whole sentences.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn decide(&mut self, cut: Sentences<'_>, flat: &[u32]) {
        let mut evidence = Evidence::default();
        for range in cut.ranges() {
            evidence.add(&flat[range]);
        }
        let detection = evidence.decide(self.reader.tags(), self.reader.dialect());
        self.take(detection);
    }

    /// Takes over what was detected. As long as nothing but `O` was seen, nothing is decided.
    fn take(&mut self, detection: Detection) {
        if detection.decided {
            let tags = self.reader.tags().clone();
            let (reading, dialect) = (self.reader.reading(), self.reader.dialect().clone());
            // Only `O` was counted until now, so the ids of types may change.
            if let Ok(reader) = reader_for(tags, &detection, reading, dialect) {
                self.reader = reader;
                self.decided = true;
            }
        }
        self.detection = Some(detection);
    }

    fn refuse(&self) -> Result<()> {
        if self.reader.reading() != Reading::Refuse {
            return Ok(());
        }
        for (name, side) in [("gold", Side::Gold), ("pred", Side::Pred)] {
            let violations = self.scorer.violations(side);
            if violations.count > 0 {
                return Err(spanrs_jobs::Error::Malformed {
                    path: name.to_owned(),
                    scheme: self.reader.scheme(),
                    violations: violations.clone(),
                }
                .into());
            }
        }
        Ok(())
    }
}

fn reader_for(
    tags: Vocabulary,
    detection: &Detection,
    reading: Reading,
    dialect: Dialect,
) -> Result<Reader> {
    Ok(Reader::with_vocabulary(tags, detection.scheme, reading, dialect)?)
}

/// The ids of all sentences, one after the other, and how long each is.
fn intern_all(
    sentences: &Bound<'_, PyAny>,
    interner: &mut Interner,
    reader: &mut Reader,
    flat: &mut Vec<u32>,
) -> Result<Vec<usize>> {
    let mut lengths = Vec::with_capacity(sentences.len()?);
    let mut before = 0;
    for at in 0..sentences.len()? {
        interner.sentence(&sentences.get_item(at)?, reader, flat)?;
        lengths.push(flat.len() - before);
        before = flat.len();
        if at % PAUSE == PAUSE - 1 {
            sentences.py().check_signals()?;
        }
    }
    Ok(lengths)
}

/// One call's worth of ids.
struct Batch<'a, G, P> {
    gold: &'a [G],
    pred: &'a [P],
    cut: Sentences<'a>,
    numbers: &'a [u32],
    ignore: i64,
}

impl<G: Id, P: Id> Batch<'_, G, P> {
    fn count(&self, inner: &mut Inner) -> Result<()> {
        if !inner.decided {
            for side in [true, false] {
                let mut evidence = Evidence::default();
                self.each(|gold, pred| evidence.add(if side { gold } else { pred }))?;
                let detection = evidence.decide(inner.reader.tags(), inner.reader.dialect());
                inner.take(detection);
                if inner.decided {
                    break;
                }
            }
        }
        let Inner { reader, scorer, .. } = inner;
        self.each(|gold, pred| scorer.add(reader, gold, pred, |_, _| 0))
    }

    /// Hands over each sentence as ids of the reader, without the tokens to ignore.
    fn each(&self, mut sentence: impl FnMut(&[u32], &[u32])) -> Result<()> {
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        for (at, range) in self.cut.ranges().enumerate() {
            gold.clear();
            pred.clear();
            let (golds, preds) = (&self.gold[range.clone()], &self.pred[range]);
            for (token, (g, p)) in golds.iter().zip(preds).enumerate() {
                let (g, p) = (g.value(), p.value());
                if g == self.ignore {
                    continue;
                }
                let number = |id: i64| usize::try_from(id).ok().and_then(|id| self.numbers.get(id));
                match (number(g), number(p)) {
                    (Some(&g), Some(&p)) => {
                        gold.push(g);
                        pred.push(p);
                    }
                    (None, _) => return Err(bad_id("gold", at, token, g, self.numbers.len())),
                    _ => return Err(bad_id("pred", at, token, p, self.numbers.len())),
                }
            }
            sentence(&gold, &pred);
            if at % PAUSE == PAUSE - 1
                && let Some(error) = interrupted()
            {
                return Err(error.into());
            }
        }
        Ok(())
    }
}

fn same_number(gold: usize, pred: usize) -> Result<()> {
    if gold == pred {
        return Ok(());
    }
    Err(Error::Shape {
        message: format!("gold has {gold} sentences, pred has {pred}"),
        sentence: None,
    })
}

fn unequal(sentence: usize, gold: usize, pred: usize) -> Error {
    Error::Shape {
        message: format!("sentence {sentence}: gold has {gold} tags, pred has {pred}"),
        sentence: Some(sentence),
    }
}

fn counts<'py>(py: Python<'py>, counts: &Counts, reader: &Reader) -> Result<Bound<'py, PyDict>> {
    let types = PyDict::new(py);
    for (id, tally) in counts.types.iter().enumerate() {
        if tally.gold + tally.pred > 0 {
            types.set_item(reader.type_name(id as u32), (tally.gold, tally.pred, tally.tp))?;
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
