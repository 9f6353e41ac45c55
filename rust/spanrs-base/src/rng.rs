/// A small generator of random numbers whose stream depends on nothing but its seed: SplitMix64 (Steele, Lea
/// and Flood 2014, "Fast splittable pseudorandom number generators").
///
/// The stream is part of the contract: results that were drawn with a seed can be drawn again with every
/// later version and on every machine.
///
/// ```
/// let mut rng = spanrs_base::Rng::new(1);
/// let mut again = spanrs_base::Rng::new(1);
/// assert_eq!(rng.below(10), again.below(10));
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

/// The odd fraction of the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Rng {
    /// A generator.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator of one of many parts of a piece of work, so that the parts can be done in any order.
    pub fn part(seed: u64, part: u64) -> Self {
        // The first draw of a seed spreads its bits; parts of neighbouring seeds share nothing then.
        Self::new(Self::new(seed).draw() ^ part.wrapping_mul(STEP).rotate_left(32))
    }

    /// The next 64 bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, each with the same chance; 0 where `n` is 0 (Lemire 2019, "Fast random integer
    /// generation in an interval").
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.draw()) * u128::from(n);
        if (product as u64) < n {
            // So many of the low halves belong to a number that would come too often.
            let unfair = n.wrapping_neg() % n;
            while (product as u64) < unfair {
                product = u128::from(self.draw()) * u128::from(n);
            }
        }
        (product >> 64) as u64
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
