use std::ops::Range;

/// Stands before the first sentence of a [`TagBlock`] and, marked, behind the last.
pub(crate) const BORDER: u8 = 127;
/// Marks the first token of a sentence.
pub(crate) const FIRST: u8 = 0x80;
/// Tokens after which a block is worth counting: both sides stay in the fastest cache.
const FULL: usize = 1 << 13;

/// Sentences of both sides, a byte a token: ids of one reader that are below [`TagBlock::TAGS`]. Documents end with a
/// border, so that each can be counted by itself.
#[derive(Clone, Debug)]
pub struct TagBlock {
    gold: Vec<u8>,
    pred: Vec<u8>,
    /// Used places of both; the first is a border.
    used: usize,
    lengths: Vec<u32>,
    ends: Vec<DocumentEnd>,
}

/// Where a document ends.
#[derive(Clone, Debug)]
struct DocumentEnd {
    /// Place of its border.
    border: usize,
    /// Sentences of the block up to there.
    sentences: usize,
    /// Its name, if it has one.
    name: Option<Box<str>>,
}

/// Sentences of a block that belong to one document.
pub(crate) struct DocumentPart<'a> {
    /// Both sides, with a border before the first sentence and a marked one behind the last.
    pub(crate) gold: &'a mut [u8],
    pub(crate) pred: &'a mut [u8],
    lengths: &'a [u32],
    /// Sentences of the block before it.
    pub(crate) first: usize,
    /// What the document is called, where it ends here.
    pub(crate) ends: Option<Option<&'a str>>,
}

impl<'a> DocumentPart<'a> {
    pub(crate) fn tokens(&self) -> usize {
        self.gold.len() - 2
    }

    pub(crate) fn sentences(&self) -> usize {
        self.lengths.len()
    }

    /// Where the sentences are on both sides.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut start = 1;
        self.lengths.iter().map(move |&length| {
            let end = start + length as usize;
            std::mem::replace(&mut start, end)..end
        })
    }

    /// The sentences of both sides.
    pub(crate) fn both(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let (gold, pred) = (&*self.gold, &*self.pred);
        self.ranges()
            .map(move |range| (&gold[range.clone()], &pred[range]))
    }

    /// Makes a sentence one without spans and without violations.
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
    /// Maximum number of tags of a reader.
    pub const TAGS: usize = BORDER as usize;

    /// Room for sentences of at most `tokens` tokens: gold and pred, to be filled from the start.
    /// [`TagBlock::end`] ends each of them.
    #[inline]
    pub fn reserve(&mut self, tokens: usize) -> (&mut [u8], &mut [u8]) {
        let range = self.used..self.used + tokens;
        // One more for the border behind the last.
        if range.end >= self.gold.len() {
            self.grow(range.end + 1);
        }
        (&mut self.gold[range.clone()], &mut self.pred[range])
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        let length = least.next_power_of_two();
        self.gold.resize(length, 0);
        self.pred.resize(length, 0);
    }

    /// Ends the sentence that stands in the next `tokens` places of the room asked for.
    #[inline]
    pub fn end(&mut self, tokens: usize) {
        self.end_all(&[tokens as u32]);
    }

    /// As [`TagBlock::end`] for sentences that stand one behind the other.
    #[inline]
    pub fn end_all(&mut self, lengths: &[u32]) {
        let (gold, pred) = (&mut self.gold[..], &mut self.pred[..]);
        // A local variable: the compiler cannot tell that writing tags leaves the field alone.
        let mut used = self.used;
        for &tokens in lengths {
            // Of an empty sentence this is the first token of the next, or the border behind the last.
            gold[used] |= FIRST;
            pred[used] |= FIRST;
            used += tokens as usize;
        }
        self.used = used;
        self.lengths.extend_from_slice(lengths);
    }

    /// True when it is time to count it.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.used > FULL
    }

    /// True where no sentence and no document ended since it was cleared.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty() && self.ends.is_empty()
    }

    /// Ends a document with the sentences so far.
    pub fn end_document(&mut self, name: Option<&str>) {
        self.put_border();
        self.ends.push(DocumentEnd {
            border: self.used,
            sentences: self.lengths.len(),
            name: name.map(Into::into),
        });
        self.used += 1;
    }

    /// Forgets the sentences.
    #[inline]
    pub fn clear(&mut self) {
        self.used = 1;
        self.lengths.clear();
        self.ends.clear();
    }

    /// Puts a border behind the last sentence.
    #[inline]
    fn put_border(&mut self) {
        self.reserve(0);
        self.gold[self.used] = FIRST | BORDER;
        self.pred[self.used] = FIRST | BORDER;
    }

    /// Puts a border behind the last sentence; gives the number of documents, the last of which has not ended.
    #[inline]
    pub(crate) fn close(&mut self) -> usize {
        self.put_border();
        self.ends.len() + 1
    }

    /// A part of a document, counted from 0, after [`TagBlock::close`].
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

/// The ids of a sentence of a block.
pub(crate) fn ids(sentence: &[u8]) -> impl Iterator<Item = u32> + Clone {
    sentence.iter().map(|&tag| u32::from(tag & !FIRST))
}
