use std::collections::BTreeMap;

/// Spans of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// Spans of gold.
    pub gold: u64,
    /// Spans of pred.
    pub pred: u64,
    /// Spans of both.
    pub tp: u64,
}

/// What one walk over the tags of both sides counts, in dense tables that are moved to
/// [`Counts`](crate::outcomes::Counts) when a document ends. Types are ids of one reader.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagCounts {
    /// By type.
    pub(crate) types: Vec<SpanCounts>,
    /// Types that occur, some of them more than once.
    pub(crate) touched: Vec<u32>,
    /// Pairs of spans with equal bounds and different types, by (gold type, pred type).
    pub(crate) confused: BTreeMap<(u32, u32), u64>,
    pub(crate) corpus: Corpus,
}

/// What is counted besides spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) sentences: u64,
    pub(crate) tokens: u64,
    /// Tokens with equal tags; where the two sides have different schemes, tokens whose tags are both `O` or both of
    /// one type.
    pub(crate) correct_tokens: u64,
    /// Tokens whose gold tag is not `O`.
    pub(crate) gold_labelled: u64,
    /// Tokens whose pred tag is not `O`.
    pub(crate) pred_labelled: u64,
    pub(crate) gold_violations: u64,
    pub(crate) pred_violations: u64,
}

impl Corpus {
    /// In the order of the outcomes of [`CORPUS`](crate::outcomes::CORPUS).
    pub(crate) fn numbers(&self) -> [u64; 7] {
        [
            self.sentences,
            self.tokens,
            self.correct_tokens,
            self.gold_labelled,
            self.pred_labelled,
            self.gold_violations,
            self.pred_violations,
        ]
    }
}

impl TagCounts {
    /// Makes room for this many types.
    #[inline]
    pub(crate) fn fit(&mut self, types: usize) {
        if self.types.len() < types {
            self.types.resize(types, SpanCounts::default());
        }
    }

    /// The spans of a type, which may be the first ones.
    #[inline(always)]
    pub(crate) fn of_type(&mut self, ty: u32) -> &mut SpanCounts {
        let of_type = &mut self.types[ty as usize];
        if of_type.gold | of_type.pred == 0 {
            self.touched.push(ty);
        }
        of_type
    }
}
