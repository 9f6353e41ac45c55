//! Counts of tags and spans in dense tables, before they are added to the cells of the counts.

use std::collections::BTreeMap;

use crate::matcher::Pair;

/// Numbers of spans of one type under exact matching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// Spans of gold (tp + fn).
    pub gold: u64,
    /// Spans of pred (tp + fp).
    pub pred: u64,
    /// Spans that occur on both sides with equal bounds and type.
    pub tp: u64,
}

/// The counts of one walk over the tags of both sides. Types are ids of one reader; the tables are
/// added to [`Counts`](crate::outcomes::Counts) when a document ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagCounts {
    /// Span counts by type id.
    pub(crate) types: Vec<SpanCounts>,
    /// Types with nonzero counts, in order of appearance; a type may be listed more than once.
    pub(crate) touched: Vec<u32>,
    /// Number of pairs of spans with equal bounds and different types, by (gold type, pred type).
    pub(crate) confused: BTreeMap<(u32, u32), u64>,
    /// Totals without a type.
    pub(crate) corpus: Corpus,
}

/// Totals of sentences, tokens and violations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Corpus {
    /// Sentences.
    pub(crate) sentences: u64,
    /// Tokens of one side.
    pub(crate) tokens: u64,
    /// Tokens with equal tags; if the sides have different schemes, tokens whose tags are both `O`
    /// or have the same type.
    pub(crate) correct_tokens: u64,
    /// Tokens whose gold tag is not `O`.
    pub(crate) gold_labelled: u64,
    /// Tokens whose pred tag is not `O`.
    pub(crate) pred_labelled: u64,
    /// Violations in gold.
    pub(crate) gold_violations: u64,
    /// Violations in pred.
    pub(crate) pred_violations: u64,
    /// Number of compared pairs of a gold and a pred span with equal type and start; see
    /// [`Corpus::add_ends`].
    pub(crate) equal_starts: u64,
    /// Number of pairs in `equal_starts` whose pred end is one less than the gold end.
    pub(crate) ends_one_less: u64,
    /// Number of pairs in `equal_starts` whose pred end is one more than the gold end.
    pub(crate) ends_one_more: u64,
}

/// Number of spans on each side of a sentence whose ends are compared.
const COMPARED_ENDS: usize = 32;

impl Corpus {
    /// Returns the totals in the order of the outcomes of [`CORPUS`](crate::outcomes::CORPUS).
    pub(crate) fn numbers(&self) -> [u64; 13] {
        [
            self.sentences,
            self.tokens,
            self.correct_tokens,
            self.gold_labelled,
            self.pred_labelled,
            self.gold_violations,
            self.pred_violations,
            // Counted by the readers of files and by the exact matcher.
            0,
            0,
            0,
            self.equal_starts,
            self.ends_one_less,
            self.ends_one_more,
        ]
    }

    /// Compares the ends of the first spans of a sentence. If all ends of one side are one less
    /// than the ends of the other side, the smaller ends are probably inclusive; the first pair with
    /// equal ends rules this out.
    pub(crate) fn add_ends(&mut self, pair: &Pair<'_>) {
        let preds = &pair.pred.all[..pair.pred.all.len().min(COMPARED_ENDS)];
        for gold in pair.gold.all.iter().take(COMPARED_ENDS) {
            for pred in preds {
                if gold.start != pred.start || gold.ty != pred.ty {
                    continue;
                }
                self.equal_starts += 1;
                if gold.end == pred.end {
                    return;
                }
                self.ends_one_less += u64::from(pred.end.checked_add(1) == Some(gold.end));
                self.ends_one_more += u64::from(gold.end.checked_add(1) == Some(pred.end));
            }
        }
    }
}

impl TagCounts {
    /// Enlarges the table to at least `types` types.
    #[inline]
    pub(crate) fn fit(&mut self, types: usize) {
        if self.types.len() < types {
            self.types.resize(types, SpanCounts::default());
        }
    }

    /// Returns the mutable counts of a type, and records the type if its counts were 0.
    #[inline(always)]
    pub(crate) fn of_type(&mut self, ty: u32) -> &mut SpanCounts {
        let of_type = &mut self.types[ty as usize];
        if of_type.gold | of_type.pred == 0 {
            self.touched.push(ty);
        }
        of_type
    }
}
