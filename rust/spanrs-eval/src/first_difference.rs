//! The first difference between two runs of tags, found by comparing many bytes at a time.

/// Returns the first position at or after `from` where the sides differ, comparing 32 bytes at a
/// time.
#[inline]
pub(crate) fn first_difference(gold: &[u8], pred: &[u8], from: usize) -> Option<usize> {
    /// Number of tokens that are compared at once; sides typically agree for about a hundred
    /// tokens.
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

/// Returns the `N` bytes from `at` on; None if there are fewer.
#[inline(always)]
fn chunk<const N: usize>(side: &[u8], at: usize) -> Option<&[u8; N]> {
    side.get(at..)?.first_chunk()
}
