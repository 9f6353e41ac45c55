//! Training by any algorithm.
//!
//! | algorithm | minimises | learns from | threads |
//! |---|---|---|---|
//! | L-BFGS, OWL-QN ([`Lbfgs`]) | penalised negative log-likelihood, exactly | all targets | yes |
//! | dual coordinate ascent and L-BFGS ([`Sdca`]) | the same, within a bound without an L1 penalty | all targets | two in sweeps |
//! | gradient descent ([`Sgd`]) | the same, one sequence at a time; L2 penalty only | all targets | no |
//! | perceptron, passive-aggressive, AROW ([`Online`]) | mistakes | labels and partial labels | no |
//!
//! Dual coordinate ascent and L-BFGS give the best models, which are reproducible to the last bit for any number of
//! threads; the former is usually faster. Partial labels and warm starts need L-BFGS. The online algorithms do not need
//! forward-backward, so a pass is cheaper, and their models are usually slightly worse (CRFsuite on
//! CoNLL-2000: F1 93.6 by L-BFGS, 93.5 by passive-aggressive, 93.3 by the perceptron, 91.7 by AROW).
//!
//! Vectors of tokens and class weights are trained by L-BFGS; dual coordinate ascent makes no sweeps then.
//!
//! # Shared parameters
//! Without an L1 penalty, L-BFGS optimises one parameter per group of attributes that occur at the same tokens, which
//! is a smaller problem with the same solution. With an L1 penalty the solution would differ: the shared parameter is
//! `sqrt(n)` times the weight `v` of each of `n` attributes, so the penalty of the parameter would be `sqrt(n) |v|`,
//! while the penalty of the attributes is `n |v|`.

use std::borrow::Cow;
use std::cell::Cell;

use spanrs_base::Watch;

use crate::corpus::Corpus;
use crate::correction_pairs::norm;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::lbfgs::{Iteration, Lbfgs, Stop};
use crate::objective::{Groups, Objective};
use crate::online::Online;
use crate::sdca::Sdca;
use crate::sgd::Sgd;

/// Training algorithms with their options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Algorithm {
    /// Penalised likelihood by L-BFGS, or OWL-QN if there is an L1 penalty ([`Lbfgs::c1`]).
    Lbfgs {
        /// Options of the optimiser.
        options: Lbfgs,
        /// Coefficient of the sum of squared weights, at least 0. Equals `1 / (2 sigma^2)` for a Gaussian prior with
        /// variance `sigma^2`.
        c2: f64,
    },
    /// Penalised likelihood by dual coordinate ascent.
    Sdca(Sdca),
    /// Penalised likelihood by stochastic gradient descent.
    Sgd(Sgd),
    /// Perceptron, passive-aggressive or AROW, selected by [`Online::update`].
    Online(Online),
}

/// Trains from `weights`, which are updated in place, and returns why training ended.
///
/// `weights` are in the order of `features`: zeros, or the weights of a similar model ([`crate::Model::weights_for`]).
/// Results do not depend on `threads`; L-BFGS uses all threads, dual coordinate ascent at most two. `watch` is called
/// at most every 50 ms. `after` is called after each iteration with the current weights (averaged weights in online
/// training); it can report progress, evaluate on held-out data, and stop training by returning false.
///
/// Pass an owned corpus to save memory: L-BFGS frees its attributes once they are packed.
///
/// `features` must have the labels and attributes of the corpus, which holds for [`Features::of`].
///
/// # Errors
/// [`crate::Error::Shape`] if there are not as many weights as features, or if features and corpus have different
/// numbers of labels or attributes; [`crate::Error::NotFinite`] or [`crate::Error::Transition`] if weights or scores
/// overflow; [`crate::Error::Option`] if tokens have vectors and the algorithm is not L-BFGS or dual coordinate ascent,
/// or if labels have class weights and the algorithm is an online one;
/// [`crate::Error::Target`] for targets that online algorithms cannot learn from;
/// [`crate::Error::Interrupted`]; and the errors of `after`. After an error `weights` are the last accepted weights:
/// the last iteration of L-BFGS, the best pass of gradient descent, the current average of online algorithms.
///
/// # Examples
/// ```
/// use spanrs_crf::{Algorithm, Corpus, FeatureSelection, Features};
/// use spanrs_crf::{Online, Stop, Target, Update, train};
/// let mut corpus = Corpus::new(2, 2);
/// corpus.token([(0, 1.0)]).unwrap();
/// corpus.token([(1, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![0, 1]), 1.0).unwrap();
/// let features = Features::of(&corpus, FeatureSelection::default());
/// let mut weights = vec![0.0; features.len()];
/// let online = Online { update: Update::Perceptron, max_iterations: 10, epsilon: 0.0, seed: 1 };
/// let algorithm = Algorithm::Online(online);
/// let mut losses = Vec::new();
/// let after = |state: spanrs_crf::Iteration, _: &[f64]| {
///     losses.push(state.loss);
///     Ok(true)
/// };
/// let stop = train(&corpus, &features, &algorithm, 1, &mut weights, || false, after);
/// assert_eq!(stop, Ok(Stop::Converged), "a pass without mistakes");
/// assert_eq!(losses, [1.0, 0.0]);
/// ```
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
    features.check(&corpus)?;
    let online = matches!(algorithm, Algorithm::Sgd(_) | Algorithm::Online(_));
    if matches!(algorithm, Algorithm::Online(_)) && corpus.has_margins() {
        let message = "class weights require the algorithm sdca, lbfgs or l2sgd";
        return Err(Error::Option(message.to_owned()));
    }
    if online && corpus.is_spilled() {
        let message =
            "features in a temporary file (max_memory) require the algorithm sdca or lbfgs";
        return Err(Error::Option(message.to_owned()));
    }
    if online && features.dimension() > 0 {
        let message = "dense rows require the algorithm sdca or lbfgs";
        return Err(Error::Option(message.to_owned()));
    }
    match algorithm {
        Algorithm::Lbfgs { options, c2 } => train_lbfgs(
            corpus, features, options, *c2, threads, weights, watch, after,
        ),
        Algorithm::Sdca(options) => options.train(corpus, features, threads, weights, watch, after),
        Algorithm::Sgd(options) => options.train(&corpus, features, weights, watch, after),
        Algorithm::Online(options) => options.train(&corpus, features, weights, watch, after),
    }
}

/// L-BFGS over groups of attributes that occur together, unless there is an L1 penalty. Arguments and errors are the
/// same as for [`train`].
///
/// `after` sees weights, not parameters, and [`Iteration::active`] counts weights; [`Iteration::gradient_norm`] is the
/// norm of the gradient for the parameters, which equals the norm for the weights.
#[allow(clippy::too_many_arguments)] // Same as for `train`.
pub(crate) fn train_lbfgs(
    corpus: Cow<'_, Corpus>,
    features: &Features,
    options: &Lbfgs,
    c2: f64,
    threads: usize,
    weights: &mut [f64],
    watch: Watch,
    mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
) -> Result<Stop> {
    let groups = match options.c1 > 0.0 {
        // The L1 penalty of a shared parameter is not the sum of its attributes' penalties.
        true => Groups::single(features),
        false => Groups::of(&corpus, features)?,
    };
    let group_features = groups.features(features);
    let objective = Objective::of_groups(corpus, &group_features, &groups, c2, threads)?;
    let mut objective = objective.interrupted_by(watch);
    let mut parameters = groups.to_parameters(features, weights, &group_features);
    minimise(
        &mut objective,
        options,
        None,
        &mut parameters,
        |_, _, _| {},
        |mut state, parameters| {
            groups.to_weights(features, parameters, &group_features, weights);
            state.active = weights.iter().filter(|weight| **weight != 0.0).count();
            after(state, weights)
        },
    )
}

/// Minimises an objective by L-BFGS from `parameters`, which are replaced by the best point.
///
/// Messages have 32 bits until rounding errors stop the line search, and then 64 bits. With `scales`,
/// L-BFGS sees the parameters divided by them; `after` sees the parameters themselves, and the norms
/// of the state are theirs. `evaluated` is called with each point that is evaluated, its loss and its
/// gradient.
///
/// # Errors
/// Same as [`Lbfgs::minimise`].
pub(crate) fn minimise(
    objective: &mut Objective,
    options: &Lbfgs,
    scales: Option<&[f64]>,
    parameters: &mut [f64],
    mut evaluated: impl FnMut(&[f64], f64, &[f64]),
    mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
) -> Result<Stop> {
    let mut point = parameters.to_vec();
    let gradient_norm = Cell::new(f64::INFINITY);
    let (mut first, mut stop) = (0, Stop::MaxIterations);
    for exact in [false, true] {
        objective.set_exact(exact);
        let mut scaled = parameters.to_vec();
        scale(&mut scaled, scales, |value, scale| value / scale);
        let evaluate = |at: &[f64], gradient: &mut [f64]| {
            point.copy_from_slice(at);
            scale(&mut point, scales, |value, scale| value * scale);
            let loss = objective.evaluate(&point, gradient)?;
            evaluated(&point, loss, gradient);
            if scales.is_some() {
                gradient_norm.set(norm(gradient));
            }
            scale(gradient, scales, |slope, scale| slope * scale);
            Ok(loss)
        };
        let rest = Lbfgs {
            max_iterations: options.max_iterations - first,
            ..*options
        };
        let mut last = first;
        stop = rest.minimise(&mut scaled, evaluate, |mut state, scaled| {
            parameters.copy_from_slice(scaled);
            scale(parameters, scales, |value, scale| value * scale);
            state.iteration += first;
            last = state.iteration;
            if scales.is_some() {
                state.gradient_norm = Some(gradient_norm.get());
                state.weight_norm = norm(parameters);
            }
            after(state, parameters)
        })?;
        first = last;
        if stop != Stop::LineSearch {
            break;
        }
    }
    Ok(stop)
}

/// Replaces values by a function of them and the scales, if there are any.
fn scale(values: &mut [f64], scales: Option<&[f64]>, function: impl Fn(f64, f64) -> f64) {
    for (value, scale) in values.iter_mut().zip(scales.into_iter().flatten()) {
        *value = function(*value, *scale);
    }
}
