//! The buckets of the compact table: fingerprints and payloads in a cache line.
//!
//! | bytes | content |
//! |---|---|
//! | 0 | number of entries `n` (low 4 bits), number of further buckets to search (high 4 bits) |
//! | 1 to 2n | fingerprint of each entry, 16 bits, little-endian |
//! | 2n + 1 to 3n + 1 | `n + 1` bounds: end of each payload (low 6 bits) and its kind (high 2 bits); the first is 0 |
//! | 3n + 2 to 63 | payloads, one after the other, and zeros |
//!
//! Bounds are offsets from the first payload, and the payload of entry `i` is between the bounds `i` and `i + 1`. No
//! fingerprint occurs twice in a bucket that the builder made; in damaged files the first counts.

/// Number of bytes of a bucket: a cache line.
pub(super) const BYTES: usize = 64;
/// Largest number of bytes of a payload; one load gets them all.
pub(super) const MAX_PAYLOAD: usize = 16;
/// Largest number of further buckets to search.
pub(super) const MAX_PROBES: usize = 15;

/// Kind of payloads that are the cells of a row.
pub(super) const INLINE: u8 = 0;
/// Kind of payloads that are the offset (u32) of a long row.
pub(super) const LONG: u8 = 1;
/// Kind of payloads that are the number (u32) of a dense row.
pub(super) const DENSE: u8 = 2;

/// Number of bytes that entries with payloads of `payloads` bytes in total need.
pub(super) const fn bytes_of(entries: usize, payloads: usize) -> usize {
    2 + 3 * entries + payloads
}

/// A bucket.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Bucket(pub(super) [u8; BYTES]);

/// An entry that was found, or the empty entry: an inline payload of 0 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// [`INLINE`], [`LONG`] or [`DENSE`].
    pub(super) kind: u8,
    /// Number of bytes of the payload.
    pub(super) len: usize,
    /// The payload in the low bytes; higher bytes belong to other entries.
    pub(super) payload: u128,
}

impl Bucket {
    /// Returns the bucket of entries, given as (fingerprint, kind, payload); they must fit.
    pub(super) fn of(entries: &[(u16, u8, &[u8])], probes: usize) -> Self {
        let (len, mut bytes) = (entries.len(), [0; BYTES]);
        bytes[0] = len as u8 | (probes as u8) << 4;
        let (mut end, payloads) = (0, bytes_of(len, 0));
        for (at, (fingerprint, kind, payload)) in entries.iter().enumerate() {
            bytes[1 + 2 * at..][..2].copy_from_slice(&fingerprint.to_le_bytes());
            bytes[payloads + end..][..payload.len()].copy_from_slice(payload);
            end += payload.len();
            bytes[2 + 2 * len + at] = end as u8 | kind << 6;
        }
        Self(bytes)
    }

    /// Number of entries.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        usize::from(self.0[0] & 15)
    }

    /// Number of further buckets in which entries with this home bucket are.
    #[inline(always)]
    pub(super) fn probes(&self) -> usize {
        usize::from(self.0[0] >> 4)
    }

    /// Returns the entry with a fingerprint, and true if there is one. Without branches, because which entry matches is
    /// unpredictable: all fingerprints are compared, as a vector.
    #[inline(always)]
    pub(super) fn find(&self, fingerprint: u16) -> (Entry, bool) {
        let (bytes, len) = (&self.0, self.len());
        let (fingerprints, _) = bytes[1..33].as_chunks::<2>();
        let mut matches = 0_u16;
        for (at, bytes) in fingerprints.iter().enumerate() {
            matches |= u16::from(u16::from_le_bytes(*bytes) == fingerprint) << at;
        }
        let matches = u32::from(matches) & ((1 << len) - 1);
        let is_found = matches != 0;
        // Any entry will do if there is no match.
        let at = (matches | 1 << 15).trailing_zeros() as usize;
        let bound = 1 + 2 * len + at;
        let (start, end) = (bytes[bound] & 63, bytes[bound + 1]);
        let len_of_payload = usize::from((end & 63).saturating_sub(start));
        let entry = Entry {
            kind: if is_found { end >> 6 } else { INLINE },
            len: if is_found { len_of_payload } else { 0 },
            payload: self.load(bytes_of(len, usize::from(start))),
        };
        (entry, is_found)
    }

    /// Returns the 16 bytes from `start` on, with zeros after the end of the bucket.
    #[inline(always)]
    fn load(&self, start: usize) -> u128 {
        let start = start % BYTES;
        let from = start.min(BYTES - MAX_PAYLOAD);
        let mut bytes = [0; MAX_PAYLOAD];
        bytes.copy_from_slice(&self.0[from..from + MAX_PAYLOAD]);
        u128::from_le_bytes(bytes) >> ((start - from) * 8)
    }

    /// Returns the kinds and payloads of all entries; None if bounds are out of order or outside the bucket, or unused
    /// bytes are not 0.
    pub(super) fn entries(&self) -> Option<impl Iterator<Item = (u8, &[u8])>> {
        let (fixed, bytes) = (bytes_of(self.len(), 0), &self.0);
        let payloads = bytes.get(fixed..)?;
        let bounds = &bytes[fixed - self.len() - 1..fixed];
        let is_ordered = bounds.is_sorted_by_key(|bound| bound & 63) && bounds[0] == 0;
        let rest = payloads.get(usize::from(bounds[self.len()] & 63)..)?;
        let is_valid = is_ordered && rest.iter().all(|&byte| byte == 0);
        let entries = bounds.windows(2).map(move |bounds| {
            let [start, end] = [bounds[0], bounds[1]].map(|bound| usize::from(bound & 63));
            (bounds[1] >> 6, &payloads[start..end])
        });
        is_valid.then_some(entries)
    }
}
