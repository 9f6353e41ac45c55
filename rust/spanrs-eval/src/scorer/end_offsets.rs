//! Detection of inclusive ends: the ends of one side are all one less than those of the other.

use crate::matcher::Pair;

/// Number of pairs of spans that are compared.
const MAX_PAIRS: u32 = 64;
/// Number of spans of each side of a sentence that are compared.
const MAX_SPANS: usize = 32;
/// Number of pairs from which the ends are conspicuous.
const MIN_PAIRS: u32 = 3;

/// How the ends of gold and pred spans of equal type and start differ, in the first sentences.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndOffsets {
    /// Pairs of a gold and a pred span with equal type and start.
    pairs: u32,
    /// Pairs whose pred end is one less than the gold end.
    one_less: u32,
    /// Pairs whose pred end is one more than the gold end.
    one_more: u32,
}

impl EndOffsets {
    /// Adds the spans of a sentence, until there are enough.
    pub(super) fn add(&mut self, pair: &Pair<'_>) {
        if self.pairs >= MAX_PAIRS {
            return;
        }
        for gold in pair.gold.all.iter().take(MAX_SPANS) {
            for pred in pair.pred.all.iter().take(MAX_SPANS) {
                if (gold.ty, gold.start) == (pred.ty, pred.start) {
                    self.pairs += 1;
                    self.one_less += u32::from(pred.end.checked_add(1) == Some(gold.end));
                    self.one_more += u32::from(gold.end.checked_add(1) == Some(pred.end));
                }
            }
        }
    }

    /// Adds the pairs of another part of the corpus.
    pub(super) fn merge(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.one_less += other.one_less;
        self.one_more += other.one_more;
    }

    /// Returns a warning if every end of one side is one less than that of the other side.
    pub(super) fn warning(&self) -> Option<String> {
        let (side, other) = match self.pairs {
            n if n < MIN_PAIRS => return None,
            n if n == self.one_less => ("pred", "gold"),
            n if n == self.one_more => ("gold", "pred"),
            _ => return None,
        };
        Some(format!(
            "every end is off by one: where spans of gold and pred have equal types and starts, the end in {side} is one \
             less than in {other}; ends are exclusive, so add 1 if those of {side} are inclusive"
        ))
    }
}

#[cfg(test)]
mod tests {
    use spanrs_base::Span;

    use super::*;
    use crate::spans::Spans;

    /// The warning for gold spans of these ends beside pred spans of others.
    fn warning(ends: &[(i64, i64)]) -> Option<String> {
        let side = |ends: Vec<i64>| -> Vec<_> {
            (0..)
                .zip(ends)
                .map(|(start, end)| Span { start, end, ty: 0 })
                .collect()
        };
        let (gold, pred) = (
            side(ends.iter().map(|ends| ends.0).collect()),
            side(ends.iter().map(|ends| ends.1).collect()),
        );
        let mut offsets = EndOffsets::default();
        offsets.add(&Pair::new(Spans::whole(&gold), Spans::whole(&pred)));
        offsets.warning()
    }

    #[test]
    fn only_ends_that_are_all_off_by_one_are_conspicuous() {
        assert!(
            warning(&[(5, 4), (6, 5), (8, 7)])
                .unwrap()
                .contains("the end in pred is one less")
        );
        assert!(
            warning(&[(4, 5), (5, 6), (7, 8)])
                .unwrap()
                .contains("the end in gold is one less")
        );
        for ends in [
            &[(5, 4), (6, 5)][..],
            &[(5, 4), (6, 5), (8, 8)],
            &[(5, 4), (6, 5), (8, 9)],
            &[(i64::MIN, i64::MAX); 3],
        ] {
            assert_eq!(warning(ends), None);
        }
    }
}
