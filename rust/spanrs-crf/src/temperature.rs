//! Calibration of probabilities by a temperature (Guo et al. 2017, "On calibration of modern neural
//! networks", section 4.2).
//!
//! All scores are divided by the temperature `T` before they are normalised. The order of the
//! labellings does not change; above 1 probabilities move towards the uniform distribution, below 1
//! towards 0 and 1.

use std::ops::RangeInclusive;

use spanrs_base::{Watch, Workers, even_ranges, limit_threads};

use crate::error::{Error, Result};
use crate::lattice::Lattice;
use crate::model::Model;
use crate::transitions::Transitions;

/// Temperatures that a model can have, which are also the bounds of [`fit_temperature`].
pub const TEMPERATURES: RangeInclusive<f64> = 0.05..=100.0;

/// The search ends when the logarithm of the temperature is known to this tolerance.
const TOLERANCE: f64 = 1e-5;

/// A temperature other than 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Temperature {
    value: f64,
    /// The transitions to decode with, divided by the temperature.
    transitions: Transitions,
}

impl Temperature {
    /// Creates a temperature for these transitions; None for 1.
    ///
    /// # Errors
    /// [`Error::Input`] for a value outside of [`TEMPERATURES`], [`Error::Transition`] for scores that
    /// overflow.
    pub(crate) fn new(value: f64, transitions: &Transitions) -> Result<Option<Self>> {
        if !TEMPERATURES.contains(&value) {
            let (least, most) = TEMPERATURES.into_inner();
            return Err(Error::Input(format!(
                "the temperature must be between {least} and {most}, not {value}"
            )));
        }
        if value == 1.0 {
            return Ok(None);
        }
        let transitions = scaled(transitions, 1.0 / value)?;
        Ok(Some(Self { value, transitions }))
    }

    /// The temperature.
    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// The factor of scores: the inverse of the temperature.
    pub(crate) fn factor(&self) -> f64 {
        1.0 / self.value
    }

    /// The transitions, divided by the temperature.
    pub(crate) fn transitions(&self) -> &Transitions {
        &self.transitions
    }
}

/// The transitions with all scores multiplied by a factor.
///
/// # Errors
/// [`Error::Transition`] for scores that overflow.
fn scaled(transitions: &Transitions, factor: f64) -> Result<Transitions> {
    let scores = transitions.scores().iter();
    let scores = scores.map(|score| score * factor).collect();
    Transitions::new(transitions.labels(), scores)
}

/// Label scores of a sequence and its gold labels; see [`crate::Decoder::labelled_scores`].
#[derive(Clone, Debug)]
pub struct LabelledScores {
    /// Row-major (token, label), without padding.
    scores: Vec<f64>,
    /// The gold labels.
    labels: Vec<usize>,
}

impl LabelledScores {
    /// Creates scores with a label for each token.
    pub(crate) fn new(scores: Vec<f64>, labels: Vec<usize>) -> Self {
        Self { scores, labels }
    }

    /// The gold labels.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }
}

/// Returns the temperature that minimises the negative log-likelihood of the gold labellings, within
/// [`TEMPERATURES`].
///
/// The likelihood is log-concave in `1 / T`, so it has one maximum, which golden-section search over
/// `ln T` finds in about 30 evaluations, each a forward-backward pass over the sequences. The result does
/// not depend on the number of threads. If all gold labellings are the most probable ones by far, the
/// likelihood grows until the lower bound, and if they are no better than chance, until the upper bound.
///
/// # Errors
/// [`Error::Input`] without sequences, [`Error::NotFinite`] if scores overflow, [`Error::Interrupted`].
///
/// # Examples
/// ```
/// use spanrs_base::Interner;
/// use spanrs_crf::{Decoder, Features, Model, Sequences, fit_temperature};
/// let (features, _) = Features::listed(2, 1, &[(0, 1)], &[]).unwrap();
/// let [mut labels, mut attributes]: [Interner<str>; 2] = Default::default();
/// ["O", "PER"].map(|name| labels.intern(name));
/// attributes.intern("w=Ada");
/// // The model gives PER the probability 1 / (1 + e^-4) = 0.98; three of four gold labels are PER.
/// let model = Model::new(labels, attributes, features, vec![4.0], "{}".into()).unwrap();
/// let mut sequences = Sequences::new(1);
/// sequences.indicators(&[0]).unwrap();
/// sequences.end();
/// let mut decoder = Decoder::new(&model);
/// decoder.read(&sequences, 0);
/// let gold = [1, 1, 1, 0].map(|label| decoder.labelled_scores(&[label]).unwrap().unwrap());
/// let temperature = fit_temperature(&model, &gold, 1, || false).unwrap();
/// assert!((temperature - 4.0 / 3.0_f64.ln()).abs() < 1e-3, "0.75 = 1 / (1 + e^-ln 3)");
/// ```
pub fn fit_temperature(
    model: &Model,
    gold: &[LabelledScores],
    threads: usize,
    watch: Watch,
) -> Result<f64> {
    if gold.is_empty() {
        let message = "there are no sequences from which to estimate the temperature";
        return Err(Error::Input(message.to_owned()));
    }
    let (_, transitions, _) = model.decoding();
    let loss = |log_temperature: f64| {
        let factor = (-log_temperature).exp();
        let transitions = scaled(transitions, factor)?;
        let ranges = even_ranges(gold.len(), limit_threads(threads));
        let losses = Workers::watched(watch).flat_map(ranges, |range, worker| {
            let mut lattice = Lattice::default();
            let losses = gold[range].iter().map(|sequence| {
                worker.check()?;
                sequence.loss(&transitions, factor, &mut lattice)
            });
            losses.collect::<Result<Vec<f64>>>()
        });
        // Added in the order of the sequences, for any number of threads.
        Ok(losses?.into_iter().sum::<f64>())
    };
    let (least, most) = TEMPERATURES.into_inner();
    Ok(minimum(least.ln(), most.ln(), loss)?
        .exp()
        .clamp(least, most))
}

impl LabelledScores {
    /// The negative log-likelihood of the gold labels with all scores multiplied by a factor;
    /// `transitions` are already multiplied, and `lattice` is work space.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for scores that overflow.
    fn loss(&self, transitions: &Transitions, factor: f64, lattice: &mut Lattice) -> Result<f64> {
        let labels = transitions.labels();
        lattice.reset(self.labels.len(), labels);
        for (token, row) in self.scores.chunks_exact(labels.max(1)).enumerate() {
            for (scaled, score) in lattice.scores_mut(token).iter_mut().zip(row) {
                *scaled = score * factor;
            }
        }
        let log_z = lattice.forward_backward(transitions)?;
        Ok(log_z - lattice.score(&self.labels, transitions)?)
    }
}

/// The place of the minimum of a function with one minimum between two places, or an end if the
/// function is lower there (golden-section search; Kiefer 1953).
///
/// # Errors
/// The errors of the function.
fn minimum(low: f64, high: f64, loss: impl Fn(f64) -> Result<f64>) -> Result<f64> {
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut start, mut end) = (low, high);
    let (mut left, mut right) = (end - ratio * (end - start), start + ratio * (end - start));
    let (mut at_left, mut at_right) = (loss(left)?, loss(right)?);
    while end - start > TOLERANCE {
        if at_left <= at_right {
            (end, right, at_right) = (right, left, at_left);
            left = end - ratio * (end - start);
            at_left = loss(left)?;
        } else {
            (start, left, at_left) = (left, right, at_right);
            right = start + ratio * (end - start);
            at_right = loss(right)?;
        }
    }
    let (mut best, mut at_best) = ((start + end) / 2.0, at_left.min(at_right));
    for bound in [low, high] {
        let at_bound = loss(bound)?;
        if at_bound < at_best {
            (best, at_best) = (bound, at_bound);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_found_inside_and_at_the_ends() {
        for (place, expected) in [(0.3, 0.3), (-2.0, -1.0), (5.0, 2.0)] {
            let loss = |at: f64| Ok((at - place).powi(2));
            let found = minimum(-1.0, 2.0, loss).unwrap();
            assert!((found - expected).abs() < TOLERANCE, "{found} {expected}");
        }
    }

    #[test]
    fn temperatures_outside_of_the_range_are_refused() {
        let transitions = Transitions::zero(2);
        for value in [0.0, -1.0, 101.0, f64::NAN, f64::INFINITY] {
            let refused = Temperature::new(value, &transitions).unwrap_err();
            assert!(
                refused.to_string().contains("between 0.05 and 100"),
                "{refused}"
            );
        }
        assert_eq!(Temperature::new(1.0, &transitions).unwrap(), None);
    }
}
