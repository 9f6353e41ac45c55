//! Spans in memory: all sentences of one side, or of both.
//!
//! Spans are stored in one vector for all sentences, with type ids that follow the order of the
//! type names. If both sides are read from tags, sentences with equal tags share their spans.

mod builder;
mod scoring;
mod sides;
mod tag_sentences;

use std::ops::Range;
use std::sync::Arc;

use spanrs_base::{Interner, Jagged, Span};

use crate::token_sets::{Run, TokenSets};

pub use builder::SpanListsBuilder;
pub use scoring::{SpanErrorKind, SpanErrorNumbers, SpanErrorOptions, span_details, span_errors};
pub use sides::Sides;
pub use tag_sentences::{ReadError, TagSentences, spans_of_ids};

/// The spans of one side, sentence by sentence. Cloning copies the ranges and shares the spans.
///
/// # Examples
///
/// ```
/// use spanrs_eval::SpanLists;
/// let sentences = vec![vec![("PER".to_owned(), 0, 2), ("LOC".to_owned(), 3, 4)], vec![]];
/// let lists = SpanLists::of_tuples(sentences, Vec::new());
/// assert_eq!(lists.len(), 2);
/// assert_eq!(lists.types(), ["LOC", "PER"]);
/// assert_eq!(lists.tuples()[0], [("PER", 0, 2), ("LOC", 3, 4)]);
/// ```
#[derive(Clone, Debug)]
pub struct SpanLists {
    /// The spans, possibly of both sides.
    stored: Arc<Stored>,
    /// For each sentence, the range of its spans in `stored`.
    ranges: Vec<Range<u32>>,
}

/// Spans of one side or of both; the spans of equal sentences are stored once.
#[derive(Debug)]
struct Stored {
    /// All spans; types are indices into `types`.
    spans: Vec<Span<i64>>,
    /// The tokens of each span; None if every span has all tokens between its bounds.
    tokens: Option<TokenSets>,
    /// Names of the types that occur, sorted.
    types: Vec<String>,
}

impl Stored {
    /// Renumbers the types in the order of their names and drops unused ones, so that sides with
    /// the same types can be compared directly.
    fn new(mut spans: Vec<Span<i64>>, tokens: Option<TokenSets>, types: Vec<String>) -> Self {
        let mut used = vec![false; types.len()];
        for span in &spans {
            used[span.ty as usize] = true;
        }
        let mut names: Vec<(String, usize)> = types.into_iter().zip(0..).collect();
        names.retain(|&(_, old)| used[old]);
        names.sort_unstable();
        let mut new = vec![0; used.len()];
        for (number, &(_, old)) in (0..).zip(&names) {
            new[old] = number;
        }
        for span in &mut spans {
            span.ty = new[span.ty as usize];
        }
        Self {
            spans,
            tokens: tokens.filter(|tokens| !tokens.all_whole()),
            types: names.into_iter().map(|(name, _)| name).collect(),
        }
    }
}

impl SpanLists {
    /// Creates one side.
    ///
    /// `spans` contains the spans of each sentence, and `types` the names of the types by id.
    /// `tokens` contains the tokens of each span of all sentences; None if every span has all
    /// tokens between its bounds.
    ///
    /// # Panics
    /// If the type of a span is not an index into `types`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::{Jagged, Span};
    /// use spanrs_eval::SpanLists;
    /// let mut spans = Jagged::default();
    /// spans.push([Span { start: 0, end: 2, ty: 0 }]);
    /// spans.push([Span { start: 0, end: 1, ty: 1 }]);
    /// let types = ["PER", "LOC"].map(str::to_owned).to_vec();
    /// let lists = SpanLists::new(spans, None, types);
    /// assert_eq!(lists.tuples(), [[("PER", 0, 2)], [("LOC", 0, 1)]]);
    /// ```
    pub fn new(spans: Jagged<Span<i64>>, tokens: Option<TokenSets>, types: Vec<String>) -> Self {
        let (spans, ends) = spans.into_parts();
        let ranges = ends.ranges();
        Self {
            ranges: ranges
                .map(|range| range.start as u32..range.end as u32)
                .collect(),
            stored: Arc::new(Stored::new(spans, tokens, types)),
        }
    }

    /// Creates gold and pred, which share `spans`. `ranges` contains, for each side, the range of
    /// the spans of each sentence; ranges of both sides may be equal.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::SpanLists;
    /// let spans = vec![Span { start: 0, end: 2, ty: 0 }, Span { start: 3, end: 4, ty: 0 }];
    /// // Both sides have the first span, only gold has the second.
    /// let ranges = [vec![0..2], vec![0..1]];
    /// let (gold, pred) = SpanLists::gold_and_pred(spans, None, vec!["A".to_owned()], ranges);
    /// assert_eq!((gold.sentence(0).len(), pred.sentence(0).len()), (2, 1));
    /// ```
    pub fn gold_and_pred(
        spans: Vec<Span<i64>>,
        tokens: Option<TokenSets>,
        types: Vec<String>,
        [gold, pred]: [Vec<Range<u32>>; 2],
    ) -> (Self, Self) {
        let stored = Arc::new(Stored::new(spans, tokens, types));
        let side = |ranges| Self {
            stored: Arc::clone(&stored),
            ranges,
        };
        (side(gold), side(pred))
    }

    /// Creates one side from the (type, start, end) of the spans of each sentence.
    ///
    /// `tokens` contains the runs of tokens of all spans in order, with None for all tokens between
    /// the bounds; the list may be shorter than the number of spans.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::SpanLists;
    /// let sentence = vec![("A".to_owned(), 0, 5), ("A".to_owned(), 6, 7)];
    /// // The first span does not have tokens 1 and 2.
    /// let lists = SpanLists::of_tuples(vec![sentence], vec![Some(vec![(0, 1), (3, 5)])]);
    /// assert_eq!(lists.token_runs(), Some(vec![Some(vec![(0, 1), (3, 5)]), None]));
    /// ```
    pub fn of_tuples(
        sentences: Vec<Vec<(String, i64, i64)>>,
        mut tokens: Vec<Option<Vec<Run>>>,
    ) -> Self {
        let mut types: Interner<str> = Interner::default();
        let mut spans = Jagged::default();
        for sentence in sentences {
            spans.push(sentence.into_iter().map(|(name, start, end)| Span {
                start,
                end,
                ty: types.intern(&name),
            }));
        }
        tokens.resize(spans.values().len(), None);
        let mut sets = TokenSets::default();
        tokens
            .iter()
            .for_each(|runs| sets.push_runs(runs.as_deref()));
        let types = types.names().map(str::to_owned).collect();
        Self::new(spans, Some(sets), types)
    }

    /// Returns the number of sentences.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns whether there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the names of the types, sorted. If both sides were created together, the types of
    /// both are included.
    pub fn types(&self) -> &[String] {
        &self.stored.types
    }

    /// Returns the spans of a sentence, in the given order. Types are indices into
    /// [`SpanLists::types`].
    ///
    /// # Panics
    /// If there is no such sentence.
    pub fn sentence(&self, at: usize) -> &[Span<i64>] {
        let range = &self.ranges[at];
        &self.stored.spans[range.start as usize..range.end as usize]
    }

    /// Returns (type, start, end) of the spans of each sentence.
    pub fn tuples(&self) -> Vec<Vec<(&str, i64, i64)>> {
        let tuple = |s: &Span<i64>| (&*self.stored.types[s.ty as usize], s.start, s.end);
        (0..self.len())
            .map(|at| self.sentence(at).iter().map(tuple).collect())
            .collect()
    }

    /// Returns the runs of tokens of all spans, with None for all tokens between the bounds;
    /// returns None if all spans have all tokens. [`SpanLists::of_tuples`] accepts the result.
    pub fn token_runs(&self) -> Option<Vec<Option<Vec<Run>>>> {
        let tokens = self.stored.tokens.as_ref()?;
        let places = self.ranges.iter().flat_map(Range::clone);
        let runs = places.map(|at| tokens.get(at as usize).map(<[Run]>::to_vec));
        Some(runs.collect())
    }

    /// Returns the tokens of the spans in a sentence whose type has a number.
    fn tokens_of(&self, at: usize, numbers: &[Option<u32>]) -> TokenSets {
        let mut tokens = TokenSets::default();
        let range = &self.ranges[at];
        for (span, place) in self.sentence(at).iter().zip(range.start as usize..) {
            if numbers[span.ty as usize].is_some() {
                let stored = self.stored.tokens.as_ref();
                tokens.push_runs(stored.and_then(|stored| stored.get(place)));
            }
        }
        tokens
    }
}

#[cfg(test)]
mod tests {
    use spanrs_base::Ends;

    use super::*;

    fn tuple(name: &str, start: i64, end: i64) -> (String, i64, i64) {
        (name.to_owned(), start, end)
    }

    #[test]
    fn types_are_numbered_by_name_and_unused_ones_are_dropped() {
        let span = |ty, start| Span {
            start,
            end: start + 1,
            ty,
        };
        let names = ["Z", "unused", "A"].map(str::to_owned).to_vec();
        let spans = Jagged::new(vec![span(0, 0), span(2, 1)], Ends::of_lengths([1, 1]));
        let lists = SpanLists::new(spans, None, names);
        assert_eq!(lists.types(), ["A", "Z"]);
        assert_eq!(lists.sentence(0)[0].ty, 1);
        assert_eq!(lists.tuples(), [[("Z", 0, 1)], [("A", 1, 2)]]);
    }

    #[test]
    fn tuples_and_token_runs_give_the_same_lists_again() {
        let sentences = vec![vec![tuple("A", 0, 5)], vec![], vec![tuple("B", 1, 2)]];
        let tokens = vec![Some(vec![(0, 1), (3, 5)])];
        let lists = SpanLists::of_tuples(sentences.clone(), tokens);
        assert_eq!(lists.len(), 3);
        assert_eq!(
            lists.token_runs(),
            Some(vec![Some(vec![(0, 1), (3, 5)]), None])
        );
        let again = SpanLists::of_tuples(sentences, lists.token_runs().unwrap_or_default());
        assert_eq!(again.tuples(), lists.tuples());
        assert_eq!(again.token_runs(), lists.token_runs());
    }

    #[test]
    fn spans_without_gaps_have_no_token_runs() {
        let lists = SpanLists::of_tuples(vec![vec![tuple("A", 0, 5)]], Vec::new());
        assert_eq!(lists.token_runs(), None);
    }
}
