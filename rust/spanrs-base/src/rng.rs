//! A random number generator with a documented, stable stream.

/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators"): a generator of 64-bit numbers with a 64-bit state and a period of 2^64.
///
/// The stream is part of the interface: results drawn with a seed (bootstrap resamples, shuffles)
/// can be reproduced with every later version and on every machine. The generator is not
/// cryptographically secure.
///
/// # Examples
///
/// ```
/// use spanrs_base::Rng;
/// let mut rng = Rng::new(1);
/// let mut again = Rng::new(1);
/// assert_eq!(rng.below(10), again.below(10));
///
/// // Each part of divided work draws the same numbers, in whatever order the parts run.
/// let part = |n| Rng::part(1, n).draw();
/// assert_eq!([part(0), part(1)], { let second = part(1); [part(0), second] });
/// assert_ne!(part(0), part(1));
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    /// The state; every draw adds [`STEP`] modulo 2^64 and outputs a hash of the sum.
    state: u64,
}

/// 2^64 divided by the golden ratio, rounded to an odd number: the increment ("gamma") of
/// SplitMix64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Rng {
    /// Creates a generator; every seed, 0 included, is valid.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Creates the generator for part `part` of a computation, so that the parts can be processed in
    /// any order and by any number of threads.
    ///
    /// The seed is hashed by one draw and combined with a multiple of the increment; neighbouring
    /// seeds and neighbouring parts therefore start at unrelated states.
    pub fn part(seed: u64, part: u64) -> Self {
        // The first draw spreads the bits of the seed, so that neighbouring seeds are unrelated.
        Self::new(Self::new(seed).draw() ^ part.wrapping_mul(STEP).rotate_left(32))
    }

    /// Returns the next 64 bits; over the period, all values are equally frequent.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a uniformly distributed number in `0..n`, or 0 if `n` is 0.
    ///
    /// Uses the multiply-and-reject method of Lemire (2019), "Fast random integer generation in an
    /// interval": the high half of the 128-bit product is the result, and products whose low half
    /// falls below 2^64 mod `n` are drawn again. The expected number of draws is less than 2 for
    /// any `n` and close to 1 for small `n`, and the division is only executed with probability `n`
    /// / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.draw()) * u128::from(n);
        if (product as u64) < n {
            // Rejection threshold, 2^64 mod n; removes modulo bias.
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.draw()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Shuffles in place (Fisher-Yates shuffle in Durstenfeld's version): all orders are equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut rng = Rng::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| rng.draw()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn every_number_has_its_share() {
        let mut rng = Rng::part(7, 3);
        let mut seen = [0_u32; 5];
        for _ in 0..50_000 {
            seen[rng.below(5) as usize] += 1;
        }
        assert!(
            seen.iter().all(|&n| (9_500..10_500).contains(&n)),
            "{seen:?}"
        );
        assert_eq!(rng.below(0), 0);
    }
}
