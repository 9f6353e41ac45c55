//! seqeval's default mode for whatever tags there are.
//!
//! The reading `seqeval` is that mode for tags spelt `prefix-type`, sentence by sentence. seqeval itself
//! takes the first (with `suffix` the last) character of any string for the prefix, and reads all
//! sentences as one sequence with an `O` between them. Both show only with odd tags: `X`, `PER`, `O-PER`
//! or `.` may close a span that began sentences ago.

use spanrs_base::Vocabulary;

use crate::dialect::UNTYPED;
use crate::error::Result;
use crate::peers;
use crate::table::{OUTSIDE, UNKNOWN};

/// Letters in the order of their symbols.
const LETTERS: [char; 6] = ['O', 'B', 'I', 'E', 'S', '.'];
const CLOSE: u8 = 1;
const OPEN: u8 = 2;

/// A span of seqeval's default mode. The tokens of all sentences are counted in one row, each border
/// between them as one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Id of its type.
    pub ty: u32,
    /// First token, from 0.
    pub begin: u64,
    /// One past the last token.
    pub end: u64,
}

/// What seqeval's default mode makes of every tag of a vocabulary.
#[derive(Clone, Debug)]
pub struct Chunks {
    types: Vocabulary,
    /// (symbol, type) of each tag.
    parts: Vec<(u8, u32)>,
    steps: [u8; 128],
}

impl Chunks {
    /// Splits every tag; with `suffix` the last character is the prefix. The empty tag, at which seqeval
    /// gives up, is read as an unknown letter.
    ///
    /// # Errors
    /// [`crate::Error::TooManyTags`].
    pub fn new(tags: &Vocabulary, suffix: bool) -> Result<Self> {
        let mut types = Vocabulary::new(usize::MAX);
        // Type 0 is that of the `O` between sentences.
        types.intern(UNTYPED)?;
        let mut parts = Vec::with_capacity(tags.len());
        for tag in tags.names() {
            let (letter, ty) = split(tag, suffix);
            let known = LETTERS.iter().position(|known| Some(*known) == letter);
            let symbol = known.map_or(UNKNOWN, |at| at as u8);
            parts.push((symbol, types.intern(ty)?));
        }
        let mut steps = [0; 128];
        for before in 0..=UNKNOWN {
            for here in 0..=UNKNOWN {
                for same in [false, true] {
                    let step = peers::seqeval(before, here, same);
                    steps[place(before, here, same)] =
                        (u8::from(step.close) * CLOSE) | (u8::from(step.open) * OPEN);
                }
            }
        }
        Ok(Self {
            types,
            parts,
            steps,
        })
    }

    /// The types of all tags.
    pub fn types(&self) -> &Vocabulary {
        &self.types
    }

    /// A walk that stands before the first sentence.
    pub fn walk(&self) -> ChunkWalk<'_> {
        ChunkWalk {
            chunks: self,
            before: (OUTSIDE, 0),
            begin: 0,
            at: 0,
        }
    }
}

/// A walk through the tags of all sentences.
#[derive(Clone, Debug)]
pub struct ChunkWalk<'a> {
    chunks: &'a Chunks,
    before: (u8, u32),
    begin: u64,
    at: u64,
}

impl ChunkWalk<'_> {
    /// Steps over a tag, None at the end of each sentence, and gives the span that ends before it.
    #[inline]
    pub fn step(&mut self, tag: Option<u32>) -> Option<Chunk> {
        let (symbol, ty) = tag.map_or((OUTSIDE, 0), |tag| self.chunks.parts[tag as usize]);
        let step = self.chunks.steps[place(self.before.0, symbol, ty == self.before.1)];
        let chunk = (step & CLOSE != 0).then_some(Chunk {
            ty: self.before.1,
            begin: self.begin,
            end: self.at,
        });
        if step & OPEN != 0 {
            self.begin = self.at;
        }
        self.before = (symbol, ty);
        self.at += 1;
        chunk
    }
}

#[inline]
fn place(before: u8, here: u8, same: bool) -> usize {
    usize::from(before & 7) << 4 | usize::from(here & 7) << 1 | usize::from(same)
}

/// The letter and the type. Behind the letter, whatever stands before the first `-` is skipped too; with
/// `suffix` what stands behind the last one.
fn split(tag: &str, suffix: bool) -> (Option<char>, &str) {
    let mut rest = tag.chars();
    let (letter, ty) = if suffix {
        let letter = rest.next_back();
        let rest = rest.as_str();
        (letter, rest.rsplit_once('-').map_or(rest, |(ty, _)| ty))
    } else {
        let letter = rest.next();
        let rest = rest.as_str();
        (letter, rest.split_once('-').map_or(rest, |(_, ty)| ty))
    };
    (letter, if ty.is_empty() { UNTYPED } else { ty })
}

#[cfg(test)]
mod tests {
    use super::{Chunk, Chunks, split};
    use spanrs_base::Vocabulary;

    #[test]
    fn the_first_character_is_the_prefix() {
        assert_eq!(split("B-PER", false), (Some('B'), "PER"));
        assert_eq!(split("BX-PER-LOC", false), (Some('B'), "PER-LOC"));
        assert_eq!(split("PER", false), (Some('P'), "ER"));
        assert_eq!(split("日本-B", true), (Some('B'), "日本"));
        assert_eq!(split("A-PERB", true), (Some('B'), "A"));
        assert_eq!(split("B-", false), (Some('B'), "_"));
        assert_eq!(split("", true), (None, "_"));
    }

    #[test]
    fn a_span_may_reach_over_a_border() {
        let mut tags = Vocabulary::new(10);
        for tag in ["B-PER", "X", "X-LOC"] {
            tags.intern(tag).unwrap();
        }
        let chunks = Chunks::new(&tags, false).unwrap();
        let mut walk = chunks.walk();
        let found: Vec<Chunk> = [Some(0), None, Some(1), Some(2), None]
            .into_iter()
            .filter_map(|tag| walk.step(tag))
            .collect();
        let spans: Vec<_> = found
            .iter()
            .map(|c| (chunks.types().name(c.ty), c.begin, c.end))
            .collect();
        assert_eq!(spans, [("PER", 0, 1), ("_", 0, 3), ("LOC", 3, 4)]);
    }
}
