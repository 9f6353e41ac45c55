//! The penalised log-likelihood of a corpus, and its gradient.

mod groups;
mod packed;
pub(crate) mod targets;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use spanrs_base::{Clock, Watch, map_in_threads};

use crate::corpus::Corpus;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::simd::{Kernel, dispatch, padded};
use crate::transitions::Transitions;

pub(crate) use groups::Groups;
use packed::{Packed, Part, Table};
use targets::Work;

/// Tokens per piece of the corpus; the rows of a piece fit the second-level cache. Losses of pieces
/// are added in order, so results do not depend on threads.
const PIECE: usize = 512;

/// Largest number of pieces per thread between two synchronisations, if there are several threads.
const PIECES: usize = 16;

/// Bytes of work space of all pieces, unless a piece for each thread needs more.
const WORK_BYTES: usize = 32 << 20;

/// The training objective: the negative log-likelihood of the labels given the attributes, plus
/// `c2` times the sum of squared weights. Partial targets contribute the probability of all
/// labellings they allow, soft ones their expectation.
///
/// State weights are rounded to 32 bits for the sums of a token, which stay in 64 bits: half the
/// memory traffic for a relative error of the objective of about 1e-9.
///
/// Memory: 4 bytes per item and 16 bytes per state feature, counting each group of attributes once;
/// dense rows are padded.
#[derive(Debug)]
pub struct Objective<'a> {
    corpus: Cow<'a, Corpus>,
    features: &'a Features,
    c2: f64,
    threads: usize,
    clock: Clock,
    pieces: Vec<Range<usize>>,
    packed: Packed,
    weights: Table<f32>,
    gradient: Table<f64>,
    transitions: Transitions,
    /// Dense transition weights; 0 for transitions without a feature.
    scores: Vec<f64>,
    /// Work space for each piece of a block.
    work: Vec<Mutex<Work>>,
}

impl<'a> Objective<'a> {
    /// Prepares an objective; `threads` does not affect results.
    ///
    /// # Errors
    /// [`Error::Shape`] if the features are of other labels or attributes than the corpus.
    pub fn new(
        corpus: &'a Corpus,
        features: &'a Features,
        c2: f64,
        threads: usize,
    ) -> Result<Self> {
        check_len(
            "attributes of features",
            corpus.attributes(),
            features.attributes(),
        )?;
        let groups = Groups::single(features);
        Self::of_groups(Cow::Borrowed(corpus), features, &groups, c2, threads)
    }

    /// Prepares the objective of the parameters of groups of attributes; `features` are theirs.
    /// Attributes of an owned corpus are freed once they are packed.
    pub(crate) fn of_groups(
        mut corpus: Cow<'a, Corpus>,
        features: &'a Features,
        groups: &Groups,
        c2: f64,
        threads: usize,
    ) -> Result<Self> {
        let labels = corpus.labels();
        check_len("labels of features", labels, features.labels())?;
        if u32::try_from(features.len()).is_err() {
            let features = features.len();
            return Err(Error::Features { features });
        }
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.clamp(1, most);
        let pieces = pieces(&corpus);
        // The work space of a piece is mostly its sums over pairs of labels.
        let pairs = 40 * labels * labels;
        let fitting = (WORK_BYTES / (threads * pairs).max(1)).clamp(1, PIECES);
        let block = if threads == 1 { 1 } else { threads * fitting };
        let packed = Packed::of(&corpus, features, groups, padded(labels));
        if let Cow::Owned(corpus) = &mut corpus {
            corpus.clear_items();
        }
        Ok(Self {
            corpus,
            features,
            c2,
            threads,
            clock: Clock::new(|| false),
            weights: packed.table(),
            gradient: packed.table(),
            packed,
            transitions: Transitions::zero(labels),
            scores: vec![0.0; labels * labels],
            work: (0..block.min(pieces.len()))
                .map(|_| Mutex::default())
                .collect(),
            pieces,
        })
    }

    /// Sets the interrupt check, called between pieces of the corpus.
    pub fn interrupted_by(mut self, watch: Watch) -> Self {
        self.clock = Clock::new(watch);
        self
    }

    /// Returns the objective at `weights` and writes its gradient to `gradient`.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many weights and derivatives as features,
    /// [`Error::NotFinite`] and [`Error::Transition`] if weights or scores overflow or are NaN,
    /// [`Error::Interrupted`].
    pub fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> Result<f64> {
        check_len("weights", self.features.len(), weights.len())?;
        check_len("derivatives", weights.len(), gradient.len())?;
        let (first_pair, pairs) = self.features.pairs();
        for (&pair, weight) in pairs.iter().zip(&weights[first_pair..]) {
            self.scores[pair as usize] = *weight;
        }
        self.transitions.set(&self.scores)?;
        self.packed.pack(self.features, weights, &mut self.weights);
        let mut sums = vec![0.0; self.scores.len()];
        let loss = self.sequences(&mut sums)?;
        self.packed.unpack(self.features, &self.gradient, gradient);
        for (derivative, &pair) in gradient[first_pair..].iter_mut().zip(pairs) {
            *derivative = sums[pair as usize];
        }
        let mut squares = 0.0;
        for (derivative, weight) in gradient.iter_mut().zip(weights) {
            *derivative += 2.0 * self.c2 * weight;
            squares += weight * weight;
        }
        let loss = loss + self.c2 * squares;
        if loss.is_finite() {
            Ok(loss)
        } else {
            Err(Error::NotFinite)
        }
    }

    /// Negative log-likelihood; fills the table of derivatives and adds those of transitions to
    /// `pairs`.
    fn sequences(&mut self, pairs: &mut [f64]) -> Result<f64> {
        let ranges = self.packed.ranges(self.threads);
        let mut parts = self.packed.split(&mut self.gradient, &ranges);
        parts.iter_mut().for_each(|part| part.clear());
        let parts: Vec<_> = parts.into_iter().map(Mutex::new).collect();
        let (corpus, packed, weights) = (&*self.corpus, &self.packed, &self.weights);
        let transitions = &self.transitions;
        let mut losses = 0.0;
        for block in self.pieces.chunks(self.work.len().max(1)) {
            if self.clock.stops() {
                return Err(Error::Interrupted);
            }
            let work = &self.work;
            let threads = self.threads.min(block.len());
            let found = map_in_threads(0..threads, |thread| {
                for at in (thread..block.len()).step_by(threads) {
                    let mut work = work[at].lock().unwrap_or_else(PoisonError::into_inner);
                    work.run(corpus, transitions, block[at].clone(), (packed, weights))?;
                }
                Ok(())
            });
            found.into_iter().collect::<Result<()>>()?;
            let mut rows = Vec::new();
            for work in &mut self.work[..block.len()] {
                let work = work.get_mut().unwrap_or_else(PoisonError::into_inner);
                losses += work.loss();
                work.add_pairs_to(transitions, pairs);
                rows.push(work.rows());
            }
            map_in_threads(0..parts.len(), |at| {
                let mut part = parts[at].lock().unwrap_or_else(PoisonError::into_inner);
                let first = block
                    .first()
                    .map_or(0, |piece| corpus.sequence(piece.start).start);
                dispatch(AddRows(&mut part, packed, first, &rows));
            });
        }
        Ok(losses)
    }
}

/// Adds the rows of pieces to the derivatives of their items.
struct AddRows<'a, 'b>(&'a mut Part<'b>, &'a Packed, usize, &'a [&'a [f64]]);

impl Kernel for AddRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(part, packed, mut token, pieces) = self;
        for rows in pieces {
            for row in rows.chunks_exact(packed.width()) {
                part.add(packed, token, row);
                token += 1;
            }
        }
    }
}

/// Splits the corpus into ranges of sequences with at least [`PIECE`] tokens.
fn pieces(corpus: &Corpus) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for at in 0..corpus.sequences() {
        tokens += corpus.sequence(at).len();
        if tokens >= PIECE {
            pieces.push(start..at + 1);
            (start, tokens) = (at + 1, 0);
        }
    }
    if start < corpus.sequences() {
        pieces.push(start..corpus.sequences());
    }
    pieces
}
