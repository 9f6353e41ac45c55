//! The exact matcher at full speed, for readings that decide at every tag from that tag and the one
//! before (conlleval, refuse, seqeval).
//!
//! With such a reading, a histogram of pairs of neighbouring tags determines the spans of one side; it costs one addition
//! a token and no branch. Whether spans of the two sides agree needs both at once, and where both have the same tags,
//! they agree. So one histogram counts all of pred; where the sides differ, which is found eight tokens at a time, they
//! are walked side by side to count the pairs of gold, and those of pred that are not common.
//!
//! The other readings (strict, discard, ncrfpp) read well-formed sentences as conlleval does (a law tested in
//! spanrs-tags), so only sentences with violations, which [`TagBigramCounter::malformed`] finds, are walked.

use std::ops::Range;

use spanrs_tags::{Bigrams, CLOSE, OPEN, Reader, VIOLATION};

use crate::tag_block::{BORDER, FIRST};
use crate::tag_counts::{Corpus, TagCounts};

/// Codes of tags that are told apart where there are few, the border among them; powers of two, so that
/// masks stand in for bounds checks.
const FEW: usize = 32;
/// And at most.
const MANY: usize = BORDER as usize + 1;
/// Variants of the second tag of a pair: inside a sentence, or first of one.
const NEXT: usize = 2;
/// Additions to one place wait for each other; neighbouring tokens use different banks of it.
const BANKS: usize = 4;
/// Blocks with at least this many tokens per illegal pair are checked for violations once, from the histogram; smaller
/// ones per token.
const LARGE: usize = 4;
/// Pairs of neighbours that are numbered before they are counted.
const STRIDE: usize = 256;
/// Pairs of neighbours that are counted between two calls of `meanwhile`.
const FETCH: usize = 64;
/// Pairs of neighbours that are compared with the commonest one together.
const GROUP: usize = 64;

/// Counts sentences of one reader, in tables that are no larger than its tags need: to clear large ones
/// costs more than to count a small corpus.
#[derive(Clone, Debug)]
pub(crate) enum TagBigramCounter {
    Few(Box<Tables<FEW, { FEW * FEW * NEXT }>>),
    Many(Box<Tables<MANY, { MANY * MANY * NEXT }>>),
}

impl TagBigramCounter {
    /// None where the reading looks further back even in well-formed sentences, or there are too many tags.
    pub(crate) fn new(reader: &Reader) -> Option<Self> {
        reader.bigrams()?;
        let few = || Some(Self::Few(Box::new(Tables::new(reader)?)));
        let many = || Some(Self::Many(Box::new(Tables::new(reader)?)));
        few().or_else(many)
    }

    /// Takes in the tags that came into the reader's vocabulary; false where there are too many.
    #[inline]
    pub(crate) fn fits(&mut self, reader: &Reader) -> bool {
        match self {
            Self::Few(tables) => tables.fits(reader),
            Self::Many(tables) => tables.fits(reader),
        }
    }

    /// Counts `sentences` sentences, with a border before the first and a marked one behind the last; gives the numbers of
    /// violations of gold and of pred.
    #[inline]
    pub(crate) fn count(
        &mut self,
        gold: &[u8],
        pred: &[u8],
        sentences: usize,
        meanwhile: impl Fn(Range<usize>),
    ) -> [u64; 2] {
        match self {
            Self::Few(tables) => tables.count(gold, pred, sentences, meanwhile),
            Self::Many(tables) => tables.count(gold, pred, sentences, meanwhile),
        }
    }

    /// True where sentences with violations must not be counted here.
    #[inline]
    pub(crate) fn only_well_formed(&self) -> bool {
        match self {
            Self::Few(tables) => tables.only_well_formed,
            Self::Many(tables) => tables.only_well_formed,
        }
    }

    /// Subtracts `sentences` and `tokens` that were counted as equal on both sides.
    #[inline]
    pub(crate) fn discount(&mut self, sentences: u64, tokens: u64) {
        let corpus = match self {
            Self::Few(tables) => &mut tables.corpus,
            Self::Many(tables) => &mut tables.corpus,
        };
        corpus.sentences -= sentences;
        corpus.tokens -= tokens;
        corpus.correct_tokens -= tokens;
    }

    /// Appends the places of tags of one side or the other that make a violation with the tag before, in any order
    /// and some of them twice. At the first tag of a sentence the violation may be one of the sentence before.
    pub(crate) fn malformed(&self, gold: &[u8], pred: &[u8], places: &mut Vec<usize>) {
        match self {
            Self::Few(tables) => tables.malformed(gold, pred, places),
            Self::Many(tables) => tables.malformed(gold, pred, places),
        }
    }

    /// Adds what was counted to `counts` and begins anew.
    pub(crate) fn take(&mut self, counts: &mut TagCounts, types: usize) {
        match self {
            Self::Few(tables) => tables.take(counts, types),
            Self::Many(tables) => tables.take(counts, types),
        }
    }
}

/// Counts for fewer than `SIDE` tags; there are `PLACES` = `SIDE` * `SIDE` * [`NEXT`] pairs of neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Tables<const SIDE: usize, const PLACES: usize> {
    /// Tags of the reader that are known here.
    tags: usize,
    /// What happens between two neighbours.
    steps: [u8; PLACES],
    /// How many violations there are between two neighbours.
    wrong: [u8; PLACES],
    /// The type of each tag.
    types: [u32; SIDE],
    /// The tags that are `O`, and the border.
    outside: [bool; SIDE],
    /// The code that most often follows itself: `O`, or the border where there is none.
    common: u8,
    /// The places with violations.
    illegal: Vec<u16>,
    /// Violation total of pred at the end of the previous block.
    violations: u64,
    /// Sentences with violations are read in another way.
    only_well_formed: bool,
    /// Neighbours on the side of pred; the banks of a place stand side by side.
    all: Box<[[u64; BANKS]; PLACES]>,
    /// Neighbours where the sides differ.
    gold: Box<[u64; PLACES]>,
    pred: Box<[u64; PLACES]>,
    /// Spans with equal bounds, by the tags of gold and pred they end with, where the sides differ.
    met: Box<[[u64; SIDE]; SIDE]>,
    corpus: Corpus,
}

fn filled<T: Copy, const N: usize>(with: T) -> Box<[T; N]> {
    let filled = vec![with; N].into_boxed_slice();
    // It has that length.
    filled.try_into().unwrap_or_else(|_| Box::new([with; N]))
}

impl<const SIDE: usize, const PLACES: usize> Tables<SIDE, PLACES> {
    /// The number of a pair of neighbours. The border is the last code of any size.
    #[inline(always)]
    fn number(before: u8, here: u8) -> u16 {
        let side = SIDE as u16;
        let (begins, here) = (u16::from(here / FIRST), u16::from(here) % side);
        (u16::from(before) % side * NEXT as u16 + begins) * side + here
    }

    /// Where a pair of neighbours stands in the tables.
    #[inline(always)]
    fn place(before: u8, here: u8) -> usize {
        usize::from(Self::number(before, here)) % PLACES
    }

    /// None where there are too many tags.
    fn new(reader: &Reader) -> Option<Self> {
        let mut counter = Self {
            tags: 0,
            steps: [0; PLACES],
            wrong: [0; PLACES],
            types: [0; SIDE],
            outside: [true; SIDE],
            common: BORDER,
            illegal: Vec::new(),
            violations: 0,
            only_well_formed: reader.bigrams() == Some(Bigrams::OfWellFormed),
            all: filled([0; BANKS]),
            gold: filled(0),
            pred: filled(0),
            met: filled([0; SIDE]),
            corpus: Corpus::default(),
        };
        counter.fits(reader).then_some(counter)
    }

    /// Takes in the tags that came into the reader's vocabulary; false where there are too many.
    #[inline]
    fn fits(&mut self, reader: &Reader) -> bool {
        self.tags == reader.tags().len() || self.learn(reader)
    }

    #[cold]
    fn learn(&mut self, reader: &Reader) -> bool {
        let known = reader.tags().len();
        if known >= SIDE {
            return false;
        }
        self.tags = known;
        self.illegal.clear();
        let tag = |at: u8| (at != BORDER).then_some(u32::from(at));
        let between = |before, here| {
            let step = reader.between(before, here).unwrap_or_default();
            (step & !VIOLATION, reader.violations_between(before, here))
        };
        for before in self.tags() {
            for here in self.tags() {
                // Where a sentence begins, the one before ends.
                let (close, left) = between(tag(before), None);
                let (open, entered) = between(None, tag(here));
                for (at, (step, wrong)) in [
                    (Self::place(before, here), between(tag(before), tag(here))),
                    (
                        Self::place(before, here | FIRST),
                        (close | open, left + entered),
                    ),
                ] {
                    self.wrong[at] = wrong;
                    if wrong > 0 {
                        self.illegal.push(at as u16);
                    }
                    self.steps[at] = step | if wrong > 0 { VIOLATION } else { 0 };
                }
            }
            self.types[usize::from(before) % SIDE] = tag(before).map_or(0, |id| reader.type_of(id));
            self.outside[usize::from(before) % SIDE] =
                tag(before).is_none_or(|id| reader.is_outside(id));
        }
        let outside = |&tag: &u8| self.outside[usize::from(tag)];
        self.common = (0..known as u8).find(outside).unwrap_or(BORDER);
        self.violations = self.violations();
        true
    }

    /// The tags that are known, and the border.
    fn tags(&self) -> impl Iterator<Item = u8> + use<SIDE, PLACES> {
        (0..self.tags as u8).chain([BORDER])
    }

    #[inline]
    fn count(
        &mut self,
        gold: &[u8],
        pred: &[u8],
        sentences: usize,
        meanwhile: impl Fn(Range<usize>),
    ) -> [u64; 2] {
        let of_pred = self.count_pred(pred, meanwhile);
        // Where the sides are equal, they have the same violations.
        let mut of_gold = of_pred;
        let mut differing = 0;
        let mut next = 1;
        while let Some(first) = difference(gold, pred, next) {
            let violations;
            (next, violations) = self.side_by_side(gold, pred, first, &mut differing);
            of_gold = of_gold + violations[0] - violations[1];
        }
        let tokens = pred.len() as u64 - 2;
        self.corpus.sentences += sentences as u64;
        self.corpus.tokens += tokens;
        self.corpus.correct_tokens += tokens - differing;
        [of_gold, of_pred]
    }

    /// Counts the neighbours of pred; gives the number of violations.
    #[inline]
    fn count_pred(&mut self, pred: &[u8], meanwhile: impl Fn(Range<usize>)) -> u64 {
        if self.illegal.is_empty() {
            return self.histogram::<false>(pred, meanwhile);
        }
        if pred.len() < LARGE * self.illegal.len() {
            let violations = self.histogram::<true>(pred, meanwhile);
            self.violations += violations;
            return violations;
        }
        self.histogram::<false>(pred, meanwhile);
        let violations = self.violations();
        violations - std::mem::replace(&mut self.violations, violations)
    }

    /// Violations in the neighbours of pred that were counted.
    fn violations(&self) -> u64 {
        let places = self.illegal.iter().map(|&at| usize::from(at) % PLACES);
        places
            .map(|at| u64::from(self.wrong[at]) * self.all[at].iter().sum::<u64>())
            .sum()
    }

    fn malformed(&self, gold: &[u8], pred: &[u8], places: &mut Vec<usize>) {
        if self.illegal.is_empty() {
            return;
        }
        let groups = (1..gold.len()).step_by(GROUP);
        for start in groups {
            let range = start..(start + GROUP).min(gold.len());
            self.malformed_of(pred, range.clone(), places);
            // The violation may be with the tag before the group.
            let with_before = range.start - 1..range.end;
            if gold[with_before.clone()] != pred[with_before] {
                self.malformed_of(gold, range, places);
            }
        }
    }

    /// The places in a range of one side.
    #[inline(always)]
    fn malformed_of(&self, side: &[u8], range: Range<usize>, places: &mut Vec<usize>) {
        let start = range.start;
        let (befores, heres) = (&side[start - 1..range.end - 1], &side[range]);
        let mut look = |at: usize| {
            if self.wrong[Self::place(befores[at], heres[at])] > 0 {
                places.push(start + at);
            }
        };
        let (Ok(group), Ok(next)) = (befores.try_into(), heres.try_into()) else {
            return (0..heres.len()).for_each(look);
        };
        let mut others = differing(group, next, self.common);
        while others != 0 {
            look(others.trailing_zeros() as usize);
            others &= others - 1;
        }
    }

    /// Counts the neighbours of one side; gives the number of violations if that is asked for.
    #[inline]
    fn histogram<const WRONG: bool>(
        &mut self,
        side: &[u8],
        meanwhile: impl Fn(Range<usize>),
    ) -> u64 {
        let (wrong, all) = (&self.wrong, &mut self.all);
        let mut numbers = [0_u16; STRIDE];
        let mut violations = 0;
        let mut at = 0;
        while at + 1 < side.len() {
            let pairs = (side.len() - 1 - at).min(STRIDE);
            let (befores, heres) = (&side[at..at + pairs], &side[at + 1..=at + pairs]);
            for (number, (&before, &here)) in numbers.iter_mut().zip(befores.iter().zip(heres)) {
                *number = Self::number(before, here);
            }
            let mut count = |bank: usize, number: u16| {
                let at = usize::from(number) % PLACES;
                all[at][bank] += 1;
                if WRONG {
                    violations += u64::from(wrong[at]);
                }
            };
            for (step, numbers) in numbers[..pairs].chunks(FETCH).enumerate() {
                let (whole, tail) = numbers.as_chunks::<BANKS>();
                for few in whole {
                    few.iter()
                        .enumerate()
                        .for_each(|(bank, &number)| count(bank, number));
                }
                tail.iter().for_each(|&number| count(0, number));
                let start = at + step * FETCH;
                meanwhile(start..start + numbers.len());
            }
            at += pairs;
        }
        violations
    }

    /// Counts from the first difference to where the sides are equal again and either no span is open or those that are
    /// open began together. Gives the place of the next token, and the violations of gold and of pred.
    #[inline]
    fn side_by_side(
        &mut self,
        gold: &[u8],
        pred: &[u8],
        first: usize,
        differing: &mut u64,
    ) -> (usize, [u64; 2]) {
        let mut before = (gold[first - 1], pred[first - 1]);
        let mut together = CLOSE;
        let mut violations = [0; 2];
        for (at, here) in (first..).zip(
            gold[first..]
                .iter()
                .copied()
                .zip(pred[first..].iter().copied()),
        ) {
            let (gold_at, pred_at) = (Self::place(before.0, here.0), Self::place(before.1, here.1));
            let (g, p) = (self.steps[gold_at], self.steps[pred_at]);
            self.gold[gold_at] += 1;
            self.pred[pred_at] += 1;
            if (g | p) & VIOLATION != 0 {
                violations[0] += u64::from(self.wrong[gold_at]);
                violations[1] += u64::from(self.wrong[pred_at]);
            }
            let both = g & p & together & CLOSE;
            let met = &mut self.met[usize::from(before.0) % SIDE];
            met[usize::from(before.1) % SIDE] += u64::from(both);
            together = if here.0 & FIRST != 0 {
                // Nothing is open any more, and what opens here opens where both sides begin.
                CLOSE
            } else if (g | p) & OPEN != 0 {
                (g & p & OPEN) / OPEN * CLOSE
            } else {
                together
            };
            *differing += u64::from(here.0 != here.1);
            // After an outside tag no span is open on either side.
            let outside = self.outside[usize::from(here.0) % SIDE];
            if here.0 == here.1 && (outside || together != 0) {
                return (at + 1, violations);
            }
            before = here;
        }
        (gold.len(), violations)
    }

    /// Adds what was counted to `counts` and begins anew.
    fn take(&mut self, counts: &mut TagCounts, types: usize) {
        counts.fit(types);
        let corpus = std::mem::take(&mut self.corpus);
        if corpus.sentences == 0 {
            return;
        }
        let (mut gold_labelled, mut pred_labelled) = (0, 0);
        for before in self.tags() {
            let ty = self.types[usize::from(before) % SIDE] as usize;
            let labelled = u64::from(!self.outside[usize::from(before) % SIDE]);
            for here in self.tags().flat_map(|here| [here, here | FIRST]) {
                let at = Self::place(before, here);
                let all: u64 = std::mem::take(&mut self.all[at]).iter().sum();
                let gold = std::mem::take(&mut self.gold[at]);
                let pred = std::mem::take(&mut self.pred[at]);
                gold_labelled += labelled * (all - pred + gold);
                pred_labelled += labelled * all;
                if self.steps[at] & CLOSE != 0 && before != BORDER && all + gold > 0 {
                    let of_type = counts.of_type(ty as u32);
                    let equal = all - pred;
                    of_type.gold += equal + gold;
                    of_type.pred += all;
                    of_type.tp += equal;
                }
            }
            for other in self.tags() {
                let met = &mut self.met[usize::from(before) % SIDE][usize::from(other) % SIDE];
                let met = std::mem::take(met);
                let other = self.types[usize::from(other) % SIDE];
                if met > 0 && ty == other as usize {
                    counts.types[ty].tp += met;
                } else if met > 0 {
                    *counts.confused.entry((ty as u32, other)).or_default() += met;
                }
            }
        }
        self.violations = 0;
        counts.corpus.sentences += corpus.sentences;
        counts.corpus.tokens += corpus.tokens;
        counts.corpus.correct_tokens += corpus.correct_tokens;
        counts.corpus.gold_labelled += gold_labelled;
        counts.corpus.pred_labelled += pred_labelled;
    }
}

/// A bit for each pair of neighbours that is not (`common`, `common`) within a sentence.
#[inline(always)]
fn differing(befores: &[u8; GROUP], heres: &[u8; GROUP], common: u8) -> u64 {
    let mut odd = [0_u8; GROUP];
    for (odd, (&before, &here)) in odd.iter_mut().zip(befores.iter().zip(heres)) {
        // Whether the first of the pair begins a sentence does not matter.
        *odd = u8::from((before & !FIRST != common) | (here != common));
    }
    let (words, _) = odd.as_chunks::<8>();
    words.iter().rev().fold(0, |bits, word| {
        // Multiplying moves the eight low bits into the top byte, in order.
        let top = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | top
    })
}

/// The first place from `from` on where the sides differ.
#[inline]
fn difference(gold: &[u8], pred: &[u8], from: usize) -> Option<usize> {
    /// Tokens that are compared at once: sides agree for about a hundred tokens.
    const WIDE: usize = 32;
    const WORD: usize = size_of::<u64>();
    let mut at = from;
    while let (Some(g), Some(p)) = (chunk::<WIDE>(gold, at), chunk::<WIDE>(pred, at))
        && g == p
    {
        at += WIDE;
    }
    while let (Some(g), Some(p)) = (chunk::<WORD>(gold, at), chunk::<WORD>(pred, at)) {
        let odd = u64::from_le_bytes(*g) ^ u64::from_le_bytes(*p);
        if odd != 0 {
            return Some(at + (odd.trailing_zeros() / u8::BITS) as usize);
        }
        at += WORD;
    }
    (at..gold.len()).find(|&at| gold[at] != pred[at])
}

/// The `N` bytes from a place on, if there are so many.
#[inline(always)]
fn chunk<const N: usize>(side: &[u8], at: usize) -> Option<&[u8; N]> {
    side.get(at..)?.first_chunk()
}
