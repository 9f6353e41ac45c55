//! Training options as plain data.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::features::FeatureSelection;
use crate::lbfgs::Lbfgs;
use crate::online::{Online, Slack, Update};
use crate::sdca::Sdca;
use crate::sgd::Sgd;
use crate::train::Algorithm;

/// Number of iterations that means "no limit".
const UNLIMITED: usize = 1 << 62;

/// Options of all algorithms by name; each algorithm uses its own. None selects a default that
/// depends on the algorithm ([`TrainingOptions::complete`]).
///
/// ```
/// use spanrs_crf::TrainingOptions;
/// let options = TrainingOptions { algorithm: "l2sgd".into(), ..Default::default() };
/// assert_eq!(options.complete().unwrap().max_iter, Some(1000));
/// let negative = TrainingOptions { c2: -1.0, ..Default::default() };
/// assert_eq!(negative.complete().unwrap_err().to_string(), "c2 is -1; it must be at least 0");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingOptions {
    /// `sdca`, `lbfgs`, `l2sgd`, `ap`, `pa` or `arow`.
    pub algorithm: String,
    /// Coefficient of the L1 norm, for `sdca` and `lbfgs`, which both minimise by OWL-QN if it is above 0.
    pub c1: f64,
    /// Coefficient of the sum of squared weights, for `sdca`, `lbfgs` and `l2sgd`.
    pub c2: f64,
    /// Tolerance of `sdca` without an L1 norm: training converges when the objective is known to be at most `tol`
    /// times itself above its minimum.
    pub tol: f64,
    /// Maximum number of iterations. Default: no limit for `sdca` and `lbfgs`, 1000 for `l2sgd`, else 100.
    pub max_iter: Option<usize>,
    /// Minimum frequency of a feature ([`FeatureSelection::min_frequency`]).
    pub min_freq: f64,
    /// Minimum frequency of an attribute ([`FeatureSelection::min_attribute_frequency`]).
    pub min_attribute_freq: f64,
    /// Whether to also generate state features that do not occur.
    pub all_possible_states: bool,
    /// Whether to also generate transition features that do not occur.
    pub all_possible_transitions: bool,
    /// Number of correction pairs for `sdca` and `lbfgs`.
    pub num_memories: usize,
    /// Convergence threshold. Default: 1e-5 for `lbfgs` and for an L1 norm, else 0.
    pub epsilon: Option<f64>,
    /// Number of iterations over which improvement is measured.
    pub period: usize,
    /// Minimum relative improvement. Default: `tol / 100` for `sdca`, 1e-5 for `lbfgs` and for an L1 norm, 1e-6 for
    /// `l2sgd`, else 0.
    pub delta: Option<f64>,
    /// Maximum number of steps in a line search of `sdca` and `lbfgs`.
    pub max_linesearch: usize,
    /// First learning rate that the calibration of `l2sgd` tries.
    pub calibration_eta: f64,
    /// Factor between the learning rates that the calibration tries.
    pub calibration_rate: f64,
    /// Number of sequences in the calibration sample.
    pub calibration_samples: usize,
    /// Number of improving learning rates after which the calibration stops.
    pub calibration_candidates: usize,
    /// Maximum number of learning rates that the calibration tries.
    pub calibration_max_trials: usize,
    /// Variant of `pa`: 0 for PA, 1 for PA-I, 2 for PA-II.
    pub pa_type: u8,
    /// Aggressiveness of `pa`.
    pub c: f64,
    /// Whether the margin of `pa` grows with the number of wrong labels.
    pub error_sensitive: bool,
    /// Whether to average the weights of `pa`.
    pub averaging: bool,
    /// Initial variance of the weights of `arow`.
    pub variance: f64,
    /// Trade-off between loss and change of the weights of `arow`.
    pub gamma: f64,
    /// Random seed for shuffling the sequences.
    pub seed: u64,
}

impl Default for TrainingOptions {
    /// Dual coordinate ascent; the other defaults are those of CRFsuite, with all transitions and a larger memory.
    fn default() -> Self {
        Self {
            algorithm: "sdca".to_owned(),
            c1: 0.0,
            c2: 1.0,
            tol: 1e-4,
            max_iter: None,
            min_freq: 0.0,
            min_attribute_freq: 0.0,
            all_possible_states: false,
            all_possible_transitions: true,
            num_memories: 20,
            epsilon: None,
            period: 10,
            delta: None,
            max_linesearch: 20,
            calibration_eta: 0.1,
            calibration_rate: 2.0,
            calibration_samples: 1000,
            calibration_candidates: 10,
            calibration_max_trials: 20,
            pa_type: 1,
            c: 1.0,
            error_sensitive: true,
            averaging: true,
            variance: 1.0,
            gamma: 1.0,
            seed: 0,
        }
    }
}

impl TrainingOptions {
    /// Checks all ranges and fills in the defaults of the algorithm.
    ///
    /// # Errors
    /// [`Error::Option`] for the first option that is out of range.
    pub fn complete(mut self) -> Result<Self> {
        let (max_iterations, epsilon, delta) = match &*self.algorithm {
            "lbfgs" => (UNLIMITED, 1e-5, 1e-5),
            "sdca" if self.c1 > 0.0 => (UNLIMITED, 1e-5, 1e-5),
            "sdca" => (UNLIMITED, 0.0, self.tol / 100.0),
            "l2sgd" => (1000, 0.0, 1e-6),
            "ap" | "pa" | "arow" => (100, 0.0, 0.0),
            name => {
                let message = format!(
                    "unknown algorithm {name:?}; expected one of sdca, lbfgs, l2sgd, ap, pa, arow"
                );
                return Err(Error::Option(message));
            }
        };
        self.max_iter.get_or_insert(max_iterations);
        self.epsilon.get_or_insert(epsilon);
        self.delta.get_or_insert(delta);
        self.check_ranges()?;
        if self.c1 > 0.0 && !["sdca", "lbfgs"].contains(&&*self.algorithm) {
            let message = format!(
                "c1 (an L1 penalty) requires the algorithm sdca or lbfgs, not {}",
                self.algorithm
            );
            return Err(Error::Option(message));
        }
        Ok(self)
    }

    fn check_ranges(&self) -> Result<()> {
        for (name, value) in [
            ("c1", self.c1),
            ("c2", self.c2),
            ("tol", self.tol),
            ("min_freq", self.min_freq),
            ("min_attribute_freq", self.min_attribute_freq),
            ("epsilon", self.epsilon.unwrap_or_default()),
            ("delta", self.delta.unwrap_or_default()),
        ] {
            let what = if value.is_finite() {
                "at least 0"
            } else {
                "a finite number"
            };
            check(value.is_finite() && value >= 0.0, name, value, what)?;
        }
        for (name, value, least) in [
            ("c", self.c, 0.0),
            ("variance", self.variance, 0.0),
            ("gamma", self.gamma, 0.0),
            ("calibration_eta", self.calibration_eta, 0.0),
            ("calibration_rate", self.calibration_rate, 1.0),
        ] {
            let range = format!("finite and above {least}");
            check(value.is_finite() && value > least, name, value, &range)?;
        }
        for (name, value) in [
            ("max_iter", self.max_iter.unwrap_or(UNLIMITED)),
            ("num_memories", self.num_memories),
            ("period", self.period),
            ("max_linesearch", self.max_linesearch),
            ("calibration_samples", self.calibration_samples),
            ("calibration_candidates", self.calibration_candidates),
            ("calibration_max_trials", self.calibration_max_trials),
        ] {
            check(
                (1..=UNLIMITED).contains(&value),
                name,
                value,
                "from 1 to 2**62",
            )?;
        }
        check(
            self.pa_type <= 2,
            "pa_type",
            self.pa_type,
            "0 (PA), 1 (PA-I) or 2 (PA-II)",
        )
    }

    /// Returns the feature selection.
    pub fn selection(&self) -> FeatureSelection {
        FeatureSelection {
            all_states: self.all_possible_states,
            all_transitions: self.all_possible_transitions,
            min_frequency: self.min_freq,
            min_attribute_frequency: self.min_attribute_freq,
        }
    }

    /// Returns the options of L-BFGS; `self` must be complete.
    pub fn lbfgs(&self) -> Lbfgs {
        Lbfgs {
            memory: self.num_memories,
            c1: self.c1,
            max_iterations: self.max_iter.unwrap_or(UNLIMITED),
            epsilon: self.epsilon.unwrap_or_default(),
            period: self.period,
            delta: self.delta.unwrap_or_default(),
            max_linesearch: self.max_linesearch,
        }
    }

    /// Returns the algorithm with its options; `self` must be complete.
    pub fn algorithm(&self) -> Algorithm {
        let max_iterations = self.max_iter.unwrap_or(UNLIMITED);
        let update = match &*self.algorithm {
            "ap" => Update::Perceptron,
            "pa" => Update::PassiveAggressive {
                slack: match self.pa_type {
                    0 => Slack::None,
                    1 => Slack::Linear(self.c),
                    _ => Slack::Quadratic(self.c),
                },
                error_sensitive: self.error_sensitive,
                averaging: self.averaging,
            },
            "arow" => Update::Arow {
                variance: self.variance,
                gamma: self.gamma,
            },
            "sdca" => {
                return Algorithm::Sdca(Sdca {
                    c2: self.c2,
                    tol: self.tol,
                    seed: self.seed,
                    finish: self.lbfgs(),
                });
            }
            "l2sgd" => {
                return Algorithm::Sgd(Sgd {
                    c2: self.c2,
                    max_iterations,
                    period: self.period,
                    delta: self.delta.unwrap_or_default(),
                    eta: self.calibration_eta,
                    rate: self.calibration_rate,
                    samples: self.calibration_samples,
                    candidates: self.calibration_candidates,
                    max_trials: self.calibration_max_trials,
                    seed: self.seed,
                });
            }
            _ => {
                let options = self.lbfgs();
                return Algorithm::Lbfgs {
                    options,
                    c2: self.c2,
                };
            }
        };
        Algorithm::Online(Online {
            update,
            max_iterations,
            epsilon: self.epsilon.unwrap_or_default(),
            seed: self.seed,
        })
    }
}

fn check(valid: bool, name: &str, value: impl std::fmt::Display, range: &str) -> Result<()> {
    match valid {
        true => Ok(()),
        false => Err(Error::Option(format!(
            "{name} is {value}; it must be {range}"
        ))),
    }
}
