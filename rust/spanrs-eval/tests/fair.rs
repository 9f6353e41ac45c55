//! The fair matcher against the published steps, written down without any index.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

use std::collections::BTreeSet;

use proptest::prelude::*;
use spanrs_eval::Placed;
use spanrs_eval::fair::{FairCounts, Kind, Matcher, Overlap, Row, Spans, TokenSets};

/// A span and its tokens.
type Given = (Placed, BTreeSet<i64>);

/// The steps, by lists. The lists are left with the spans that are in no pair.
struct Steps {
    gold: Vec<Given>,
    pred: Vec<Given>,
    counted_gold: Vec<Given>,
    counted_pred: Vec<Given>,
    counts: FairCounts,
}

fn near(t: &Given, s: &Given) -> bool {
    !matches!(Overlap::of(&t.0, &s.0), None | Some(Overlap::Same))
}

/// The place of the most similar span.
fn most_similar(t: &Given, places: Vec<usize>, all: &[Given]) -> Option<usize> {
    places.into_iter().min_by_key(|&at| {
        let s = &all[at];
        let shared = t.1.intersection(&s.1).count() as i64;
        let lone = |a: &Given, b: &Given| a.1.difference(&b.1).count();
        (-shared, lone(t, s), lone(s, t), s.0.end - s.0.start)
    })
}

impl Steps {
    fn row(&mut self, ty: u32) -> &mut Row {
        let least = ty as usize + 1;
        if self.counts.types.len() < least {
            self.counts.types.resize(least, Row::default());
        }
        &mut self.counts.types[ty as usize]
    }

    fn near_miss(&mut self, t: &Given, s: &Given) {
        if t.0.ty != s.0.ty {
            *self.counts.lbe.entry((t.0.ty, s.0.ty)).or_default() += 1;
            return;
        }
        let row = self.row(t.0.ty);
        match Overlap::of(&t.0, &s.0).unwrap() {
            Overlap::Smaller => row.bes += 1,
            Overlap::Larger => row.bel += 1,
            Overlap::Crossing => row.beo += 1,
            Overlap::Same => unreachable!(),
        }
    }

    fn traditional(&mut self) {
        for t in self.gold.clone() {
            let found = self.pred.contains(&t);
            let row = self.row(t.0.ty);
            row.exact_tp += u64::from(found);
            row.exact_fn += u64::from(!found);
        }
        for s in self.pred.clone() {
            let found = self.gold.contains(&s);
            self.row(s.0.ty).exact_fp += u64::from(!found);
        }
    }

    fn equals(&mut self) {
        for t in self.gold.clone() {
            if let Some(at) = self.pred.iter().position(|s| *s == t) {
                self.row(t.0.ty).tp += 1;
                self.pred.remove(at);
                let at = self.gold.iter().position(|g| *g == t).unwrap();
                self.gold.remove(at);
            }
        }
        for t in self.gold.clone() {
            let fits = |s: &Given| s.0.ty != t.0.ty && (s.0.start, s.0.end) == (t.0.start, t.0.end);
            if let Some(at) = self.pred.iter().position(fits) {
                let s = self.pred.remove(at);
                *self.counts.le.entry((t.0.ty, s.0.ty)).or_default() += 1;
                let at = self.gold.iter().position(|g| *g == t).unwrap();
                self.gold.remove(at);
            }
        }
    }

    fn both_free(&mut self, same: bool) {
        let mut at = 0;
        while at < self.gold.len() {
            let mut t = self.gold[at].clone();
            let fits = |s: &Given| (s.0.ty == t.0.ty) == same && near(&t, s);
            let places = (0..self.pred.len())
                .filter(|&p| fits(&self.pred[p]))
                .collect();
            let Some(p) = most_similar(&t, places, &self.pred) else {
                at += 1;
                continue;
            };
            let mut s = self.pred.remove(p);
            self.gold.remove(at);
            self.near_miss(&t, &s);
            let both: BTreeSet<i64> = t.1.intersection(&s.1).copied().collect();
            t.1.retain(|token| !both.contains(token));
            s.1.retain(|token| !both.contains(token));
            self.counted_gold.push(t);
            self.counted_pred.push(s);
        }
    }

    /// Spans of one side join pairs: those of gold, or those of pred.
    fn joining(&mut self, of_gold: bool, same: bool) {
        let mut at = 0;
        loop {
            let (walk, counted) = if of_gold {
                (&mut self.gold, &mut self.counted_pred)
            } else {
                (&mut self.pred, &mut self.counted_gold)
            };
            if at == walk.len() {
                return;
            }
            let mut w = walk[at].clone();
            let fits = |c: &Given| {
                let (t, s) = if of_gold { (&w, c) } else { (c, &w) };
                (c.0.ty == w.0.ty) == same && near(t, s) && !c.1.is_disjoint(&w.1)
            };
            let places = (0..counted.len()).filter(|&c| fits(&counted[c])).collect();
            let Some(c) = most_similar(&w, places, counted) else {
                at += 1;
                continue;
            };
            walk.remove(at);
            let both: BTreeSet<i64> = w.1.intersection(&counted[c].1).copied().collect();
            counted[c].1.retain(|token| !both.contains(token));
            let partner = counted[c].clone();
            w.1.retain(|token| !both.contains(token));
            if of_gold {
                self.near_miss(&w, &partner);
                self.counted_gold.push(w);
            } else {
                self.near_miss(&partner, &w);
                self.counted_pred.push(w);
            }
        }
    }

    fn run(gold: &[Given], pred: &[Given]) -> Self {
        let mut steps = Self {
            gold: gold.to_vec(),
            pred: pred.to_vec(),
            counted_gold: Vec::new(),
            counted_pred: Vec::new(),
            counts: FairCounts::default(),
        };
        steps.counts.sentences = 1;
        steps.traditional();
        steps.equals();
        steps.gold.sort_by_key(|t| t.0.end - t.0.start);
        steps.pred.sort_by_key(|s| s.0.end - s.0.start);
        for same in [true, false] {
            steps.both_free(same);
            steps.joining(true, same);
            steps.joining(false, same);
        }
        for t in steps.gold.clone() {
            steps.row(t.0.ty).fn_ += 1;
        }
        for s in steps.pred.clone() {
            steps.row(s.0.ty).fp += 1;
        }
        steps
    }
}

fn placed(spans: &[Given]) -> Vec<Placed> {
    spans.iter().map(|(span, _)| *span).collect()
}

fn token_sets(spans: &[Given]) -> TokenSets {
    let mut sets = TokenSets::default();
    for (span, tokens) in spans {
        sets.push((span.start, span.end), tokens.iter().copied());
    }
    sets
}

/// Rows of types that have no span say nothing.
fn trimmed(mut counts: FairCounts) -> FairCounts {
    while counts.types.last() == Some(&Row::default()) {
        counts.types.pop();
    }
    counts
}

fn agree(gold: &[Given], pred: &[Given]) {
    let steps = Steps::run(gold, pred);
    let (g, p, gs, ps) = (
        placed(gold),
        placed(pred),
        token_sets(gold),
        token_sets(pred),
    );
    let mut matcher = Matcher::default().with_decisions();
    let mut counts = FairCounts::default();
    matcher.run(
        Spans::with_tokens(&g, &gs, 0),
        Spans::with_tokens(&p, &ps, 0),
        &mut counts,
    );
    let steps_counts = trimmed(steps.counts.clone());
    assert_eq!(trimmed(counts), steps_counts, "{gold:?} {pred:?}");
    // Without them it may settle a sentence piece by piece.
    let mut counts = FairCounts::default();
    Matcher::default().run(
        Spans::with_tokens(&g, &gs, 0),
        Spans::with_tokens(&p, &ps, 0),
        &mut counts,
    );
    assert_eq!(trimmed(counts), steps_counts, "{gold:?} {pred:?}");
    let left = |kind: Kind, spans: &[Given]| -> Vec<Given> {
        let of = matcher.decisions().iter().filter(|d| d.kind == kind);
        of.map(|d| spans[d.gold.or(d.pred).unwrap() as usize].clone())
            .collect()
    };
    assert_eq!(left(Kind::Fn, gold), steps.gold);
    assert_eq!(left(Kind::Fp, pred), steps.pred);
    let mut reduced: Vec<Given> = matcher
        .reduced()
        .map(|(of_pred, at, runs)| {
            let spans = if of_pred { pred } else { gold };
            (
                spans[at as usize].0,
                runs.iter().flat_map(|r| r.0..r.1).collect(),
            )
        })
        .collect();
    let mut expected = [steps.counted_gold, steps.counted_pred].concat();
    reduced.sort();
    expected.sort();
    assert_eq!(reduced, expected);
}

/// Spans within `width` tokens, of which each lacks those of its tokens that are in the mask.
fn spans(width: i64, most: usize, holes: bool, hollow: bool) -> impl Strategy<Value = Vec<Given>> {
    let length = if hollow { -2..6i64 } else { 1..6 };
    let span =
        (0..width, length, 0..3u32, any::<u32>()).prop_map(move |(start, length, ty, mask)| {
            let end = start + length;
            let tokens =
                (start..end).filter(|t| !holes || mask >> (t % 32) & 1 == 0 || mask % 3 == 0);
            (Placed { start, end, ty }, tokens.collect())
        });
    prop::collection::vec(span, 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn few_spans(gold in spans(8, 9, false, false), pred in spans(8, 9, false, false)) {
        agree(&gold, &pred);
    }

    #[test]
    fn spans_with_holes(gold in spans(8, 9, true, false), pred in spans(8, 9, true, false)) {
        agree(&gold, &pred);
    }

    #[test]
    fn spans_that_end_before_they_begin(
        gold in spans(6, 7, true, true),
        pred in spans(6, 7, true, true),
    ) {
        agree(&gold, &pred);
    }
}

/// Spans in reading order, none twice: what tags give, and nested ones besides.
fn sorted(mut spans: Vec<Given>) -> Vec<Given> {
    spans.sort();
    spans.dedup();
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn spans_in_reading_order(
        gold in spans(60, 30, false, false),
        pred in spans(60, 30, false, false),
    ) {
        agree(&sorted(gold), &sorted(pred));
    }

    #[test]
    fn spans_in_reading_order_some_of_them_hollow(
        gold in spans(12, 9, false, true),
        pred in spans(12, 9, false, true),
    ) {
        agree(&sorted(gold), &sorted(pred));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn more_spans_than_are_looked_at_one_by_one(
        gold in spans(40, 120, false, false),
        pred in spans(40, 120, false, false),
    ) {
        agree(&gold, &pred);
    }

    #[test]
    fn many_spans_with_holes(
        gold in spans(60, 100, true, false),
        pred in spans(60, 100, true, false),
    ) {
        agree(&gold, &pred);
    }

    #[test]
    fn many_groups(gold in spans(600, 150, false, false), pred in spans(600, 150, true, false)) {
        agree(&gold, &pred);
    }

    #[test]
    fn long_spans_joined_by_many(
        gold in spans(60, 80, false, false),
        pred in spans(60, 80, false, false),
        long in prop::collection::vec((0..30i64, 20..60i64, 0..3u32), 1..6),
    ) {
        let long: Vec<Given> = long
            .into_iter()
            .map(|(start, length, ty)| {
                (Placed { start, end: start + length, ty }, (start..start + length).collect())
            })
            .collect();
        agree(&[gold.clone(), long.clone()].concat(), &pred);
        agree(&gold, &[pred, long].concat());
    }
}
