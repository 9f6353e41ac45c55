//! How many tokens, pseudo-tokens or characters a stretch of text has.

use super::intervals::Interval;
use super::{Annotation, Text, Unit};

/// True for white space as Python's `str.split` takes it, which is more than Unicode's property says.
///
/// ```
/// assert!(spanrs_eval::mat::is_blank('\u{1C}') && !spanrs_eval::mat::is_blank('\u{200B}'));
/// ```
pub fn is_blank(c: char) -> bool {
    matches!(c, '\u{1C}'..='\u{1F}') || c.is_whitespace()
}

/// Measures stretches; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    sizes: Vec<u64>,
    /// Places in the text and the number of elements before each, by place.
    table: Vec<(u32, u32)>,
}

impl Elements {
    /// The number of elements of the document, and of each interval.
    ///
    /// # Errors
    /// The place of a bound that is no bound of a token.
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
            // What has no tokens has no place in the table of tokens.
            Unit::Token if texts.tokens.is_empty() => return Ok((0, &[])),
            Unit::Token => self.tokens(texts.tokens),
            Unit::PseudoToken => self.pseudo_tokens(gold, pred, texts.text),
        };
        for interval in intervals {
            let (from, to) = (self.number(interval.start)?, self.number(interval.end)?);
            self.sizes.push(u64::from(to.saturating_sub(from)));
        }
        Ok((total, &self.sizes))
    }

    /// Tokens are numbered by start: the bounds of token `i` are `i` and `i + 1`; where tokens share a bound
    /// the later one says its number.
    fn tokens(&mut self, tokens: &[(u32, u32)]) -> u64 {
        self.table.clear();
        let numbered = (0..).zip(tokens);
        let bounds = numbered.flat_map(|(at, &(start, end))| [(start, at), (end, at + 1)]);
        self.table.extend(bounds);
        if !self.table.is_sorted_by_key(|entry| entry.0) {
            self.table.sort_by_key(|entry| entry.0);
        }
        tokens.len() as u64
    }

    /// The text is cut at all bounds of annotations; what white space leaves of each piece counts.
    fn pseudo_tokens(&mut self, gold: &[Annotation], pred: &[Annotation], text: &str) -> u64 {
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

    fn number(&self, place: u32) -> Result<u32, u32> {
        let behind = self.table.partition_point(|entry| entry.0 <= place);
        match behind.checked_sub(1).map(|at| self.table[at]) {
            Some((found, number)) if found == place => Ok(number),
            _ => Err(place),
        }
    }
}
