//! Dropout of features in training.
//!
//! A share of the features of a word is ignored, at random, so that a model does not rely on few features. Sources:
//! Hinton et al. 2012, "Improving neural networks by preventing co-adaptation of feature detectors"; for perceptron
//! taggers Søgaard 2013, "Part-of-speech tagging with antagonistic adversaries".

use spanrs_base::Rng;

use crate::error::{Error, Result};

/// Number of the stream of random numbers, which differs from that of the order of the sentences with the same seed.
const STREAM: u64 = 1;

/// Removes a share of features at random.
#[derive(Clone, Debug)]
pub(crate) struct Dropout {
    /// The share, multiplied by 2^64.
    limit: u64,
    rng: Rng,
}

impl Dropout {
    /// Makes a dropout of a share of the features.
    ///
    /// # Errors
    /// [`Error::Training`] if the share is not at least 0 and less than 1.
    pub(crate) fn new(share: f64) -> Result<Self> {
        if !(0.0..1.0).contains(&share) {
            let message = format!("dropout must be at least 0 and less than 1, not {share}");
            return Err(Error::Training(message));
        }
        Ok(Self {
            limit: (share * 64_f64.exp2()) as u64,
            rng: Rng::part(0, STREAM),
        })
    }

    /// Restarts the random numbers, for the model with this seed.
    pub(crate) fn restart(&mut self, seed: Option<u64>) {
        self.rng = Rng::part(seed.unwrap_or_default(), STREAM);
    }

    /// Removes the share of the features.
    #[inline]
    pub(crate) fn drop_features(&mut self, features: &mut Vec<u64>) {
        if self.limit > 0 {
            features.retain(|_| self.rng.draw() >= self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_removed() {
        for (share, expected) in [(0.0, 10_000..=10_000), (0.2, 7_800..=8_200)] {
            let mut features: Vec<u64> = (0..10_000).collect();
            Dropout::new(share).unwrap().drop_features(&mut features);
            assert!(expected.contains(&features.len()));
            assert!(features.is_sorted());
        }
    }

    #[test]
    fn seeds_choose_the_features() {
        let mut dropout = Dropout::new(0.5).unwrap();
        let mut kept = |seed| {
            let mut features: Vec<u64> = (0..100).collect();
            dropout.restart(seed);
            dropout.drop_features(&mut features);
            features
        };
        let first = kept(Some(1));
        assert_eq!(kept(Some(1)), first);
        assert_ne!(kept(Some(2)), first);
        assert_eq!(kept(None), kept(Some(0)));
    }

    #[test]
    fn shares_are_checked() {
        for share in [-0.1, 1.0, f64::NAN] {
            assert!(matches!(Dropout::new(share), Err(Error::Training(_))));
        }
    }
}
