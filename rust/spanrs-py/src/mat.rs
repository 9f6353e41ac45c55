//! MATScore's scoring: behind `spanrs.mat`.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use spanrs_eval::mat::{
    Kinds, MEASURES, MatCounts, Matcher, Measures, Row, Unit, Unmatched, Unpaired,
};
use spanrs_eval::resample::Spread;
use spanrs_io::{Alias, Category, Tag, Task};
use spanrs_jobs::mat::{Outcome, Pieces, Rules, Scored, Unscored, score_documents, spreads};

use crate::documents::{Documents, TagTuple};
use crate::error::{Error, Result};
use crate::stop;

/// Scores pairs of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatScorer {
    rules: Rules,
    /// As it is before the first document.
    matcher: Matcher,
    details: bool,
}

/// (tags of the task, content, tokens, classes, ignored labels, pieces)
type RulesTuple = (
    Option<Vec<TagTuple>>,
    Option<Vec<String>>,
    Option<Vec<String>>,
    HashMap<String, String>,
    Vec<String>,
    String,
);

/// Why documents were not scored: a code, and what to say.
type Reason = (&'static str, String);

fn bad(message: String) -> Error {
    PyValueError::new_err(message).into()
}

fn task(tags: Vec<TagTuple>) -> Task {
    let tags = tags.into_iter().map(|(name, category, aliases)| Tag {
        name,
        category: match category.as_str() {
            "content" => Category::Content,
            "token" => Category::Token,
            "zone" => Category::Zone,
            _ => Category::Other,
        },
        aliases: aliases
            .into_iter()
            .map(|(name, attributes)| Alias { name, attributes })
            .collect(),
    });
    Task {
        name: String::new(),
        tags: tags.collect(),
    }
}

#[pymethods]
impl MatScorer {
    #[new]
    #[pyo3(signature = (rules, units, unpaired, details, /))]
    fn new(rules: RulesTuple, units: Vec<String>, unpaired: &str, details: bool) -> Result<Self> {
        let (tags, content, tokens, classes, ignore, pieces) = rules;
        let units = units.iter().map(|unit| match unit.as_str() {
            "token" => Ok(Unit::Token),
            "pseudo_token" => Ok(Unit::PseudoToken),
            "character" => Ok(Unit::Character),
            other => Err(bad(format!("no unit {other:?}"))),
        });
        let units: Vec<Unit> = units.collect::<Result<_>>()?;
        let unpaired = match unpaired {
            "alone" => Unpaired::Alone,
            "clash" => Unpaired::Clash,
            other => {
                return Err(bad(format!(
                    "unpaired_overlap must be alone or clash, not {other:?}"
                )));
            }
        };
        Ok(Self {
            rules: Rules {
                task: tags.map(task),
                content: content.map(|names| names.into_iter().collect()),
                tokens: tokens.map(|names| names.into_iter().collect()),
                classes,
                ignore: ignore.into_iter().collect(),
                pieces: match pieces.as_str() {
                    "cover" => Pieces::Cover,
                    "split" => Pieces::Split,
                    "refuse" => Pieces::Refuse,
                    other => {
                        return Err(bad(format!(
                            "pieces must be cover, split or refuse, not {other:?}"
                        )));
                    }
                },
            },
            matcher: Matcher::new(&units)
                .with_unpaired(unpaired)
                .with_watch(stop),
            details,
        })
    }

    /// Scores one document of pred against one of gold. What cannot be scored is said in a string.
    #[pyo3(signature = (gold, gold_index, pred, pred_index, /))]
    fn score(
        &self,
        py: Python<'_>,
        gold: &Documents,
        gold_index: usize,
        pred: &Documents,
        pred_index: usize,
    ) -> Result<(Option<MatOutcome>, Option<Reason>)> {
        let (gold, pred) = (gold.get(gold_index)?, pred.get(pred_index)?);
        let scored = py.detach(|| {
            let mut matcher = self.matcher.clone();
            score_documents(gold, pred, &self.rules, &mut matcher, self.details)
        });
        Ok(match scored {
            Ok(outcome) => (Some(MatOutcome(outcome)), None),
            Err(error) => {
                let code = match &error {
                    Unscored::Texts { .. } => "texts",
                    Unscored::Pieces { .. } => "pieces",
                    Unscored::Unmatched(Unmatched::Stopped) => {
                        return Err(spanrs_jobs::Error::Stopped.into());
                    }
                    Unscored::Unmatched(_) => "too_tangled",
                };
                (None, Some((code, error.to_string())))
            }
        })
    }
}

/// What came of a pair of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatOutcome(Outcome);

/// (label, start, end)
type ScoredTuple<'a> = (&'a str, u32, u32);
/// (kind, gold, pred)
type DetailTuple<'a> = (
    &'static str,
    Option<ScoredTuple<'a>>,
    Option<ScoredTuple<'a>>,
);

#[pymethods]
impl MatOutcome {
    /// (kind, gold, pred), in the order of the text.
    fn details(&self) -> Vec<DetailTuple<'_>> {
        let Outcome { names, details, .. } = &self.0;
        let tuple = |scored: Scored| {
            (
                names[scored.label as usize].as_str(),
                scored.start,
                scored.end,
            )
        };
        details
            .iter()
            .map(|detail| {
                (
                    detail.kind.name(),
                    detail.gold.map(tuple),
                    detail.pred.map(tuple),
                )
            })
            .collect()
    }

    /// The tokens of pred.
    fn tokens(&self) -> u64 {
        self.0.counts.tokens
    }

    /// A bound of an annotation that is no bound of a token.
    fn misplaced(&self) -> Option<u32> {
        self.0.counts.misplaced
    }
}

/// Adds up what came of pairs of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatTotals(Mutex<MatCounts>);

/// match, refclash, missing, hypclash, spurious
type RowTuple = (u64, u64, u64, u64, u64);

fn row_tuple(row: &Row) -> RowTuple {
    (
        row.matched,
        row.ref_clash,
        row.missing,
        row.hyp_clash,
        row.spurious,
    )
}

fn row(tuple: RowTuple) -> Row {
    let (matched, ref_clash, missing, hyp_clash, spurious) = tuple;
    Row {
        matched,
        ref_clash,
        missing,
        hyp_clash,
        spurious,
    }
}

/// The tables' names, as Python has them.
const TABLES: [&str; 4] = ["tag", "token", "pseudo_token", "character"];

/// Samples, mean, variance.
type SpreadTuple = (u64, f64, f64);

fn spread_tuples(all: &[Spread; MEASURES]) -> Vec<SpreadTuple> {
    all.iter()
        .map(|s| (s.samples, s.mean, s.variance))
        .collect()
}

#[pymethods]
impl MatTotals {
    #[new]
    #[pyo3(signature = (keep, /))]
    fn new(keep: bool) -> Self {
        Self(Mutex::new(MatCounts::new(keep)))
    }

    /// Adds what came of a pair of documents.
    #[pyo3(signature = (outcome, /))]
    fn add(&self, outcome: &MatOutcome) {
        let names = outcome.0.names.iter().map(String::as_str);
        self.counts().add(&outcome.0.counts, names);
    }

    /// The counts as plain values.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.counts();
        let name = |label: u32| counts.labels.name(label);
        let state = PyDict::new(py);
        let tables = PyDict::new(py);
        for (table, rows) in TABLES.iter().zip(&counts.rows) {
            let named = PyDict::new(py);
            for (label, row) in (0..).zip(rows) {
                if let Some(row) = row {
                    named.set_item(name(label), row_tuple(row))?;
                }
            }
            tables.set_item(table, named)?;
        }
        state.set_item("rows", tables)?;
        let kinds = PyDict::new(py);
        for (label, found) in (0..).zip(&counts.kinds) {
            if *found != Kinds::default() {
                kinds.set_item(name(label), (found.gold.to_vec(), found.pred.to_vec()))?;
            }
        }
        state.set_item("kinds", kinds)?;
        let confusion = counts.confusion.iter();
        let confusion: Vec<_> = confusion
            .map(|(&(g, p), &n)| (name(g), name(p), n))
            .collect();
        state.set_item("confusion", confusion)?;
        state.set_item("documents", counts.documents)?;
        state.set_item("tokens", counts.tokens)?;
        state.set_item("elements", counts.elements.to_vec())?;
        Ok(state)
    }

    /// For each table: the spreads of the measures of all labels together, and of each label.
    #[pyo3(signature = (samples, seed, threads, /))]
    fn spreads<'py>(
        &self,
        py: Python<'py>,
        samples: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Bound<'py, PyDict>> {
        // Not under the lock: looking for Ctrl-C lets other threads run.
        let (kept, labels) = {
            let counts = self.counts();
            (counts.kept.clone().unwrap_or_default(), counts.labels.len())
        };
        let found = py.detach(|| spreads(&kept, labels, samples, seed, threads, stop));
        let found = found.ok_or(spanrs_jobs::Error::Stopped)?;
        let counts = self.counts();
        let tables = PyDict::new(py);
        for (table, spreads) in TABLES.iter().zip(found) {
            let labels = PyDict::new(py);
            for (label, all) in (0..).zip(&spreads.labels) {
                if let Some(all) = all {
                    labels.set_item(counts.labels.name(label), spread_tuples(all))?;
                }
            }
            tables.set_item(table, (spread_tuples(&spreads.all), labels))?;
        }
        Ok(tables)
    }
}

impl MatTotals {
    /// The counts. What a thread left half done when it failed is whole enough: adding cannot fail.
    fn counts(&self) -> std::sync::MutexGuard<'_, MatCounts> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Precision, recall, fmeasure; tag-sensitive accuracy and error rate; tag-blind accuracy and error rate.
#[pyfunction]
#[pyo3(signature = (counts, elements, /))]
pub(crate) fn mat_measures(counts: RowTuple, elements: u64) -> Vec<f64> {
    Measures::of(&row(counts), elements).all.to_vec()
}
