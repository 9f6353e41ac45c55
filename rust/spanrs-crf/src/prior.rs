//! Learning from one batch of sequences after another.
//!
//! What earlier batches have taught is a normal distribution of the weights, independent of each other: a
//! mean `m_k`, and a coefficient `p_k` of the squared distance to it. The next batch, with the negative
//! log-likelihood `L`, minimises
//!
//! ```text
//! f(w)  =  L(w)  +  sum_k p_k (w_k - m_k)^2
//! ```
//!
//! and afterwards the minimum is the new mean, and `p_k` grows by half the second derivative of `L` there,
//! without the covariances between tokens (the Laplace approximation with a diagonal Hessian; Opper 1998,
//! MacKay 1992). Before the first batch
//! the mean is 0 and the coefficient is `c2`, so one batch gives the weights of ordinary training.

use std::borrow::Cow;

use spanrs_base::Watch;

use crate::corpus::Corpus;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::lbfgs::{Iteration, Lbfgs, Stop};
use crate::objective::{Groups, Objective};

/// A normal prior of each weight.
///
/// ```
/// use spanrs_crf::{Corpus, FeatureSelection, Features, Lbfgs, Prior, Target};
/// let batch = |label| {
///     let mut corpus = Corpus::new(2, 1);
///     corpus.token([(0, 1.0)]).unwrap();
///     corpus.end_sequence(Target::Labels(vec![label]), 1.0).unwrap();
///     corpus
/// };
/// let all = FeatureSelection { all_states: true, ..FeatureSelection::default() };
/// let features = Features::of(&batch(0), all);
/// let mut prior = Prior::new(&features, 0.5);
/// for label in [1, 1, 0] {
///     prior.learn(batch(label), &features, &Lbfgs::default(), 1, || false, |_, _| Ok(true)).unwrap();
/// }
/// // Label 1 has occurred twice, label 0 once.
/// assert!(prior.means[1] > prior.means[0]);
/// assert!(prior.penalties[0] > 0.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// The mean of each weight, in the order of the features: the weights of the model.
    pub means: Vec<f64>,
    /// The coefficient of the squared distance of each weight to its mean, above 0.
    pub penalties: Vec<f64>,
}

impl Prior {
    /// Means of 0, and the coefficient `c2` for all weights; it must be above 0.
    pub fn new(features: &Features, c2: f64) -> Self {
        Self {
            means: vec![0.0; features.len()],
            penalties: vec![c2; features.len()],
        }
    }

    /// Learns from the sequences of a batch by L-BFGS. `threads`, `watch` and `after` are those of
    /// [`crate::train()`]; the loss of an iteration includes the distance to the means.
    ///
    /// The penalties change only if training ends, not if `after` stops it.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many means or penalties as features, or if features and corpus
    /// differ; [`Error::Option`] for a penalty that is not finite and above 0, or an L1 penalty; the errors of
    /// [`Lbfgs::minimise`]. On error, the means are those of the last iteration.
    pub fn learn(
        &mut self,
        batch: Corpus,
        features: &Features,
        options: &Lbfgs,
        threads: usize,
        watch: Watch,
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        check_len("means", features.len(), self.means.len())?;
        check_len("penalties", features.len(), self.penalties.len())?;
        features.check(&batch)?;
        let valid = |penalty: &f64| penalty.is_finite() && *penalty > 0.0;
        if options.c1 > 0.0 || !self.penalties.iter().all(valid) {
            let message = "learning in batches needs c2 above 0, and no c1";
            return Err(Error::Option(message.to_owned()));
        }
        let groups = Groups::single(features);
        let batch = Cow::Owned(batch);
        let objective = Objective::of_groups(batch, features, &groups, 0.0, threads)?;
        let mut objective = objective.interrupted_by(watch);
        // In units of the standard deviations of the prior, the second derivatives of the prior are 1.
        let scales: Vec<f64> = (self.penalties.iter())
            .map(|penalty| 1.0 / (2.0 * penalty).sqrt())
            .collect();
        let before = self.means.clone();
        let place = |at: usize, step: f64| before[at] + scales[at] * step;
        let mut point = before.clone();
        let evaluate = |steps: &[f64], gradient: &mut [f64]| {
            for (at, (weight, step)) in point.iter_mut().zip(steps).enumerate() {
                *weight = place(at, *step);
            }
            let mut loss = objective.evaluate(&point, gradient)?;
            for ((slope, step), scale) in gradient.iter_mut().zip(steps).zip(&scales) {
                *slope = *slope * scale + step;
                loss += 0.5 * step * step;
            }
            Ok(loss)
        };
        let mut steps = vec![0.0; self.means.len()];
        let stop = options.minimise(&mut steps, evaluate, |mut state, steps| {
            for (at, (mean, step)) in self.means.iter_mut().zip(steps).enumerate() {
                *mean = place(at, *step);
            }
            state.active = self.means.iter().filter(|mean| **mean != 0.0).count();
            after(state, &self.means)
        })?;
        if stop != Stop::Asked {
            let mut information = vec![0.0; self.means.len()];
            objective.information(&self.means, &mut information)?;
            for (penalty, information) in self.penalties.iter_mut().zip(information) {
                *penalty += 0.5 * information;
            }
        }
        Ok(stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Target;
    use crate::features::FeatureSelection;
    use crate::train::{Algorithm, train};

    /// Sequences whose tokens have two attributes, one of which depends on the label.
    fn corpus(sequences: usize, seed: u64) -> Corpus {
        let mut random = spanrs_base::Rng::new(seed);
        let mut corpus = Corpus::new(3, 8);
        for _ in 0..sequences {
            let labels: Vec<u32> = (0..6).map(|_| random.below(3) as u32).collect();
            for label in &labels {
                let typical = (*label + random.below(2) as u32) % 3;
                let common = 3 + random.below(5) as u32;
                corpus.token([(typical, 1.0), (common, 0.5)]).unwrap();
            }
            corpus.end_sequence(Target::Labels(labels), 1.0).unwrap();
        }
        corpus
    }

    fn features(corpus: &Corpus) -> Features {
        let selection = FeatureSelection {
            all_states: true,
            all_transitions: true,
            ..FeatureSelection::default()
        };
        Features::of(corpus, selection)
    }

    #[test]
    fn one_batch_gives_the_weights_of_training() {
        let corpus = corpus(40, 1);
        let features = features(&corpus);
        let options = Lbfgs {
            epsilon: 1e-8,
            delta: 0.0,
            ..Lbfgs::default()
        };
        let mut expected = vec![0.0; features.len()];
        let algorithm = Algorithm::Lbfgs { options, c2: 0.7 };
        let after = |_, _: &[f64]| Ok(true);
        train(
            &corpus,
            &features,
            &algorithm,
            1,
            &mut expected,
            || false,
            after,
        )
        .unwrap();
        let mut prior = Prior::new(&features, 0.7);
        prior
            .learn(corpus, &features, &options, 1, || false, after)
            .unwrap();
        for (learnt, expected) in prior.means.iter().zip(expected) {
            assert!((learnt - expected).abs() < 1e-3, "{learnt} {expected}");
        }
    }

    #[test]
    fn batches_give_about_the_loss_of_all_sequences() {
        let all = corpus(400, 2);
        let features = features(&all);
        let after = |_, _: &[f64]| Ok(true);
        let loss = |weights: &[f64]| {
            let mut objective = Objective::new(&all, &features, 0.0, 1).unwrap();
            objective.evaluate(weights, &mut vec![0.0; weights.len()])
        };
        let mut batched = Prior::new(&features, 0.5);
        for batch in 0..10 {
            let part = all.part(|at| at / 40 == batch);
            let options = Lbfgs::default();
            batched
                .learn(part, &features, &options, 1, || false, after)
                .unwrap();
        }
        let mut whole = Prior::new(&features, 0.5);
        let options = Lbfgs::default();
        whole
            .learn(all.clone(), &features, &options, 1, || false, after)
            .unwrap();
        let (start, learnt) = (loss(&vec![0.0; features.len()]), loss(&batched.means));
        let best = loss(&whole.means).unwrap();
        let lost = (learnt.unwrap() - best) / (start.unwrap() - best);
        assert!((0.0..0.02).contains(&lost), "{lost}");
    }

    #[test]
    fn what_is_no_prior_is_refused() {
        let corpus = corpus(2, 1);
        let features = features(&corpus);
        for c2 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut prior = Prior::new(&features, c2);
            let learnt = prior.learn(
                corpus.clone(),
                &features,
                &Lbfgs::default(),
                1,
                || false,
                |_, _| Ok(true),
            );
            assert!(matches!(learnt, Err(Error::Option(_))));
        }
    }
}
