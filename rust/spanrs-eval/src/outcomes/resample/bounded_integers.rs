//! Uniform random integers below a limit.

use spanrs_base::Rng;

/// Uniform integers from 0 (inclusive) to a limit (exclusive), two per 64-bit draw.
///
/// Source: Lemire 2019, "Fast Random Integer Generation in an Interval", with 32 bits. The first of
/// the two integers uses the low half of the word.
pub(super) struct BoundedIntegers<'a> {
    /// Source of random words.
    rng: &'a mut Rng,
    /// The limit, exclusive; above 0.
    below: u32,
    /// Rejection threshold: `2^32 mod below`. Removes modulo bias.
    threshold: u32,
    /// The high half of the last word, if it has not been used.
    half: Option<u32>,
}

impl<'a> BoundedIntegers<'a> {
    /// Creates the stream of integers below `below`, which must not be 0.
    pub(super) fn new(rng: &'a mut Rng, below: u32) -> Self {
        Self {
            rng,
            below,
            threshold: below.wrapping_neg() % below,
            half: None,
        }
    }
}

impl Iterator for BoundedIntegers<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            let half = self.half.take().unwrap_or_else(|| {
                let drawn = self.rng.draw();
                self.half = Some((drawn >> 32) as u32);
                drawn as u32
            });
            let product = u64::from(half) * u64::from(self.below);
            if product as u32 >= self.threshold {
                return Some((product >> 32) as u32);
            }
        }
    }
}
