//! Options of gamma.

use serde::{Deserialize, Serialize};

use super::dissimilarity::Dissimilarity;
use super::effort::SearchLimits;
use super::error::GammaError;
use super::sampling::Sampler;

/// Options of [`super::gamma()`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Weight of the positional dissimilarity. Default: 1, as in the paper and pygamma-agreement.
    pub alpha: f64,
    /// Weight of the categorical dissimilarity, which is `delta_empty` for units of different
    /// categories and otherwise 0. Default: 1.
    pub beta: f64,
    /// Dissimilarity of a unit and the empty unit, greater than 0. Default: 1. Gamma does not
    /// depend on it, because both disorders are proportional to it.
    pub delta_empty: f64,
    /// Number of random continua of each document. By default 30, then as many as `precision`
    /// requires.
    pub samples: Option<u32>,
    /// Relative error of the expected disorder at 95 % confidence, from which the number of random
    /// continua is computed (section 5.3). Default: 0.02.
    pub precision: f64,
    /// Seed of the random continua. Default: 0.
    pub seed: u64,
    /// How random continua are drawn. Default: [`Sampler::Shuffle`].
    pub sampler: Sampler,
    /// Smallest distance of two shifts of [`Sampler::Shuffle`], in mean lengths of a unit. Default:
    /// 1.
    pub pivot_distance: f64,
    /// Number of threads, which does not change the result. Default: 1.
    pub threads: usize,
    /// Maximum number of unitary alignments of one group of nearby units. Default: 2^21.
    pub max_alignments: usize,
    /// Maximum number of states that the search in one group of nearby units stores, each of 24 to
    /// 144 bytes. Default: 2^22.
    pub max_states: usize,
}

impl Default for Options {
    /// Returns the defaults given in the documentation of the fields.
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 1.0,
            delta_empty: 1.0,
            samples: None,
            precision: 0.02,
            seed: 0,
            sampler: Sampler::Shuffle,
            pivot_distance: 1.0,
            threads: 1,
            max_alignments: 1 << 21,
            max_states: 1 << 22,
        }
    }
}

impl Options {
    /// Checks the values.
    ///
    /// # Errors
    /// [`GammaError::Option`].
    pub(super) fn check(&self) -> Result<(), GammaError> {
        let weight = "a number from 0 to 1e6";
        let positive = "a number from 1e-6 to 1e6";
        for (option, value, least, most, expected) in [
            ("alpha", self.alpha, 0.0, 1e6, weight),
            ("beta", self.beta, 0.0, 1e6, weight),
            ("delta_empty", self.delta_empty, 1e-6, 1e6, positive),
            ("pivot_distance", self.pivot_distance, 0.0, 1e6, weight),
            (
                "precision",
                self.precision,
                1e-4,
                1.0,
                "a number from 1e-4 to 1",
            ),
        ] {
            if !(least..=most).contains(&value) {
                return Err(GammaError::Option {
                    option,
                    expected,
                    value,
                });
            }
        }
        if self.samples == Some(0) {
            return Err(GammaError::Option {
                option: "samples",
                expected: "at least 1",
                value: 0.0,
            });
        }
        Ok(())
    }

    /// The dissimilarity for a number of annotators.
    pub(super) fn dissimilarity(&self, annotators: usize) -> Dissimilarity {
        Dissimilarity::new(self.alpha, self.beta, self.delta_empty, annotators)
    }

    /// Limits of the search.
    pub(super) fn limits(&self) -> SearchLimits {
        SearchLimits {
            alignments: self.max_alignments,
            states: self.max_states,
        }
    }
}
