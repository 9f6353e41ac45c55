//! nervaluate's reading of tags, in tables of its own: it is neither one of the schemes nor one of the
//! readings. `O` alone is outside; the type is what stands behind the first two characters, whatever
//! they are; a span goes on while the type stays the same and no `B` comes; only where a span begins
//! does the prefix have to be `B-` or `I-`.

use std::collections::HashMap;

use spanrs_tags::Reader;

use super::Placed;

/// The id of a tag that cannot begin a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadTag(pub u32);

#[derive(Clone, Copy, Debug)]
struct Decoded {
    /// None for `O`.
    ty: Option<u32>,
    b: bool,
    may_begin: bool,
}

/// Reads tags that a [`Reader`] has numbered, each of which is decoded once.
#[derive(Clone, Debug, Default)]
pub struct LooseReader {
    decoded: Vec<Decoded>,
    types: Vec<String>,
    numbers: HashMap<String, u32>,
    any_prefix: bool,
}

impl LooseReader {
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
            let ty = (tag != "O").then(|| {
                let behind = tag.char_indices().nth(2).map_or("", |(at, _)| &tag[at..]);
                *self.numbers.entry(behind.to_owned()).or_insert_with(|| {
                    self.types.push(behind.to_owned());
                    self.types.len() as u32 - 1
                })
            });
            self.decoded.push(Decoded {
                ty,
                b: tag.starts_with('B'),
                may_begin: self.any_prefix || tag.starts_with("B-") || tag.starts_with("I-"),
            });
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
        spans: &mut Vec<Placed>,
    ) -> Result<(), BadTag> {
        let mut open: Option<(u32, usize)> = None;
        let mut close = |(ty, start): (u32, usize), end: usize| {
            spans.push(Placed {
                start: start as i64,
                end: end as i64,
                ty,
            });
        };
        for (at, id) in tags {
            let tag = self.decoded[id as usize];
            let Some(ty) = tag.ty else {
                if let Some(span) = open.take() {
                    close(span, at);
                }
                continue;
            };
            match open {
                Some((current, _)) if current == ty && !tag.b => continue,
                Some(span) => close(span, at),
                None => {}
            }
            if !tag.may_begin {
                return Err(BadTag(id));
            }
            open = Some((ty, at));
        }
        if let Some(span) = open {
            close(span, length);
        }
        Ok(())
    }
}
