/// Stands before, between and behind the sentences of a [`Block`].
pub(crate) const BORDER: u8 = 127;
/// Tokens after which a block is worth counting: both sides stay in the fastest cache.
const FULL: usize = 1 << 13;
/// Room behind the last sentence, so that copies can go in whole steps.
const SLACK: usize = 2 * STEP;
const STEP: usize = 16;

/// Sentences of both sides, a byte a token: ids of one reader that are below [`Block::TAGS`].
#[derive(Clone, Debug)]
pub struct Block {
    gold: Vec<u8>,
    pred: Vec<u8>,
    /// Used places of both; the first is a border.
    used: usize,
    sentences: u64,
}

impl Default for Block {
    fn default() -> Self {
        let empty = || {
            let mut side = vec![0; FULL + SLACK];
            side[0] = BORDER;
            side
        };
        Self {
            gold: empty(),
            pred: empty(),
            used: 1,
            sentences: 0,
        }
    }
}

impl Block {
    /// A reader may have so many tags, no more.
    pub const TAGS: usize = BORDER as usize;

    /// Room for a sentence of at most `tokens` tokens: gold and pred, to be filled. [`Block::end`] ends it.
    #[inline]
    pub fn room(&mut self, tokens: usize) -> (&mut [u8], &mut [u8]) {
        let range = self.used..self.used + tokens;
        if range.end + SLACK > self.gold.len() {
            self.grow(range.end + SLACK);
        }
        (&mut self.gold[range.clone()], &mut self.pred[range])
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        let length = least.next_power_of_two();
        self.gold.resize(length, 0);
        self.pred.resize(length, 0);
    }

    /// Ends the sentence that stands in the first `tokens` places of the room asked for.
    #[inline]
    pub fn end(&mut self, tokens: usize) {
        let behind = self.used + tokens;
        self.gold[behind] = BORDER;
        self.pred[behind] = BORDER;
        self.used = behind + 1;
        self.sentences += 1;
    }

    /// Adds sentences that stand one behind the other in `gold` and `pred`, as long as `lengths` say.
    #[inline]
    pub fn extend(&mut self, gold: &[u8], pred: &[u8], lengths: impl Iterator<Item = usize>) {
        let mut start = 0;
        for length in lengths {
            self.room(length);
            // Most sentences are a step or two; whole steps need no loop over bytes. What is copied
            // beyond the sentence is overwritten by the border and the next one.
            let mut at = 0;
            while at < length {
                let (from, to) = (start + at, self.used + at);
                if from + STEP > gold.len() {
                    let rest = length - at;
                    self.gold[to..to + rest].copy_from_slice(&gold[from..from + rest]);
                    self.pred[to..to + rest].copy_from_slice(&pred[from..from + rest]);
                    break;
                }
                self.gold[to..to + STEP].copy_from_slice(&gold[from..from + STEP]);
                self.pred[to..to + STEP].copy_from_slice(&pred[from..from + STEP]);
                at += STEP;
            }
            self.end(length);
            start += length;
        }
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
        self.sentences = 0;
    }

    /// Sentences in it.
    pub fn sentences(&self) -> u64 {
        self.sentences
    }

    /// Both sides, with a border before the first sentence and behind each.
    pub(crate) fn sides(&self) -> (&[u8], &[u8]) {
        (&self.gold[..self.used], &self.pred[..self.used])
    }
}
