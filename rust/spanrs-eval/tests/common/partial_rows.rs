//! Rows of what partial matching finds.

use std::collections::BTreeMap;

use spanrs_base::Span;
use spanrs_eval::outcomes::Counts;
use spanrs_eval::partial::{Found, MODES, Mode};
use spanrs_eval::{Event, Events};

/// How often each came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) correct: u64,
    pub(crate) incorrect: u64,
    pub(crate) partial: u64,
    pub(crate) missed: u64,
    pub(crate) spurious: u64,
}

/// What was counted in any number of documents, a row for each mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartialCounts {
    /// Over all spans.
    pub(crate) overall: [Row; MODES],
    /// Over the spans of each type by themselves; types that do not occur are left out.
    pub(crate) types: BTreeMap<u32, [Row; MODES]>,
}

/// All outcomes, by number.
const FOUND: [Found; 5] = [
    Found::Correct,
    Found::Incorrect,
    Found::Partial,
    Found::Missed,
    Found::Spurious,
];

/// What an event says became of its spans.
pub(crate) fn found(event: &Event) -> Found {
    FOUND[usize::from(event.outcome)]
}

impl Row {
    fn merge(&mut self, other: &Self) {
        self.correct += other.correct;
        self.incorrect += other.incorrect;
        self.partial += other.partial;
        self.missed += other.missed;
        self.spurious += other.spurious;
    }

    fn of(&mut self, found: Found) -> &mut u64 {
        match found {
            Found::Correct => &mut self.correct,
            Found::Incorrect => &mut self.incorrect,
            Found::Partial => &mut self.partial,
            Found::Missed => &mut self.missed,
            Found::Spurious => &mut self.spurious,
        }
    }
}

impl PartialCounts {
    /// Counts what a matcher found between two sides, each span of which is in one event of a mode.
    pub(crate) fn of(events: &Events, gold: &[Span<i64>], pred: &[Span<i64>]) -> Self {
        let mut counts = Self::default();
        let mut seen = [vec![0; gold.len()], vec![0; pred.len()]];
        for event in &events.0 {
            for (at, seen) in [event.gold, event.pred].into_iter().zip(&mut seen) {
                at.into_iter().for_each(|at| seen[at as usize] += 1);
            }
            let gold = event.gold.map(|at| &gold[at as usize]);
            let pred = event.pred.map(|at| &pred[at as usize]);
            counts.add(event, gold, pred);
        }
        assert!(seen.iter().flatten().all(|&n| n == 2 * MODES), "{seen:?}");
        counts
    }

    fn add(&mut self, event: &Event, gold: Option<&Span<i64>>, pred: Option<&Span<i64>>) {
        let (mode, found) = (usize::from(event.criterion) % MODES, found(event));
        let bounds = |span: &Span<i64>| (span.start, span.end);
        if let (Some(gold), Some(pred)) = (gold, pred) {
            let right = match Mode::ALL[mode] {
                Mode::Strict => gold == pred,
                Mode::Bounds | Mode::Overlap => bounds(gold) == bounds(pred),
                Mode::Type => gold.ty == pred.ty,
            };
            let other = match Mode::ALL[mode] {
                Mode::Overlap => Found::Partial,
                _ => Found::Incorrect,
            };
            assert_eq!(
                found,
                if right { Found::Correct } else { other },
                "{gold:?} {pred:?}"
            );
        } else {
            let alone = if gold.is_some() {
                Found::Missed
            } else {
                Found::Spurious
            };
            assert_eq!(found, alone);
        }
        let types = [gold, pred].map(|span| span.map(|span| span.ty));
        if usize::from(event.criterion) < MODES {
            *self.overall[mode].of(found) += 1;
            return;
        }
        if let [Some(gold), Some(pred)] = types {
            assert_eq!(gold, pred, "each type by itself");
        }
        for ty in types.into_iter().flatten().take(1) {
            *self.types.entry(ty).or_default()[mode].of(found) += 1;
        }
    }

    /// Adds other counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, its) in self.overall.iter_mut().zip(&other.overall) {
            mine.merge(its);
        }
        for (ty, rows) in &other.types {
            let mine = self.types.entry(*ty).or_default();
            for (mine, its) in mine.iter_mut().zip(rows) {
                mine.merge(its);
            }
        }
    }

    /// The rows of counts whose types are named by their numbers.
    pub(crate) fn of_cells(counts: &Counts) -> Self {
        let mut rows = Self::default();
        for (id, cell) in (0..).zip(counts.cells()) {
            let n = counts.total(id);
            let (mode, overall) = (
                usize::from(cell.criterion) % MODES,
                usize::from(cell.criterion) < MODES,
            );
            assert_eq!(overall, (cell.gold, cell.pred) == (None, None));
            let found = FOUND[usize::from(cell.outcome)];
            let row = match cell.gold.or(cell.pred) {
                None => &mut rows.overall[mode],
                Some(ty) => {
                    let ty = counts.type_name(ty).parse().unwrap();
                    &mut rows.types.entry(ty).or_default()[mode]
                }
            };
            *row.of(found) += n;
        }
        rows
    }
}
