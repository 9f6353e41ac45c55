//! Counting flat arrays of integer ids: arrays of labels, and columns that point into a dictionary.
//!
//! Ids are converted to bytes, a few thousand at a time, and counted in blocks ([`TagBlock`]) if
//! the reading and the number of tags allow that; otherwise sentence by sentence. The conversion to
//! bytes is limited by memory, so it uses the widest vectors of the processor and prefetches both
//! arrays; the next stretch is fetched while a block is counted.
//!
//! | id of gold | id of pred | token |
//! |---|---|---|
//! | a tag | a tag | counted |
//! | `ignore` | anything | left out on both sides |
//! | a tag | no tag | error |
//! | no tag | anything | error |
//!
//! Tokens that are left out do not count in positions.
//!
//! Threads take ranges of whole documents and count into parts of the scorer, which are added in
//! order, so the result does not depend on the number of threads. Of several errors, that of the
//! first range is reported.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use prefetch_index::prefetch_index;
use spanrs_base::Watch;
use spanrs_tags::{Evidence, Reader};

use super::ids::{NULL, bad_id, no_tag};
use super::{DocumentEnds, Ends, Id, InputError, Sentences};
use crate::parallel::count_parts;
use crate::scorer::{Scorer, Side};
use crate::tag_block::TagBlock;

/// The result of this module's functions.
type Result<T> = std::result::Result<T, InputError>;

/// Number of tokens that are converted to bytes together.
const RUN: usize = 1 << 12;
/// Number of runs between two calls of the watch.
const PAUSE: usize = 1 << 8;
/// Minimum number of tokens per thread.
const MIN_TOKENS: usize = 1 << 12;
/// The byte of an id without a tag, or of one to be ignored.
const NO_TAG: u8 = 0x80;
/// Number of ids that are converted to bytes in one step.
const LANES: usize = 64;
/// Prefetch distance in bytes.
const AHEAD: usize = 2048;
/// Size of a cache line in bytes.
const LINE: usize = 64;
/// Last index of the table of [`Codes`], which stands for all ids beyond it.
const LAST: u64 = 255;

/// The byte of each id of one side.
struct Codes {
    /// By id: the reader's tag id, or [`NO_TAG`].
    table: [u8; LAST as usize + 1],
    /// Number of ids of the caller's vocabulary.
    tags: usize,
    /// Whether every id is its own byte, so that no table is needed.
    is_identity: bool,
}

impl Codes {
    /// Builds the table for fewer than [`LAST`] ids; `ignore` gets [`NO_TAG`].
    fn new(numbers: &[u32], ignore: i64) -> Self {
        let mut table = [NO_TAG; LAST as usize + 1];
        for (id, (code, &number)) in table.iter_mut().zip(numbers).enumerate() {
            if id as i64 != ignore {
                *code = number as u8;
            }
        }
        let is_identity = (0..numbers.len()).all(|id| usize::from(table[id]) == id);
        Self {
            table,
            tags: numbers.len(),
            is_identity,
        }
    }
}

/// Ids of both sides of a corpus, each side with its own numbering. See the [module](super) for an
/// example.
///
/// The arrays may have different integer types. They are only read, so they can be those of NumPy
/// or Arrow without a copy.
#[derive(Clone, Copy, Debug)]
pub struct IdBatch<'a, G, P> {
    /// Ids of gold.
    pub gold: &'a [G],
    /// Ids of pred, as many as of gold.
    pub pred: &'a [P],
    /// Where sentences begin and end in both arrays.
    pub cut: Sentences<'a, i64>,
    /// The reader's tag id of each id of gold.
    pub gold_numbers: &'a [u32],
    /// The reader's tag id of each id of pred.
    pub pred_numbers: &'a [u32],
    /// Tokens whose gold id equals this are left out.
    pub ignore: i64,
    /// Number of sentences before this batch, for messages and documents.
    pub first: usize,
    /// Whether [`NULL`] stands for a tag that is missing, so that messages do not call it an id.
    pub nulls: bool,
    /// Where documents end, in sentences that include those before this batch.
    pub documents: Option<&'a DocumentEnds>,
    /// Asked at intervals by the calling thread.
    pub watch: Watch,
}

impl<G: Id, P: Id> IdBatch<'_, G, P> {
    /// Adds the tags of a side to the evidence for a scheme, from whole sentences until `most`
    /// tokens are reached. Returns whether these were all sentences.
    ///
    /// # Errors
    /// [`InputError::UnknownId`] for an id of either side without a tag.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::Side;
    /// use spanrs_eval::input::{IdBatch, Sentences};
    /// use spanrs_tags::Evidence;
    /// let batch = IdBatch {
    ///     gold: &[0_u8, 1, 1, 0],
    ///     pred: &[0_u8, 0, 0, 0],
    ///     cut: Sentences::Equal(2, 2),
    ///     gold_numbers: &[0, 1],
    ///     pred_numbers: &[0, 1],
    ///     ignore: -100,
    ///     first: 0,
    ///     nulls: false,
    ///     documents: None,
    ///     watch: || false,
    /// };
    /// let mut evidence = Evidence::default();
    /// assert_eq!(batch.evidence(Side::Gold, 2, &mut evidence).unwrap(), false, "one of two sentences");
    /// assert_eq!(batch.evidence(Side::Gold, 3, &mut evidence).unwrap(), true);
    /// ```
    pub fn evidence(&self, side: Side, most: u64, evidence: &mut Evidence) -> Result<bool> {
        let mut tokens = 0;
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        for (at, range) in self.cut.ranges().enumerate() {
            if tokens >= most {
                return Ok(false);
            }
            self.ids(at, range, &mut gold, &mut pred)?;
            evidence.add(if side == Side::Gold { &gold } else { &pred });
            tokens += gold.len() as u64;
        }
        Ok(true)
    }

    /// Counts all sentences on at most `threads` threads.
    ///
    /// # Errors
    /// - [`InputError::UnknownId`] for the first id without a tag.
    /// - [`InputError::Unmatched`] if the matcher refuses spans.
    /// - [`InputError::Interrupted`] if the watch said stop.
    pub fn count(&self, reader: &Reader, scorer: &mut Scorer, threads: usize) -> Result<()> {
        let parts = self.whole_documents(self.cut.split(threads, MIN_TOKENS));
        let stop = AtomicBool::new(false);
        count_parts(scorer, reader, &parts, |range, scorer| {
            // Only the first part runs on the caller's thread, where Ctrl-C can be seen.
            let main = range.start == 0;
            let part = Part {
                batch: self,
                range,
                stop: StopFlag {
                    watch: main.then_some(self.watch),
                    stop: &stop,
                },
            };
            let done = part.count(reader, scorer);
            if done.is_err() && main {
                stop.store(true, Ordering::Relaxed);
            }
            done
        })
    }

    /// Moves the ends of parts to the next ends of documents, so that no document is divided
    /// between threads; parts that become empty are dropped. Without documents the parts are
    /// unchanged.
    fn whole_documents(&self, parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let Some(documents) = self.documents else {
            return parts;
        };
        let (all, mut start) = (self.cut.len(), 0);
        let mut whole = Vec::new();
        for part in parts {
            let end = documents.next_end(self.first + part.end);
            let end = end.map_or(all, |end| (end - self.first).min(all));
            if end > start || whole.is_empty() {
                whole.push(start..end);
                start = end;
            }
        }
        whole
    }

    /// Replaces `gold` and `pred` by the reader's ids of sentence `at` (0-based in the batch),
    /// whose ids are at `range` of the arrays, without the tokens to ignore.
    ///
    /// # Errors
    /// [`InputError::UnknownId`] with the side, the sentence, the token and the exact id.
    fn ids(
        &self,
        at: usize,
        range: Range<usize>,
        gold: &mut Vec<u32>,
        pred: &mut Vec<u32>,
    ) -> Result<()> {
        gold.clear();
        pred.clear();
        for (token, place) in range.enumerate() {
            let (g, p) = (self.gold[place].value(), self.pred[place].value());
            if g == self.ignore {
                continue;
            }
            // A negative id is a huge one here, and no vocabulary is so large.
            let number = |numbers: &[u32], id: i64| numbers.get(id as usize).copied();
            let wrong = |side, exact, tags: &[u32]| {
                let sentence = self.first + at;
                if self.nulls && exact == i128::from(NULL) {
                    no_tag(side, sentence, token)
                } else {
                    bad_id(side, sentence, token, exact, tags.len())
                }
            };
            let Some(g) = number(self.gold_numbers, g) else {
                return Err(wrong("gold", self.gold[place].exact(), self.gold_numbers));
            };
            let Some(p) = number(self.pred_numbers, p) else {
                return Err(wrong("pred", self.pred[place].exact(), self.pred_numbers));
            };
            gold.push(g);
            pred.push(p);
        }
        Ok(())
    }
}

/// Passes an interrupt of the calling thread on to the other threads.
struct StopFlag<'a> {
    /// The watch; None on threads other than the calling one, which cannot see signals.
    watch: Option<Watch>,
    /// Set when the calling thread has failed.
    stop: &'a AtomicBool,
}

impl StopFlag<'_> {
    /// Returns false if the calling thread has stopped.
    ///
    /// # Errors
    /// [`InputError::Interrupted`] on the calling thread if the watch said stop.
    fn goes_on(&self) -> Result<bool> {
        match self.watch {
            Some(watch) if watch() => Err(InputError::Interrupted),
            _ => Ok(!self.stop.load(Ordering::Relaxed)),
        }
    }
}

/// A range of sentences of a batch, counted by one thread.
struct Part<'a, G, P> {
    /// The batch.
    batch: &'a IdBatch<'a, G, P>,
    /// The sentences, 0-based in the batch.
    range: Range<usize>,
    /// When to stop.
    stop: StopFlag<'a>,
}

impl<G: Id, P: Id> Part<'_, G, P> {
    /// Counts the sentences, in blocks if that is possible.
    fn count(&self, reader: &Reader, scorer: &mut Scorer) -> Result<()> {
        let numbers = [self.batch.gold_numbers, self.batch.pred_numbers];
        let few = numbers.iter().all(|numbers| numbers.len() < LAST as usize);
        if few && scorer.prepare_blocks(reader) {
            self.blocks(reader, scorer)
        } else {
            self.sentences(reader, scorer)
        }
    }

    /// Returns the ends of documents from the first sentence of the part on.
    fn ends(&self) -> Option<Ends<'_>> {
        let documents = self.batch.documents?;
        Some(documents.from(self.batch.first + self.range.start))
    }

    /// Counts one sentence at a time, for every reading and any number of tags.
    fn sentences(&self, reader: &Reader, scorer: &mut Scorer) -> Result<()> {
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        let mut ends = self.ends();
        let ranges = self.batch.cut.ranges_of(self.range.clone());
        for (at, range) in self.range.clone().zip(ranges) {
            self.batch.ids(at, range, &mut gold, &mut pred)?;
            scorer.add(reader, &gold, &pred, |_, _| 0);
            let end = ends
                .as_mut()
                .and_then(|ends| ends.ends_at(self.batch.first + at + 1));
            if let Some(name) = end {
                scorer.end_document(reader, name);
            }
            scorer.check()?;
            if at % (PAUSE * 64) == 0 && !self.stop.goes_on()? {
                break;
            }
        }
        Ok(())
    }

    /// Counts sentences in blocks.
    ///
    /// For each run of whole sentences with about [`RUN`] tokens:
    ///
    /// 1. Convert the ids of both sides to bytes ([`narrow`]).
    /// 2. If some have no tag or are to be ignored, remove the latter and find out whether there
    ///    are others ([`drop_ignored`]). The sentence with an unknown id is read again to describe
    ///    the error.
    /// 3. Add the sentences to the block, with the ends of documents between them
    ///    ([`end_documents`]). With documents, ids are converted in a separate block first, because
    ///    borders have to be put between the sentences.
    /// 4. If the block is full, count it, and prefetch the ids that will be converted next.
    ///
    /// Other threads are told to stop every [`PAUSE`] runs.
    ///
    /// # Errors
    /// Those of [`IdBatch::count`].
    fn blocks(&self, reader: &Reader, scorer: &mut Scorer) -> Result<()> {
        let batch = self.batch;
        let gold_codes = Codes::new(batch.gold_numbers, batch.ignore);
        let pred_codes = Codes::new(batch.pred_numbers, i64::MIN);
        let mut block = TagBlock::default();
        // Where ids are turned to bytes before borders of documents are put between them.
        let (mut staging, mut ends) = (TagBlock::default(), self.ends());
        let mut sentence = self.range.start;
        let mut start = batch.cut.start(sentence);
        let mut lengths = Vec::new();
        for run in 1.. {
            let end = start + batch.cut.run(sentence..self.range.end, RUN, &mut lengths);
            if lengths.is_empty() {
                break;
            }
            let (gold, pred) = (&batch.gold[start..end], &batch.pred[start..end]);
            let (g, p) = match &ends {
                None => block.reserve(end - start),
                Some(_) => staging.reserve(end - start),
            };
            let clean = narrow((gold, pred), (&gold_codes, &pred_codes), (g, p));
            if !clean && let Err(bad) = drop_ignored(gold, batch.ignore, (g, p), &mut lengths) {
                // Says what is wrong.
                let at = sentence + bad;
                let range = batch.cut.start(at)..batch.cut.start(at + 1);
                batch.ids(at, range, &mut Vec::new(), &mut Vec::new())?;
                return Err(InputError::UnknownId {
                    message: format!(
                        "the ids of sentence {at} were changed while they were counted"
                    ),
                });
            }
            match &mut ends {
                None => block.end_all(&lengths),
                Some(ends) => {
                    let first = batch.first + sentence;
                    end_documents(&mut staging, first, &lengths, ends, &mut block);
                }
            }
            sentence += lengths.len();
            start = end;
            if block.is_full() {
                // Counting waits for no memory, so what will be turned to bytes next is fetched meanwhile.
                let (gold, pred) = (&batch.gold[end..], &batch.pred[end..]);
                let fetch = |tokens: Range<usize>| {
                    for from in tokens.step_by(LANES) {
                        fetch_from(gold, from);
                        fetch_from(pred, from);
                    }
                };
                scorer.add_block_and(reader, &mut block, |_, _, _| 0, fetch);
            }
            scorer.check()?;
            if run % PAUSE == 0 && !self.stop.goes_on()? {
                return Ok(());
            }
        }
        scorer.add_block(reader, &mut block, |_, _, _| 0);
        Ok(())
    }
}

/// Moves sentences with the given lengths from one block to another, ending documents between them.
/// `first` is the number of sentences before them.
#[inline]
fn end_documents(
    from: &mut TagBlock,
    first: usize,
    lengths: &[u32],
    ends: &mut Ends<'_>,
    to: &mut TagBlock,
) {
    let tokens = lengths.iter().map(|&length| length as usize).sum();
    let (gold, pred) = from.reserve(tokens);
    let mut start = 0;
    for (at, &length) in (first + 1..).zip(lengths) {
        let range = start..start + length as usize;
        start = range.end;
        let (g, p) = to.reserve(range.len());
        g.copy_from_slice(&gold[range.clone()]);
        p.copy_from_slice(&pred[range.clone()]);
        to.end(range.len());
        if let Some(name) = ends.ends_at(at) {
            to.end_document(name);
        }
    }
}

/// Removes the tokens to be ignored, and changes the lengths of the sentences accordingly.
///
/// `ids` are those of gold, `gold` and `pred` their bytes. Padding at the end of a sentence is
/// skipped at once; of the other tokens, every one is copied to the next free position, which
/// advances only if the token is kept, so there is no branch to mispredict.
///
/// # Errors
/// The index of the first sentence that has an id without a tag at a token that is not ignored.
#[inline]
fn drop_ignored<G: Id>(
    ids: &[G],
    ignore: i64,
    (gold, pred): (&mut [u8], &mut [u8]),
    lengths: &mut [u32],
) -> std::result::Result<(), usize> {
    let (mut start, mut kept) = (0, 0);
    for (sentence, length) in lengths.iter_mut().enumerate() {
        let end = start + *length as usize;
        // Most of what is ignored is padding.
        let padding = gold[start..end].iter().rev();
        let padding = padding.take_while(|&&byte| byte == NO_TAG).count();
        let padded = &ids[end - padding..end];
        let mut bad = u8::from(padded.iter().any(|id| id.value() != ignore));
        let first = kept;
        for at in start..end - padding {
            // Without a branch, because which tokens are ignored is hard to guess.
            let keep = ids[at].value() != ignore;
            let (g, p) = (gold[at], pred[at]);
            gold[kept] = g;
            pred[kept] = p;
            bad |= (g | p) & if keep { NO_TAG } else { 0 };
            kept += usize::from(keep);
        }
        if bad != 0 {
            return Err(sentence);
        }
        *length = (kept - first) as u32;
        start = end;
    }
    Ok(())
}

/// Converts the ids of both sides to bytes. Returns false if any of them has no tag or is to be
/// ignored; their bytes are [`NO_TAG`].
///
/// If every id of both sides is its own byte (the vocabulary of the caller is that of the reader),
/// ids are truncated with vector instructions; otherwise they are looked up in the tables of
/// [`Codes`].
#[inline]
fn narrow<G: Id, P: Id>(
    (gold, pred): (&[G], &[P]),
    (gold_codes, pred_codes): (&Codes, &Codes),
    (gold_out, pred_out): (&mut [u8], &mut [u8]),
) -> bool {
    if gold_codes.is_identity && pred_codes.is_identity {
        let kernel = Truncate {
            gold,
            pred,
            gold_out: &mut *gold_out,
            pred_out: &mut *pred_out,
        };
        let (gold_largest, pred_largest) = pulp::Arch::new().dispatch(kernel);
        let is_clean = usize::from(gold_largest) < gold_codes.tags
            && usize::from(pred_largest) < pred_codes.tags;
        if !is_clean {
            mask_unknown(gold_codes.tags, gold_out);
            mask_unknown(pred_codes.tags, pred_out);
        }
        is_clean
    } else {
        look_up(gold, gold_codes, gold_out) & look_up(pred, pred_codes, pred_out)
    }
}

/// Converts ids that are their own bytes, with the widest vectors of the processor. Ids of 128 and
/// more, and negative ones, get the bit of [`NO_TAG`]. Both sides are converted together, which
/// keeps two streams of memory busy.
struct Truncate<'a, G, P> {
    gold: &'a [G],
    pred: &'a [P],
    gold_out: &'a mut [u8],
    pred_out: &'a mut [u8],
}

impl<G: Id, P: Id> pulp::NullaryFnOnce for Truncate<'_, G, P> {
    /// The largest byte of each side.
    type Output = (u8, u8);

    // A closure would be compiled for the least instruction set (spanrs-crf, simd.rs).
    #[inline(always)]
    fn call(self) -> (u8, u8) {
        let (gold, pred) = (self.gold, self.pred);
        let (golds, gold_rest) = gold.as_chunks::<LANES>();
        let (preds, pred_rest) = pred.as_chunks::<LANES>();
        let (gold_outs, gold_last) = self.gold_out.as_chunks_mut::<LANES>();
        let (pred_outs, pred_last) = self.pred_out.as_chunks_mut::<LANES>();
        let (mut gold_largest, mut pred_largest) = ([0; LANES], [0; LANES]);
        let chunks = golds.iter().zip(preds);
        let outs = gold_outs.iter_mut().zip(pred_outs);
        for (at, ((one, other), (gold_out, pred_out))) in chunks.zip(outs).enumerate() {
            fetch_from(gold, at * LANES + AHEAD / size_of::<G>());
            fetch_from(pred, at * LANES + AHEAD / size_of::<P>());
            *gold_out = low_bytes(one, &mut gold_largest);
            *pred_out = low_bytes(other, &mut pred_largest);
        }
        for (id, out) in gold_rest.iter().zip(gold_last) {
            [*out] = low_bytes(&[*id], &mut gold_largest);
        }
        for (id, out) in pred_rest.iter().zip(pred_last) {
            [*out] = low_bytes(&[*id], &mut pred_largest);
        }
        let largest = |lanes: [u8; LANES]| lanes.into_iter().fold(0, u8::max);
        (largest(gold_largest), largest(pred_largest))
    }
}

/// Returns the low byte of each id, and raises `largest` to the largest byte by lane. Wide ids, which
/// are to be ignored or outside any vocabulary, get the bit of [`NO_TAG`].
///
/// The bytes are an array of their own, because the compiler vectorises that; a slice that might
/// overlap the ids is written byte by byte.
#[inline(always)]
fn low_bytes<T: Id, const N: usize>(ids: &[T; N], largest: &mut [u8; LANES]) -> [u8; N] {
    let mut bytes = ids.map(T::low);
    if ids.iter().fold(false, |any, id| any | id.is_wide()) {
        for (id, byte) in ids.iter().zip(&mut bytes) {
            *byte |= if id.is_wide() { NO_TAG } else { 0 };
        }
    }
    for (largest, &byte) in largest.iter_mut().zip(&bytes) {
        *largest = byte.max(*largest);
    }
    bytes
}

/// Prefetches the cache lines of [`LANES`] ids.
#[inline(always)]
fn fetch_from<T: Id>(ids: &[T], from: usize) {
    for line in (0..LANES * size_of::<T>()).step_by(LINE) {
        prefetch_index(ids, from + line / size_of::<T>());
    }
}

/// Replaces all bytes without a tag by [`NO_TAG`], that is, those that are not below `tags`.
fn mask_unknown(tags: usize, bytes: &mut [u8]) {
    for byte in bytes {
        *byte = if usize::from(*byte) < tags {
            *byte
        } else {
            NO_TAG
        };
    }
}

/// Converts ids by the table. Returns false if any of them has no tag.
#[inline]
fn look_up<T: Id>(ids: &[T], codes: &Codes, out: &mut [u8]) -> bool {
    let mut all = 0;
    for (id, out) in ids.iter().zip(out) {
        *out = codes.table[(id.value() as u64).min(LAST) as usize];
        all |= *out;
    }
    all & NO_TAG == 0
}
