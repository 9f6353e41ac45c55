//! Scoring: behind `spanrs.score` and `spanrs.Scorer`, for every matcher.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use spanrs::{Alignment, Rows as RowsOf, score_in_threads};
use spanrs_arrow::{ColumnError, Columns};
use spanrs_base::Limits;
use spanrs_eval::input::{DocumentEnds, IdBatch, InputError, Sentences, numbering};
use spanrs_eval::outcomes::{CORPUS, DIFFERING_TOKENS, UNALIGNED_FILES};
use spanrs_eval::{
    AutoSchemeScorer, MatcherOptions, PredScheme, Scorer as Core, Side, TypeFilter, make_matcher,
};
use spanrs_tags::{Evidence, Reader, Reading, Scheme};

use crate::arrow;
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::evidence::{Alignments, located};
use crate::files::{ColumnFiles, ColumnOptions, Progress, SpanFileOptions};
use crate::ids::{Ids, with_values};
use crate::nested_lists::NestedLists;
use crate::options::{
    DocumentSizes, PyDialect, on_misaligned_of, pred_scheme_of, reading, scheme_or_auto,
};
use crate::span_lists::{Sides, SpanLists};
use crate::stop;
use crate::tag_interner::TagInterner;

/// Counts gold against pred, sentence after sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Scorer(Mutex<Scoring>);

/// What a scorer holds.
pub(crate) struct Scoring {
    pub(crate) auto: AutoSchemeScorer,
    alignments: Alignments,
}

/// (name; share of the gold span a pair needs, in per cent; optimal, not greedy)
pub(crate) type MatcherTuple = (String, f64, bool);
/// (types that count, or None for all; types that do not)
pub(crate) type FilterTuple = (Option<Vec<String>>, Vec<String>);

/// The matcher of a name with its options.
pub(crate) fn matcher(
    (name, min_overlap, optimal): &MatcherTuple,
) -> Result<Box<dyn spanrs_eval::Matcher>> {
    let options = MatcherOptions {
        min_overlap: *min_overlap,
        optimal: *optimal,
        watch: stop,
    };
    make_matcher(name, &options)
        .ok_or_else(|| PyValueError::new_err(format!("no matcher {name:?}")).into())
}

pub(crate) fn type_filter((keep, exclude): FilterTuple) -> TypeFilter {
    TypeFilter { keep, exclude }
}

#[pymethods]
impl Scorer {
    #[new]
    #[pyo3(signature = (matcher_tuple, filter_tuple, scheme, pred_scheme, reading_name, dialect, keep, by_document, /))]
    #[allow(clippy::too_many_arguments)] // Called from one place.
    fn new(
        matcher_tuple: MatcherTuple,
        filter_tuple: FilterTuple,
        scheme: &str,
        pred_scheme: Option<&str>,
        reading_name: &str,
        dialect: PyDialect,
        keep: usize,
        by_document: bool,
    ) -> Result<Self> {
        let scheme = scheme_or_auto(scheme)?;
        let pred_scheme = pred_scheme_of(pred_scheme, scheme.is_none())?;
        let read_as = reading(reading_name)?;
        // A refusal names at least one.
        let keep = keep.max(usize::from(read_as == Reading::Refuse));
        let mut scorer =
            Core::new(matcher(&matcher_tuple)?, keep).with_filter(type_filter(filter_tuple));
        if by_document {
            scorer = scorer.by_document();
        }
        let first = scheme.unwrap_or(Scheme::Bio);
        let mut reader = Reader::new(first, read_as, dialect.checked()?)?;
        if let PredScheme::Named(pred_scheme) = pred_scheme {
            reader = reader.with_pred_scheme(pred_scheme)?;
        }
        let auto = AutoSchemeScorer::new(reader, scorer, scheme.is_some(), pred_scheme);
        Ok(Self(Mutex::new(Scoring {
            auto,
            alignments: Alignments::default(),
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
        let rows = NestedLists::new(gold, pred)?;
        let documents = ends(inner, documents.as_ref(), rows.len()?)?;
        let mut interner = TagInterner::new();
        inner.auto.run(
            |reader, side, most| rows.evidence(reader, side, most),
            |reader, scorer| rows.count(&mut interner, reader, scorer, documents.as_ref()),
        )?;
        refuse(&inner.auto)
    }

    /// Reads in these schemes from now on, if none was found out yet. Without `pred_scheme` pred is in that of
    /// gold.
    #[pyo3(signature = (scheme, pred_scheme, /))]
    fn set_schemes(&self, scheme: &str, pred_scheme: Option<&str>) -> Result<()> {
        let inner = &mut *self.lock()?;
        let pred_scheme = pred_scheme_of(pred_scheme, false)?;
        Ok(inner
            .auto
            .set_schemes(crate::options::scheme(scheme)?, pred_scheme)?)
    }

    /// Adds sentences given as arrays of ids. `lengths` cuts arrays of one dimension into sentences.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, threads, documents, /))]
    #[allow(clippy::too_many_arguments)] // Called from one place.
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
        let numbers = numbering(&vocabulary, &mut inner.auto.reader)?;
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
            Some(lengths) => Sentences::with_lengths(lengths, sentences * tokens)?,
        };
        cut.check()?;
        let documents = ends(inner, documents.as_ref(), cut.len())?;
        with_values!(&gold, gold => with_values!(&pred, pred => {
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
            py.detach(|| inner.auto.run::<InputError>(
                |_, side, most| {
                    let mut evidence = Evidence::default();
                    let whole = batch.evidence(side, most, &mut evidence)?;
                    Ok((evidence, whole))
                },
                |reader, scorer| batch.count(reader, scorer, threads),
            ))
        }))?;
        refuse(&inner.auto)
    }

    /// Adds Arrow list columns: of strings, of a dictionary, or of integers with a vocabulary.
    #[pyo3(signature = (gold, pred, vocabulary, ignore_index, threads, documents, /))]
    #[allow(clippy::too_many_arguments)] // Called from one place.
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
        let documents = match &documents {
            None => None,
            Some(documents) => Some(documents.ends()?),
        };
        py.detach(|| {
            let columns = Columns::new(
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
        refuse(&inner.auto)
    }

    /// Scores files. `gold` and `pred` are functions that give the source from its beginning; with
    /// `pred` None the one file has two columns of tags.
    #[pyo3(signature = (gold, pred, gold_options, pred_options, on_misaligned, by_sentence, threads, progress, /))]
    #[allow(clippy::too_many_arguments)] // Called from one place.
    fn update_files(
        &self,
        gold: &Bound<'_, PyAny>,
        pred: Option<&Bound<'_, PyAny>>,
        gold_options: ColumnOptions,
        pred_options: ColumnOptions,
        on_misaligned: &str,
        by_sentence: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let py = gold.py();
        let rows = match by_sentence {
            true => RowsOf::Sentences,
            false => RowsOf::Documents,
        };
        let on_misaligned = on_misaligned_of(on_misaligned)?;
        let files = ColumnFiles {
            gold,
            pred,
            options: (gold_options, pred_options),
        };
        let (mut alignment, mut warnings) = (Alignment::default(), Vec::new());
        let progress = RefCell::new(Progress::new(progress));
        inner.auto.run(
            |reader, side, most| {
                let rows = files.side(side)?;
                let progress = &mut *progress.borrow_mut();
                let result =
                    py.detach(|| spanrs::gather(rows, reader, most, &mut |n| progress.tell(n)));
                progress.check(result.map_err(Error::from))
            },
            |reader, scorer| {
                let (sides, found) = files.both()?;
                warnings = found;
                let progress = &mut *progress.borrow_mut();
                let parted = match threads {
                    0 | 1 => None,
                    _ => files.parted(&sides)?,
                };
                let options = (on_misaligned, rows, threads);
                let result = py.detach(|| {
                    let mut tell = |n| progress.tell(n);
                    if let Some((gold, pred)) = &parted {
                        let pred = pred.as_ref();
                        let found =
                            score_in_threads(gold, pred, reader, scorer, options, &mut tell);
                        if let Some(found) = found? {
                            return Ok(found);
                        }
                    }
                    spanrs::score(sides, reader, scorer, on_misaligned, rows, &mut tell)
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
        let (differing, unaligned) = (alignment.differing, alignment.unaligned);
        inner.auto.scorer.add_to_corpus(DIFFERING_TOKENS, differing);
        inner
            .auto
            .scorer
            .add_to_corpus(UNALIGNED_FILES, u64::from(unaligned));
        inner.alignments.add(alignment);
        inner.alignments.warn(warnings);
        Ok(())
    }

    /// Adds sentences of spans. Types that are not looked at are left out.
    #[pyo3(signature = (gold, pred, documents, /))]
    fn update_spans(
        &self,
        py: Python<'_>,
        gold: &SpanLists,
        pred: &SpanLists,
        documents: Option<DocumentSizes<'_>>,
    ) -> Result<()> {
        let inner = &mut *self.lock()?;
        let documents = ends(inner, documents.as_ref(), gold.count())?;
        py.detach(|| {
            let mut part = inner.auto.scorer.part(&inner.auto.reader);
            let filter = part.filter().clone();
            let sides = Sides::new(gold, pred, |name| filter.counts(name));
            let name = |ty: u32| sides.types[ty as usize].to_owned();
            let mut cells = part.type_cells();
            let mut ends = documents.as_ref().map(|documents| documents.from(0));
            sides.run(|sentence, pair| {
                let added = part.add_spans(&pair, &mut cells, &name);
                added.map_err(|error| Error::unmatched(sentence, error))?;
                let end = ends.as_mut().and_then(|ends| ends.ends_at(sentence + 1));
                if let Some(document) = end {
                    part.flush_spans(&mut cells, &name);
                    part.end_document(&inner.auto.reader, document);
                }
                Ok(())
            })?;
            part.flush_spans(&mut cells, &name);
            inner.auto.scorer.add_part(part, &inner.auto.reader);
            Ok(())
        })
    }

    /// Adds a pair of span files or files of stacked tags, as one document that is called so. Gives the formats of
    /// gold and of pred, types in the order in which gold first has them, and sentences.
    #[pyo3(signature = (gold, pred, name, progress, /))]
    fn update_span_files(
        &self,
        py: Python<'_>,
        gold: SpanFileOptions<'_>,
        pred: SpanFileOptions<'_>,
        name: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> Result<(&'static str, &'static str, Vec<String>, u64)> {
        let inner = &mut *self.lock()?;
        let ((gold, gold_format), (pred, pred_format)) = (gold.open()?, pred.open()?);
        let mut progress = Progress::new(progress);
        let mut part = inner.auto.scorer.part(&inner.auto.reader);
        let read = py.detach(|| {
            let watch = &mut |n| progress.tell(n);
            spanrs::span_files::score_spans(gold, pred, &mut part, watch)
        });
        let files = progress.check(read.map_err(Error::from))?;
        part.end_document(&inner.auto.reader, name);
        inner.auto.scorer.add_part(part, &inner.auto.reader);
        inner.alignments.warn(files.warnings);
        Ok((gold_format, pred_format, files.gold_types, files.sentences))
    }

    /// Ends the current document, which is called so.
    #[pyo3(signature = (name=None, /))]
    fn end_document(&self, name: Option<&str>) -> Result<()> {
        let inner = &mut *self.lock()?;
        inner.auto.scorer.end_document(&inner.auto.reader, name);
        Ok(())
    }

    /// Sentences so far, and those of the document that has not ended.
    fn position(&self) -> Result<(u64, u64)> {
        Ok(self.lock()?.auto.scorer.position())
    }

    /// Goes on where another scorer was, with what it had counted and its position.
    #[pyo3(signature = (counts, position, /))]
    fn resume(&self, counts: &Counts, position: (u64, u64)) -> Result<()> {
        let (sentences, open) = position;
        let inner = &mut *self.lock()?;
        inner.auto.scorer.resume(counts.core(), sentences, open);
        Ok(())
    }

    /// The scheme as far as it is found out, that of pred where it is another one, and the reading.
    fn schemes(&self) -> Result<Schemes> {
        let inner = &*self.lock()?;
        Ok(schemes_of(&inner.auto))
    }

    /// Counts so far. With `take` they are not copied, and the scorer begins anew.
    #[pyo3(signature = (take=false, /))]
    fn counts(&self, take: bool) -> Result<Counts> {
        let inner = &mut *self.lock()?;
        let counts = match take {
            true => inner.auto.scorer.take_counts(&inner.auto.reader),
            false => inner.auto.scorer.counts(&inner.auto.reader),
        };
        Ok(Counts::new(counts))
    }

    /// What the exact matcher counted in tags, for peers: type to (gold, pred, both) in the order of the types, every
    /// distinct tag, tokens, tokens with equal tags, and violations of both sides.
    fn tag_state<'py>(&self, py: Python<'py>) -> Result<TagState<'py>> {
        let inner = &mut *self.lock()?;
        let counts = inner.auto.scorer.counts(&inner.auto.reader);
        let (mut rows, mut corpus) = (vec![[0; 3]; counts.types()], [0; CORPUS_NUMBERS]);
        for (id, cell) in (0..).zip(counts.cells()) {
            let n = counts.total(id);
            match (cell.criterion, cell.outcome, cell.gold.or(cell.pred)) {
                (0, 0, Some(ty)) => rows[ty as usize].iter_mut().for_each(|sum| *sum += n),
                (0, side @ (1 | 2), Some(ty)) => rows[ty as usize][usize::from(side) - 1] += n,
                (1, outcome, None) => corpus[usize::from(outcome)] += n,
                _ => {}
            }
        }
        let types = PyDict::new(py);
        for name in inner.auto.reader.types().names() {
            if let Some(ty) = counts.type_number(name) {
                let [gold, pred, both] = rows[ty as usize];
                types.set_item(name, (gold, pred, both))?;
            }
        }
        let tags = inner
            .auto
            .reader
            .tags()
            .names()
            .map(str::to_owned)
            .collect();
        let [
            _,
            tokens,
            correct,
            _,
            _,
            gold_violations,
            pred_violations,
            ..,
        ] = corpus;
        Ok((
            types,
            tags,
            tokens,
            correct,
            gold_violations + pred_violations,
        ))
    }

    /// What was noticed besides: violations with their places, warnings, how schemes were found out.
    fn evidence<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let inner = &*self.lock()?;
        let evidence = PyDict::new(py);
        for (name, side) in [("gold", Side::Gold), ("pred", Side::Pred)] {
            let (_, first) = located(inner.auto.scorer.violations(side));
            evidence.set_item(format!("{name}_violations"), first)?;
        }
        let alignments = &inner.alignments;
        evidence.set_item("differing", alignments.examples.clone())?;
        evidence.set_item("warnings", alignments.warnings.clone())?;
        let statement = inner.auto.detection.as_ref().map(|d| d.statement.as_str());
        evidence.set_item("detection", statement)?;
        let statement = inner
            .auto
            .pred_detection
            .as_ref()
            .map(|d| d.statement.as_str());
        evidence.set_item("pred_detection", statement)?;
        Ok(evidence)
    }
}

/// (types, tags, tokens, correct tokens, violations)
type TagState<'py> = (Bound<'py, PyDict>, Vec<String>, u64, u64, u64);
/// Numbers of the corpus.
const CORPUS_NUMBERS: usize = CORPUS.outcomes.len();

/// Under the reading `refuse`, raises if there is a violation.
fn refuse(auto: &AutoSchemeScorer) -> Result<()> {
    if auto.reader.reading() != Reading::Refuse {
        return Ok(());
    }
    for side in [Side::Gold, Side::Pred] {
        let violations = auto.scorer.violations(side);
        if violations.count > 0 {
            return Err(spanrs::Error::Malformed {
                path: side.name().to_owned(),
                scheme: match side {
                    Side::Gold => auto.reader.scheme(),
                    Side::Pred => auto.reader.pred_scheme(),
                },
                violations: violations.clone(),
            }
            .into());
        }
    }
    Ok(())
}

/// Document boundaries among `sentences` sentences. Ends a document that is still open.
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
    /// Waiting here could wait forever: the thread that counts may need the interpreter, which the one
    /// that waits would hold; and a generator may ask for the result of the very update that runs it.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, Scoring>> {
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

fn schemes_of(auto: &AutoSchemeScorer) -> Schemes {
    let reader = &auto.reader;
    let pred_scheme = match auto.pred_scheme {
        // It may yet turn out to be that of gold.
        PredScheme::Named(scheme) if !auto.decided => Some(scheme.name()),
        PredScheme::Undetected if auto.decided => Some("auto"),
        _ => reader
            .has_two_schemes()
            .then(|| reader.pred_scheme().name()),
    };
    (
        auto.decided.then(|| reader.scheme().name()),
        pred_scheme,
        reader.reading().name(),
    )
}

/// What every vocabulary made here holds at most.
pub(crate) fn most_tags() -> usize {
    Limits::default().tags
}
