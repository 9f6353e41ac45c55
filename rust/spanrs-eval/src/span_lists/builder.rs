use std::ops::Range;

use spanrs_base::Span;

use super::SpanLists;
use crate::token_sets::{BadSpan, Run, TokenSets};

/// Builds gold and pred from spans with numbered types, sentence by sentence: first all of gold, then all of pred.
///
/// ```
/// use spanrs_eval::SpanListsBuilder;
/// let mut builder = SpanListsBuilder::new(false);
/// for _ in 0..2 {
///     builder.push(0, (0, 2), None).unwrap();
///     builder.end_sentence();
///     builder.end_side();
/// }
/// let (gold, pred) = builder.into_lists(vec!["PER".to_owned()]);
/// assert_eq!(gold.tuples(), [[("PER", 0, 2)]]);
/// assert_eq!(gold.tuples(), pred.tuples());
/// ```
#[derive(Debug)]
pub struct SpanListsBuilder {
    spans: Vec<Span<i64>>,
    /// None if all spans have all tokens between their bounds.
    tokens: Option<TokenSets>,
    /// The spans of each sentence, for the sides that have ended.
    sides: Vec<Vec<Range<u32>>>,
    /// The spans of each sentence, for the open side.
    open: Vec<Range<u32>>,
    /// Index of the first span of the open sentence.
    first: usize,
}

impl SpanListsBuilder {
    /// Creates an empty builder; with `with_tokens`, the tokens of spans are kept.
    pub fn new(with_tokens: bool) -> Self {
        Self {
            spans: Vec::new(),
            tokens: with_tokens.then(TokenSets::default),
            sides: Vec::new(),
            open: Vec::new(),
            first: 0,
        }
    }

    /// Returns true if tokens are kept.
    pub fn has_tokens(&self) -> bool {
        self.tokens.is_some()
    }

    /// Returns the number of spans so far.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns true before the first span.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Adds a span to the open sentence. `tokens` contains its tokens, and whether they are known to be distinct; None
    /// means all tokens between the bounds.
    ///
    /// # Errors
    /// [`BadSpan`] for an empty span, for tokens outside its bounds, and for an empty set of tokens. The builder must
    /// then be discarded, because the span may have been added without its tokens.
    #[inline]
    pub fn push(
        &mut self,
        ty: u32,
        (start, end): (u32, u32),
        tokens: Option<(Vec<i64>, bool)>,
    ) -> Result<(), BadSpan> {
        if end <= start {
            return Err(BadSpan::Empty);
        }
        let (start, end) = (i64::from(start), i64::from(end));
        self.spans.push(Span { start, end, ty });
        let Some(sets) = &mut self.tokens else {
            return Ok(());
        };
        match tokens {
            None => sets.push_whole(),
            Some((numbers, distinct)) => {
                sets.push_unsorted((start, end), numbers, distinct)?;
                check_tokens((start, end), sets.get(self.spans.len() - 1))?;
            }
        }
        Ok(())
    }

    /// Ends the open sentence. If pred has the same spans as gold in this sentence, and no span has gaps, the spans are
    /// stored once.
    pub fn end_sentence(&mut self) {
        let gold = self
            .sides
            .first()
            .and_then(|gold| gold.get(self.open.len()));
        let range = match gold.filter(|range| self.are_last(range)) {
            Some(range) => {
                let range = range.clone();
                self.spans.truncate(self.first);
                if let Some(tokens) = &mut self.tokens {
                    tokens.truncate(self.first);
                }
                range
            }
            None => self.first as u32..self.spans.len() as u32,
        };
        self.open.push(range);
        self.first = self.spans.len();
    }

    /// Returns true if the spans in a range equal the spans of the open sentence, and have all tokens between their
    /// bounds.
    fn are_last(&self, range: &Range<u32>) -> bool {
        let range = range.start as usize..range.end as usize;
        let mut all = range.clone().chain(self.first..self.spans.len());
        let is_whole = |at| {
            let tokens = self.tokens.as_ref();
            tokens.is_none_or(|tokens| tokens.all_whole() || tokens.get(at).is_none())
        };
        self.spans[range] == self.spans[self.first..] && all.all(is_whole)
    }

    /// Ends the current side, gold or pred.
    pub fn end_side(&mut self) {
        self.sides.push(std::mem::take(&mut self.open));
    }

    /// Returns gold and pred; `types` are the names of the types by number.
    pub fn into_lists(mut self, types: Vec<String>) -> (SpanLists, SpanLists) {
        self.sides.resize_with(2, Vec::new);
        let pred = self.sides.pop().unwrap_or_default();
        let gold = self.sides.pop().unwrap_or_default();
        SpanLists::gold_and_pred(self.spans, self.tokens, types, [gold, pred])
    }
}

/// Refuses tokens outside their span, and an empty set of tokens.
fn check_tokens((start, end): Run, runs: Option<&[Run]>) -> Result<(), BadSpan> {
    let Some(runs) = runs else {
        return Ok(());
    };
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return Err(BadSpan::NoTokens);
    };
    match (first.0 < start, last.1 > end) {
        (true, _) => Err(BadSpan::Outside(first.0)),
        (_, true) => Err(BadSpan::Outside(last.1 - 1)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_must_lie_in_their_span() {
        let push = |tokens: &[i64]| {
            SpanListsBuilder::new(true).push(0, (2, 5), Some((tokens.to_vec(), false)))
        };
        assert_eq!(push(&[2, 4, 2]), Ok(()));
        assert_eq!(push(&[]), Err(BadSpan::NoTokens));
        assert_eq!(push(&[1, 2]), Err(BadSpan::Outside(1)));
        assert_eq!(push(&[4, 7]), Err(BadSpan::Outside(7)));
        assert_eq!(push(&[i64::MAX]), Err(BadSpan::Far));
        let empty = SpanListsBuilder::new(false).push(0, (2, 2), None);
        assert_eq!(empty, Err(BadSpan::Empty));
    }

    #[test]
    fn equal_sentences_are_stored_once_unless_spans_lack_tokens() {
        for (tokens, stored) in [(None, 1), (Some((vec![0, 2], true)), 2)] {
            let mut builder = SpanListsBuilder::new(true);
            for _ in 0..2 {
                builder.push(0, (0, 3), tokens.clone()).unwrap();
                builder.end_sentence();
                builder.end_side();
            }
            assert_eq!(builder.len(), stored);
            let (gold, pred) = builder.into_lists(vec!["A".to_owned()]);
            assert_eq!(gold.token_runs(), pred.token_runs());
        }
    }
}
