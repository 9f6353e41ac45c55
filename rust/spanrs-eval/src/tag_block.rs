/// Stands before the first sentence of a [`TagBlock`] and, marked, behind the last.
pub(crate) const BORDER: u8 = 127;
/// Marks the first token of a sentence.
pub(crate) const FIRST: u8 = 0x80;
/// Tokens after which a block is worth counting: both sides stay in the fastest cache.
const FULL: usize = 1 << 13;

/// Sentences of both sides, a byte a token: ids of one reader that are below [`TagBlock::TAGS`].
#[derive(Clone, Debug)]
pub struct TagBlock {
    gold: Vec<u8>,
    pred: Vec<u8>,
    /// Used places of both; the first is a border.
    used: usize,
    lengths: Vec<u32>,
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
        }
    }
}

impl TagBlock {
    /// A reader may have so many tags, no more.
    pub const TAGS: usize = BORDER as usize;

    /// Room for sentences of at most `tokens` tokens: gold and pred, to be filled from the start.
    /// [`TagBlock::end`] ends each of them.
    #[inline]
    pub fn room(&mut self, tokens: usize) -> (&mut [u8], &mut [u8]) {
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
        for &tokens in lengths {
            // Of an empty sentence this is the first token of the next, or the border behind the last.
            self.gold[self.used] |= FIRST;
            self.pred[self.used] |= FIRST;
            self.used += tokens as usize;
        }
        self.lengths.extend_from_slice(lengths);
    }

    /// True when it is time to count it.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.used > FULL
    }

    /// Forgets the sentences.
    #[inline]
    pub fn clear(&mut self) {
        self.used = 1;
        self.lengths.clear();
    }

    /// Sentences in it.
    pub fn sentences(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// Tokens in it.
    pub(crate) fn tokens(&self) -> usize {
        self.used - 1
    }

    /// Puts the border behind the last sentence, which [`TagBlock::sides`] are to have.
    #[inline]
    pub(crate) fn close(&mut self) {
        self.room(0);
        self.gold[self.used] = FIRST | BORDER;
        self.pred[self.used] = FIRST | BORDER;
    }

    /// Both sides, with a border before the first sentence and a marked one behind the last.
    pub(crate) fn sides(&self) -> (&[u8], &[u8]) {
        (&self.gold[..=self.used], &self.pred[..=self.used])
    }

    /// The sentences of one of the sides.
    pub(crate) fn sentences_of<'a>(&'a self, side: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let mut start = 1;
        self.lengths.iter().map(move |&length| {
            let end = start + length as usize;
            &side[std::mem::replace(&mut start, end)..end]
        })
    }

    /// The sentences of both sides.
    pub(crate) fn both(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.sentences_of(&self.gold)
            .zip(self.sentences_of(&self.pred))
    }
}

/// The ids of a sentence of a block.
pub(crate) fn ids(sentence: &[u8]) -> Vec<u32> {
    let tags = sentence.iter().map(|&tag| u32::from(tag & !FIRST));
    tags.collect()
}
