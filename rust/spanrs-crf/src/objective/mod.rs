//! The penalised log-likelihood of a corpus, and its gradient.
//!
//! With `x_i` the sequences, `omega_i` their weights and `L_i` the negative log-likelihood of a
//! sequence's target (see [`crate::Target`]), the objective and its derivatives are
//!
//! ```text
//! f(w)        =  sum_i omega_i L_i(w)  +  c2 * sum_k w_k^2
//! df / dw_k   =  sum_i omega_i (E[F_k | x_i] - E[F_k | x_i, target])  +  2 c2 w_k
//! ```
//!
//! where `F_k` counts feature `k` in a labelling: the expectation under the model minus the expectation under the
//! target. This is CRFsuite's objective, with the same meaning of `c2`.
//!
//! # One evaluation
//! 1. The weights are copied into a table in the order of the items' codes (`packed`), and the
//!    transition scores are exponentiated once.
//! 2. The corpus is divided into *pieces* of consecutive sequences with at least [`PIECE_TOKENS`] tokens. Pieces of both
//!    halves of the corpus are processed in *rounds*: threads compute, for each piece, the scores, forward-backward, the
//!    loss, expected minus observed label probabilities of every token (its *rows*) and of transitions (`targets`).
//! 3. At the end of a round, the rows are added to the derivatives of the tokens' items. There are derivatives for each
//!    half. A thread owns a half, or a range of the derivatives of a half if there are more threads, so there are no
//!    locks on derivatives.
//! 4. The derivatives of both halves are added in the order of the features, and the penalty is added.
//!
//! # Determinism
//! Losses and derivatives are summed over each half in the order of the corpus, then the halves are added. The halves do
//! not depend on the number of threads, so the result is the same to the last bit for any number.
//!
//! # Cost
//! `O(items * labels with a feature + tokens * labels^2)` per evaluation. Attributes that occur at exactly the same
//! tokens share one parameter during training (`groups`), which reduces the number of items and parameters.

mod evaluation;
mod groups;
pub(crate) mod packed;
mod piece;
pub(crate) mod targets;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, RwLock};

use spanrs_base::{Clock, Watch, limit_threads};

use crate::corpus::Corpus;
use crate::correction_pairs::dot;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::messages::Potentials;
use crate::simd::padded;
use crate::team::run_together;
use crate::transitions::Transitions;

use evaluation::{Evaluation, Schedule};
pub(crate) use groups::Groups;
use packed::{CodeRanges, Gradient, Packed, Table};
use piece::{Piece, Scores, Scratch};

/// Smallest number of tokens per piece of the corpus, except the last; the rows of a piece fit into the second-level
/// cache. Fixed, because losses are added piece by piece.
const PIECE_TOKENS: usize = 512;

/// Derivatives are summed separately over the two halves of the corpus, so that each of two threads adds
/// what it has computed itself. Fixed, because it decides how sums are rounded.
const HALVES: usize = 2;

/// Largest number of pieces per thread between two synchronisations, if there are several threads.
const MAX_PIECES_PER_THREAD: usize = 8;

/// Smallest second derivative, if there is no penalty.
const MIN_CURVATURE: f64 = 1e-3;

/// Largest variance, for very large values.
const MAX_CURVATURE: f64 = 1e30;

/// Approximate size in bytes of the work space for all pieces of a round, unless one piece per thread needs more.
const WORK_BYTES: usize = 32 << 20;

/// The training objective: the negative log-likelihood of the targets given the attributes, plus `c2` times the sum of
/// squared weights. For a partial target, the likelihood is the total probability of the allowed labellings; for a
/// soft target, the log-likelihood is the expectation under the target's label distributions.
///
/// State weights, scores and messages have 32 bits, sums over many tokens 64 bits. The relative error of the objective
/// is about 1e-8, and with [`Objective::set_exact`] about 1e-9.
///
/// Memory: 4 bytes per item (12 with values other than 1) and 12 bytes per state feature (28 for
/// attributes that occur at least 256 times), counting each group of attributes once; dense rows are padded.
/// More threads need 4 bytes per token for each boundary between ranges of derivatives: `n/2 - 1` boundaries for an
/// even number `n` of threads, `n - 1` for an odd one.
///
/// ```
/// use spanrs_crf::{Corpus, FeatureSelection, Features, Objective, Target};
/// let mut corpus = Corpus::new(2, 1);
/// corpus.token([(0, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
/// let all = FeatureSelection { all_states: true, ..FeatureSelection::default() };
/// let features = Features::of(&corpus, all);
/// let mut objective = Objective::new(&corpus, &features, 0.0, 1).unwrap();
/// let mut gradient = [0.0; 2];
/// let loss = objective.evaluate(&[0.0, 0.0], &mut gradient).unwrap();
/// assert!((loss - 2.0_f64.ln()).abs() < 1e-12, "both labels have the probability 1/2");
/// assert_eq!(gradient, [0.5, -0.5]);
/// ```
#[derive(Debug)]
pub struct Objective<'a> {
    /// Targets and weights; the attributes of an owned corpus are freed once they are packed.
    corpus: Cow<'a, Corpus>,
    /// Features in the order of the parameters; in training, the features of the groups.
    features: &'a Features,
    /// Coefficient of the sum of squared parameters.
    c2: f64,
    /// Number of threads, at most the number of processors.
    threads: usize,
    /// What the current evaluation computes.
    wanted: Wanted,
    /// Whether all messages have 64 bits.
    exact: bool,
    /// Called after the pieces of each round to check whether to stop.
    clock: Clock,
    /// Sequences of each piece, in the order of the corpus.
    pieces: Vec<Range<usize>>,
    /// When the pieces of the two halves run.
    schedule: Schedule,
    /// The items and the layout of the tables.
    packed: Cow<'a, Packed>,
    /// State weights of the current evaluation.
    weights: Table<f32>,
    /// Derivatives of the state weights in the current evaluation, by half of the corpus.
    gradients: [Gradient; HALVES],
    /// The codes whose derivatives a thread computes for one half.
    ranges: CodeRanges,
    /// Transition scores in the current evaluation, with their exponentials.
    transitions: Transitions,
    /// Exponentials of the transition scores in 32 bits.
    potentials: Potentials<f32>,
    /// Dense transition weights, row-major (from, to); 0 for transitions without a feature.
    scores: Vec<f64>,
    /// Work space for the pieces of one or two rounds, by half. The locks are never contended: a piece is
    /// written by one thread.
    work: [Vec<RwLock<Piece>>; HALVES],
    /// Work space of each thread.
    scratch: Vec<Mutex<Scratch>>,
}

/// What an evaluation computes beside the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Derivatives.
    Gradient,
    /// Variances of label counts, and expected transition counts.
    Variances,
    /// Sums of variances of labels and transitions, for squared values.
    Information,
    /// Nothing.
    Loss,
}

impl<'a> Objective<'a> {
    /// Prepares the objective of a corpus; every attribute has its own parameters. `threads` does not affect results; 0
    /// means 1, and the number is limited to the number of processors.
    ///
    /// # Errors
    /// [`Error::Shape`] if the features and the corpus have different numbers of labels or attributes,
    /// [`Error::Features`] for more than `u32::MAX` features.
    pub fn new(
        corpus: &'a Corpus,
        features: &'a Features,
        c2: f64,
        threads: usize,
    ) -> Result<Self> {
        features.check(corpus)?;
        let groups = Groups::single(features);
        Self::of_groups(Cow::Borrowed(corpus), features, &groups, c2, threads)
    }

    /// Prepares the objective for groups of attributes that share parameters; `features` must be [`Groups::features`].
    /// Attributes of an owned corpus are freed once they are packed.
    ///
    /// # Errors
    /// Same as [`Objective::new`], and [`Error::Spill`] if the corpus is in a file.
    pub(crate) fn of_groups(
        mut corpus: Cow<'a, Corpus>,
        features: &'a Features,
        groups: &Groups,
        c2: f64,
        threads: usize,
    ) -> Result<Self> {
        let packed = Packed::of(&corpus, features, groups, padded(corpus.labels()))?;
        if let Cow::Owned(corpus) = &mut corpus {
            corpus.clear_items();
        }
        let threads = match packed.is_spilled() {
            // The items of a file are not divided by codes.
            true => limit_threads(threads).min(HALVES),
            false => limit_threads(threads),
        };
        Self::of_packed(corpus, features, Cow::Owned(packed), c2, threads)
    }

    /// Same as [`Objective::of_groups`], with the packed items of these groups and exactly as many threads.
    ///
    /// # Errors
    /// Same as [`Objective::new`].
    pub(crate) fn of_packed(
        corpus: Cow<'a, Corpus>,
        features: &'a Features,
        packed: Cow<'a, Packed>,
        c2: f64,
        threads: usize,
    ) -> Result<Self> {
        let labels = corpus.labels();
        check_len("labels in the features", labels, features.labels())?;
        if u32::try_from(features.len()).is_err() {
            let features = features.len();
            return Err(Error::Features { features });
        }
        let pieces = pieces(&corpus);
        // Most of the work space of a piece is for sums over pairs of labels.
        let pairs = 40 * labels * labels;
        let fitting = (WORK_BYTES / (threads * pairs).max(1)).clamp(1, MAX_PIECES_PER_THREAD);
        let pieces_per_round = match threads {
            1 => 1,
            _ => (threads * fitting).div_ceil(HALVES),
        };
        // Two rounds if there are several threads.
        let work = pieces_per_round * threads.min(2);
        // Parts of both halves are divided evenly among the threads.
        let ranges = if threads.is_multiple_of(HALVES) {
            threads / HALVES
        } else {
            threads
        };
        Ok(Self {
            corpus,
            features,
            c2,
            threads,
            wanted: Wanted::Gradient,
            exact: false,
            clock: Clock::new(|| false),
            weights: packed.table(),
            gradients: [(); HALVES].map(|()| Gradient::new(&packed)),
            ranges: packed.divide(ranges),
            packed,
            transitions: Transitions::zero(labels),
            potentials: Potentials::new(padded(labels)),
            scores: vec![0.0; labels * labels],
            work: [(); HALVES].map(|()| (0..work).map(|_| RwLock::default()).collect()),
            scratch: (0..threads).map(|_| Mutex::default()).collect(),
            schedule: Schedule::new(pieces.len(), pieces_per_round, threads),
            pieces,
        })
    }

    /// Sets the interrupt check, called between rounds (about every 512 tokens with
    /// one thread).
    pub fn interrupted_by(mut self, watch: Watch) -> Self {
        self.clock = Clock::new(watch);
        self
    }

    /// Returns the objective at `weights` and writes its gradient to `gradient`. Both are in the
    /// order of the features.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many weights and derivatives as features;
    /// [`Error::NotFinite`] and [`Error::Transition`] if weights or scores overflow or are NaN;
    /// [`Error::NoPath`] if weights of negative infinity forbid all labellings of a sequence;
    /// [`Error::Interrupted`]. The gradient is unspecified after an error.
    pub fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> Result<f64> {
        check_len("weights", self.features.len(), weights.len())?;
        if self.wanted != Wanted::Loss {
            check_len("derivatives", weights.len(), gradient.len())?;
        }
        let (first_pair, pairs) = self.features.pairs();
        for (&pair, weight) in pairs.iter().zip(&weights[first_pair..]) {
            self.scores[pair as usize] = *weight;
        }
        self.transitions.set(&self.scores)?;
        self.potentials.set(self.features.labels(), &self.scores);
        self.packed.pack(self.features, weights, &mut self.weights);
        let mut sums = vec![0.0; self.scores.len()];
        let loss = self.sequences(&mut sums)?;
        if self.wanted != Wanted::Loss {
            Gradient::unpack(&self.gradients, &self.packed, self.features, gradient);
            for (derivative, &pair) in gradient[first_pair..].iter_mut().zip(pairs) {
                *derivative = sums[pair as usize];
            }
            for (derivative, weight) in gradient.iter_mut().zip(weights) {
                *derivative += 2.0 * self.c2 * weight;
            }
        }
        let loss = loss + self.c2 * dot(weights, weights);
        if loss.is_finite() {
            Ok(loss)
        } else {
            Err(Error::NotFinite)
        }
    }

    /// Returns the objective at `weights`, in about half the time of [`Objective::evaluate`].
    ///
    /// # Errors
    /// Same as [`Objective::evaluate`].
    pub(crate) fn loss(&mut self, weights: &[f64]) -> Result<f64> {
        self.wanted = Wanted::Loss;
        let loss = self.evaluate(weights, &mut []);
        self.wanted = Wanted::Gradient;
        loss
    }

    /// Writes approximate second derivatives at `weights`, at least `2 c2`, to `curvatures`: the sums
    /// of the variances of label counts over the tokens, and of the expected transition counts.
    /// Covariances between tokens are ignored, and values are not squared.
    ///
    /// # Errors
    /// Same as [`Objective::evaluate`].
    pub(crate) fn curvatures(&mut self, weights: &[f64], curvatures: &mut [f64]) -> Result<()> {
        self.wanted = Wanted::Variances;
        let evaluated = self.evaluate(weights, curvatures);
        self.wanted = Wanted::Gradient;
        evaluated?;
        for (curvature, weight) in curvatures.iter_mut().zip(weights) {
            *curvature -= 2.0 * self.c2 * weight;
        }
        self.packed.multiply_by_scales(self.features, curvatures);
        for curvature in curvatures {
            let variance = curvature.clamp(0.0, MAX_CURVATURE);
            *curvature = variance + (2.0 * self.c2).max(MIN_CURVATURE);
        }
        Ok(())
    }

    /// Writes the diagonal of the second derivative at `weights`, without the penalty: the sums over the
    /// tokens of the variances of labels, times squared values, and of the variances of transitions.
    /// Covariances between tokens are ignored. Labels that a partial target leaves open contribute only as
    /// far as the target restricts them.
    ///
    /// # Errors
    /// Same as [`Objective::evaluate`].
    pub(crate) fn information(&mut self, weights: &[f64], information: &mut [f64]) -> Result<()> {
        self.wanted = Wanted::Information;
        let evaluated = self.evaluate(weights, information);
        self.wanted = Wanted::Gradient;
        evaluated?;
        for (value, weight) in information.iter_mut().zip(weights) {
            *value = (*value - 2.0 * self.c2 * weight).clamp(0.0, MAX_CURVATURE);
        }
        self.packed.multiply_by_scales(self.features, information);
        Ok(())
    }

    /// Selects messages in 64 bits for all sequences, or only for those whose messages are out of range in 32 bits
    /// (the default). Derivatives of single tokens have 32 bits in both cases.
    pub fn set_exact(&mut self, exact: bool) {
        self.exact = exact;
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The corpus; its attributes may have been freed.
    pub(crate) fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The items in the layout of training.
    pub(crate) fn packed(&self) -> &Packed {
        &self.packed
    }

    /// Computes the negative log-likelihood of all sequences; fills the table of derivatives and adds the derivatives
    /// of transitions to `pairs`, row-major (from, to).
    fn sequences(&mut self, pairs: &mut [f64]) -> Result<f64> {
        let parts = self.gradients.each_mut();
        let parts = parts.map(|half| half.split(&self.packed, &self.ranges));
        let parts = parts.map(|parts| parts.into_iter().map(Mutex::new).collect());
        let evaluation = Evaluation {
            corpus: &self.corpus,
            scores: Scores {
                packed: &self.packed,
                weights: &self.weights,
                transitions: &self.transitions,
                potentials: &self.potentials,
                wanted: self.wanted,
                exact: self.exact,
            },
            pieces: &self.pieces,
            schedule: &self.schedule,
            work: &self.work,
            scratch: &self.scratch,
            parts,
            next: self.schedule.starts().map(AtomicUsize::new),
            asked: AtomicBool::new(false),
            failed: Default::default(),
            sums: [(); HALVES].map(|()| Mutex::new((0.0, vec![0.0; pairs.len()]))),
            error: Mutex::new(None),
        };
        let (threads, clock) = (self.threads.min(self.pieces.len()), &mut self.clock);
        let completed = run_together(threads, &mut || clock.stops(), |member| {
            evaluation.run(member)
        });
        let loss = evaluation.end(pairs)?;
        completed.map(|()| loss)
    }
}

/// Splits the corpus into ranges of sequences, each with at least [`PIECE_TOKENS`] tokens except the last.
fn pieces(corpus: &Corpus) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for at in 0..corpus.sequences() {
        tokens += corpus.sequence(at).len();
        if tokens >= PIECE_TOKENS {
            pieces.push(start..at + 1);
            (start, tokens) = (at + 1, 0);
        }
    }
    if start < corpus.sequences() {
        pieces.push(start..corpus.sequences());
    }
    pieces
}
