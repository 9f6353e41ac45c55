//! Alignment of the words of two tokenisations of the same text.
//!
//! Source: `align_words` of `conll18_ud_eval.py` (Zeman et al. 2018). Tokens are compared by their
//! position in the text without spaces. The words of a multiword token have no individual
//! positions, so words in regions with multiword tokens are aligned by their forms.
//!
//! | text | gold | pred | aligned |
//! |---|---|---|---|
//! | `ab c` | `ab` `c` | `a` `b` `c` | `c` |
//! | `zum Haus` | `zum` = `zu` `dem`, `Haus` | `zum`, `Haus` | `Haus` |
//! | `zum Haus` | `zum` = `zu` `dem`, `Haus` | `zum` = `zu` `der`, `Haus` | `zu`, `Haus` |

/// A word of a tokenisation, with the position of its token in the text.
///
/// Both sides must use positions in the same text and in the same unit: characters with or without
/// white space, or bytes. A `(form, span)` pair is a word that is not part of a multiword token.
pub trait TextWord {
    /// Returns the form. Forms are compared only in regions with multiword tokens, in lower case.
    fn form(&self) -> &str;

    /// Returns start and end (exclusive) of the token. All words of a multiword token have the
    /// position of the token.
    fn span(&self) -> (usize, usize);

    /// Returns true if the word is part of a multiword token.
    fn in_multiword(&self) -> bool {
        false
    }
}

impl TextWord for (&str, (usize, usize)) {
    fn form(&self) -> &str {
        self.0
    }

    fn span(&self) -> (usize, usize) {
        self.1
    }
}

/// Maximum product of the numbers of gold and pred words in one region; the dynamic programming
/// table then takes 64 MiB.
const MAX_PAIRS: usize = 1 << 24;

/// Error: a region of overlapping multiword tokens has too many words to be aligned by their forms.
///
/// The limit of 2^24 pairs of words is reached only by hostile input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("multiword tokens of {gold} gold and {pred} pred words cannot be aligned")]
pub struct TooManyWords {
    /// Number of gold words in the region.
    pub gold: usize,
    /// Number of pred words in the region.
    pub pred: usize,
}

/// Aligns the words of two tokenisations of the same text.
///
/// Returns pairs of an index into `gold` and an index into `pred`, ascending on both sides; each
/// word is in at most one pair. Tokens with equal positions are aligned. Around multiword tokens,
/// in the shortest region whose ends no multiword token crosses, the aligned words are a longest
/// common subsequence of the lower-cased forms.
///
/// Both sides must be in text order. Time is linear in the number of words outside of multiword
/// tokens, plus the product of the numbers of gold and pred words in each region with multiword
/// tokens.
///
/// # Errors
/// [`TooManyWords`] if that product exceeds 2^24 in a region.
///
/// # Examples
/// ```
/// let gold = [("New-York", (0, 8)), ("is", (8, 10))];
/// let pred = [("New", (0, 3)), ("-York", (3, 8)), ("is", (8, 10))];
/// assert_eq!(spanrs_io::align(&gold, &pred).unwrap(), [(1, 2)]);
/// ```
pub fn align<W: TextWord>(gold: &[W], pred: &[W]) -> Result<Vec<(usize, usize)>, TooManyWords> {
    let mut pairs = Vec::with_capacity(gold.len().min(pred.len()));
    let (mut g, mut p) = (0, 0);
    while let (Some(gold_word), Some(pred_word)) = (gold.get(g), pred.get(p)) {
        let (gold_span, pred_span) = (gold_word.span(), pred_word.span());
        if gold_word.in_multiword() || pred_word.in_multiword() {
            (g, p) = align_multiword(gold, pred, (g, p), &mut pairs)?;
        } else if gold_span == pred_span {
            pairs.push((g, p));
            g += 1;
            p += 1;
        } else if gold_span.0 <= pred_span.0 {
            g += 1;
        } else {
            p += 1;
        }
    }
    Ok(pairs)
}

/// Aligns the words of a region that begins with a multiword token on at least one side, and
/// appends the pairs.
///
/// `g` and `p` are the indices of the next words. A multiword token that overlaps the region
/// extends the region to the end of that token. Returns the indices of the first words after the
/// region.
///
/// # Errors
/// [`TooManyWords`] if the region is too large for a table.
fn align_multiword<W: TextWord>(
    gold: &[W],
    pred: &[W],
    (mut g, mut p): (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
) -> Result<(usize, usize), TooManyWords> {
    let (gold_span, pred_span) = (gold[g].span(), pred[p].span());
    // A single word that begins before the multiword token has no counterpart.
    let mut end = if gold[g].in_multiword() {
        p += usize::from(!pred[p].in_multiword() && pred_span.0 < gold_span.0);
        gold_span.1
    } else {
        g += usize::from(gold_span.0 < pred_span.0);
        pred_span.1
    };
    let (first_gold, first_pred) = (g, p);
    let is_beyond = |word: Option<&W>, end: usize| {
        word.is_none_or(|word| match word.in_multiword() {
            true => word.span().0 >= end,
            false => word.span().1 > end,
        })
    };
    while !is_beyond(gold.get(g), end) || !is_beyond(pred.get(p), end) {
        // Advance on the side whose next word begins first.
        let start = |word: Option<&W>| word.map_or(usize::MAX, |word| word.span().0);
        let of_gold = g < gold.len() && start(gold.get(g)) <= start(pred.get(p));
        let (words, at) = if of_gold {
            (gold, &mut g)
        } else {
            (pred, &mut p)
        };
        let Some(word) = words.get(*at) else { break };
        if word.in_multiword() {
            end = end.max(word.span().1);
        }
        *at += 1;
    }
    if (g - first_gold).saturating_mul(p - first_pred) > MAX_PAIRS {
        return Err(TooManyWords {
            gold: g - first_gold,
            pred: p - first_pred,
        });
    }
    let common = longest_common_subsequence(&gold[first_gold..g], &pred[first_pred..p]);
    let common = common.into_iter();
    pairs.extend(common.map(|(g, p)| (first_gold + g, first_pred + p)));
    Ok((g, p))
}

/// Returns a longest common subsequence of the lower-cased forms, as pairs of indices.
///
/// Dynamic programming over suffixes, O(gold * pred) time and memory. Ties are broken by matching
/// equal words as early as possible, and by skipping the gold word if skipping a gold word or a
/// pred word is equally good.
fn longest_common_subsequence<W: TextWord>(gold: &[W], pred: &[W]) -> Vec<(usize, usize)> {
    let lower = |words: &[W]| -> Vec<String> {
        let forms = words.iter().map(|word| word.form().to_lowercase());
        forms.collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A word: its form, the span of its token, and whether the token has several words.
    struct Word(&'static str, (usize, usize), bool);

    impl TextWord for Word {
        fn form(&self) -> &str {
            self.0
        }

        fn span(&self) -> (usize, usize) {
            self.1
        }

        fn in_multiword(&self) -> bool {
            self.2
        }
    }

    #[test]
    fn words_of_multiword_tokens_are_aligned_by_their_forms() {
        let house = || Word("Haus", (3, 7), false);
        let zum = |words: [&'static str; 2]| {
            let [first, second] = words.map(|form| Word(form, (0, 3), true));
            [first, second, house()]
        };
        let gold = zum(["zu", "dem"]);
        let one_token = [Word("zum", (0, 3), false), house()];
        assert_eq!(align(&gold, &one_token), Ok(vec![(2, 1)]));
        assert_eq!(align(&one_token, &gold), Ok(vec![(1, 2)]));
        assert_eq!(align(&gold, &zum(["Zu", "der"])), Ok(vec![(0, 0), (2, 2)]));
    }

    #[test]
    fn stretches_that_are_too_large_are_refused() {
        let words = |len| -> Vec<Word> { (0..len).map(|_| Word("a", (0, 1), true)).collect() };
        let error = align(&words(1 << 12), &words((1 << 12) + 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "multiword tokens of 4096 gold and 4097 pred words cannot be aligned"
        );
    }
}
