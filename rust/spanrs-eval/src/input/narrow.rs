//! Conversion of integer ids to bytes.
//!
//! The conversion is limited by memory bandwidth, so it uses the widest vectors of the processor and prefetches both
//! arrays; the next ids are prefetched while a block is counted.

use std::ops::Range;

use prefetch_index::prefetch_index;

use super::ids::with_ids;
use super::{Id, IdSlice};

/// The byte of an id that has no tag or is ignored.
pub(super) const NO_TAG: u8 = 0x80;
/// Number of ids that are converted to bytes in one step.
const LANES: usize = 64;
/// Prefetch distance in bytes.
const AHEAD: usize = 2048;
/// Size of a cache line in bytes.
const LINE: usize = 64;
/// Last index of the table of [`Codes`], which represents all larger ids.
pub(super) const LAST: u64 = 255;

/// The byte of each id of one side.
pub(super) struct Codes {
    /// The reader's tag id for each id, or [`NO_TAG`].
    table: [u8; LAST as usize + 1],
    /// Number of ids of the caller's vocabulary.
    tags: usize,
    /// Whether every id equals its byte, so that no table is needed.
    is_identity: bool,
}

impl Codes {
    /// Builds the table for fewer than [`LAST`] ids; `ignore` gets [`NO_TAG`].
    pub(super) fn new(numbers: &[u32], ignore: i64) -> Self {
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

/// Converts the ids of both sides to bytes. Returns false if any id has no tag or is ignored; the bytes of these ids
/// are [`NO_TAG`].
///
/// If every id of both sides equals its byte (the caller and the reader have the same vocabulary), ids are truncated
/// with vector instructions; otherwise they are looked up in the tables of [`Codes`].
pub(super) fn narrow(
    (gold, pred): (IdSlice<'_>, IdSlice<'_>),
    (gold_codes, pred_codes): (&Codes, &Codes),
    (gold_out, pred_out): (&mut [u8], &mut [u8]),
) -> bool {
    if !gold_codes.is_identity || !pred_codes.is_identity {
        return look_up(gold, gold_codes, gold_out) & look_up(pred, pred_codes, pred_out);
    }
    let (gold_largest, pred_largest) = truncate((gold, pred), (&mut *gold_out, &mut *pred_out));
    let is_clean =
        usize::from(gold_largest) < gold_codes.tags && usize::from(pred_largest) < pred_codes.tags;
    if !is_clean {
        mask_unknown(gold_codes.tags, gold_out);
        mask_unknown(pred_codes.tags, pred_out);
    }
    is_clean
}

/// Truncates the ids of both sides to bytes; returns the largest byte of each side.
///
/// Sides with the same integer type are converted together, which reads two memory streams at once. Sides with
/// different types are converted one after the other, because a loop for each pair of types would need 64 loops.
fn truncate(
    (gold, pred): (IdSlice<'_>, IdSlice<'_>),
    (gold_out, pred_out): (&mut [u8], &mut [u8]),
) -> (u8, u8) {
    let arch = pulp::Arch::new();
    macro_rules! together {
        ($($variant:ident)*) => {
            match (gold, pred) {
                $((IdSlice::$variant(gold), IdSlice::$variant(pred)) => {
                    arch.dispatch(TruncateBoth { gold, pred, gold_out, pred_out })
                })*
                _ => {
                    let gold = with_ids!(gold, ids => arch.dispatch(Truncate { ids, out: gold_out }));
                    let pred = with_ids!(pred, ids => arch.dispatch(Truncate { ids, out: pred_out }));
                    (gold, pred)
                }
            }
        };
    }
    together!(I8 I16 I32 I64 U8 U16 U32 U64)
}

/// Converts the ids of one side that equal their bytes; see [`TruncateBoth`].
struct Truncate<'a, T> {
    ids: &'a [T],
    out: &'a mut [u8],
}

impl<T: Id> pulp::NullaryFnOnce for Truncate<'_, T> {
    /// The largest byte.
    type Output = u8;

    #[inline(always)]
    fn call(self) -> u8 {
        let (chunks, rest) = self.ids.as_chunks::<LANES>();
        let (outs, last) = self.out.as_chunks_mut::<LANES>();
        let mut largest = [0; LANES];
        for (at, (ids, out)) in chunks.iter().zip(outs).enumerate() {
            fetch_from(self.ids, at * LANES + AHEAD / size_of::<T>());
            *out = low_bytes(ids, &mut largest);
        }
        for (id, out) in rest.iter().zip(last) {
            [*out] = low_bytes(&[*id], &mut largest);
        }
        largest.into_iter().fold(0, u8::max)
    }
}

/// Converts ids that equal their bytes, with the widest vectors of the processor. Ids of 128 or more and negative ids
/// get the bit of [`NO_TAG`].
struct TruncateBoth<'a, T> {
    gold: &'a [T],
    pred: &'a [T],
    gold_out: &'a mut [u8],
    pred_out: &'a mut [u8],
}

impl<T: Id> pulp::NullaryFnOnce for TruncateBoth<'_, T> {
    /// The largest byte of each side.
    type Output = (u8, u8);

    // A closure would be compiled for the baseline instruction set (spanrs-crf, simd.rs).
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
            fetch_from(gold, at * LANES + AHEAD / size_of::<T>());
            fetch_from(pred, at * LANES + AHEAD / size_of::<T>());
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

/// Returns the low byte of each id, and updates the largest byte of each lane in `largest`. Wide ids, which are ignored
/// or outside any vocabulary, get the bit of [`NO_TAG`].
///
/// The bytes are written to a separate array, because the compiler then vectorises the loop; a slice that might overlap
/// the ids would be written byte by byte.
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

/// Prefetches the ids of both sides at a range of indices, which may extend beyond the ends.
#[inline]
pub(super) fn fetch_range((gold, pred): (IdSlice<'_>, IdSlice<'_>), range: Range<usize>) {
    for from in range.step_by(LANES) {
        with_ids!(gold, ids => fetch_from(ids, from));
        with_ids!(pred, ids => fetch_from(ids, from));
    }
}

/// Replaces all bytes without a tag, that is, bytes not below `tags`, by [`NO_TAG`].
fn mask_unknown(tags: usize, bytes: &mut [u8]) {
    for byte in bytes {
        *byte = if usize::from(*byte) < tags {
            *byte
        } else {
            NO_TAG
        };
    }
}

/// Converts ids with the table. Returns false if any id has no tag or is ignored.
fn look_up(ids: IdSlice<'_>, codes: &Codes, out: &mut [u8]) -> bool {
    with_ids!(ids, ids => {
        let mut all = 0;
        for (id, out) in ids.iter().zip(out) {
            *out = codes.table[(id.value() as u64).min(LAST) as usize];
            all |= *out;
        }
        all & NO_TAG == 0
    })
}
