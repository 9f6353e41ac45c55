//! The sizes of intervals in tokens, pseudo-tokens or characters.
//!
//! Tokens and pseudo-tokens are measured with a table of (position, number of elements before the
//! position): the size of an interval is the difference of two entries. For `the future President
//! of the United States` with annotation bounds at 3, 11, 32 and 40, pseudo-tokens give
//!
//! | position | 3 | 11 | 32 | 40 |
//! |---|---|---|---|---|
//! | pseudo-tokens before | 1 | 2 | 6 | 8 |
//!
//! and 9 in total: the bounds at 32 and 40 cut `United` and `States` in two.

use spanrs_base::Named;

use super::annotation::Annotation;
use super::intervals::Interval;
use crate::matcher::Text;

/// The unit in which intervals are measured. The index of its criterion is its value plus 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Tokens of the pred document. Not counted in documents without tokens.
    Token,
    /// Text segments separated by white space and by the bounds of annotations on either side.
    PseudoToken,
    /// Characters (code points), white space included.
    Character,
}

impl Named for Unit {
    const WHAT: &'static str = "unit";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("token", Self::Token),
        ("pseudo_token", Self::PseudoToken),
        ("character", Self::Character),
    ];
}

spanrs_base::serde_by_name!(Unit);

/// Number of units.
pub const UNITS: usize = 3;

/// Returns true for white space as defined by Python's `str.split`.
///
/// These are the characters with Unicode's property `White_Space` and the separators U+001C to
/// U+001F.
///
/// ```
/// assert!(spanrs_eval::mat::is_blank('\u{1C}') && !spanrs_eval::mat::is_blank('\u{200B}'));
/// ```
pub fn is_blank(c: char) -> bool {
    matches!(c, '\u{1C}'..='\u{1F}') || c.is_whitespace()
}

/// Measures intervals and keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    /// The size of each interval of the last call.
    sizes: Vec<u64>,
    /// (position in characters, number of elements before it), sorted by position.
    table: Vec<(u32, u32)>,
}

impl Elements {
    /// Returns the number of elements of the document, and the size of each interval in elements.
    ///
    /// Without tokens, the size of the document is 0 and no interval has a size. Takes O(n log n)
    /// time for n bounds, plus time proportional to the length of the text for pseudo-tokens and
    /// characters.
    ///
    /// # Errors
    /// The position of an interval bound that is not a token boundary. Only tokens can fail: all
    /// bounds of intervals are bounds of annotations, where pseudo-tokens are cut.
    pub(super) fn measure(
        &mut self,
        unit: Unit,
        gold: &[Annotation],
        pred: &[Annotation],
        texts: Text<'_>,
        intervals: &[Interval],
    ) -> Result<(u64, &[u64]), u32> {
        self.sizes.clear();
        let total = match unit {
            Unit::Character => {
                let sizes = intervals.iter().map(|i| u64::from(i.end - i.start));
                self.sizes.extend(sizes);
                return Ok((texts.text.chars().count() as u64, &self.sizes));
            }
            // Documents without tokens are not included in the table of tokens.
            Unit::Token if texts.tokens.is_empty() => return Ok((0, &[])),
            Unit::Token => self.index_tokens(texts.tokens),
            Unit::PseudoToken => self.index_pseudo_tokens(gold, pred, texts.text),
        };
        for interval in intervals {
            let (from, to) = (
                self.elements_before(interval.start)?,
                self.elements_before(interval.end)?,
            );
            self.sizes.push(u64::from(to.saturating_sub(from)));
        }
        Ok((total, &self.sizes))
    }

    /// Fills the table with the bounds of tokens, and returns their number.
    ///
    /// Token `i` in the order of starts has the entries (start, `i`) and (end, `i + 1`). If there
    /// are several entries at one position, the last one counts, as in MATScore, where a later
    /// token overwrites the entry of an earlier one.
    fn index_tokens(&mut self, tokens: &[(u32, u32)]) -> u64 {
        self.table.clear();
        let numbered = (0..).zip(tokens);
        let bounds = numbered.flat_map(|(at, &(start, end))| [(start, at), (end, at + 1)]);
        self.table.extend(bounds);
        if !self.table.is_sorted_by_key(|entry| entry.0) {
            self.table.sort_by_key(|entry| entry.0);
        }
        tokens.len() as u64
    }

    /// Fills the table with the bounds of all annotations, and returns the number of pseudo-tokens
    /// of the text.
    ///
    /// A pseudo-token begins at a character that is not blank and follows a blank or a cut. Takes
    /// one pass over the text.
    fn index_pseudo_tokens(&mut self, gold: &[Annotation], pred: &[Annotation], text: &str) -> u64 {
        self.table.clear();
        let bounds = gold
            .iter()
            .chain(pred)
            .flat_map(|annotation| [annotation.start, annotation.end]);
        self.table.extend(bounds.map(|place| (place, 0)));
        self.table.sort_unstable();
        self.table.dedup();
        let (mut next, mut count, mut inside) = (0, 0, false);
        for (at, c) in (0..).zip(text.chars()) {
            while let Some(cut) = self.table.get_mut(next)
                && cut.0 <= at
            {
                *cut = (cut.0, count);
                inside = false;
                next += 1;
            }
            let blank = if c.is_ascii() {
                matches!(c, '\t'..='\r' | '\u{1C}'..=' ')
            } else {
                is_blank(c)
            };
            count += u32::from(!blank && !inside);
            inside = !blank;
        }
        for cut in &mut self.table[next..] {
            cut.1 = count;
        }
        u64::from(count)
    }

    /// Returns the number of elements before a position, or the position as an error if the table
    /// does not have it.
    fn elements_before(&self, place: u32) -> Result<u32, u32> {
        let behind = self.table.partition_point(|entry| entry.0 <= place);
        match behind.checked_sub(1).map(|at| self.table[at]) {
            Some((found, number)) if found == place => Ok(number),
            _ => Err(place),
        }
    }
}
