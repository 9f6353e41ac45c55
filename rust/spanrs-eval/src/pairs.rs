//! The exact matcher at full speed, for readings that decide at every tag from that tag and the one
//! before (conlleval, refuse, seqeval).
//!
//! Then everything about one side is told by how often each tag followed each: a histogram of pairs of
//! neighbours, which costs one addition a token and no branch. Only whether spans of the two sides agree
//! needs both at once, and as long as the two sides have the same tags, they agree. So one histogram
//! counts all of pred, and where the sides differ, which is found eight tokens at a time, they are walked
//! side by side: what gold has there is counted for it, what pred has there is known not to be common.

use spanrs_tags::{CLOSE, OPEN, Reader, VIOLATION};

use crate::block::{BORDER, Block};
use crate::counts::Counts;
use crate::exact::{Seen, confuse};

/// Tags it can count; a power of two, so that masks stand in for bounds checks.
const SIDE: usize = BORDER as usize + 1;
const PLACES: usize = SIDE * SIDE;
/// Additions to one place wait for each other; neighbouring tokens use different banks.
const BANKS: usize = 4;
/// Pairs of neighbours that are numbered before they are counted.
const STRIDE: usize = 256;

/// Counts sentences of one reader.
#[derive(Clone, Debug)]
pub(crate) struct PairCounter {
    /// Tags of the reader that are known here.
    tags: usize,
    /// What happens between two neighbours.
    steps: Box<[u8; PLACES]>,
    /// How many violations there are between two neighbours.
    wrong: Box<[u8; PLACES]>,
    /// The type of each tag.
    types: [u32; SIDE],
    /// Neighbours on the side of pred.
    all: Box<[u64; PLACES * BANKS]>,
    /// Neighbours where the sides differ.
    gold: Box<[u64; PLACES]>,
    pred: Box<[u64; PLACES]>,
    /// Pairs of equal spans that end behind this gold tag, where the sides differ.
    tp: [u64; SIDE],
    counts: Counts,
}

fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    let zeros = vec![T::default(); N].into_boxed_slice();
    // It has that length.
    zeros
        .try_into()
        .unwrap_or_else(|_| Box::new([T::default(); N]))
}

#[inline(always)]
fn place(before: u8, here: u8) -> usize {
    (usize::from(before) % SIDE) * SIDE + usize::from(here) % SIDE
}

impl PairCounter {
    /// None where the reading looks further back, or there are too many tags.
    pub(crate) fn new(reader: &Reader) -> Option<Self> {
        reader.between(None, None)?;
        let mut counter = Self {
            tags: 0,
            steps: zeros(),
            wrong: zeros(),
            types: [0; SIDE],
            all: zeros(),
            gold: zeros(),
            pred: zeros(),
            tp: [0; SIDE],
            counts: Counts::default(),
        };
        counter.fits(reader).then_some(counter)
    }

    /// Takes in the tags that came into the reader's vocabulary; false where there are too many.
    #[inline]
    pub(crate) fn fits(&mut self, reader: &Reader) -> bool {
        self.tags == reader.tags().len() || self.learn(reader)
    }

    #[cold]
    fn learn(&mut self, reader: &Reader) -> bool {
        let known = reader.tags().len();
        if known > Block::TAGS {
            return false;
        }
        self.tags = known;
        let tag = |at: u8| (at != BORDER).then_some(u32::from(at));
        for before in self.places() {
            for here in self.places() {
                let at = place(before, here);
                let step = reader.between(tag(before), tag(here)).unwrap_or_default();
                self.wrong[at] = reader.violations_between(tag(before), tag(here));
                self.steps[at] = step & !VIOLATION | if self.wrong[at] > 0 { VIOLATION } else { 0 };
            }
            self.types[usize::from(before) % SIDE] = tag(before).map_or(0, |id| reader.type_of(id));
        }
        true
    }

    fn places(&self) -> impl Iterator<Item = u8> + use<> {
        (0..self.tags as u8).chain([BORDER])
    }

    /// Counts a block.
    #[inline]
    pub(crate) fn count(&mut self, block: &Block) -> Seen {
        let (gold, pred) = block.sides();
        let mut seen = Seen {
            gold: false,
            pred: self.count_side(pred) & VIOLATION != 0,
        };
        let mut differing = 0;
        let mut next = 1;
        while let Some(first) = difference(gold, pred, next) {
            let steps;
            (next, steps) = self.side_by_side(gold, pred, first, &mut differing);
            seen.gold |= steps & VIOLATION != 0;
        }
        // Where the sides are equal, what is wrong with pred is wrong with gold too.
        seen.gold |= seen.pred;
        let tokens = pred.len() as u64 - 1 - block.sentences();
        self.counts.sentences += block.sentences();
        self.counts.tokens += tokens;
        self.counts.correct_tokens += tokens - differing;
        seen
    }

    /// Counts the neighbours of one side; gives the bits of all steps.
    #[inline]
    fn count_side(&mut self, side: &[u8]) -> u8 {
        let (steps, all) = (&self.steps, &mut self.all);
        let mut numbers = [0_u16; STRIDE];
        let mut seen = 0;
        let mut rest = side;
        while rest.len() > 1 {
            let pairs = (rest.len() - 1).min(STRIDE);
            for (number, (before, here)) in
                numbers.iter_mut().zip(rest.iter().zip(&rest[1..=pairs]))
            {
                *number = u16::from(*before) * SIDE as u16 + u16::from(*here);
            }
            let (whole, tail) = numbers[..pairs].as_chunks::<BANKS>();
            for few in whole {
                for (bank, &number) in few.iter().enumerate() {
                    let at = usize::from(number) % PLACES;
                    all[bank * PLACES + at] += 1;
                    seen |= steps[at];
                }
            }
            for &number in tail {
                let at = usize::from(number) % PLACES;
                all[at] += 1;
                seen |= steps[at];
            }
            rest = &rest[pairs..];
        }
        seen
    }

    /// Counts from the first difference to where the sides are equal again and what is open on them began
    /// together. Gives the place of the next token, and the bits of gold's steps.
    #[inline]
    fn side_by_side(
        &mut self,
        gold: &[u8],
        pred: &[u8],
        first: usize,
        differing: &mut u64,
    ) -> (usize, u8) {
        let mut before = (gold[first - 1], pred[first - 1]);
        let mut together = CLOSE;
        let mut seen = 0;
        for (at, here) in (first..).zip(
            gold[first..]
                .iter()
                .copied()
                .zip(pred[first..].iter().copied()),
        ) {
            let (gold_at, pred_at) = (place(before.0, here.0), place(before.1, here.1));
            let (g, p) = (self.steps[gold_at], self.steps[pred_at]);
            self.gold[gold_at] += 1;
            self.pred[pred_at] += 1;
            seen |= g;
            let both = g & p & together & CLOSE;
            let (gold_ty, pred_ty) = (
                self.types[usize::from(before.0) % SIDE],
                self.types[usize::from(before.1) % SIDE],
            );
            let same = gold_ty == pred_ty;
            self.tp[usize::from(before.0) % SIDE] += u64::from(both & u8::from(same));
            if both != 0 && !same {
                confuse(&mut self.counts, gold_ty, pred_ty);
            }
            // On the first token nothing can end, and a span that begins there begins where the
            // walk stands anyway; so both sides stay together, as they do in a walk.
            if (g | p) & OPEN != 0 && before.0 != BORDER {
                together = (g & p & OPEN) / OPEN * CLOSE;
            }
            *differing += u64::from(here.0 != here.1);
            if here.0 == here.1 && (together != 0 || here.0 == BORDER) {
                return (at + 1, seen);
            }
            before = here;
        }
        (gold.len(), seen)
    }

    /// How many violations one side of a block or a sentence has.
    pub(crate) fn violations(&self, side: &[u8]) -> u64 {
        let pairs = side.iter().zip(side.iter().skip(1));
        pairs
            .map(|(&before, &here)| u64::from(self.wrong[place(before, here)]))
            .sum()
    }

    /// Adds what was counted to `counts` and begins anew.
    pub(crate) fn take(&mut self, counts: &mut Counts, types: usize) {
        counts.fit(types);
        for before in self.places() {
            let ty = self.types[usize::from(before) % SIDE] as usize;
            for here in self.places() {
                let at = place(before, here);
                let all: u64 = (0..BANKS)
                    .map(|bank| std::mem::take(&mut self.all[bank * PLACES + at]))
                    .sum();
                let gold = std::mem::take(&mut self.gold[at]);
                let pred = std::mem::take(&mut self.pred[at]);
                if self.steps[at] & CLOSE != 0 && before != BORDER {
                    let tally = &mut counts.types[ty];
                    let equal = all - pred;
                    tally.gold += equal + gold;
                    tally.pred += all;
                    tally.tp += equal;
                }
            }
            if before != BORDER {
                counts.types[ty].tp += std::mem::take(&mut self.tp[usize::from(before) % SIDE]);
            }
        }
        counts.merge(&std::mem::take(&mut self.counts));
    }
}

/// The first place from `from` on where the sides differ.
#[inline]
fn difference(gold: &[u8], pred: &[u8], from: usize) -> Option<usize> {
    const WORD: usize = size_of::<u64>();
    let mut at = from;
    let words = |side: &[u8], at: usize| -> Option<u64> {
        let bytes = side.get(at..at + WORD)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    while let (Some(g), Some(p)) = (words(gold, at), words(pred, at)) {
        if g != p {
            return Some(at + ((g ^ p).trailing_zeros() / 8) as usize);
        }
        at += WORD;
    }
    (at..gold.len()).find(|&at| gold[at] != pred[at])
}
