//! Loss and derivatives of a piece of the corpus, in 32 bits.
//!
//! Scores, messages and derivatives of the tokens have 32 bits, which halves the work of vector
//! instructions and of memory; sums over many tokens have 64 bits. A sequence is computed in 64 bits
//! if its messages are out of range in 32 bits, or if its target is partial: its labellings may be
//! very unlikely.

use std::ops::Range;

use crate::aligned::Aligned;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::messages::{Messages, Potentials};
use crate::simd::{Kernel, dispatch, padded};
use crate::transitions::Transitions;

use super::Wanted;
use super::packed::{Items, Packed, Table, Tokens};
use super::targets::{Work, subtract_target};

/// Sequences with larger or smaller weights are computed in 64 bits.
const WEIGHTS: Range<f64> = 1e-15..1e15;

/// What pieces read: the items, and the weights of the current evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scores<'a> {
    pub(super) packed: &'a Packed,
    /// State weights.
    pub(super) weights: &'a Table<f32>,
    pub(super) transitions: &'a Transitions,
    /// Exponentials of the transition scores.
    pub(super) potentials: &'a Potentials<f32>,
    /// What to compute beside the loss.
    pub(super) wanted: Wanted,
    /// Whether to compute all sequences in 64 bits.
    pub(super) exact: bool,
}

/// Work space of a thread for one sequence.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Label scores, padded rows.
    scores: Aligned<f32>,
    messages: Messages<f32>,
}

/// Sums of one piece. A thread owns it while it processes the piece.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Expected minus observed label counts of the tokens, times weights; padded rows.
    rows: Aligned<f32>,
    /// Expected transition counts, times weights, without the factor of the potentials; padded,
    /// row-major (from, to).
    expected: Vec<f32>,
    /// Observed transition counts, times weights, row-major (from, to).
    observed: Vec<f64>,
    /// Sequences in 64 bits; not used for most corpora.
    exact: Option<Box<(Work, Aligned<f64>)>>,
    /// Weighted negative log-likelihood.
    loss: f64,
    /// The items of the tokens, if they are read from a file.
    items: Items,
}

impl Piece {
    /// Computes loss and derivatives of a range of sequences; earlier sums are cleared. Sequences
    /// with the weight 0 keep rows of zeros.
    ///
    /// # Errors
    /// Same as [`Work::sequence`], for the first sequence that fails, and [`Error::Spill`].
    pub(super) fn run(
        &mut self,
        corpus: &Corpus,
        scores: Scores,
        sequences: Range<usize>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let labels = corpus.labels();
        let width = padded(labels);
        self.loss = 0.0;
        self.expected.clear();
        self.expected.resize(width * width, 0.0);
        self.observed.clear();
        self.observed.resize(labels * labels, 0.0);
        if let Some(exact) = &mut self.exact {
            exact.0.begin(labels);
        }
        let mut rows = std::mem::take(&mut self.rows);
        let tokens = |at| corpus.sequence(at).len();
        rows.resize(sequences.clone().map(tokens).sum::<usize>() * width);
        rows.fill(0.0);
        let mut items = std::mem::take(&mut self.items);
        let view = scores.packed.read(corpus, sequences.clone(), &mut items)?;
        let mut rest = &mut rows[..];
        for at in sequences {
            let own;
            (own, rest) = rest.split_at_mut(tokens(at) * width);
            if corpus.total_weight(at) == 0.0 || own.is_empty() {
                continue;
            }
            self.loss += match self.sequence((corpus, view), scores, at, scratch, own) {
                Some(loss) => loss,
                None if scores.wanted == Wanted::Variances => 0.0,
                None => self.exact((corpus, view), scores, at, own)?,
            };
        }
        (self.rows, self.items) = (rows, items);
        Ok(())
    }

    /// Adds the counts of a sequence and returns its loss; None, and nothing is added, if it needs
    /// 64 bits.
    fn sequence(
        &mut self,
        (corpus, view): (&Corpus, Tokens),
        scores: Scores,
        at: usize,
        scratch: &mut Scratch,
        rows: &mut [f32],
    ) -> Option<f64> {
        let (weight, total) = (corpus.weight(at), corpus.total_weight(at));
        if scores.exact
            || scores.wanted == Wanted::Information
            || !(WEIGHTS.contains(&weight) && WEIGHTS.contains(&total))
        {
            return None;
        }
        scratch.scores.resize(rows.len());
        dispatch(Gather(
            (scores, view),
            corpus.labels(),
            corpus.sequence(at),
            &mut scratch.scores,
        ));
        let (vectors, tokens) = view.vectors(corpus.sequence(at));
        vectors.add_scores(tokens, scores.weights.vectors(), &mut scratch.scores);
        corpus.subtract_margins(at, &mut scratch.scores);
        let width = scores.packed.width();
        let log_z = scratch
            .messages
            .run(&scratch.scores, scores.potentials, width)?;
        if scores.wanted == Wanted::Variances {
            scratch.messages.add_marginals(1.0, rows);
            rows.iter_mut()
                .for_each(|p| *p = total as f32 * *p * (1.0 - *p));
            scratch.messages.add_pairs(total as f32, &mut self.expected);
            return Some(0.0);
        }
        let observed = subtract_target(
            corpus.target(at),
            scores.transitions,
            weight,
            &scratch.scores,
            rows,
            &mut self.observed,
        )?;
        if scores.wanted == Wanted::Gradient {
            scratch.messages.add_marginals(total as f32, rows);
            scratch.messages.add_pairs(total as f32, &mut self.expected);
        }
        Some(total * log_z - weight * observed)
    }

    /// Same as [`Piece::sequence`], in 64 bits.
    #[cold]
    fn exact(
        &mut self,
        (corpus, view): (&Corpus, Tokens),
        scores: Scores,
        at: usize,
        rows: &mut [f32],
    ) -> Result<f64> {
        let labels = corpus.labels();
        let (work, exact) = &mut **self.exact.get_or_insert_with(|| {
            let mut exact = Box::<(Work, Aligned<f64>)>::default();
            exact.0.begin(labels);
            exact
        });
        let tokens = corpus.sequence(at);
        let lattice = work.lattice();
        lattice.reset(tokens.len(), labels);
        for (row, token) in tokens.enumerate() {
            let row = lattice.padded_scores_mut(row);
            scores.packed.add_scores(view, scores.weights, token, row);
            let (vectors, own) = view.vectors(token..token + 1);
            vectors.add_scores(own, scores.weights.vectors(), row);
        }
        corpus.subtract_margins(at, &mut lattice.scores);
        exact.resize(rows.len());
        exact.fill(0.0);
        let loss = match scores.wanted {
            Wanted::Information => {
                let pairs = &mut self.observed;
                work.subtract_variances(corpus, scores.transitions, at, exact, pairs)?
            }
            _ => work.sequence(corpus, scores.transitions, at, exact)?,
        };
        for (row, exact) in rows.iter_mut().zip(&**exact) {
            *row = *exact as f32;
        }
        // Infinite weights, or derivatives above the range of 32 bits.
        match rows.iter().all(|value| value.is_finite()) {
            true => Ok(loss),
            false => Err(Error::NotFinite),
        }
    }

    /// Weighted negative log-likelihood of the sequences.
    pub(super) fn loss(&self) -> f64 {
        self.loss
    }

    /// The items of the tokens, if they are read from a file.
    pub(super) fn items(&self) -> &Items {
        &self.items
    }

    /// Expected minus observed label counts of the tokens, padded rows.
    pub(super) fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// Adds expected minus observed transition counts to `sums`, row-major (from, to).
    pub(super) fn add_pairs_to(&self, transitions: &Transitions, sums: &mut [f64]) {
        let (labels, max) = (transitions.labels(), transitions.max());
        for (from, sums) in sums.chunks_exact_mut(labels.max(1)).enumerate() {
            let expected = &self.expected[from * padded(labels)..];
            let observed = &self.observed[from * labels..];
            let both = expected.iter().zip(observed).zip(transitions.after(from));
            for (sum, ((expected, observed), score)) in sums.iter_mut().zip(both) {
                *sum += f64::from(*expected) * (score - max).exp() - observed;
            }
        }
        if let Some(exact) = &self.exact {
            exact.0.add_pairs_to(transitions, sums);
        }
    }
}

/// Writes the label scores of a range of tokens to padded rows.
struct Gather<'a>((Scores<'a>, Tokens<'a>), usize, Range<usize>, &'a mut [f32]);

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self((scores, view), labels, tokens, rows) = self;
        let Scores {
            packed, weights, ..
        } = scores;
        for (token, row) in tokens.zip(rows.chunks_exact_mut(packed.width())) {
            row[..labels].fill(0.0);
            row[labels..].fill(f32::NEG_INFINITY);
            packed.gather(view, weights, token, row);
        }
    }
}
