//! Alignment of the words of two tokenisations of one text.
//!
//! Source: `align_words` of `conll18_ud_eval.py` (Zeman et al. 2018). Tokens are compared by their
//! position in the text without spaces. The words of a multiword token have no positions of their
//! own, so that within a stretch with multiword tokens words are aligned by their forms.
//!
//! | text | gold | pred | aligned |
//! |---|---|---|---|
//! | `ab c` | `ab` `c` | `a` `b` `c` | `c` |
//! | `zum Haus` | `zum` = `zu` `dem`, `Haus` | `zum`, `Haus` | `Haus` |
//! | `zum Haus` | `zum` = `zu` `dem`, `Haus` | `zum` = `zu` `der`, `Haus` | `zu`, `Haus` |

use super::words::Node;

/// A gold and a pred word that are the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aligned {
    /// Index of the gold word.
    pub gold: usize,
    /// Index of the pred word.
    pub pred: usize,
}

/// Largest product of the numbers of gold and pred words in one stretch; its table of lengths has
/// 64 MiB.
const MAX_PAIRS: usize = 1 << 24;

/// A stretch of overlapping multiword tokens has too many words to be aligned by their forms.
///
/// The limit is 2^24 pairs of words, which only hostile input reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("multiword tokens of {gold} gold and {pred} pred words cannot be aligned")]
pub struct TooManyWords {
    /// Number of gold words in the stretch.
    pub gold: usize,
    /// Number of pred words in the stretch.
    pub pred: usize,
}

/// Aligns the words of two tokenisations of the same text.
///
/// Tokens are aligned if they have equal positions. Around multiword tokens, in the shortest
/// stretch that no multiword token crosses, the aligned words are a longest common subsequence of
/// the lower-cased forms. Returns pairs ascending by gold and by pred; each word is in at most one.
///
/// Both sides must be in the order of the text. Time is linear in the words outside of multiword
/// tokens, and the product of both sides in every stretch with multiword tokens.
///
/// # Errors
/// [`TooManyWords`] in such a stretch.
///
/// # Examples
/// ```
/// use spanrs_eval::dep::{Aligned, Node, align};
/// let word = |form, span| Node { form, span, ..Node::default() };
/// let gold = [word("New-York", (0, 8)), word("is", (8, 10))];
/// let pred = [word("New", (0, 3)), word("-York", (3, 8)), word("is", (8, 10))];
/// assert_eq!(align(&gold, &pred).unwrap(), [Aligned { gold: 1, pred: 2 }]);
/// ```
pub fn align(gold: &[Node<'_>], pred: &[Node<'_>]) -> Result<Vec<Aligned>, TooManyWords> {
    let mut pairs = Vec::with_capacity(gold.len().min(pred.len()));
    let (mut g, mut p) = (0, 0);
    while let (Some(own), Some(other)) = (gold.get(g), pred.get(p)) {
        if own.in_multiword || other.in_multiword {
            (g, p) = align_multiword(gold, pred, (g, p), &mut pairs)?;
        } else if own.span == other.span {
            pairs.push(Aligned { gold: g, pred: p });
            g += 1;
            p += 1;
        } else if own.span.0 <= other.span.0 {
            g += 1;
        } else {
            p += 1;
        }
    }
    Ok(pairs)
}

/// Aligns the words of a stretch that begins with a multiword token on one side or both, and
/// appends the pairs.
///
/// `g` and `p` are the indices of the next words. A multiword token that reaches into the stretch
/// extends it to its own end. Returns the indices of the first words behind the stretch.
///
/// # Errors
/// [`TooManyWords`] if the stretch is too large for a table.
fn align_multiword(
    gold: &[Node<'_>],
    pred: &[Node<'_>],
    (mut g, mut p): (usize, usize),
    pairs: &mut Vec<Aligned>,
) -> Result<(usize, usize), TooManyWords> {
    let (own, other) = (&gold[g], &pred[p]);
    // A single word that begins before the multiword token has no counterpart.
    let mut end = if own.in_multiword {
        p += usize::from(!other.in_multiword && other.span.0 < own.span.0);
        own.span.1
    } else {
        g += usize::from(own.span.0 < other.span.0);
        other.span.1
    };
    let (first_gold, first_pred) = (g, p);
    let is_beyond = |word: Option<&Node>, end: usize| {
        word.is_none_or(|word| match word.in_multiword {
            true => word.span.0 >= end,
            false => word.span.1 > end,
        })
    };
    while !is_beyond(gold.get(g), end) || !is_beyond(pred.get(p), end) {
        // Advance the side whose next word begins first.
        let start = |word: Option<&Node>| word.map_or(usize::MAX, |word| word.span.0);
        let of_gold = g < gold.len() && start(gold.get(g)) <= start(pred.get(p));
        let (words, at) = if of_gold {
            (gold, &mut g)
        } else {
            (pred, &mut p)
        };
        let Some(word) = words.get(*at) else { break };
        if word.in_multiword {
            end = end.max(word.span.1);
        }
        *at += 1;
    }
    if (g - first_gold).saturating_mul(p - first_pred) > MAX_PAIRS {
        return Err(TooManyWords {
            gold: g - first_gold,
            pred: p - first_pred,
        });
    }
    let found = longest_common_subsequence(&gold[first_gold..g], &pred[first_pred..p]);
    pairs.extend(found.into_iter().map(|(own, other)| Aligned {
        gold: first_gold + own,
        pred: first_pred + other,
    }));
    Ok((g, p))
}

/// Returns a longest common subsequence of the lower-cased forms, as pairs of indices.
///
/// Dynamic programming over suffixes, O(gold * pred) time and memory. Of several such sequences it
/// takes equal words as early as possible; where skipping a gold word or a pred word is equally
/// good, it skips the gold word.
fn longest_common_subsequence(gold: &[Node<'_>], pred: &[Node<'_>]) -> Vec<(usize, usize)> {
    let lower = |words: &[Node]| -> Vec<String> {
        words.iter().map(|word| word.form.to_lowercase()).collect()
    };
    let (gold, pred) = (lower(gold), lower(pred));
    let width = pred.len() + 1;
    // lengths[g * width + p]: length of the longest common subsequence of gold[g..] and pred[p..].
    let mut lengths = vec![0_u32; (gold.len() + 1) * width];
    for g in (0..gold.len()).rev() {
        for p in (0..pred.len()).rev() {
            lengths[g * width + p] = match gold[g] == pred[p] {
                true => lengths[(g + 1) * width + p + 1] + 1,
                false => lengths[(g + 1) * width + p].max(lengths[g * width + p + 1]),
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut g, mut p) = (0, 0);
    while g < gold.len() && p < pred.len() {
        if gold[g] == pred[p] {
            pairs.push((g, p));
            g += 1;
            p += 1;
        } else if lengths[(g + 1) * width + p] >= lengths[g * width + p + 1] {
            g += 1;
        } else {
            p += 1;
        }
    }
    pairs
}
