//! What seqeval counts: spans of its default mode, and tokens.

use spanrs_tags::Chunks;

use crate::tag_counts::SpanCounts;

/// Counts spans of gold against spans of pred, by type.
///
/// Both sides are the ids of all tokens, None behind each sentence, and have their borders at the same
/// places.
pub fn count_chunks(
    chunks: &Chunks,
    pairs: impl Iterator<Item = (Option<u32>, Option<u32>)>,
) -> Vec<SpanCounts> {
    let mut types = vec![SpanCounts::default(); chunks.types().len()];
    let (mut gold_walk, mut pred_walk) = (chunks.walk(), chunks.walk());
    for (gold, pred) in pairs {
        // At most one span ends here on a side, so equal spans are seen at the same step.
        let (gold, pred) = (gold_walk.step(gold), pred_walk.step(pred));
        if let Some(gold) = gold {
            let of_type = &mut types[gold.ty as usize];
            of_type.gold += 1;
            of_type.tp += u64::from(Some(gold) == pred);
        }
        if let Some(pred) = pred {
            types[pred.ty as usize].pred += 1;
        }
    }
    types
}

/// Tokens by what gold and pred say: something or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The same tag, not `O`.
    pub tp: u64,
    /// Another tag, and that of pred is not `O`.
    pub fp: u64,
    /// Pred is `O`, gold is not.
    pub fn_: u64,
    /// Both are `O`.
    pub tn: u64,
}

/// Counts tokens, given as pairs of ids: gold, pred. `outside` is the id of `O`.
pub fn outcomes(outside: Option<u32>, pairs: impl Iterator<Item = (u32, u32)>) -> Outcomes {
    let mut counts = Outcomes::default();
    for (gold, pred) in pairs {
        let (nothing, equal) = (Some(pred) == outside, gold == pred);
        counts.tp += u64::from(equal && !nothing);
        counts.fp += u64::from(!equal && !nothing);
        counts.fn_ += u64::from(!equal && nothing);
        counts.tn += u64::from(equal && nothing);
    }
    counts
}
