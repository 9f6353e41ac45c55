//! Weights as one byte: levels on a logarithmic scale.
//!
//! A level is a sign (bit 7) and a magnitude from 1 to 127; the bytes 0 and 128 are not levels. Magnitude 1 stands for
//! the smallest and 127 for the largest absolute weight, and each magnitude for the same multiple of the one before it,
//! so that the relative error is the same for small and large weights: below 4 % if the largest weight is 10,000 times
//! the smallest.

/// Number of magnitudes.
pub(super) const MAGNITUDES: usize = 127;

/// The integer of each level.
#[derive(Clone, Debug)]
pub(super) struct Levels([i32; 256]);

/// Returns true if a byte is a level.
#[inline(always)]
pub(super) fn is_level(byte: u8) -> bool {
    byte & 127 != 0
}

impl Levels {
    /// Chooses levels for weights from `smallest` to `largest`, two positive integers.
    pub(super) fn between(smallest: i32, largest: i32) -> Self {
        let (smallest, largest) = (f64::from(smallest.max(1)), f64::from(largest.max(1)));
        let ratio = (largest / smallest).max(1.0);
        let last = (MAGNITUDES - 1) as f64;
        let magnitudes = (0..MAGNITUDES).map(|at| smallest * ratio.powf(at as f64 / last));
        let magnitudes = magnitudes.map(|magnitude| magnitude.round() as i32);
        Self::fill(magnitudes)
    }

    /// Returns the levels with these magnitudes; None if they are not 127 numbers from 1 to 2^20 that never decrease.
    pub(super) fn of(magnitudes: &[i32]) -> Option<Self> {
        let is_valid = magnitudes.len() == MAGNITUDES
            && magnitudes.is_sorted()
            && magnitudes
                .iter()
                .all(|number| (1..=1 << 20).contains(number));
        is_valid.then(|| Self::fill(magnitudes.iter().copied()))
    }

    fn fill(magnitudes: impl Iterator<Item = i32>) -> Self {
        let mut all = [0; 256];
        for (at, magnitude) in (1..=MAGNITUDES).zip(magnitudes) {
            all[at] = magnitude;
            all[at + 128] = -magnitude;
        }
        Self(all)
    }

    /// Returns the magnitudes 1 to 127.
    pub(super) fn magnitudes(&self) -> &[i32] {
        &self.0[1..=MAGNITUDES]
    }

    /// Returns the level nearest to an integer, of two equally near levels the smaller magnitude. 0 has no level, and
    /// gets the smallest.
    pub(super) fn nearest(&self, weight: i32) -> u8 {
        let (all, wanted) = (self.magnitudes(), weight.abs());
        let above = all.partition_point(|&magnitude| magnitude < wanted);
        let above = above.min(MAGNITUDES - 1);
        // Of equal magnitudes the first is used.
        let below = all.partition_point(|&magnitude| magnitude < all[above.saturating_sub(1)]);
        let at = match wanted - all[below] <= (all[above] - wanted).abs() {
            true => below,
            false => above,
        };
        at as u8 + 1 + if weight < 0 { 128 } else { 0 }
    }

    /// Returns the integer of a level.
    #[inline(always)]
    pub(super) fn get(&self, level: u8) -> i32 {
        self.0[usize::from(level)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_level_is_found() {
        for (smallest, largest) in [(1, 1), (7, 9), (1, 127), (3, 30_000)] {
            let levels = Levels::between(smallest, largest);
            assert!(Levels::of(levels.magnitudes()).is_some());
            for weight in (smallest..=largest).flat_map(|weight| [weight, -weight]) {
                let level = levels.nearest(weight);
                let errors = (0..=255).filter(|&byte| is_level(byte));
                let least = errors.map(|byte| (levels.get(byte) - weight).abs()).min();
                assert!(is_level(level));
                assert_eq!(Some((levels.get(level) - weight).abs()), least, "{weight}");
            }
        }
    }

    #[test]
    fn wrong_magnitudes_are_no_levels() {
        let good = Levels::between(3, 500).magnitudes().to_vec();
        for (at, wrong) in [(0, 0), (5, 400), (126, 1), (126, i32::MAX), (0, -7)] {
            let mut magnitudes = good.clone();
            magnitudes[at] = wrong;
            assert!(Levels::of(&magnitudes).is_none());
        }
        assert!(Levels::of(&good[1..]).is_none());
    }
}
