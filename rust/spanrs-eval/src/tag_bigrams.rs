//! Counting exact matches from histograms of tag bigrams.
//!
//! For readings whose decisions depend only on a tag and the previous one (conlleval, refuse,
//! seqeval), the spans of one side are determined by its pairs of neighbouring tags: a pair with
//! [`CLOSE`] ends a span of the type of its first tag. Counting pairs takes one addition per token
//! and no branch.
//!
//! Finding spans that are equal on both sides requires both sides at once. Where both sides have
//! the same tags, their spans are equal. The steps are:
//!
//! 1. One histogram counts all pairs of pred (`all`).
//! 2. The sides are compared many tokens at a time. From each difference they are walked side by
//!    side until they are equal again and no earlier span is open on only one side; the pairs on
//!    the way are counted separately (`gold`, `pred`), and spans that begin and end together are
//!    counted in `met`.
//! 3. When a document ends, the tables are evaluated ([`TagBigramCounter::take`]): `all - pred` are
//!    the pairs that both sides share, `all - pred + gold` the pairs of gold.
//!
//! A worked example, with the pairs of each side (`#` is the border of the sentence):
//!
//! | | tags | pairs |
//! |---|---|---|
//! | gold | `B-A I-A O B-B` | `(#, B-A) (B-A, I-A) (I-A, O) (O, B-B) (B-B, #)` |
//! | pred | `B-A I-A O O` | `(#, B-A) (B-A, I-A) (I-A, O) (O, O) (O, #)` |
//!
//! The sides differ at the last tag. `all` counts the pairs of pred, `pred` the last two pairs of
//! pred, and `gold` the last two pairs of gold. The shared pair `(I-A, O)` closes a span: one match
//! of `A`. `(B-B, #)` closes a span only in gold: one missed `B`.
//!
//! The other readings (strict, discard, ncrfpp) read well-formed sentences in the same way as
//! conlleval (tested in spanrs-tags), so only sentences with violations, which
//! [`TagBigramCounter::malformed`] finds, must be walked.
//!
//! Time is linear in the number of tokens, plus the square of the number of tags for each document.
//! The tables take 0.1 MB for up to 31 tags and 1.8 MB for up to 127.

use std::ops::Range;

use spanrs_tags::{Bigrams, CLOSE, OPEN, Reader, Reading, VIOLATION};

use crate::first_difference::first_difference;
use crate::tag_block::{BORDER, FIRST};
use crate::tag_counts::{Corpus, TagCounts};

/// Number of codes of the small tables, including the border. This is a power of two, so that masks
/// replace bounds checks.
const FEW: usize = 32;
/// Number of codes of the large tables.
const MANY: usize = BORDER as usize + 1;
/// Number of variants of the second tag of a pair: inside a sentence, or first in a sentence.
const NEXT: usize = 2;
/// Number of counters per pair. Additions to the same counter depend on each other, so neighbouring
/// tokens use different counters.
const BANKS: usize = 4;
/// Blocks with at least this many tokens per illegal pair are checked for violations once, with the
/// histogram; smaller blocks are checked per token.
const LARGE: usize = 4;
/// Number of pairs of neighbours that are numbered before they are counted.
const STRIDE: usize = 256;
/// Number of pairs of neighbours that are counted between two calls of `meanwhile`.
const FETCH: usize = 64;
/// Number of pairs of neighbours that are compared with the most common pair at once.
const GROUP: usize = 64;

/// Counts the sentences of one reader, in tables of two sizes: clearing large tables costs more
/// than counting a small corpus.
#[derive(Clone, Debug)]
pub(crate) enum TagBigramCounter {
    /// For readers with at most 31 tags.
    Few(Box<Tables<FEW, { FEW * FEW * NEXT }>>),
    /// For readers with at most 127 tags.
    Many(Box<Tables<MANY, { MANY * MANY * NEXT }>>),
}

impl TagBigramCounter {
    /// Creates a counter for the tags of a reader; None if the reading depends on earlier tags even
    /// in well-formed sentences, or if there are too many tags.
    pub(crate) fn new(reader: &Reader) -> Option<Self> {
        reader.gold().bigrams()?;
        let few = || Some(Self::Few(Box::new(Tables::new(reader)?)));
        let many = || Some(Self::Many(Box::new(Tables::new(reader)?)));
        few().or_else(many)
    }

    /// Registers the tags that were added to the reader. Returns false if there are too many for
    /// the tables; the caller must then take the counts so far.
    #[inline]
    pub(crate) fn fits(&mut self, reader: &Reader) -> bool {
        match self {
            Self::Few(tables) => tables.fits(reader),
            Self::Many(tables) => tables.fits(reader),
        }
    }

    /// Counts `sentences` sentences. Both sides have a border before the first sentence and a
    /// marked border after the last one, as in [`TagBlock`](crate::TagBlock). Returns the numbers
    /// of violations of gold and of pred.
    ///
    /// `meanwhile` is called with ranges of tokens that have just been counted, so that the caller
    /// can prefetch.
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

    /// Returns whether sentences with violations must not be counted here, because the tables are
    /// valid only for well-formed sentences.
    #[inline]
    pub(crate) fn only_well_formed(&self) -> bool {
        match self {
            Self::Few(tables) => tables.only_well_formed,
            Self::Many(tables) => tables.only_well_formed,
        }
    }

    /// Subtracts `sentences` and `tokens` that were replaced by borders and counted elsewhere, but
    /// will be counted here as equal on both sides.
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

    /// Appends the positions of tags on either side that violate the scheme together with the
    /// previous tag. Positions are in any order, and some may occur twice.
    ///
    /// At the first tag of a sentence, the violation may belong to the previous sentence (its last
    /// span was not ended).
    pub(crate) fn malformed(&self, gold: &[u8], pred: &[u8], places: &mut Vec<usize>) {
        match self {
            Self::Few(tables) => tables.malformed(gold, pred, places),
            Self::Many(tables) => tables.malformed(gold, pred, places),
        }
    }

    /// Adds all counts to `counts`, whose tables are enlarged to `types` types, and resets them to
    /// 0.
    pub(crate) fn take(&mut self, counts: &mut TagCounts, types: usize) {
        match self {
            Self::Few(tables) => tables.take(counts, types),
            Self::Many(tables) => tables.take(counts, types),
        }
    }
}

/// Counts for fewer than `SIDE` tags. There are `PLACES` = `SIDE` * `SIDE` * [`NEXT`] pairs of
/// neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Tables<const SIDE: usize, const PLACES: usize> {
    /// Number of the reader's tags that are in the tables.
    tags: usize,
    /// The bits [`CLOSE`], [`OPEN`] and [`VIOLATION`] of each pair. At the first tag of a sentence
    /// they combine the end of the previous sentence and the start of this one.
    steps: [u8; PLACES],
    /// The number of violations of each pair.
    wrong: [u8; PLACES],
    /// The type id of each tag.
    types: [u32; SIDE],
    /// Whether each tag is outside; true for the border.
    outside: [bool; SIDE],
    /// Whether no span is open after an outside tag. False for the readings of seqeval, which keep
    /// the start of a span until the next start.
    outside_ends_spans: bool,
    /// The code that most often follows itself: `O`, or the border if there is no `O`. This code
    /// followed by itself is never a violation.
    common: u8,
    /// The pairs with violations.
    illegal: Vec<u16>,
    /// Violation total of pred at the end of the previous block.
    violations: u64,
    /// See [`TagBigramCounter::only_well_formed`].
    only_well_formed: bool,
    /// Number of occurrences of each pair in pred. The counters of the banks are adjacent.
    all: Box<[[u64; BANKS]; PLACES]>,
    /// Number of occurrences of each pair in gold where the sides differ.
    gold: Box<[u64; PLACES]>,
    /// Number of occurrences of each pair in pred where the sides differ.
    pred: Box<[u64; PLACES]>,
    /// Number of spans with equal bounds where the sides differ, by the last tags in gold and pred.
    met: Box<[[u64; SIDE]; SIDE]>,
    /// Totals except for labelled tokens, which are computed from the pairs.
    corpus: Corpus,
}

/// Allocates an array on the heap without a copy on the stack.
fn filled<T: Copy, const N: usize>(with: T) -> Box<[T; N]> {
    let filled = vec![with; N].into_boxed_slice();
    // The vector has this length, so the fallback is never used.
    filled.try_into().unwrap_or_else(|_| Box::new([with; N]))
}

impl<const SIDE: usize, const PLACES: usize> Tables<SIDE, PLACES> {
    /// Returns the number of a pair of neighbours. The border is the last code in tables of either
    /// size.
    #[inline(always)]
    fn number(before: u8, here: u8) -> u16 {
        let side = SIDE as u16;
        let (begins, here) = (u16::from(here / FIRST), u16::from(here) % side);
        (u16::from(before) % side * NEXT as u16 + begins) * side + here
    }

    /// Returns the index of a pair of neighbours in the tables.
    #[inline(always)]
    fn place(before: u8, here: u8) -> usize {
        usize::from(Self::number(before, here)) % PLACES
    }

    /// Creates tables with all tags of the reader; None if there are too many tags.
    fn new(reader: &Reader) -> Option<Self> {
        let mut counter = Self {
            tags: 0,
            steps: [0; PLACES],
            wrong: [0; PLACES],
            types: [0; SIDE],
            outside: [true; SIDE],
            outside_ends_spans: !matches!(
                reader.reading(),
                Reading::Seqeval | Reading::SeqevalStrict
            ),
            common: BORDER,
            illegal: Vec::new(),
            violations: 0,
            only_well_formed: reader.gold().bigrams() == Some(Bigrams::OfWellFormed),
            all: filled([0; BANKS]),
            gold: filled(0),
            pred: filled(0),
            met: filled([0; SIDE]),
            corpus: Corpus::default(),
        };
        counter.fits(reader).then_some(counter)
    }

    /// Adds the tags that are new in the reader's vocabulary; returns false if there are too many.
    #[inline]
    fn fits(&mut self, reader: &Reader) -> bool {
        self.tags == reader.tags().len() || self.learn(reader)
    }

    /// Fills the tables for all tags of the reader. Returns false if there are too many.
    ///
    /// A pair whose second tag is the first of a sentence combines the end of the previous sentence
    /// with the start of this sentence: their steps are combined and their violations added. This
    /// takes time proportional to the square of the number of tags, and is done only when there are
    /// new tags.
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
            let step = reader.gold().between(before, here).unwrap_or_default();
            (
                step & !VIOLATION,
                reader.gold().violations_between(before, here),
            )
        };
        for before in self.tags() {
            for here in self.tags() {
                // The first tag of a sentence also ends the previous sentence.
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
            self.types[usize::from(before) % SIDE] =
                tag(before).map_or(0, |id| reader.gold().type_of(id));
            self.outside[usize::from(before) % SIDE] =
                tag(before).is_none_or(|id| reader.gold().is_outside(id));
        }
        let outside = |&tag: &u8| self.outside[usize::from(tag)];
        self.common = (0..known as u8).find(outside).unwrap_or(BORDER);
        self.violations = self.violations();
        true
    }

    /// Iterates over the codes of the known tags and the border.
    fn tags(&self) -> impl Iterator<Item = u8> + use<SIDE, PLACES> {
        (0..self.tags as u8).chain([BORDER])
    }

    /// Counts sentences; see [`TagBigramCounter::count`].
    #[inline]
    fn count(
        &mut self,
        gold: &[u8],
        pred: &[u8],
        sentences: usize,
        meanwhile: impl Fn(Range<usize>),
    ) -> [u64; 2] {
        let of_pred = self.count_pred(pred, meanwhile);
        // Equal parts of the sides have the same violations.
        let mut of_gold = of_pred;
        let mut differing = 0;
        let mut next = 1;
        while let Some(first) = first_difference(gold, pred, next) {
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

    /// Counts the pairs of neighbours in pred and returns the number of violations.
    ///
    /// For blocks that are large relative to the number of illegal pairs, this number is computed
    /// from the histogram, as the difference from the previous total.
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

    /// Returns the number of violations in all pairs of pred counted so far.
    fn violations(&self) -> u64 {
        let places = self.illegal.iter().map(|&at| usize::from(at) % PLACES);
        places
            .map(|at| u64::from(self.wrong[at]) * self.all[at].iter().sum::<u64>())
            .sum()
    }

    /// Appends the positions of violations; see [`TagBigramCounter::malformed`]. Gold is searched
    /// only where it differs from pred.
    fn malformed(&self, gold: &[u8], pred: &[u8], places: &mut Vec<usize>) {
        if self.illegal.is_empty() {
            return;
        }
        let groups = (1..gold.len()).step_by(GROUP);
        for start in groups {
            let range = start..(start + GROUP).min(gold.len());
            self.malformed_of(pred, range.clone(), places);
            // The violation may involve the tag before the group.
            let with_before = range.start - 1..range.end;
            if gold[with_before.clone()] != pred[with_before] {
                self.malformed_of(gold, range, places);
            }
        }
    }

    /// Appends the positions in a range of one side. In a range of [`GROUP`] pairs, the common tag
    /// followed by itself is skipped for all pairs at once, because it is legal; ranges of other
    /// lengths are searched pair by pair.
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

    /// Counts the pairs of neighbours on one side; returns the number of violations if `WRONG`,
    /// else 0.
    ///
    /// Pairs are numbered [`STRIDE`] at a time in a loop that the compiler vectorises, then counted
    /// in [`BANKS`] counters in turn, so that additions for equal pairs (`O O O`) do not wait for
    /// each other. `meanwhile` is called after each stride with the range of pairs.
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

    /// Walks both sides from the first difference to the position where the sides are equal again
    /// and either no span is open or the open spans began together.
    ///
    /// Two spans have equal bounds if both begin at the same token and both end at the same token,
    /// and no span begins on only one side in between. `together` records this: it is set where
    /// both sides begin a span or a sentence, and cleared where only one side begins a span. It is
    /// set at the start, because the sides were equal before. After the last difference the walk
    /// may stop as soon as `together` is set, or where both sides have the same outside tag and
    /// outside tags end all spans (`outside_ends_spans`): from there on, the histogram of pred
    /// counts the sides as equal.
    ///
    /// Adds the number of tokens with different tags to `differing`. Returns the position of the
    /// next token, and the violations of gold and of pred on the way.
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
                // No span is open any more, and both sides begin a sentence here.
                CLOSE
            } else if (g | p) & OPEN != 0 {
                (g & p & OPEN) / OPEN * CLOSE
            } else {
                together
            };
            *differing += u64::from(here.0 != here.1);
            let outside = self.outside_ends_spans && self.outside[usize::from(here.0) % SIDE];
            if here.0 == here.1 && (outside || together != 0) {
                return (at + 1, violations);
            }
            before = here;
        }
        (gold.len(), violations)
    }

    /// Adds all counts to `counts` and resets them to 0; see [`TagBigramCounter::take`].
    ///
    /// For each pair of tags, `all - pred` is the number of occurrences on both sides at once, and
    /// adding `gold` gives the number of occurrences in gold. A pair that closes a span, whose type
    /// is that of the first tag, counts:
    ///
    /// | number | added to |
    /// |---|---|
    /// | `all - pred` | spans of gold, spans of pred, true positives |
    /// | `gold` | spans of gold |
    /// | `pred` | spans of pred |
    ///
    /// Spans that met where the sides differ are true positives if their types are equal, else
    /// pairs of confused types.
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

/// Returns a bit for each pair of neighbours that is not (`common`, `common`) within a sentence;
/// bit 0 is the first pair. The pairs are compared as bytes, and a multiplication then gathers
/// eight results at a time.
#[inline(always)]
fn differing(befores: &[u8; GROUP], heres: &[u8; GROUP], common: u8) -> u64 {
    let mut odd = [0_u8; GROUP];
    for (odd, (&before, &here)) in odd.iter_mut().zip(befores.iter().zip(heres)) {
        // The first tag of the pair may or may not begin a sentence.
        *odd = u8::from((before & !FIRST != common) | (here != common));
    }
    let (words, _) = odd.as_chunks::<8>();
    words.iter().rev().fold(0, |bits, word| {
        // The multiplication moves the eight low bits into the top byte, in order.
        let top = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | top
    })
}
