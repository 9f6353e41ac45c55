//! Gold and pred as pairs of sentences with common type ids.
//!
//! Each side numbers its types independently, and some types may not be counted. If both sides have
//! exactly the counted types, their ids are already equal, because ids follow the order of the
//! names, and the stored spans are compared directly. Otherwise the spans of each sentence are
//! copied with new ids:
//!
//! | | types of the side | ids | common ids (type `A` not counted) |
//! |---|---|---|---|
//! | gold | `A`, `B` | 0, 1 | none, 0 |
//! | pred | `B`, `C` | 0, 1 | 0, 1 |

use std::collections::{BTreeMap, BTreeSet};

use spanrs_base::{Interrupted, Interval, Span, Watch};

use super::SpanLists;
use crate::matcher::Pair;
use crate::spans::Spans;

/// Number of sentences between two calls of the watch.
pub(super) const INTERVAL: usize = 1 << 14;

/// Gold and pred with common type ids, without types that are not counted.
///
/// # Examples
///
/// ```
/// use spanrs_base::Interrupted;
/// use spanrs_eval::{Sides, SpanLists};
/// let side = |name: &str| SpanLists::of_tuples(vec![vec![(name.to_owned(), 0, 1)]], Vec::new());
/// let (gold, pred) = (side("B"), side("A"));
/// let sides = Sides::new(&gold, &pred, |_| true);
/// let mut types = Vec::new();
/// let run = sides.run(|| false, |_, pair| {
///     types.push((pair.gold.all[0].ty, pair.pred.all[0].ty));
///     Ok::<_, Interrupted>(())
/// });
/// assert_eq!((run, types), (Ok(()), vec![(1, 0)]));
/// ```
#[derive(Debug)]
pub struct Sides<'a> {
    /// The spans of gold.
    gold: &'a SpanLists,
    /// The spans of pred.
    pred: &'a SpanLists,
    /// Names of the counted types of both sides by common id, sorted.
    pub types: Vec<&'a str>,
    /// For gold and pred, the common id of each type; None for a type that is not counted.
    numbers: [Vec<Option<u32>>; 2],
}

impl<'a> Sides<'a> {
    /// Pairs the sentences of two sides. `counts` returns whether a type is counted.
    pub fn new(gold: &'a SpanLists, pred: &'a SpanLists, counts: impl Fn(&str) -> bool) -> Self {
        let all = gold.types().iter().chain(pred.types());
        let names: BTreeSet<&str> = all
            .map(String::as_str)
            .filter(|name| counts(name))
            .collect();
        let numbers: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
        let number = |side: &SpanLists| {
            let types = side.types().iter();
            types.map(|name| numbers.get(&**name).copied()).collect()
        };
        Self {
            gold,
            pred,
            types: names.into_iter().collect(),
            numbers: [number(gold), number(pred)],
        }
    }

    /// Calls `each` with the index and both sides of each sentence, up to the end of the shorter
    /// side.
    ///
    /// Spans are copied only if types must be renumbered or skipped.
    ///
    /// # Errors
    /// The errors of `each`, and [`Interrupted`] if the watch requests a stop.
    pub fn run<E: From<Interrupted>>(
        &self,
        watch: Watch,
        mut each: impl FnMut(usize, Pair<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let sides = [self.gold, self.pred];
        let unchanged = sides
            .map(SpanLists::types)
            .iter()
            .all(|own| self.types == *own);
        let has_tokens = sides.iter().any(|side| side.stored.tokens.is_some());
        let mut interval = Interval::new(INTERVAL);
        let mut counted = [Vec::new(), Vec::new()];
        for at in 0..self.gold.len().min(self.pred.len()) {
            let [golds, preds] = if unchanged {
                sides.map(|side| side.sentence(at))
            } else {
                for (side, spans) in counted.iter_mut().enumerate() {
                    self.renumber(side, at, spans);
                }
                counted.each_ref().map(Vec::as_slice)
            };
            if has_tokens {
                let [gold_numbers, pred_numbers] = &self.numbers;
                let gold_tokens = self.gold.tokens_of(at, gold_numbers);
                let pred_tokens = self.pred.tokens_of(at, pred_numbers);
                let pair = Pair::new(
                    Spans::with_tokens(golds, &gold_tokens, 0),
                    Spans::with_tokens(preds, &pred_tokens, 0),
                );
                each(at, pair)?;
            } else {
                each(at, Pair::new(Spans::whole(golds), Spans::whole(preds)))?;
            }
            if interval.passes(1) && watch() {
                return Err(Interrupted.into());
            }
        }
        Ok(())
    }

    /// Replaces `spans` by the counted spans of a sentence of gold (`side` 0) or pred (1), with
    /// common ids.
    fn renumber(&self, side: usize, at: usize, spans: &mut Vec<Span<i64>>) {
        let numbers = &self.numbers[side];
        let own = [self.gold, self.pred][side].sentence(at).iter();
        spans.clear();
        spans.extend(
            own.filter_map(|span| numbers[span.ty as usize].map(|ty| Span { ty, ..*span })),
        );
    }
}

#[cfg(test)]
mod tests {
    use spanrs_base::{Ends, Jagged};

    use super::*;

    /// Returns one sentence of one-token spans.
    fn lists(types: &[&str]) -> SpanLists {
        let spans = types.iter().zip(0..);
        let spans = spans.map(|(name, at)| (name.to_string(), at, at + 1));
        SpanLists::of_tuples(vec![spans.collect()], Vec::new())
    }

    #[test]
    fn types_have_the_same_number_on_both_sides() {
        let (gold, pred) = (lists(&["B", "A"]), lists(&["C", "B"]));
        let sides = Sides::new(&gold, &pred, |name| name != "A");
        assert_eq!(sides.types, ["B", "C"]);
        let mut seen = Vec::new();
        let run = sides.run(
            || false,
            |at, pair| {
                let types = |spans: &[Span<i64>]| spans.iter().map(|s| s.ty).collect::<Vec<_>>();
                seen.push((at, types(pair.gold.all), types(pair.pred.all)));
                Ok::<_, Interrupted>(())
            },
        );
        assert_eq!(run, Ok(()));
        assert_eq!(seen, [(0, vec![0], vec![1, 0])]);
    }

    #[test]
    fn tokens_of_types_that_are_not_counted_are_left_out() {
        let sentence = vec![("A".to_owned(), 0, 4), ("B".to_owned(), 0, 4)];
        let runs = |first| Some(vec![(first, first + 1), (3, 4)]);
        let gold = SpanLists::of_tuples(vec![sentence], vec![runs(0), runs(1)]);
        let pred = lists(&["B"]);
        let sides = Sides::new(&gold, &pred, |name| name == "B");
        let run = sides.run(
            || false,
            |_, pair| {
                assert_eq!(pair.gold.runs(0), Some(&[(1, 2), (3, 4)][..]));
                assert_eq!(pair.pred.runs(0), None);
                Ok::<_, Interrupted>(())
            },
        );
        assert_eq!(run, Ok(()));
    }

    #[test]
    fn the_watch_stops_a_run() {
        let empty = Jagged::new(Vec::new(), Ends::of_lengths([0; INTERVAL]));
        let many = SpanLists::new(empty, None, Vec::new());
        let sides = Sides::new(&many, &many, |_| true);
        assert_eq!(sides.run(|| true, |_, _| Ok(())), Err(Interrupted));
    }
}
