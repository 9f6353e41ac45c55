//! nervaluate's reading of tags, in tables of its own: it is neither one of the schemes nor one of the
//! readings. `O` alone is outside; the type is what stands behind the first two characters, whatever
//! they are; a span goes on while the type stays the same and no `B` comes; only where a span begins
//! does the prefix have to be `B-` or `I-`.

use std::collections::HashMap;

use spanrs_tags::Reader;

use spanrs_base::Span;

/// The id of a tag that cannot begin a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadTag(pub u32);

/// A tag in one word: 0 for `O`, else its type from 1, above two bits.
type Decoded = u32;
/// The prefix is `B`, and ends the span before.
const B: Decoded = 1;
/// The tag may begin a span.
const BEGINS: Decoded = 2;

/// Reads tags that a [`Reader`] has numbered, each of which is decoded once.
#[derive(Clone, Debug, Default)]
pub struct NervaluateReader {
    decoded: Vec<Decoded>,
    types: Vec<String>,
    numbers: HashMap<String, u32>,
    any_prefix: bool,
}

impl NervaluateReader {
    /// A reader that lets any prefix begin a span.
    #[must_use]
    pub fn any_prefix() -> Self {
        Self {
            any_prefix: true,
            ..Self::default()
        }
    }

    /// The types seen, in order of appearance.
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// The types, given up.
    pub fn into_types(self) -> Vec<String> {
        self.types
    }

    /// Decodes the tags that are new in `tags`.
    pub fn learn(&mut self, tags: &Reader) {
        for id in self.decoded.len()..tags.tags().len() {
            let tag = tags.tags().name(id as u32);
            if tag == "O" {
                self.decoded.push(0);
                continue;
            }
            let behind = tag.char_indices().nth(2).map_or("", |(at, _)| &tag[at..]);
            let ty = *self.numbers.entry(behind.to_owned()).or_insert_with(|| {
                self.types.push(behind.to_owned());
                self.types.len() as u32 - 1
            });
            let begins = self.any_prefix || tag.starts_with("B-") || tag.starts_with("I-");
            let b = if tag.starts_with('B') { B } else { 0 };
            let begins = if begins { BEGINS } else { 0 };
            self.decoded.push((ty + 1) << 2 | b | begins);
        }
    }

    /// Appends the spans of a sentence of `length` places, given as places and ids of tags. Places that
    /// are left out belong to the span around them, if there is one.
    ///
    /// # Errors
    /// [`BadTag`] for the first tag that would begin a span and may not.
    #[inline]
    pub fn spans(
        &self,
        tags: impl Iterator<Item = (usize, u32)>,
        length: usize,
        spans: &mut Vec<Span<i64>>,
    ) -> Result<(), BadTag> {
        // The open span: its type, counted from 1 as in the words of tags, or 0, and where it begins.
        let (mut open, mut start) = (0, 0);
        let mut close = |open: u32, start: usize, end: usize| {
            spans.push(Span {
                start: start as i64,
                end: end as i64,
                ty: open - 1,
            });
        };
        for (at, id) in tags {
            let tag = self.decoded[id as usize];
            let ty = tag >> 2;
            if ty == open && tag & B == 0 {
                continue;
            }
            if open != 0 {
                close(open, start, at);
            }
            if ty != 0 && tag & BEGINS == 0 {
                return Err(BadTag(id));
            }
            (open, start) = (ty, at);
        }
        if open != 0 {
            close(open, start, length);
        }
        Ok(())
    }
}
