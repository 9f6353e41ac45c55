//! Sets of tokens, as runs of neighbouring tokens.
//!
//! Most spans have all tokens between their bounds; [`TokenSets`] stores nothing for such spans.

use std::collections::BTreeMap;
use std::ops::Range;

use spanrs_base::{Coded, ErrorClass};

/// Neighbouring tokens as (first, one past the last).
pub type Run = (i64, i64);

/// Why a span cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSpan {
    /// The end is not greater than the start.
    #[error("it is empty; ends are exclusive and greater than starts")]
    Empty,
    /// The span has this token, which is outside its bounds.
    #[error("it has token {0}; tokens must lie between the bounds, ends exclusive")]
    Outside(i64),
    /// The set of tokens is empty.
    #[error("it has an empty set of tokens; tokens must lie between the bounds, ends exclusive")]
    NoTokens,
    /// A token is `i64::MAX`, which has no successor.
    #[error("a token number is too large")]
    Far,
}

impl Coded for BadSpan {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Value, "bad_span")
    }
}

/// The tokens of a list of spans, some of which may be discontinuous.
///
/// # Examples
///
/// ```
/// use spanrs_eval::TokenSets;
/// let mut tokens = TokenSets::default();
/// tokens.push_whole();
/// tokens.push((0, 5), [0, 3, 4]);
/// assert_eq!(tokens.get(0), None);
/// assert_eq!(tokens.get(1), Some(&[(0, 1), (3, 5)][..]));
/// tokens.push((0, 2), [0, 1]);
/// assert_eq!(tokens.get(2), None, "no token between the bounds is missing");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenSets {
    /// The runs of all spans that have any, in the order of the spans.
    runs: Vec<Run>,
    /// Number of spans.
    spans: usize,
    /// For each span, the range of its runs in `runs`; None for all tokens between the bounds. The
    /// list ends with the last span that has runs.
    of: Vec<Option<Range<u32>>>,
}

impl TokenSets {
    /// Adds a span that has all tokens between its bounds.
    #[inline]
    pub fn push_whole(&mut self) {
        self.spans += 1;
    }

    /// Adds a span with the given tokens, in ascending order; repeated tokens are ignored. `bounds`
    /// are the start and the exclusive end of the span.
    pub fn push(&mut self, bounds: Run, tokens: impl IntoIterator<Item = i64>) {
        let first = self.runs.len();
        for token in tokens {
            match self.runs[first..].last_mut() {
                Some((_, end)) if token < *end => {}
                Some((_, end)) if token == *end => *end += 1,
                _ => self.runs.push((token, token + 1)),
            }
        }
        if self.runs[first..] == [bounds] {
            self.runs.truncate(first);
        } else {
            self.end_runs(first);
        }
        self.spans += 1;
    }

    /// Adds a span with tokens in any order. `distinct` is true if no token is repeated, as in a
    /// set.
    ///
    /// # Errors
    /// [`BadSpan::Far`] if a token is `i64::MAX`, which has no successor.
    pub fn push_unsorted(
        &mut self,
        bounds: Run,
        mut tokens: Vec<i64>,
        distinct: bool,
    ) -> Result<(), BadSpan> {
        let (start, end) = bounds;
        let within = || tokens.iter().all(|token| (start..end).contains(token));
        // If there are as many distinct tokens as positions, the span has all tokens.
        if distinct && end.checked_sub(start) == Some(tokens.len() as i64) && within() {
            self.push_whole();
            return Ok(());
        }
        if tokens.contains(&i64::MAX) {
            return Err(BadSpan::Far);
        }
        tokens.sort_unstable();
        self.push(bounds, tokens);
        Ok(())
    }

    /// Adds a span with the runs that [`TokenSets::get`] returned for another span.
    pub fn push_runs(&mut self, runs: Option<&[Run]>) {
        if let Some(runs) = runs {
            let first = self.runs.len();
            self.runs.extend_from_slice(runs);
            self.end_runs(first);
        }
        self.spans += 1;
    }

    /// Assigns the runs from `first` on to the span that is being added.
    fn end_runs(&mut self, first: usize) {
        self.of.resize(self.spans, None);
        self.of.push(Some(first as u32..self.runs.len() as u32));
    }

    /// Returns the runs of a span, in ascending order; None if it has all tokens between its
    /// bounds.
    #[inline]
    pub fn get(&self, span: usize) -> Option<&[Run]> {
        let range = self.of.get(span)?.as_ref()?;
        Some(&self.runs[range.start as usize..range.end as usize])
    }

    /// Removes all but the first `spans` spans.
    pub fn truncate(&mut self, spans: usize) {
        let rest = self.of.get(spans..).unwrap_or_default();
        // The runs of later spans follow the runs of earlier spans.
        if let Some(first) = rest.iter().flatten().next() {
            self.runs.truncate(first.start as usize);
        }
        self.of.truncate(spans);
        while self.of.last().is_some_and(Option::is_none) {
            self.of.pop();
        }
        self.spans = self.spans.min(spans);
    }

    /// Returns the number of spans.
    pub fn len(&self) -> usize {
        self.spans
    }

    /// Returns whether there are no spans.
    pub fn is_empty(&self) -> bool {
        self.spans == 0
    }

    /// Returns whether every span has all tokens between its bounds.
    pub fn all_whole(&self) -> bool {
        self.of.is_empty()
    }
}

/// The tokens of a span that have not been matched yet, as disjoint runs, keyed by first token.
///
/// Queries and removals take O(log n) time plus time proportional to the number of runs they touch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs(BTreeMap<i64, i64>);

impl FromIterator<Run> for Runs {
    fn from_iter<T: IntoIterator<Item = Run>>(runs: T) -> Self {
        Self(runs.into_iter().collect())
    }
}

impl Runs {
    /// Returns the number of runs.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Iterates over the runs in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Run> {
        self.0.iter().map(|(&start, &end)| (start, end))
    }

    /// Iterates over the intersections of the runs with the given run.
    pub(crate) fn within(&self, (start, end): Run) -> impl Iterator<Item = Run> {
        let before = self.0.range(..start).next_back();
        let from = self.0.range(start..end.max(start));
        let runs = before.into_iter().chain(from);
        runs.map(move |(&s, &e)| (s.max(start), e.min(end)))
            .filter(|(s, e)| s < e)
    }

    /// Removes the tokens of a run; some of them may already be missing.
    pub(crate) fn remove(&mut self, (start, end): Run) {
        if let Some((_, last)) = self.0.range_mut(..start).next_back()
            && *last > start
        {
            let behind = std::mem::replace(last, start);
            if behind > end {
                self.0.insert(end, behind);
                return;
            }
        }
        while let Some((&first, &last)) = self.0.range(start..end.max(start)).next() {
            self.0.remove(&first);
            if last > end {
                self.0.insert(end, last);
            }
        }
    }
}
