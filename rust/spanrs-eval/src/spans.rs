//! Views of the spans of one side, the input of matchers.

use spanrs_base::Span;

use crate::token_sets::{Run, TokenSets};

/// The spans of one side of a sentence or document, in the order given.
///
/// The view is cheap to copy. In addition to start, end and type, a span may have gaps (tokens
/// between its bounds that do not belong to it) and an original type from before types were mapped;
/// both are stored separately, because nearly all corpora have neither.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::{Spans, TokenSets};
/// let mut tokens = TokenSets::default();
/// tokens.push_whole();
/// tokens.push((4, 8), [4, 5, 7]);
/// let all = [Span { start: 0, end: 2, ty: 0 }, Span { start: 4, end: 8, ty: 0 }];
/// let spans = Spans::with_tokens(&all, &tokens, 0);
/// assert_eq!(spans.runs(0), None);
/// assert_eq!(spans.runs(1), Some(&[(4, 6), (7, 8)][..]));
/// assert!(!spans.all_whole());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spans<'a> {
    /// The spans. [`Event`](crate::Event)s refer to them by index.
    pub all: &'a [Span<i64>],
    /// Token sets of several sentences, and the index of this view's first span in the token sets.
    /// None if no span has gaps.
    tokens: Option<(&'a TokenSets, usize)>,
    /// The type of each span before aliases and equivalence classes were applied; None if types
    /// were not mapped.
    tags: Option<&'a [u32]>,
}

impl<'a> Spans<'a> {
    /// Creates a view of spans that have all tokens between their bounds.
    pub fn whole(all: &'a [Span<i64>]) -> Self {
        Self {
            all,
            tokens: None,
            tags: None,
        }
    }

    /// Creates a view of spans whose tokens are the sets in `tokens` from index `first` on, one for
    /// each span.
    pub fn with_tokens(all: &'a [Span<i64>], tokens: &'a TokenSets, first: usize) -> Self {
        Self {
            tokens: Some((tokens, first)),
            ..Self::whole(all)
        }
    }

    /// Creates a view of annotations whose types were `tags` before aliases and equivalence classes
    /// were applied.
    ///
    /// `tags` has one type number for each span.
    pub fn with_tags(all: &'a [Span<i64>], tags: &'a [u32]) -> Self {
        Self {
            tags: Some(tags),
            ..Self::whole(all)
        }
    }

    /// Returns a span together with [`Spans::runs`].
    ///
    /// Two spans are equal in every matcher if both parts of the pair are equal. Sorting by this
    /// pair also gives reading order.
    pub fn get(&self, at: usize) -> (Span<i64>, Option<&'a [Run]>) {
        (self.all[at], self.runs(at))
    }

    /// Returns the tokens of a span as runs (start, exclusive end), ascending; None if the span has
    /// all tokens between its bounds.
    #[inline]
    pub fn runs(&self, at: usize) -> Option<&'a [Run]> {
        let (sets, first) = self.tokens?;
        sets.get(first + at)
    }

    /// Returns the type of a span before aliases and equivalence classes were applied; the type of
    /// the span if there were none.
    pub fn tag(&self, at: usize) -> u32 {
        self.tags.map_or(self.all[at].ty, |tags| tags[at])
    }

    /// Returns true if no span has gaps. Constant time unless the view was created with
    /// [`Spans::with_tokens`].
    pub fn all_whole(&self) -> bool {
        self.tokens.is_none() || (0..self.all.len()).all(|at| self.runs(at).is_none())
    }
}
