//! Training by any algorithm.

use std::borrow::Cow;

use spanrs_base::Watch;

use crate::corpus::Corpus;
use crate::error::{Result, check_len};
use crate::features::Features;
use crate::lbfgs::{Iteration, Lbfgs, Stop};
use crate::objective::{Groups, Objective};
use crate::online::Online;
use crate::sgd::Sgd;

/// Training algorithms with their options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Algorithm {
    /// Penalised likelihood by L-BFGS, or OWL-QN if there is an L1 penalty.
    Lbfgs {
        /// Options of the optimiser.
        options: Lbfgs,
        /// Coefficient of the sum of squared weights.
        c2: f64,
    },
    /// Penalised likelihood by stochastic gradient descent.
    Sgd(Sgd),
    /// Perceptron, passive-aggressive, AROW.
    Online(Online),
}

/// Trains from `weights` (zeros, or those of a similar model), which are updated in place. Results
/// do not depend on `threads`; only L-BFGS uses more than one. `after` is called after each
/// iteration, and false stops. L-BFGS frees the attributes of an owned corpus early.
///
/// # Errors
/// [`crate::Error`] for weights that do not fit the features or overflow, for
/// [`crate::Error::Interrupted`], and those of `after`; `weights` are then the last accepted ones.
pub fn train<'a>(
    corpus: impl Into<Cow<'a, Corpus>>,
    features: &Features,
    algorithm: &Algorithm,
    threads: usize,
    weights: &mut [f64],
    watch: Watch,
    after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
) -> Result<Stop> {
    check_len("weights", features.len(), weights.len())?;
    let corpus = corpus.into();
    match algorithm {
        Algorithm::Lbfgs { options, c2 } => train_lbfgs(
            corpus, features, options, *c2, threads, weights, watch, after,
        ),
        Algorithm::Sgd(options) => options.train(&corpus, features, weights, watch, after),
        Algorithm::Online(options) => options.train(&corpus, features, weights, watch, after),
    }
}

/// L-BFGS over groups of attributes that occur together.
#[allow(clippy::too_many_arguments)] // Those of `train`.
fn train_lbfgs(
    corpus: Cow<'_, Corpus>,
    features: &Features,
    options: &Lbfgs,
    c2: f64,
    threads: usize,
    weights: &mut [f64],
    watch: Watch,
    after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
) -> Result<Stop> {
    let groups = match options.c1 > 0.0 {
        // The L1 penalty of a shared parameter is not the sum of its attributes' penalties.
        true => Groups::single(features),
        false => Groups::of(&corpus, features),
    };
    train_groups(
        corpus, features, &groups, options, c2, threads, weights, watch, after,
    )
}

/// As [`train_lbfgs`], with known groups.
#[allow(clippy::too_many_arguments)] // Those of `train`.
pub(crate) fn train_groups(
    corpus: Cow<'_, Corpus>,
    features: &Features,
    groups: &Groups,
    options: &Lbfgs,
    c2: f64,
    threads: usize,
    weights: &mut [f64],
    watch: Watch,
    mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
) -> Result<Stop> {
    let own = groups.features(features);
    let objective = Objective::of_groups(corpus, &own, groups, c2, threads)?;
    let mut objective = objective.interrupted_by(watch);
    let mut parameters = groups.to_parameters(features, weights, &own);
    let evaluate = |at: &[f64], gradient: &mut [f64]| objective.evaluate(at, gradient);
    let stop = options.minimise(&mut parameters, evaluate, |mut state, parameters| {
        groups.to_weights(features, parameters, &own, weights);
        state.active = weights.iter().filter(|weight| **weight != 0.0).count();
        after(state, weights)
    });
    groups.to_weights(features, &parameters, &own, weights);
    stop
}
