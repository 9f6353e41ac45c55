//! Alignment of two texts by characters, so that spans in one text can be compared with spans in
//! the other.
//!
//! Copies of a text differ in white space, quotation marks, dashes and Penn Treebank escapes; these
//! differences are removed first (`normalised`). If the texts still differ, their words are
//! aligned, and then the characters of the words that differ.
//!
//! ```text
//! gold   New  York ( “NY” )
//! pred   New-York -LRB- `` NY '' -RRB-
//! axis   0  34   8 9 10 1213           the hyphen has no counterpart in gold
//! ```

use spanrs_base::{Coded, ErrorClass};

mod common;
mod normalised;

use common::{Budget, common_characters, common_words};
use normalised::Normalised;

/// Maximum sum, over all differing regions, of the product of the lengths on both sides, in words
/// and in characters: 2^28, as in two texts of 16,384 words without a common word.
const MAX_PAIRS: u64 = 1 << 28;
/// No position on the axis: a border inside a region without a counterpart.
const NOWHERE: u32 = u32::MAX;

/// Error: two texts differ in more words than can be aligned.
///
/// The limit is 2^28 pairs of words or characters in all differing regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the texts differ in a region of {gold} and {pred} words, too many to align; do both sides have the same text?"
)]
pub struct TextsDiffer {
    /// Number of gold words in the region, or of gold characters in a region of few words.
    pub gold: usize,
    /// Number of pred words or characters in the region.
    pub pred: usize,
}

impl Coded for TextsDiffer {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Alignment, "texts_differ")
    }
}

/// Two aligned texts, mapped to positions on a common axis. Created by [`align_text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextAlignment {
    gold: Places,
    pred: Places,
    unaligned: Vec<(u32, u32, u32, u32)>,
}

/// The positions of one text on the axis.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    /// For each border between characters, the number of preceding non-whitespace characters.
    before: Vec<u32>,
    /// Indexed by a value of `before`: the position of a span that begins at the border.
    starts: Vec<u32>,
    /// Indexed by a value of `before`: the position of a span that ends at the border. `starts` and
    /// `ends` differ where only the other text has a region.
    ends: Vec<u32>,
}

/// Aligns two texts by their characters (code points).
///
/// White space is ignored; quotation marks, dashes, ellipses and Penn Treebank brackets (`-LRB-`)
/// are normalised before the comparison. Texts that are then equal are aligned in linear time.
/// Otherwise the aligned words are a longest common subsequence, as are the aligned characters of
/// the words in between. In long differing regions, words that occur once on both sides are aligned
/// first (patience diff: Cohen 2010). Memory is linear; time is bounded by the limit of
/// [`TextsDiffer`].
///
/// # Errors
/// [`TextsDiffer`] if the limit is exceeded.
///
/// # Examples
/// ```
/// let aligned = spanrs_io::align_text("Ada Lovelace  (“A”)", "Ada K. Lovelace -LRB- `` A ''-RRB-")?;
/// assert_eq!(aligned.unaligned(), [(3, 3, 4, 6)]);
/// // Lovelace is the same span, although the texts before it differ.
/// assert_eq!(aligned.gold_to_axis(4, 12), Some((5, 13)));
/// assert_eq!(aligned.pred_to_axis(7, 15), Some((5, 13)));
/// // The border is inside `K.`, which does not occur in gold.
/// assert_eq!(aligned.pred_to_axis(0, 5), None);
/// # Ok::<(), spanrs_io::TextsDiffer>(())
/// ```
pub fn align_text(gold: &str, pred: &str) -> Result<TextAlignment, TextsDiffer> {
    let (gold, pred) = (Normalised::new(gold), Normalised::new(pred));
    if gold.borders().max(pred.borders()) > NOWHERE as usize / 2 {
        return Err(TextsDiffer {
            gold: gold.borders(),
            pred: pred.borders(),
        });
    }
    let mut alignment = TextAlignment {
        gold: Places::new(&gold),
        pred: Places::new(&pred),
        unaligned: Vec::new(),
    };
    alignment.place(&gold, &pred, common_units(&gold, &pred)?);
    Ok(alignment)
}

/// Returns the aligned pairs of units of two texts, ascending on both sides.
fn common_units(gold: &Normalised, pred: &Normalised) -> Result<Vec<(usize, usize)>, TextsDiffer> {
    if gold.units == pred.units {
        return Ok((0..gold.units.len()).map(|at| (at, at)).collect());
    }
    let mut budget = Budget(MAX_PAIRS);
    let (gold_words, pred_words) = (gold.words(), pred.words());
    let mut words = common_words(gold, pred, (&gold_words, &pred_words), &mut budget)?;
    words.push((gold_words.len() - 1, pred_words.len() - 1));
    let mut units = Vec::with_capacity(gold.units.len().min(pred.units.len()));
    let (mut g, mut p) = (0, 0);
    // The last pair marks the ends of both texts.
    for (gold_word, pred_word) in words {
        let (gold_at, pred_at) = (gold_words[gold_word], pred_words[pred_word]);
        let stretch = (&gold.units[g..gold_at], &pred.units[p..pred_at]);
        common_characters(stretch, (g, p), &mut units, &mut budget)?;
        let end = gold_words.get(gold_word + 1);
        let len = end.map_or(0, |end| end - gold_at);
        units.extend((0..len).map(|at| (gold_at + at, pred_at + at)));
        (g, p) = (gold_at + len, pred_at + len);
    }
    Ok(units)
}

impl TextAlignment {
    /// Returns the axis positions of a gold span, given in characters, end exclusive; None if a
    /// border lies inside a region without a counterpart, or outside of the text.
    ///
    /// White space at the borders of a span is ignored. A gold span and a pred span are equal if
    /// their axis positions are equal.
    pub fn gold_to_axis(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        self.gold.axis(start, end)
    }

    /// Returns the axis positions of a pred span, as [`TextAlignment::gold_to_axis`] does.
    pub fn pred_to_axis(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        self.pred.axis(start, end)
    }

    /// Returns the unaligned regions in order: start and end in gold, start and end in pred, in
    /// characters. A region that exists only in one text is empty in the other.
    pub fn unaligned(&self) -> &[(u32, u32, u32, u32)] {
        &self.unaligned
    }

    /// Returns the numbers of characters of gold and pred.
    pub fn lengths(&self) -> (u32, u32) {
        (self.gold.len(), self.pred.len())
    }

    /// Computes the axis positions of both texts from the aligned pairs of units.
    fn place(&mut self, gold: &Normalised, pred: &Normalised, mut pairs: Vec<(usize, usize)>) {
        let (mut g, mut p) = (0, 0);
        pairs.push((gold.units.len(), pred.units.len()));
        let ends = pairs.len() - 1;
        for (at, (gold_unit, pred_unit)) in pairs.into_iter().enumerate() {
            if g < gold_unit || p < pred_unit {
                let (in_gold, in_pred) = (gold.raw(g, gold_unit), pred.raw(p, pred_unit));
                let ((gs, ge), (ps, pe)) = (gold.characters(&in_gold), pred.characters(&in_pred));
                self.unaligned.push((gs, ge, ps, pe));
                self.add(in_gold.len(), in_pred.len(), false);
            }
            if at < ends {
                let in_gold = gold.raw(gold_unit, gold_unit + 1).len();
                let in_pred = pred.raw(pred_unit, pred_unit + 1).len();
                self.add(in_gold, in_pred, true);
            }
            (g, p) = (gold_unit + 1, pred_unit + 1);
        }
    }

    /// Adds a region with `gold` and `pred` characters to the axis. Its inner borders have
    /// positions only if the region is aligned and has the same length on both sides.
    fn add(&mut self, gold: usize, pred: usize, aligned: bool) {
        let len = gold.max(pred) as u32;
        let inside = aligned && gold == pred;
        self.gold.add(gold, len, inside);
        self.pred.add(pred, len, inside);
    }
}

impl Places {
    /// Creates the positions of a text, with the first border at position 0.
    fn new(text: &Normalised) -> Self {
        Self {
            before: text.before.clone(),
            starts: vec![0],
            ends: vec![0],
        }
    }

    /// Adds a region of `characters` characters that takes `len` positions of the axis.
    fn add(&mut self, characters: usize, len: u32, inside: bool) {
        let (Some(start), Some(&end)) = (self.starts.last_mut(), self.ends.last()) else {
            return;
        };
        let first = *start;
        debug_assert!(first >= end);
        if characters == 0 {
            // A span that begins here begins after the region of the other text; a span that ends
            // here ends before that region.
            *start += len;
            return;
        }
        for at in 1..characters as u32 {
            let place = if inside { first + at } else { NOWHERE };
            self.starts.push(place);
            self.ends.push(place);
        }
        self.starts.push(first + len);
        self.ends.push(first + len);
    }

    /// Returns the axis positions of a span.
    fn axis(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let raw = |border: u32| self.before.get(border as usize).map(|&raw| raw as usize);
        let (first, last) = (raw(start)?, raw(end)?);
        if start > end {
            return None;
        }
        let begins = self.starts[first];
        let ends = if first == last {
            begins
        } else {
            self.ends[last]
        };
        (begins != NOWHERE && ends != NOWHERE).then_some((begins, ends))
    }

    /// Returns the number of characters of the text.
    fn len(&self) -> u32 {
        (self.before.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests;
