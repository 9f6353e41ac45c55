//! The published steps of fair matching, implemented with lists and without an index.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A panic in a test helper is a test failure.

use std::collections::{BTreeMap, BTreeSet};

use spanrs_base::Span;
use spanrs_eval::fair::{FAIR, Kind, Matcher, Overlap, TRADITIONAL};
use spanrs_eval::{Event, Events, Matcher as _, Pair, Spans, TokenSets};

/// A span and its tokens.
pub(crate) type Given = (Span<i64>, BTreeSet<i64>);

/// Numbers of spans and pairs of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) exact_tp: u64,
    pub(crate) exact_fp: u64,
    pub(crate) exact_fn: u64,
    pub(crate) tp: u64,
    pub(crate) fp: u64,
    pub(crate) fn_: u64,
    pub(crate) bes: u64,
    pub(crate) bel: u64,
    pub(crate) beo: u64,
}

/// The result of fair matching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FairCounts {
    /// Counts by type.
    pub(crate) types: BTreeMap<u32, Row>,
    /// Labelling errors by (gold type, pred type).
    pub(crate) le: BTreeMap<(u32, u32), u64>,
    /// Labelling-boundary errors by (gold type, pred type).
    pub(crate) lbe: BTreeMap<(u32, u32), u64>,
}

/// All kinds, by number.
const KINDS: [Kind; 8] = [
    Kind::Tp,
    Kind::Fp,
    Kind::Fn,
    Kind::Le,
    Kind::Bes,
    Kind::Bel,
    Kind::Beo,
    Kind::Lbe,
];

/// Returns the kind of an event.
pub(crate) fn kind(event: &Event) -> Kind {
    KINDS[usize::from(event.outcome)]
}

impl FairCounts {
    /// Counts the events of a matcher between two sides.
    pub(crate) fn of(events: &Events, gold: &[Given], pred: &[Given]) -> Self {
        let mut counts = Self::default();
        for event in &events.0 {
            let ty = |spans: &[Given], at: Option<u32>| Some(spans[at? as usize].0.ty);
            let (gold, pred) = (ty(gold, event.gold), ty(pred, event.pred));
            match event.criterion {
                TRADITIONAL => counts.count_traditional(kind(event), gold, pred),
                FAIR => counts.count(kind(event), gold, pred),
                other => panic!("fair matching has no criterion {other}"),
            }
        }
        counts
    }

    fn row(&mut self, ty: u32) -> &mut Row {
        self.types.entry(ty).or_default()
    }

    fn count_traditional(&mut self, kind: Kind, gold: Option<u32>, pred: Option<u32>) {
        match (kind, gold, pred) {
            (Kind::Tp, Some(ty), Some(other)) if ty == other => self.row(ty).exact_tp += 1,
            (Kind::Fp, None, Some(ty)) => self.row(ty).exact_fp += 1,
            (Kind::Fn, Some(ty), None) => self.row(ty).exact_fn += 1,
            other => panic!("not a traditional outcome: {other:?}"),
        }
    }

    fn count(&mut self, kind: Kind, gold: Option<u32>, pred: Option<u32>) {
        match (kind, gold, pred) {
            (Kind::Fp, None, Some(ty)) => self.row(ty).fp += 1,
            (Kind::Fn, Some(ty), None) => self.row(ty).fn_ += 1,
            (Kind::Le, Some(gold), Some(pred)) if gold != pred => {
                *self.le.entry((gold, pred)).or_default() += 1;
            }
            (Kind::Lbe, Some(gold), Some(pred)) if gold != pred => {
                *self.lbe.entry((gold, pred)).or_default() += 1;
            }
            (kind, Some(ty), Some(other)) if ty == other => {
                let row = self.row(ty);
                match kind {
                    Kind::Tp => row.tp += 1,
                    Kind::Bes => row.bes += 1,
                    Kind::Bel => row.bel += 1,
                    Kind::Beo => row.beo += 1,
                    _ => panic!("{kind:?} of one type"),
                }
            }
            other => panic!("not a fair outcome: {other:?}"),
        }
    }
}

/// The steps, implemented with lists. Unpaired spans remain in the lists.
pub(crate) struct Steps {
    pub(crate) gold: Vec<Given>,
    pub(crate) pred: Vec<Given>,
    pub(crate) counted_gold: Vec<Given>,
    pub(crate) counted_pred: Vec<Given>,
    pub(crate) counts: FairCounts,
}

fn near(t: &Given, s: &Given) -> bool {
    !matches!(Overlap::of(&t.0, &s.0), None | Some(Overlap::Same))
}

/// Returns the index of the most similar span.
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
        self.counts.row(ty)
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

    /// Lets the spans of one side join pairs: gold spans if `of_gold`, else pred spans.
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

    pub(crate) fn run(gold: &[Given], pred: &[Given]) -> Self {
        let mut steps = Self {
            gold: gold.to_vec(),
            pred: pred.to_vec(),
            counted_gold: Vec::new(),
            counted_pred: Vec::new(),
            counts: FairCounts::default(),
        };
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

/// Spans as input for matchers.
pub(crate) struct Side(Vec<Span<i64>>, TokenSets);

impl Side {
    pub(crate) fn of(spans: &[Given]) -> Self {
        let mut sets = TokenSets::default();
        for (span, tokens) in spans {
            sets.push((span.start, span.end), tokens.iter().copied());
        }
        Self(spans.iter().map(|(span, _)| *span).collect(), sets)
    }

    pub(crate) fn spans(&self) -> Spans<'_> {
        Spans::with_tokens(&self.0, &self.1, 0)
    }
}

/// Returns the events of a matcher that was used before, so that its buffers are not empty.
pub(crate) fn matched(matcher: &mut Matcher, gold: &[Given], pred: &[Given]) -> Events {
    let (gold, pred) = (Side::of(gold), Side::of(pred));
    let (g, p) = (gold.spans(), pred.spans());
    let mut events = Events::default();
    for pair in [Pair::new(p, g), Pair::new(g, p)] {
        events = Events::default();
        matcher
            .compare(&pair, &mut events)
            .expect("the matcher has no watch");
    }
    events
}

/// Asserts that the matcher gives the same result as the steps, and returns the counts.
pub(crate) fn agree(gold: &[Given], pred: &[Given]) -> FairCounts {
    let steps = Steps::run(gold, pred);
    // If ties need not be resolved, the matcher may resolve a sentence group by group.
    let piecewise = matched(&mut Matcher::default(), gold, pred);
    assert_eq!(
        FairCounts::of(&piecewise, gold, pred),
        steps.counts,
        "{gold:?} {pred:?}"
    );
    let mut matcher = Matcher::default();
    matcher.resolve_ties();
    let events = matched(&mut matcher, gold, pred);
    let counts = FairCounts::of(&events, gold, pred);
    assert_eq!(counts, steps.counts, "{gold:?} {pred:?}");
    let left = |of: Kind, spans: &[Given]| -> Vec<Given> {
        let of = events.of(FAIR).filter(|event| kind(event) == of);
        of.filter_map(|event| Some(spans[event.gold.or(event.pred)? as usize].clone()))
            .collect()
    };
    assert_eq!(left(Kind::Fn, gold), steps.gold);
    assert_eq!(left(Kind::Fp, pred), steps.pred);
    for (of_pred, spans) in [(false, gold), (true, pred)] {
        let place = |event: &Event| if of_pred { event.pred } else { event.gold };
        let mut decided: Vec<u32> = events.of(FAIR).filter_map(place).collect();
        decided.sort_unstable();
        decided.dedup();
        assert_eq!(decided.len(), spans.len(), "every span is decided");
    }
    let mut reduced: Vec<Given> = matcher
        .reduced()
        .map(|(of_pred, at, runs)| {
            let span = if of_pred { pred } else { gold }[at as usize].0;
            (span, runs.iter().flat_map(|run| run.0..run.1).collect())
        })
        .collect();
    let mut kept = [&steps.counted_gold[..], &steps.counted_pred[..]].concat();
    reduced.sort();
    kept.sort();
    assert_eq!(reduced, kept);
    counts
}
