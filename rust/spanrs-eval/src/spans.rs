use spanrs_base::Span;

use crate::token_sets::{Run, TokenSets};

/// The spans of one side of a sentence or a document, in the order given.
#[derive(Clone, Copy, Debug)]
pub struct Spans<'a> {
    /// The spans.
    pub all: &'a [Span<i64>],
    /// The tokens of many spans, and which of them the first one here is.
    tokens: Option<(&'a TokenSets, usize)>,
    /// Types before aliases and equivalence classes, where there are such; one for each span.
    tags: Option<&'a [u32]>,
}

impl<'a> Spans<'a> {
    /// Spans that have all tokens between their bounds.
    pub fn whole(all: &'a [Span<i64>]) -> Self {
        Self {
            all,
            tokens: None,
            tags: None,
        }
    }

    /// Spans whose tokens are those in `tokens` from number `first` on.
    pub fn with_tokens(all: &'a [Span<i64>], tokens: &'a TokenSets, first: usize) -> Self {
        Self {
            tokens: Some((tokens, first)),
            ..Self::whole(all)
        }
    }

    /// Annotations whose types were `tags` before aliases and equivalence classes.
    pub fn with_tags(all: &'a [Span<i64>], tags: &'a [u32]) -> Self {
        Self {
            tags: Some(tags),
            ..Self::whole(all)
        }
    }

    /// A span, with the runs of its tokens where these are not all between its bounds.
    pub fn get(&self, at: usize) -> (Span<i64>, Option<&'a [Run]>) {
        (self.all[at], self.runs(at))
    }

    /// Runs of the tokens of a span; None where it has all between its bounds.
    #[inline]
    pub fn runs(&self, at: usize) -> Option<&'a [Run]> {
        let (sets, first) = self.tokens?;
        sets.get(first + at)
    }

    /// The type of a span before aliases and equivalence classes.
    pub fn tag(&self, at: usize) -> u32 {
        self.tags.map_or(self.all[at].ty, |tags| tags[at])
    }

    /// True where all spans have all tokens between their bounds.
    pub fn all_whole(&self) -> bool {
        self.tokens.is_none() || (0..self.all.len()).all(|at| self.runs(at).is_none())
    }
}
