use super::words::Node;

/// Indices of a gold and a pred word that are the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aligned {
    /// Index of the gold word.
    pub gold: usize,
    /// Index of the pred word.
    pub pred: usize,
}

/// Most pairs of words in a stretch of multiword tokens: 64 MiB.
const MOST: usize = 1 << 24;

/// Multiword tokens that overlap one another have too many words to be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("multiword tokens of {gold} gold and {pred} pred words cannot be aligned")]
pub struct TooManyWords {
    /// Gold words.
    pub gold: usize,
    /// Pred words.
    pub pred: usize,
}

/// Aligns words of the same text: tokens with equal places; around multiword tokens the longest common subsequence of the
/// lower-cased forms. Time is linear in the words outside of multiword tokens, and quadratic in those of a stretch of
/// overlapping multiword tokens.
///
/// # Errors
/// [`TooManyWords`] in such a stretch.
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

/// Aligns the words of a stretch that begins with a multiword token on a side; gives what comes after it. The stretch is the
/// shortest that no multiword token crosses.
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
        // The side whose next word begins first goes on.
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
    if (g - first_gold).saturating_mul(p - first_pred) > MOST {
        return Err(TooManyWords {
            gold: g - first_gold,
            pred: p - first_pred,
        });
    }
    let found = common(&gold[first_gold..g], &pred[first_pred..p]);
    pairs.extend(found.into_iter().map(|(own, other)| Aligned {
        gold: first_gold + own,
        pred: first_pred + other,
    }));
    Ok((g, p))
}

/// A longest common subsequence of the lower-cased forms.
fn common(gold: &[Node<'_>], pred: &[Node<'_>]) -> Vec<(usize, usize)> {
    let lower = |words: &[Node]| -> Vec<String> {
        words.iter().map(|word| word.form.to_lowercase()).collect()
    };
    let (gold, pred) = (lower(gold), lower(pred));
    let width = pred.len() + 1;
    // lengths[g * width + p]: of the words from g and p on.
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
