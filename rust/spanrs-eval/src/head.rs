//! An example of a matcher: a pred span matches a gold span if both have the same head, that is,
//! the same last token.
//!
//! Built only with the feature `example-matcher`; ARCHITECTURE.md explains it step by step. The
//! example shows everything that a matcher needs: a schema, the outcome of a span that is equal on
//! both sides, and a comparison.
//!
//! | gold | pred | outcome |
//! |---|---|---|
//! | `PER` 0..3 | `PER` 2..3 | match |
//! | `PER` 4..6 | `LOC` 5..6 | mistyped |
//! | `PER` 7..8 | | missed |
//! | | `PER` 7..9 | spurious |

use std::collections::HashMap;

use crate::matcher::{Event, Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{CORPUS, Cell, Criterion, Outcome, Schema};

/// Equal heads and types.
const MATCH: u8 = 0;
/// Equal heads but different types.
const MISTYPED: u8 = 1;
/// A gold span that is not paired with a pred span.
const MISSED: u8 = 2;
/// A pred span that is not paired with a gold span.
const SPURIOUS: u8 = 3;

/// The criterion `head` and the corpus counts.
pub(crate) static SCHEMA: Schema = Schema {
    name: "head",
    criteria: &[HEAD, CORPUS],
};
/// The criterion of this matcher. A mistyped pair is one false positive and one false negative.
const HEAD: Criterion = Criterion::new(
    "head",
    &[
        Outcome::new("match", [1.0, 0.0, 0.0]),
        Outcome::new("mistyped", [0.0, 1.0, 1.0]),
        Outcome::new("missed", [0.0, 0.0, 1.0]),
        Outcome::new("spurious", [0.0, 1.0, 0.0]),
    ],
);

/// The matcher. It has no options and no buffers.
///
/// If several spans have the same head, pred spans take gold spans in the given order, regardless
/// of types. Hashes every gold span once and takes O(n log n) time in total, for sorting the missed
/// spans.
pub(crate) struct Head;

impl Matcher for Head {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink) {
        sink.count(Cell::new(0, MATCH, Some(ty), Some(ty)), n);
    }

    fn compare(&mut self, pair: &Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        let (golds, preds) = (pair.gold.all, pair.pred.all);
        // Pushed in reverse, so that the first of several gold spans with one head is popped first.
        let mut heads: HashMap<i64, Vec<u32>> = HashMap::new();
        for at in (0..golds.len() as u32).rev() {
            heads.entry(golds[at as usize].end).or_default().push(at);
        }
        for (at, span) in (0..).zip(preds) {
            let gold = heads.get_mut(&span.end).and_then(Vec::pop);
            let outcome = match gold.map(|gold| golds[gold as usize].ty == span.ty) {
                None => SPURIOUS,
                Some(true) => MATCH,
                Some(false) => MISTYPED,
            };
            sink.event(Event::new(0, outcome, gold, Some(at)));
        }
        let mut missed: Vec<u32> = heads.into_values().flatten().collect();
        missed.sort_unstable();
        for at in missed {
            sink.event(Event::new(0, MISSED, Some(at), None));
        }
        Ok(())
    }

    fn boxed(&self) -> Box<dyn Matcher> {
        Box::new(Self)
    }
}
