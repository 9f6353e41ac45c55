//! Counting flat runs of integer ids: arrays, and columns that point into a dictionary.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use spanrs_eval::{Block, Scorer, Side, count_parts};
use spanrs_tags::{Evidence, Reader};

use crate::error::Result;
use crate::ids::{Id, Sentences, bad_id};
use crate::interrupted;

/// Tokens that are turned to bytes together.
const RUN: usize = 1 << 12;
/// Runs between two looks for Ctrl-C.
const PAUSE: usize = 1 << 8;
/// Sentences or so a thread gets at least.
const WORTH: usize = 1 << 12;
/// The byte of an id that is no tag: outside the vocabulary, or to be ignored.
const NO_TAG: u8 = 0x80;
/// Ids that are turned to bytes at once.
const LANES: usize = 16;
/// The last place of the table of [`Codes`] stands for all ids beyond it.
const LAST: u64 = 255;

/// The byte of each id.
struct Codes {
    table: [u8; LAST as usize + 1],
    tags: usize,
    /// Every id is its own byte.
    same: bool,
}

impl Codes {
    fn new(numbers: &[u32], ignore: i64) -> Self {
        let mut table = [NO_TAG; LAST as usize + 1];
        for (id, (code, &number)) in table.iter_mut().zip(numbers).enumerate() {
            if id as i64 != ignore {
                *code = number as u8;
            }
        }
        let same = (0..numbers.len()).all(|id| usize::from(table[id]) == id);
        Self {
            table,
            tags: numbers.len(),
            same,
        }
    }
}

/// One call's worth of ids. Each side has its own numbering; `numbers` are the reader's ids of it.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a, G, P> {
    pub(crate) gold: &'a [G],
    pub(crate) pred: &'a [P],
    pub(crate) cut: Sentences<'a, i64>,
    pub(crate) gold_numbers: &'a [u32],
    pub(crate) pred_numbers: &'a [u32],
    /// Tokens where gold has this are left out.
    pub(crate) ignore: i64,
    /// Sentences that came before.
    pub(crate) first: usize,
}

impl<G: Id, P: Id> Batch<'_, G, P> {
    /// Gathers what speaks for a scheme on a side, from `most` tokens or so; says whether that was all.
    pub(crate) fn evidence(&self, side: Side, most: u64, evidence: &mut Evidence) -> Result<bool> {
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

    /// Counts all sentences on so many threads.
    pub(crate) fn count(&self, reader: &Reader, scorer: &mut Scorer, threads: usize) -> Result<()> {
        let parts = self.cut.split(threads, WORTH);
        let stop = AtomicBool::new(false);
        count_parts(scorer, reader, &parts, |range, scorer| {
            // Only the first part runs on the caller's thread, where Ctrl-C can be seen.
            let main = range.start == 0;
            let part = Part {
                batch: self,
                range,
                watch: Watch { main, stop: &stop },
            };
            let done = part.count(reader, scorer);
            if done.is_err() && main {
                stop.store(true, Ordering::Relaxed);
            }
            done
        })
    }

    /// The reader's ids of a sentence, without the tokens to ignore.
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
            let Some(g) = number(self.gold_numbers, g) else {
                return Err(bad_id(
                    "gold",
                    self.first + at,
                    token,
                    g,
                    self.gold_numbers.len(),
                ));
            };
            let Some(p) = number(self.pred_numbers, p) else {
                return Err(bad_id(
                    "pred",
                    self.first + at,
                    token,
                    p,
                    self.pred_numbers.len(),
                ));
            };
            gold.push(g);
            pred.push(p);
        }
        Ok(())
    }
}

/// Sees Ctrl-C, and tells the other threads.
struct Watch<'a> {
    main: bool,
    stop: &'a AtomicBool,
}

impl Watch<'_> {
    /// False where another thread was interrupted.
    fn goes_on(&self) -> Result<bool> {
        if self.main
            && let Some(error) = interrupted()
        {
            return Err(error.into());
        }
        Ok(!self.stop.load(Ordering::Relaxed))
    }
}

/// A range of sentences of a batch.
struct Part<'a, G, P> {
    batch: &'a Batch<'a, G, P>,
    range: Range<usize>,
    watch: Watch<'a>,
}

impl<G: Id, P: Id> Part<'_, G, P> {
    fn count(&self, reader: &Reader, scorer: &mut Scorer) -> Result<()> {
        let numbers = [self.batch.gold_numbers, self.batch.pred_numbers];
        let few = numbers.iter().all(|numbers| numbers.len() < LAST as usize);
        if few && scorer.takes_blocks(reader) {
            self.blocks(reader, scorer)
        } else {
            self.sentences(reader, scorer)
        }
    }

    /// One sentence at a time, for every reading and any number of tags.
    fn sentences(&self, reader: &Reader, scorer: &mut Scorer) -> Result<()> {
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        let ranges = self.batch.cut.ranges_of(self.range.clone());
        for (at, range) in self.range.clone().zip(ranges) {
            self.batch.ids(at, range, &mut gold, &mut pred)?;
            scorer.add(reader, &gold, &pred, |_, _| 0);
            if at % (PAUSE * 64) == 0 && !self.watch.goes_on()? {
                break;
            }
        }
        Ok(())
    }

    /// Many sentences at a time.
    fn blocks(&self, reader: &Reader, scorer: &mut Scorer) -> Result<()> {
        let batch = self.batch;
        let gold_codes = Codes::new(batch.gold_numbers, batch.ignore);
        let pred_codes = Codes::new(batch.pred_numbers, i64::MIN);
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        let mut block = Block::default();
        let mut ranges = batch.cut.ranges_of(self.range.clone()).peekable();
        let mut sentence = self.range.start;
        let mut lengths = Vec::new();
        for run in 1.. {
            let Some(start) = ranges.peek().map(|range| range.start) else {
                break;
            };
            let mut end = start;
            lengths.clear();
            while end - start < RUN
                && lengths.len() < RUN
                && let Some(range) = ranges.next()
            {
                lengths.push(range.len());
                end = range.end;
            }
            let ids = (&batch.gold[start..end], &batch.pred[start..end]);
            if narrow(ids, (&gold_codes, &pred_codes), (&mut gold, &mut pred)) {
                block.extend(&gold, &pred, lengths.iter().copied());
            } else {
                let mut at = 0;
                for (index, &length) in lengths.iter().enumerate() {
                    let range = at..at + length;
                    at += length;
                    let place = start + range.start..start + range.end;
                    let ids = &batch.gold[place.clone()];
                    let bytes = (&gold[range.clone()], &pred[range]);
                    let Some(kept) = pick(&mut block, ids, batch.ignore, bytes) else {
                        // Says what is wrong.
                        batch.ids(sentence + index, place, &mut Vec::new(), &mut Vec::new())?;
                        continue;
                    };
                    block.end(kept);
                }
            }
            sentence += lengths.len();
            if block.is_full() {
                scorer.add_block(reader, &mut block, |_, _, _| 0);
            }
            if run % PAUSE == 0 && !self.watch.goes_on()? {
                return Ok(());
            }
        }
        scorer.add_block(reader, &mut block, |_, _, _| 0);
        Ok(())
    }
}

/// Puts the tokens of a sentence that are not ignored into the block; gives their number, or None where
/// one of them is no tag.
#[inline]
fn pick<G: Id>(
    block: &mut Block,
    ids: &[G],
    ignore: i64,
    (gold, pred): (&[u8], &[u8]),
) -> Option<usize> {
    let (g, p) = block.room(gold.len());
    let mut kept = 0;
    let mut bad = 0;
    for ((&id, &gold), &pred) in ids.iter().zip(gold).zip(pred) {
        // Without a branch, because which tokens are ignored is hard to guess.
        let keep = id.value() != ignore;
        g[kept] = gold;
        p[kept] = pred;
        bad |= (gold | pred) & if keep { NO_TAG } else { 0 };
        kept += usize::from(keep);
    }
    (bad == 0).then_some(kept)
}

/// Bytes of the ids of both sides; false where one of them is no tag.
#[inline]
fn narrow<G: Id, P: Id>(
    (gold, pred): (&[G], &[P]),
    (gold_codes, pred_codes): (&Codes, &Codes),
    (gold_out, pred_out): (&mut Vec<u8>, &mut Vec<u8>),
) -> bool {
    gold_out.resize(gold.len(), 0);
    pred_out.resize(pred.len(), 0);
    if gold_codes.same && pred_codes.same {
        // Nothing to look up: a loop over whole vectors, which keeps two streams of memory busy.
        let (golds, gold_rest) = gold.as_chunks::<LANES>();
        let (preds, pred_rest) = pred.as_chunks::<LANES>();
        let (gold_outs, gold_last) = gold_out.as_chunks_mut::<LANES>();
        let (pred_outs, pred_last) = pred_out.as_chunks_mut::<LANES>();
        let mut all = [0; LANES];
        for ((g, p), (g_out, p_out)) in golds
            .iter()
            .zip(preds)
            .zip(gold_outs.iter_mut().zip(pred_outs))
        {
            truncate(g, g_out, &mut all);
            truncate(p, p_out, &mut all);
        }
        truncate(gold_rest, gold_last, &mut all);
        truncate(pred_rest, pred_last, &mut all);
        let most = |side: &[u8]| side.iter().fold(0, |most, &byte| byte.max(most));
        if all.iter().fold(0, |all, lane| all | lane) & !i64::from(u8::MAX) == 0
            && usize::from(most(gold_out)) < gold_codes.tags
            && usize::from(most(pred_out)) < pred_codes.tags
        {
            return true;
        }
    }
    (look_up(gold, gold_codes, gold_out) | look_up(pred, pred_codes, pred_out)) & NO_TAG == 0
}

/// Bytes of ids that are their own; or-s the ids into `all`.
#[inline(always)]
fn truncate<T: Id>(ids: &[T], out: &mut [u8], all: &mut [i64; LANES]) {
    for ((id, out), all) in ids.iter().zip(out).zip(all) {
        *out = id.value() as u8;
        *all |= id.value();
    }
}

/// Bytes of ids, and all of them or-ed.
#[inline]
fn look_up<T: Id>(ids: &[T], codes: &Codes, out: &mut [u8]) -> u8 {
    let mut all = 0;
    for (id, out) in ids.iter().zip(out) {
        *out = codes.table[(id.value() as u64).min(LAST) as usize];
        all |= *out;
    }
    all
}
