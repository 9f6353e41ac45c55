//! An example of a matcher: a pred span answers a gold span if they have the same head, which is their last token.
//! It is built with the feature `example-matcher` only; ARCHITECTURE.md walks through it.

use std::collections::HashMap;

use crate::matcher::{Event, Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{CORPUS, Cell, Criterion, Outcome, Schema};

const MATCH: u8 = 0;
const MISTYPED: u8 = 1;
const MISSED: u8 = 2;
const SPURIOUS: u8 = 3;

/// What is counted: one question with four answers.
pub(crate) static SCHEMA: Schema = Schema {
    name: "head",
    criteria: &[HEAD, CORPUS],
};
const HEAD: Criterion = Criterion::new(
    "head",
    &[
        Outcome::new("match", [1.0, 0.0, 0.0]),
        Outcome::new("mistyped", [0.0, 1.0, 1.0]),
        Outcome::new("missed", [0.0, 0.0, 1.0]),
        Outcome::new("spurious", [0.0, 1.0, 0.0]),
    ],
);

/// The matcher. It needs no buffers.
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
        // Of several gold spans with one head the first is taken first.
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
