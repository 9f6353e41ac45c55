//! The buckets of the compact table: entries of fingerprints and payloads, in a stream of bytes.
//!
//! | bytes from the start of the bucket | content |
//! |---|---|
//! | 0 | number of entries `n`, at most 16 |
//! | 1 to 2n | fingerprint of each entry, 16 bits, little-endian |
//! | 2n + 1 to 3n + 1 | `n + 1` bounds; the first is 0 |
//! | 3n + 2 and following | payloads, one after the other |
//!
//! Bounds are offsets from the first payload, and the payload of entry `i` is between the bounds `i` and `i + 1`. A
//! payload of [`REFERENCE`] bytes is the number or place of a row (u32) and the kind of the row; others are the cells
//! of a row, whose sizes of 2 or 3 bytes never add up to 5.

/// Largest number of entries in a bucket; their fingerprints are compared as one vector.
pub(super) const MAX_ENTRIES: usize = 16;
/// Largest number of bytes of a payload; one load gets them all.
pub(super) const MAX_PAYLOAD: usize = 16;
/// Largest number of bytes of all payloads of a bucket: bounds are bytes.
pub(super) const MAX_PAYLOADS: usize = 255;
/// Number of bytes of a payload that refers to a row elsewhere.
pub(super) const REFERENCE: usize = 5;
/// Number of bytes after the last bucket, so that vectors can be loaded at the end of any bucket.
pub(super) const PADDING: usize = 64;
/// Number of bytes of fingerprints and bounds of a bucket with the largest number of entries.
const MAX_FIXED: usize = fixed_bytes(MAX_ENTRIES);

/// Kind of references to a long row.
pub(super) const LONG: u8 = 0;
/// Kind of references to a dense row.
pub(super) const DENSE: u8 = 1;

/// Returns the number of bytes of a bucket with some entries, without payloads.
pub(super) const fn fixed_bytes(entries: usize) -> usize {
    2 + 3 * entries
}

/// Returns the payload that refers to a row.
pub(super) fn reference(kind: u8, place: u32) -> Vec<u8> {
    let mut payload = place.to_le_bytes().to_vec();
    payload.push(kind);
    payload
}

/// An entry that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Number of bytes of the payload; 0 if no entry was found.
    pub(super) len: usize,
    /// The payload in the low bytes; higher bytes belong to other entries.
    pub(super) payload: u128,
}

impl Entry {
    /// The entry of features that are not in the table.
    const ABSENT: Self = Self { len: 0, payload: 0 };

    /// Returns the kind of the row to which the payload refers; None for cells.
    #[inline(always)]
    pub(super) fn kind(&self) -> Option<u8> {
        (self.len == REFERENCE).then_some((self.payload >> 32) as u8)
    }

    /// Returns the number or the place of the row to which the payload refers.
    #[inline(always)]
    pub(super) fn place(&self) -> u32 {
        self.payload as u32
    }
}

/// Appends a bucket of entries, given as (fingerprint, payload).
pub(super) fn push(entries: &[(u16, &[u8])], bytes: &mut Vec<u8>) {
    bytes.push(entries.len() as u8);
    let fingerprints = entries.iter().flat_map(|(own, _)| own.to_le_bytes());
    bytes.extend(fingerprints);
    bytes.push(0);
    let mut end = 0;
    for (_, payload) in entries {
        end += payload.len() as u8;
        bytes.push(end);
    }
    let payloads = entries.iter().flat_map(|(_, payload)| *payload);
    bytes.extend(payloads);
}

/// Compares fingerprints, with the instructions of a processor.
pub(super) trait Compare: Copy {
    /// Returns two equal bits for each of 16 fingerprints, little-endian: 1 if it is equal to `fingerprint`.
    fn compare(self, fingerprints: &[u8; 2 * MAX_ENTRIES], fingerprint: u16) -> u32;
}

/// [`Compare`] for all processors.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Compare for Portable {
    #[inline(always)]
    fn compare(self, fingerprints: &[u8; 2 * MAX_ENTRIES], fingerprint: u16) -> u32 {
        let fingerprints = fingerprints.as_chunks::<2>().0.iter().enumerate();
        let matches = fingerprints.map(|(at, own)| {
            let is_equal = u16::from_le_bytes(*own) == fingerprint;
            (u32::from(is_equal) * 3) << (2 * at)
        });
        matches.fold(0, std::ops::BitOr::bitor)
    }
}

#[cfg(target_arch = "x86_64")]
impl Compare for pulp::x86::V3 {
    #[inline(always)]
    fn compare(self, fingerprints: &[u8; 2 * MAX_ENTRIES], fingerprint: u16) -> u32 {
        let wanted = self.avx._mm256_set1_epi16(fingerprint as i16);
        let fingerprints = pulp::bytemuck::cast(*fingerprints);
        let equal = self.avx2._mm256_cmpeq_epi16(fingerprints, wanted);
        self.avx2._mm256_movemask_epi8(equal) as u32
    }
}

/// Returns the entry with a fingerprint in the bucket that starts at `start`. Without branches, because which entry
/// matches is unpredictable: all fingerprints are compared, as a vector.
#[inline(always)]
pub(super) fn find(compare: impl Compare, bytes: &[u8], start: usize, fingerprint: u16) -> Entry {
    let Some(bucket) = bytes
        .get(start..)
        .and_then(|rest| rest.first_chunk::<MAX_FIXED>())
    else {
        return Entry::ABSENT;
    };
    let (len, rest) = (usize::from(bucket[0]).min(MAX_ENTRIES), &bucket[1..]);
    let Some(fingerprints) = rest.first_chunk() else {
        return Entry::ABSENT;
    };
    let matches = u64::from(compare.compare(fingerprints, fingerprint)) & ((1 << (2 * len)) - 1);
    // Without a match this is the 16th entry, whose bounds are inside the bytes too; its length is not used.
    let at = (matches | 1 << 31).trailing_zeros() as usize / 2;
    let bound = (1 + 2 * len + at).min(MAX_FIXED - 2);
    let (from, end) = (bucket[bound], bucket[bound + 1]);
    let own = usize::from(end.wrapping_sub(from));
    let from = start + fixed_bytes(len) + usize::from(from);
    let Some(payload) = bytes.get(from..).and_then(|rest| rest.first_chunk()) else {
        return Entry::ABSENT;
    };
    Entry {
        len: if matches == 0 { 0 } else { own },
        payload: u128::from_le_bytes(*payload),
    }
}

/// Returns the payloads of the bucket at the start of `bytes`, and the rest after the bucket; None if the bucket is
/// not complete or bounds are out of order.
pub(super) fn split(bytes: &[u8]) -> Option<(impl Iterator<Item = &[u8]>, &[u8])> {
    let len = usize::from(*bytes.first()?);
    if len > MAX_ENTRIES {
        return None;
    }
    let (fixed, payloads) = bytes.split_at_checked(fixed_bytes(len))?;
    let bounds = &fixed[1 + 2 * len..];
    let (payloads, rest) = payloads.split_at_checked(usize::from(bounds[len]))?;
    let is_valid = bounds[0] == 0 && bounds.is_sorted();
    let entries = bounds.windows(2).map(|bounds| {
        let [start, end] = [bounds[0], bounds[1]].map(usize::from);
        &payloads[start..end]
    });
    is_valid.then_some((entries, rest))
}
