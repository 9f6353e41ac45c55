//! Rows of the results of partial matching, and direct implementations of its definitions.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::collections::{BTreeMap, BTreeSet};

use spanrs_base::Span;
use spanrs_eval::outcomes::Counts;
use spanrs_eval::partial::{Found, MODES, Matcher, Matching, Mode, SCHEMA, sufficient};
use spanrs_eval::{Event, Events, Matcher as _, Pair, Spans, add_pair};

/// The count of each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) correct: u64,
    pub(crate) incorrect: u64,
    pub(crate) partial: u64,
    pub(crate) missed: u64,
    pub(crate) spurious: u64,
}

/// The counts of any number of documents, one row per mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartialCounts {
    /// Counts over all spans.
    pub(crate) overall: [Row; MODES],
    /// Counts over only the spans of each type; types that do not occur are omitted.
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

/// Returns the outcome of an event.
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
    /// Counts the events of a matcher between two sides; each span is in one event of each mode.
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
        if let (Some(gold), Some(pred)) = (gold, pred) {
            let right = agrees(Mode::ALL[mode], gold, pred);
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

    /// Returns the rows of counts in which the names of types are their numbers.
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

/// Counts the spans of two sides; the names of types are their numbers.
pub(crate) fn count(
    matching: Matching,
    gold: &[Span<i64>],
    pred: &[Span<i64>],
    min: f64,
) -> PartialCounts {
    let mut matcher = Matcher::new(matching, min);
    let mut events = Events::default();
    // In the second document of a matcher, its buffers are not empty.
    for (gold, pred) in [(pred, gold), (gold, pred)] {
        let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
        events = Events::default();
        matcher
            .compare(&pair, &mut events)
            .expect("there are few spans");
    }
    let rows = PartialCounts::of(&events, gold, pred);
    let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
    let mut counts = Counts::new(&SCHEMA);
    add_pair(&mut matcher, &pair, &|ty| ty.to_string(), &mut counts)
        .expect("the comparison succeeded before");
    assert_eq!(PartialCounts::of_cells(&counts), rows);
    rows
}

pub(crate) type Definition = fn(Mode, &[Span<i64>], &[Span<i64>], f64) -> Row;

/// Counts by definition, overall and type by type.
pub(crate) fn by_definition(
    how: Definition,
    gold: &[Span<i64>],
    pred: &[Span<i64>],
    min: f64,
) -> PartialCounts {
    let types: BTreeSet<u32> = gold.iter().chain(pred).map(|span| span.ty).collect();
    let only = |spans: &[Span<i64>], ty| -> Vec<Span<i64>> {
        spans.iter().copied().filter(|span| span.ty == ty).collect()
    };
    let of_type = |ty| {
        let (gold, pred) = (only(gold, ty), only(pred, ty));
        (ty, Mode::ALL.map(|mode| how(mode, &gold, &pred, min)))
    };
    PartialCounts {
        overall: Mode::ALL.map(|mode| how(mode, gold, pred, min)),
        types: types.into_iter().map(of_type).collect(),
    }
}

/// Returns whether a pair is correct.
pub(crate) fn agrees(mode: Mode, gold: &Span<i64>, pred: &Span<i64>) -> bool {
    let bounds = (gold.start, gold.end) == (pred.start, pred.end);
    match mode {
        Mode::Strict => bounds && gold.ty == pred.ty,
        Mode::Bounds | Mode::Overlap => bounds,
        Mode::Type => gold.ty == pred.ty,
    }
}

fn row(mode: Mode, golds: usize, preds: usize, correct: u64, pairs: u64) -> Row {
    let other = pairs - correct;
    let partial = mode == Mode::Overlap;
    Row {
        correct,
        incorrect: if partial { 0 } else { other },
        partial: if partial { other } else { 0 },
        missed: golds as u64 - pairs,
        spurious: preds as u64 - pairs,
    }
}

/// Counts greedily: each pred span takes the first free gold span with which it is correct (under `Type` the nearest),
/// else the first that it overlaps enough.
pub(crate) fn greedy(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> Row {
    let mut free: Vec<usize> = (0..gold.len()).collect();
    let (mut correct, mut pairs) = (0, 0);
    for p in pred {
        let enough = |g: &usize| sufficient(&gold[*g], p, min);
        let by_bounds = matches!(mode, Mode::Strict | Mode::Bounds);
        let right = |g: &usize| agrees(mode, &gold[*g], p) && (by_bounds || enough(g));
        let distance = |g: &usize| (gold[*g].start - p.start).abs() + (gold[*g].end - p.end).abs();
        let all = || free.iter().copied();
        let found = match mode {
            Mode::Type => all().filter(right).min_by_key(distance),
            _ => all().find(right),
        };
        correct += u64::from(found.is_some());
        if let Some(taken) = found.or_else(|| all().find(enough)) {
            pairs += 1;
            free.retain(|&g| g != taken);
        }
    }
    row(mode, gold.len(), pred.len(), correct, pairs)
}

/// Returns the largest number of correct pairs over all assignments, and the largest number of pairs over the
/// assignments with this number of correct pairs.
fn best(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> (u64, u64) {
    let Some((g, rest)) = gold.split_first() else {
        return (0, 0);
    };
    let mut most = best(mode, rest, pred, min);
    for (at, p) in pred.iter().enumerate() {
        if sufficient(g, p, min) {
            let mut others = pred.to_vec();
            others.remove(at);
            let (correct, pairs) = best(mode, rest, &others, min);
            most = most.max((correct + u64::from(agrees(mode, g, p)), pairs + 1));
        }
    }
    most
}

/// Returns the row for the result of [`best`].
pub(crate) fn optimal(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> Row {
    let (correct, pairs) = best(mode, gold, pred, min);
    row(mode, gold.len(), pred.len(), correct, pairs)
}

/// Asserts that both matchings give the same counts as their definitions; that spans compared with themselves are all
/// correct; and that the optimal matching is not worse than the greedy one, is not worse with a lower threshold, and
/// does not depend on the order of spans.
pub(crate) fn agree(gold: &[Span<i64>], pred: &[Span<i64>], min: f64) {
    let greedy_counts = count(Matching::Greedy, gold, pred, min);
    assert_eq!(greedy_counts, by_definition(greedy, gold, pred, min));
    if gold.iter().chain(pred).any(|span| span.end <= span.start) {
        // Only greedy matching is defined for empty spans.
        return;
    }
    let best = count(Matching::Optimal, gold, pred, min);
    assert_eq!(best, by_definition(optimal, gold, pred, min));
    let turned = |spans: &[Span<i64>]| spans.iter().rev().copied().collect::<Vec<_>>();
    assert_eq!(
        best,
        count(Matching::Optimal, &turned(gold), &turned(pred), min)
    );
    let low = count(Matching::Optimal, gold, pred, 1.0);
    let same = count(Matching::Optimal, gold, gold, min);
    for mode in Mode::ALL {
        let of = |counts: &PartialCounts| counts.overall[mode as usize];
        let credit = |counts| 2 * of(counts).correct + of(counts).partial;
        assert!(credit(&best) >= credit(&greedy_counts), "{mode:?}");
        assert!(credit(&low) >= credit(&best), "{mode:?}");
        assert_eq!(of(&same).correct, gold.len() as u64, "{mode:?}");
        for row in [of(&best), of(&greedy_counts)] {
            let pairs = row.correct + row.incorrect + row.partial;
            assert_eq!(pairs + row.missed, gold.len() as u64);
            assert_eq!(pairs + row.spurious, pred.len() as u64);
        }
    }
}
