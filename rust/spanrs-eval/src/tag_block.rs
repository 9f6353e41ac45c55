//! Blocks of sentences with one byte per tag.
//!
//! The layout of both sides, for the sentences `B-A O` and `O` (ids 0 and 1) of one document:
//!
//! | position | 0 | 1 | 2 | 3 | 4 |
//! |---|---|---|---|---|---|
//! | content | border | `B-A`, first | `O` | `O`, first | border, first |
//! | byte | `0x7F` | `0x80` | `0x01` | `0x81` | `0xFF` |
//!
//! The high bit marks the first token of a sentence, so a pair of neighbouring bytes shows whether
//! a sentence ends between them. Borders enclose each document, so that each document can be
//! counted separately.

use std::ops::Range;

/// Byte before the first sentence of a document and, with [`FIRST`], after its last one.
pub(crate) const BORDER: u8 = 127;
/// Bit that marks the first token of a sentence.
pub(crate) const FIRST: u8 = 0x80;
/// Number of tokens at which a block is counted; both sides still fit into the first-level cache.
const FULL: usize = 1 << 13;

/// Sentences of both sides, one byte per tag: ids of one reader that are below [`TagBlock::TAGS`].
///
/// To add sentences, write their ids to the slices that [`TagBlock::reserve`] returns, then call
/// [`TagBlock::end`].
///
/// # Examples
///
/// ```
/// use spanrs_eval::{Exact, Scorer, TagBlock};
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let ids = reader.intern_all(["O", "B-A"]).unwrap();
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
/// assert!(scorer.prepare_blocks(&reader));
/// let mut block = TagBlock::default();
/// let (gold, pred) = block.reserve(2);
/// gold.copy_from_slice(&[ids[0] as u8, ids[1] as u8]);
/// pred.copy_from_slice(&[ids[1] as u8, ids[1] as u8]);
/// block.end(2);
/// scorer.add_block(&reader, &mut block, |_, _, _| 0);
/// assert!(block.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct TagBlock {
    /// Bytes of gold; only the first `used` are valid.
    gold: Vec<u8>,
    /// Bytes of pred.
    pred: Vec<u8>,
    /// Number of valid bytes on both sides; the first is a border.
    used: usize,
    /// Number of tokens of each sentence.
    lengths: Vec<u32>,
    /// The ends of documents, in ascending order.
    ends: Vec<DocumentEnd>,
}

/// The end of a document in a block.
#[derive(Clone, Debug)]
struct DocumentEnd {
    /// Position of the border.
    border: usize,
    /// Number of sentences of the block up to the border.
    sentences: usize,
    /// The name of the document, if it has one.
    name: Option<Box<str>>,
}

/// The sentences of a block that belong to one document.
pub(crate) struct DocumentPart<'a> {
    /// Gold, from the border before the first sentence to the marked border after the last one,
    /// inclusive.
    pub(crate) gold: &'a mut [u8],
    /// Pred, with the same layout.
    pub(crate) pred: &'a mut [u8],
    /// Number of tokens of each sentence.
    lengths: &'a [u32],
    /// Number of sentences of the block before the document.
    pub(crate) first: usize,
    /// Set if the document ends in this block; the inner value is the name of the document.
    pub(crate) ends: Option<Option<&'a str>>,
}

impl<'a> DocumentPart<'a> {
    /// Returns the number of tokens of one side.
    pub(crate) fn tokens(&self) -> usize {
        self.gold.len() - 2
    }

    /// Returns the number of sentences.
    pub(crate) fn sentences(&self) -> usize {
        self.lengths.len()
    }

    /// Iterates over the ranges of the sentences in `gold` and `pred`.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut start = 1;
        self.lengths.iter().map(move |&length| {
            let end = start + length as usize;
            std::mem::replace(&mut start, end)..end
        })
    }

    /// Iterates over the sentences of both sides.
    pub(crate) fn both(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let (gold, pred) = (&*self.gold, &*self.pred);
        self.ranges()
            .map(move |range| (&gold[range.clone()], &pred[range]))
    }

    /// Returns whether a side of a sentence was overwritten by [`DocumentPart::blank`].
    pub(crate) fn is_blank(side: &[u8]) -> bool {
        side.first() == Some(&(FIRST | BORDER))
    }

    /// Overwrites a sentence on both sides with borders, which have neither spans nor violations.
    pub(crate) fn blank(&mut self, range: Range<usize>) {
        for side in [&mut *self.gold, &mut *self.pred] {
            if let Some(first) = side[range.clone()].first_mut() {
                *first = FIRST | BORDER;
            }
            side[range.clone()]
                .iter_mut()
                .skip(1)
                .for_each(|tag| *tag = BORDER);
        }
    }
}

impl Default for TagBlock {
    fn default() -> Self {
        let empty = || {
            let mut side = vec![0; FULL];
            side[0] = BORDER;
            side
        };
        Self {
            gold: empty(),
            pred: empty(),
            used: 1,
            lengths: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl TagBlock {
    /// Maximum number of tags of a reader whose sentences can be added to blocks.
    pub const TAGS: usize = BORDER as usize;

    /// Returns space in gold and pred for sentences with `tokens` tokens in total, to be filled
    /// from the start. [`TagBlock::end`] ends each sentence.
    #[inline]
    pub fn reserve(&mut self, tokens: usize) -> (&mut [u8], &mut [u8]) {
        let range = self.used..self.used + tokens;
        // The border after the last sentence needs one more byte.
        if range.end >= self.gold.len() {
            self.grow(range.end + 1);
        }
        (&mut self.gold[range.clone()], &mut self.pred[range])
    }

    /// Enlarges both sides to at least `least` bytes.
    #[cold]
    fn grow(&mut self, least: usize) {
        let length = least.next_power_of_two();
        self.gold.resize(length, 0);
        self.pred.resize(length, 0);
    }

    /// Ends the sentence in the next `tokens` bytes of the reserved space.
    #[inline]
    pub fn end(&mut self, tokens: usize) {
        self.end_all(&[tokens as u32]);
    }

    /// Same as [`TagBlock::end`], for several sentences one after the other.
    #[inline]
    pub fn end_all(&mut self, lengths: &[u32]) {
        let (gold, pred) = (&mut self.gold[..], &mut self.pred[..]);
        // A local variable, because the compiler cannot prove that writing tags does not change the
        // field.
        let mut used = self.used;
        for &tokens in lengths {
            // For an empty sentence, this marks the first token of the next sentence, or the border
            // after the last one.
            gold[used] |= FIRST;
            pred[used] |= FIRST;
            used += tokens as usize;
        }
        self.used = used;
        self.lengths.extend_from_slice(lengths);
    }

    /// Returns whether the block is full and should be counted.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.used > FULL
    }

    /// Returns whether no sentence and no document has ended since the block was cleared.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty() && self.ends.is_empty()
    }

    /// Ends a document with the sentences so far; `name` is the key of the document in the counts;
    /// None uses its number.
    pub fn end_document(&mut self, name: Option<&str>) {
        self.put_border();
        self.ends.push(DocumentEnd {
            border: self.used,
            sentences: self.lengths.len(),
            name: name.map(Into::into),
        });
        self.used += 1;
    }

    /// Removes all sentences but keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.used = 1;
        self.lengths.clear();
        self.ends.clear();
    }

    /// Writes a border after the last sentence.
    #[inline]
    fn put_border(&mut self) {
        self.reserve(0);
        self.gold[self.used] = FIRST | BORDER;
        self.pred[self.used] = FIRST | BORDER;
    }

    /// Writes a border after the last sentence and returns the number of documents, the last of
    /// which has not ended (and may be empty).
    #[inline]
    pub(crate) fn close(&mut self) -> usize {
        self.put_border();
        self.ends.len() + 1
    }

    /// Returns a document by its 0-based number in the block, after [`TagBlock::close`].
    #[inline]
    pub(crate) fn document(&mut self, number: usize) -> DocumentPart<'_> {
        let before = number.checked_sub(1).and_then(|at| self.ends.get(at));
        let (border, first) = before.map_or((0, 0), |end| (end.border, end.sentences));
        let end = self.ends.get(number);
        let (next, until) = end.map_or((self.used, self.lengths.len()), |end| {
            (end.border, end.sentences)
        });
        DocumentPart {
            gold: &mut self.gold[border..=next],
            pred: &mut self.pred[border..=next],
            lengths: &self.lengths[first..until],
            first,
            ends: end.map(|end| end.name.as_deref()),
        }
    }
}

/// Iterates over the tag ids of a sentence of a block.
pub(crate) fn ids(sentence: &[u8]) -> impl Iterator<Item = u32> + Clone {
    sentence.iter().map(|&tag| u32::from(tag & !FIRST))
}
