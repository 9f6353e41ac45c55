//! Longest common subsequences of words and of characters, in linear memory and within a budget.

use std::collections::HashMap;

use super::TextsDiffer;
use super::normalised::Normalised;

/// Remaining number of pairs that may be compared.
pub(super) struct Budget(pub(super) u64);

impl Budget {
    /// Subtracts the number of pairs of a region.
    ///
    /// # Errors
    /// [`TextsDiffer`] if the region has more pairs than remain.
    fn take(&mut self, gold: usize, pred: usize) -> Result<(), TextsDiffer> {
        let pairs = (gold as u64).saturating_mul(pred as u64);
        let left = self.0.checked_sub(pairs);
        self.0 = left.ok_or(TextsDiffer { gold, pred })?;
        Ok(())
    }
}

/// Maximum number of pairs of words in a region in which all pairs are compared. In larger regions,
/// words that occur once are aligned first, which takes O(n log n) time but may miss a longer
/// subsequence.
const SMALL: usize = 1 << 16;
/// Maximum recursion depth of dividing regions at words that occur once.
const DEPTH: usize = 16;

/// Appends the pairs of a longest common subsequence of the characters of a region; `at` is the
/// start of the region in gold and in pred.
///
/// # Errors
/// [`TextsDiffer`] if the region is too long.
pub(super) fn common_characters(
    (gold, pred): (&[char], &[char]),
    at: (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
    budget: &mut Budget,
) -> Result<(), TextsDiffer> {
    let (begin, end) = equal_ends(gold, pred);
    budget.take(gold.len() - begin - end, pred.len() - begin - end)?;
    subsequence(gold, pred, at, pairs);
    Ok(())
}

/// Returns the pairs of equal words of two texts, ascending on both sides.
///
/// # Errors
/// [`TextsDiffer`] if too many words differ.
pub(super) fn common_words(
    gold: &Normalised,
    pred: &Normalised,
    (gold_words, pred_words): (&[usize], &[usize]),
    budget: &mut Budget,
) -> Result<Vec<(usize, usize)>, TextsDiffer> {
    let mut ids = HashMap::new();
    let mut numbered = |text: &'_ [char], words: &[usize]| -> Vec<u32> {
        let words = words.windows(2).map(|ends| text[ends[0]..ends[1]].to_vec());
        let mut id = |word| {
            let next = ids.len() as u32;
            *ids.entry(word).or_insert(next)
        };
        words.map(&mut id).collect()
    };
    let gold = numbered(&gold.units, gold_words);
    let pred = numbered(&pred.units, pred_words);
    let mut pairs = Vec::new();
    align_words(&gold, &pred, (0, 0), DEPTH, &mut pairs, budget)?;
    Ok(pairs)
}

/// Appends the pairs of equal words of a region; `at` is the start of the region in gold and in
/// pred.
fn align_words(
    gold: &[u32],
    pred: &[u32],
    at: (usize, usize),
    depth: usize,
    pairs: &mut Vec<(usize, usize)>,
    budget: &mut Budget,
) -> Result<(), TextsDiffer> {
    let (begin, end) = equal_ends(gold, pred);
    let (gold_end, pred_end) = (gold.len() - end, pred.len() - end);
    let (gold_inner, pred_inner) = (&gold[begin..gold_end], &pred[begin..pred_end]);
    let inner = (at.0 + begin, at.1 + begin);
    pairs.extend((0..begin).map(|n| (at.0 + n, at.1 + n)));
    let is_small = gold_inner.len().saturating_mul(pred_inner.len()) <= SMALL;
    let anchors = match is_small || depth == 0 {
        true => Vec::new(),
        false => anchors(gold_inner, pred_inner),
    };
    if anchors.is_empty() {
        budget.take(gold_inner.len(), pred_inner.len())?;
        subsequence(gold_inner, pred_inner, inner, pairs);
    } else {
        let ends = (gold_inner.len(), pred_inner.len());
        let (mut g, mut p) = (0, 0);
        for (next_g, next_p) in anchors.into_iter().chain([ends]) {
            let stretch = (&gold_inner[g..next_g], &pred_inner[p..next_p]);
            let begins = (inner.0 + g, inner.1 + p);
            align_words(stretch.0, stretch.1, begins, depth - 1, pairs, budget)?;
            if (next_g, next_p) != ends {
                pairs.push((inner.0 + next_g, inner.1 + next_p));
            }
            (g, p) = (next_g + 1, next_p + 1);
        }
    }
    pairs.extend((0..end).map(|n| (at.0 + gold_end + n, at.1 + pred_end + n)));
    Ok(())
}

/// Returns the lengths of the common prefix and of the common suffix of two sequences.
fn equal_ends<T: PartialEq>(gold: &[T], pred: &[T]) -> (usize, usize) {
    let begin = gold.iter().zip(pred).take_while(|(g, p)| g == p).count();
    let (gold, pred) = (gold[begin..].iter().rev(), pred[begin..].iter().rev());
    (begin, gold.zip(pred).take_while(|(g, p)| g == p).count())
}

/// Returns the longest ascending sequence of pairs of words that occur once on both sides.
fn anchors(gold: &[u32], pred: &[u32]) -> Vec<(usize, usize)> {
    // Position of each word; None if the word occurs more than once.
    let once = |words: &[u32]| {
        let mut places: HashMap<u32, Option<usize>> = HashMap::with_capacity(words.len());
        for (at, &word) in words.iter().enumerate() {
            let place = places.entry(word);
            place.and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (in_gold, in_pred) = (once(gold), once(pred));
    let pairs: Vec<(usize, usize)> = gold
        .iter()
        .enumerate()
        .filter_map(|(at, word)| {
            in_gold[word]?;
            in_pred
                .get(word)
                .copied()
                .flatten()
                .map(|place| (at, place))
        })
        .collect();
    // For each length, the last pair of the ascending sequence that ends at the smallest position
    // in pred; and for each pair, the previous pair in its sequence (Fredman 1975).
    let mut lasts: Vec<usize> = Vec::new();
    let mut previous = vec![usize::MAX; pairs.len()];
    for (at, &(_, place)) in pairs.iter().enumerate() {
        let len = lasts.partition_point(|&last| pairs[last].1 < place);
        if let Some(before) = len.checked_sub(1) {
            previous[at] = lasts[before];
        }
        match lasts.get_mut(len) {
            Some(last) => *last = at,
            None => lasts.push(at),
        }
    }
    let mut next = lasts.last().copied();
    let mut longest = Vec::with_capacity(lasts.len());
    while let Some(&pair) = next.and_then(|at| pairs.get(at)) {
        longest.push(pair);
        next = next.map(|at| previous[at]);
    }
    longest.reverse();
    longest
}

/// Appends the pairs of a longest common subsequence, in time O(gold * pred) and linear memory
/// (Hirschberg 1975). If several cuts are optimal, the first one in pred is chosen.
fn subsequence<T: PartialEq>(
    gold: &[T],
    pred: &[T],
    at: (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
) {
    let (begin, end) = equal_ends(gold, pred);
    pairs.extend((0..begin).map(|n| (at.0 + n, at.1 + n)));
    let (gold_end, pred_end) = (gold.len() - end, pred.len() - end);
    let (inner_gold, inner_pred) = (&gold[begin..gold_end], &pred[begin..pred_end]);
    let (g, p) = (at.0 + begin, at.1 + begin);
    match inner_gold {
        [] => {}
        [only] => {
            let place = inner_pred.iter().position(|item| item == only);
            pairs.extend(place.map(|place| (g, p + place)));
        }
        _ if inner_pred.is_empty() => {}
        _ => {
            let (first, second) = inner_gold.split_at(inner_gold.len() / 2);
            let before = lengths(first.iter(), inner_pred.iter());
            let behind = lengths(second.iter().rev(), inner_pred.iter().rev());
            let both = before.iter().zip(behind.iter().rev()).map(|(a, b)| a + b);
            let (mut cut, mut most) = (0, 0);
            for (place, length) in both.enumerate() {
                if length > most {
                    (cut, most) = (place, length);
                }
            }
            subsequence(first, &inner_pred[..cut], (g, p), pairs);
            subsequence(
                second,
                &inner_pred[cut..],
                (g + first.len(), p + cut),
                pairs,
            );
        }
    }
    pairs.extend((0..end).map(|n| (at.0 + gold_end + n, at.1 + pred_end + n)));
}

/// Returns the length of the longest common subsequence of gold and each prefix of pred, starting
/// with the empty prefix.
fn lengths<'a, T: PartialEq + 'a>(
    gold: impl Iterator<Item = &'a T>,
    pred: impl ExactSizeIterator<Item = &'a T> + Clone,
) -> Vec<u32> {
    let mut row = vec![0_u32; pred.len() + 1];
    for item in gold {
        // The length for the prefixes without the current items of gold and pred.
        let mut diagonal = 0;
        for (at, other) in pred.clone().enumerate() {
            let above = row[at + 1];
            row[at + 1] = match item == other {
                true => diagonal + 1,
                false => above.max(row[at]),
            };
            diagonal = above;
        }
    }
    row
}
