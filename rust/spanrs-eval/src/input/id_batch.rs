//! Counting flat arrays of integer ids: arrays of labels, and columns that point into a dictionary.
//!
//! Ids are converted to bytes, a few thousand at a time, and counted in blocks ([`TagBlock`]) if
//! the reading and the number of tags allow that; otherwise sentence by sentence.
//!
//! | id of gold | id of pred | token |
//! |---|---|---|
//! | a tag | a tag | counted |
//! | `ignore` | anything | skipped on both sides |
//! | a tag | no tag | error |
//! | no tag | anything | error |
//!
//! Skipped tokens do not count in positions.
//!
//! Threads process ranges of whole documents and count into parts of the scorer, which are added in order, so the
//! result does not depend on the number of threads. If several ranges have errors, the error of the first range is
//! reported.

use std::ops::Range;

use spanrs_base::{Watch, Worker};
use spanrs_tags::{Evidence, Reader};

use super::ids::{NULL, bad_id, no_tag, with_ids};
use super::narrow::{Codes, LAST, NO_TAG, fetch_range, narrow};
use super::{DocumentEnds, Ends, Id, IdSlice, InputError, Sentences};
use crate::parallel::count_parts;
use crate::scorer::Scorer;
use crate::side::Side;
use crate::tag_block::TagBlock;

/// The result of this module's functions.
type Result<T> = std::result::Result<T, InputError>;

/// Number of tokens that are converted to bytes together.
const RUN: usize = 1 << 12;
/// Number of runs between two checks of whether to stop.
const PAUSE: usize = 1 << 8;
/// Minimum average number of tokens per thread.
const MIN_TOKENS: usize = 1 << 12;

/// Ids of both sides of a corpus, each side with its own numbering. See the [module](super) for an
/// example.
///
/// The arrays may have different integer types. They are only read, so arrays of NumPy or Arrow can be used without a
/// copy.
#[derive(Clone, Copy, Debug)]
pub struct IdBatch<'a> {
    /// Ids of gold.
    pub gold: IdSlice<'a>,
    /// Ids of pred, as many as ids of gold.
    pub pred: IdSlice<'a>,
    /// The sentence boundaries in both arrays.
    pub cut: Sentences<'a, i64>,
    /// The reader's tag id of each id of gold.
    pub gold_numbers: &'a [u32],
    /// The reader's tag id of each id of pred.
    pub pred_numbers: &'a [u32],
    /// Tokens with this gold id are skipped.
    pub ignore: i64,
    /// Number of sentences before this batch, for messages and documents.
    pub first: usize,
    /// Whether [`NULL`] means a missing tag, so that messages do not call it an id.
    pub nulls: bool,
    /// The document boundaries, in sentences including those before this batch.
    pub documents: Option<&'a DocumentEnds>,
    /// Called at intervals in the calling thread.
    pub watch: Watch,
}

impl IdBatch<'_> {
    /// Adds the tags of a side to the evidence for a scheme, in whole sentences, until `most` tokens are reached.
    /// Returns whether these were all sentences.
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
    ///     gold: (&[0_u8, 1, 1, 0]).into(),
    ///     pred: (&[0_u8, 0, 0, 0]).into(),
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
    /// - [`InputError::Interrupted`] if the watch requests a stop.
    pub fn count(&self, reader: &Reader, scorer: &mut Scorer, threads: usize) -> Result<()> {
        let parts = self.whole_documents(self.cut.split(threads, MIN_TOKENS));
        count_parts(
            scorer,
            reader,
            &parts,
            self.watch,
            |range, scorer, worker| Part { batch: self, range }.count(reader, scorer, worker),
        )
    }

    /// Moves the ends of parts to the next ends of documents, so that no document is split between threads; parts that
    /// become empty are dropped. Without documents, the parts are unchanged.
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

    /// Replaces `gold` and `pred` by the reader's tag ids of sentence `at` (0-based in the batch), whose ids are at
    /// `range` in the arrays, without ignored tokens.
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
            let (g, p) = (self.gold.value(place), self.pred.value(place));
            if g == self.ignore {
                continue;
            }
            // A negative id becomes a number larger than any vocabulary. An id of 2^32 or more is not truncated where
            // usize has 32 bits.
            let index = |id: i64| usize::try_from(id as u64).unwrap_or(usize::MAX);
            let number = |numbers: &[u32], id: i64| numbers.get(index(id)).copied();
            let wrong = |side, exact, tags: &[u32]| {
                let sentence = self.first + at;
                if self.nulls && exact == i128::from(NULL) {
                    no_tag(side, sentence, token)
                } else {
                    bad_id(side, sentence, token, exact, tags.len())
                }
            };
            let Some(g) = number(self.gold_numbers, g) else {
                return Err(wrong("gold", self.gold.exact(place), self.gold_numbers));
            };
            let Some(p) = number(self.pred_numbers, p) else {
                return Err(wrong("pred", self.pred.exact(place), self.pred_numbers));
            };
            gold.push(g);
            pred.push(p);
        }
        Ok(())
    }
}

/// A range of sentences of a batch, counted by one thread.
struct Part<'a> {
    /// The batch.
    batch: &'a IdBatch<'a>,
    /// The sentences, 0-based in the batch.
    range: Range<usize>,
}

impl Part<'_> {
    /// Counts the sentences, in blocks if possible.
    fn count(&self, reader: &Reader, scorer: &mut Scorer, worker: &mut Worker<'_>) -> Result<()> {
        let numbers = [self.batch.gold_numbers, self.batch.pred_numbers];
        let few = numbers.iter().all(|numbers| numbers.len() < LAST as usize);
        if few && scorer.prepare_blocks(reader) {
            self.blocks(reader, scorer, worker)
        } else {
            self.sentences(reader, scorer, worker)
        }
    }

    /// Returns the ends of documents from the first sentence of the part on.
    fn ends(&self) -> Option<Ends<'_>> {
        let documents = self.batch.documents?;
        Some(documents.from(self.batch.first + self.range.start))
    }

    /// Counts one sentence at a time, for every reading and any number of tags.
    fn sentences(
        &self,
        reader: &Reader,
        scorer: &mut Scorer,
        worker: &mut Worker<'_>,
    ) -> Result<()> {
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
            if at % (PAUSE * 64) == 0 {
                worker.check()?;
            }
        }
        Ok(())
    }

    /// Counts sentences in blocks.
    ///
    /// For each run of whole sentences with about [`RUN`] tokens:
    ///
    /// 1. Convert the ids of both sides to bytes ([`narrow`]).
    /// 2. If some ids have no tag or are ignored, remove the ignored ids and check whether unknown ids remain
    ///    ([`drop_ignored`]). A sentence with an unknown id is read again to describe the error.
    /// 3. Add the sentences to the block, with the ends of documents between them ([`end_documents`]). With documents,
    ///    ids are first converted in a separate block, because borders must be inserted between the sentences.
    /// 4. If the block is full, count it and prefetch the ids that are converted next.
    ///
    /// Whether to stop is checked every [`PAUSE`] runs.
    ///
    /// # Errors
    /// The errors of [`IdBatch::count`].
    fn blocks(&self, reader: &Reader, scorer: &mut Scorer, worker: &mut Worker<'_>) -> Result<()> {
        let batch = self.batch;
        let gold_codes = Codes::new(batch.gold_numbers, batch.ignore);
        let pred_codes = Codes::new(batch.pred_numbers, i64::MIN);
        let mut block = TagBlock::default();
        // The block in which ids are converted to bytes before document borders are inserted.
        let (mut staging, mut ends) = (TagBlock::default(), self.ends());
        let mut sentence = self.range.start;
        let mut start = batch.cut.start(sentence);
        let mut lengths = Vec::new();
        for run in 1.. {
            let end = start + batch.cut.run(sentence..self.range.end, RUN, &mut lengths);
            if lengths.is_empty() {
                break;
            }
            let (gold, pred) = (batch.gold.range(start..end), batch.pred.range(start..end));
            let (g, p) = match &ends {
                None => block.reserve(end - start),
                Some(_) => staging.reserve(end - start),
            };
            let clean = narrow((gold, pred), (&gold_codes, &pred_codes), (g, p));
            if !clean
                && let Err(bad) =
                    with_ids!(gold, ids => drop_ignored(ids, batch.ignore, (g, p), &mut lengths))
            {
                // Reading the sentence again returns the error.
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
                // Counting is not limited by memory bandwidth, so the ids of the next block are prefetched meanwhile.
                let fetch = |tokens: Range<usize>| {
                    let tokens = end + tokens.start..end + tokens.end;
                    fetch_range((batch.gold, batch.pred), tokens);
                };
                scorer.add_block_and(reader, &mut block, |_, _, _| 0, fetch);
            }
            scorer.check()?;
            if run % PAUSE == 0 {
                worker.check()?;
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

/// Removes the ignored tokens, and changes the lengths of the sentences accordingly.
///
/// `ids` are the ids of gold; `gold` and `pred` are the bytes of both sides. Padding at the end of a sentence is
/// skipped at once. Every other token is copied to the next free position, which advances only if the token is kept, so
/// there is no branch to mispredict.
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
        // Most ignored tokens are padding.
        let padding = gold[start..end].iter().rev();
        let padding = padding.take_while(|&&byte| byte == NO_TAG).count();
        let padded = &ids[end - padding..end];
        let mut bad = u8::from(padded.iter().any(|id| id.value() != ignore));
        let first = kept;
        for at in start..end - padding {
            // Branch-free, because ignored tokens are hard to predict.
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
