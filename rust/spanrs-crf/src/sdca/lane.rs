//! Half of the sequences, with weights of its own.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::chain::{Buffers, PairRows, Turn, TurnSums};
use super::dual::Data;
use super::pairs::{ChunkCounts, PairStep, Pairs};
use crate::aligned::Aligned;
use crate::bf16::Bf16;
use crate::error::Result;
use crate::objective::packed::{Items, Masks, Table};
use crate::objective::targets::subtract_target;
use crate::simd::{Kernel, dispatch};
use crate::transitions::Transitions;

/// Number of lanes. Two lose nothing; with four, each sees too few of the changes in time, and sweeps
/// can diverge.
pub(super) const LANE_COUNT: usize = 2;

/// What the lanes read in a sweep.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) data: Data<'a>,
    pub(super) masks: &'a Masks,
    /// `1 / (2 c2)`.
    pub(super) scale: f32,
    /// Largest number of sequences of a chunk.
    pub(super) rounds: usize,
    /// Factor of the curvature of tokens.
    pub(super) factor: f32,
    /// Tokens whose part of the gap is smaller keep their dual variables.
    pub(super) least: f32,
    /// Factor of the curvature of transitions.
    pub(super) caution: f32,
}

/// Changes of weights by one lane, for the others.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Tokens with a step, and the step of the label scores of each; padded rows.
    pub(super) tokens: Vec<usize>,
    /// The items of these tokens, if they were read from a file.
    items: Option<Arc<Items>>,
    pub(super) steps: Vec<f32>,
    /// Change of the transition weights, padded and row-major (from, to); empty if there is none.
    pub(super) pairs: Vec<f32>,
    /// Whether the sweep must end.
    pub(super) stop: bool,
}

impl Changes {
    fn clear(&mut self) {
        self.tokens.clear();
        self.items = None;
        self.steps.clear();
        self.pairs.clear();
        self.stop = false;
    }
}

/// The changes of a lane. Each lane writes to its two mailboxes by turns: when it writes to the first
/// again, the others have read it, because all have met twice since.
pub(super) type Mailboxes = [Mutex<Changes>; 2];

/// Locks a mailbox. Only short reads of transition changes are contended.
pub(super) fn lock_changes(mailbox: &Mutex<Changes>) -> MutexGuard<'_, Changes> {
    mailbox.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Some of the sequences in a fixed order, their dual variables, and a copy of the weights.
///
/// A lane changes its own copy while it visits a sequence, and applies the changes of other lanes
/// afterwards. All lanes apply all changes, but in different orders, so that the copies differ by
/// rounding errors. They do not depend on the number of threads.
#[derive(Debug)]
pub(super) struct Lane {
    /// State weights of the groups, as scores.
    pub(super) weights: Table<f32>,
    pub(super) pairs: Pairs,
    /// The sequences, the weight of each in the last sweep, and the place of its first token in
    /// `differences`.
    pub(super) order: Vec<usize>,
    totals: Vec<f64>,
    starts: Vec<usize>,
    /// Ranges of `order`.
    chunks: Vec<Range<usize>>,
    /// Observed minus dual label probabilities, divided by `ratios`, by token of the sequences; padded rows.
    differences: Aligned<Bf16>,
    /// By sequence, the factor of `differences`.
    ratios: Vec<f32>,
    /// Parts of the gap and of the loss of each chunk, at the last visit.
    pub(super) sums: Vec<TurnSums>,
    changes: Changes,
    buffers: Buffers,
    rows: PairRows,
    counts: ChunkCounts,
    /// The items of the current chunk, if they were read from a file.
    items: Option<Arc<Items>>,
    /// Scores of 0, for the counts of targets.
    zeros: Vec<f32>,
    transitions: Transitions,
}

impl Lane {
    /// Dual variables equal to the observed probabilities, and weights of 0, for the sequences of some
    /// chunks.
    pub(super) fn new<'a>(data: Data, sequences: impl Iterator<Item = &'a [usize]>) -> Self {
        let (corpus, width) = (data.corpus, data.packed.width());
        let (mut order, mut chunks) = (Vec::new(), Vec::new());
        for own in sequences {
            chunks.push(order.len()..order.len() + own.len());
            order.extend_from_slice(own);
        }
        let mut starts = vec![0];
        for &at in &order {
            starts.push(starts[starts.len() - 1] + corpus.sequence(at).len());
        }
        Self {
            weights: data.packed.table(),
            pairs: Pairs::new(data.features, width, chunks.len()),
            totals: order.iter().map(|&at| corpus.total_weight(at)).collect(),
            differences: Aligned::new(starts[order.len()] * width),
            ratios: vec![1.0; order.len()],
            starts,
            order,
            sums: vec![TurnSums::default(); chunks.len()],
            chunks,
            changes: Changes::default(),
            buffers: Buffers::default(),
            rows: PairRows::default(),
            counts: ChunkCounts::default(),
            items: None,
            zeros: Vec::new(),
            transitions: Transitions::zero(corpus.labels()),
        }
    }

    /// Whether the lane was made for this corpus and this layout of the weights.
    pub(super) fn fits(&self, data: Data) -> bool {
        let corpus = data.corpus;
        let mut lengths = self.order.iter().zip(self.starts.windows(2));
        let same = lengths.all(|(&at, ends)| {
            at < corpus.sequences() && corpus.sequence(at).len() == ends[1] - ends[0]
        });
        same && data.packed.has_layout_of(&self.weights)
    }

    /// Scales the differences, so that their products with the weights of sequences do not change.
    pub(super) fn reweigh(&mut self, data: Data) {
        for (number, &at) in self.order.iter().enumerate() {
            let total = data.corpus.total_weight(at);
            self.ratios[number] *= (self.totals[number] / total) as f32;
            self.totals[number] = total;
        }
    }

    /// Prepares the visit of a chunk, if there is one.
    ///
    /// # Errors
    /// [`crate::Error::Spill`].
    pub(super) fn begin(&mut self, chunk: Option<usize>, context: Context) -> Result<()> {
        let Some(chunk) = chunk else {
            return Ok(());
        };
        let (corpus, width) = (context.data.corpus, context.data.packed.width());
        self.counts.clear(corpus.labels(), width);
        let Range { start, end } = self.chunks[chunk];
        self.rows
            .clear(self.starts[end] - self.starts[start], width);
        self.sums[chunk] = TurnSums::default();
        if context.data.packed.is_spilled() {
            let mut items = Items::default();
            for &at in &self.order[start..end] {
                context.data.packed.append(corpus, at..at + 1, &mut items)?;
            }
            self.items = Some(Arc::new(items));
        }
        Ok(())
    }

    /// Visits a sequence of a chunk, if there are as many, and writes the changes to the mailbox.
    pub(super) fn turn(
        &mut self,
        chunk: Option<usize>,
        at: usize,
        context: Context,
        mailbox: &Mutex<Changes>,
    ) {
        self.changes.clear();
        if let Some(chunk) = chunk
            && let Some(number) = self.chunks[chunk].clone().nth(at)
        {
            self.changes.items.clone_from(&self.items);
            let sums = self.visit(number, self.chunks[chunk].start, context);
            self.sums[chunk].gap += sums.gap;
            self.sums[chunk].loss += sums.loss;
        }
        std::mem::swap(&mut self.changes, &mut lock_changes(mailbox));
    }

    /// A step of the dual variables of a sequence; `number` is its place in the order, and `first` that of the first
    /// sequence of the chunk.
    fn visit(&mut self, number: usize, first: usize, context: Context) -> TurnSums {
        let Data { corpus, packed, .. } = context.data;
        let (at, width) = (self.order[number], packed.width());
        let tokens = match &self.items {
            // Tokens that were read from a file are numbered within the chunk.
            Some(_) => {
                self.starts[number] - self.starts[first]
                    ..self.starts[number + 1] - self.starts[first]
            }
            None => corpus.sequence(at),
        };
        let (held, none) = (self.items.clone(), Items::default());
        let items = held.as_deref().unwrap_or(&none);
        self.buffers.resize(tokens.len(), width);
        let observed = &mut self.buffers.observed;
        observed.fill(0.0);
        let (weight, total) = (corpus.weight(at), corpus.total_weight(at));
        self.zeros.resize(observed.len(), 0.0);
        let (target, pairs) = (corpus.target(at), &mut self.counts.observed);
        let zeros = &self.zeros[..observed.len()];
        subtract_target(target, &self.transitions, weight, zeros, observed, pairs);
        // Counts of weighted labellings sum to `total / weight` for each token.
        let inverse = (-1.0 / total) as f32;
        observed.iter_mut().for_each(|count| *count *= inverse);
        dispatch(Turn {
            packed,
            masks: context.masks,
            weights: &mut self.weights,
            pairs: &self.pairs,
            differences: &mut self.differences[self.starts[number] * width..],
            ratio: self.ratios[number],
            buffers: &mut self.buffers,
            rows: self.rows.next(tokens.len(), total as f32),
            tokens,
            view: packed.tokens(corpus, 0, items),
            labels: corpus.labels(),
            weight: total as f32,
            scale: context.scale,
            factor: context.factor,
            least: context.least,
            changes: &mut self.changes,
        })
    }

    /// Ends the visit of a chunk: writes the change of the transition weights to the mailbox.
    pub(super) fn end(
        &mut self,
        chunk: Option<usize>,
        context: Context,
        stop: bool,
        mailbox: &Mutex<Changes>,
    ) {
        self.changes.clear();
        self.changes.stop = stop;
        if let Some(chunk) = chunk.filter(|&chunk| !self.chunks[chunk].is_empty()) {
            let (gap, score) = dispatch(PairStep {
                pairs: &mut self.pairs,
                chunk,
                counts: &mut self.counts,
                rows: &mut self.rows,
                scale: context.scale,
                caution: context.caution,
                change: &mut self.changes.pairs,
            });
            self.sums[chunk].gap += gap;
            self.sums[chunk].loss -= score;
        }
        std::mem::swap(&mut self.changes, &mut lock_changes(mailbox));
    }

    /// Applies changes of state weights by another lane.
    pub(super) fn apply(&mut self, changes: &Changes, context: Context) {
        if !changes.tokens.is_empty() {
            dispatch(Apply(&mut self.weights, changes, context));
        }
    }
}

/// Adds the steps of another lane to state weights.
struct Apply<'a>(&'a mut Table<f32>, &'a Changes, Context<'a>);

impl Kernel for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(weights, changes, context) = self;
        let Data { corpus, packed, .. } = context.data;
        let none = Items::default();
        let items = changes.items.as_deref().unwrap_or(&none);
        let view = packed.tokens(corpus, 0, items);
        let steps = changes.steps.chunks_exact(packed.width());
        for (&token, step) in changes.tokens.iter().zip(steps) {
            packed.step(weights, context.masks, (view, token), step, None);
        }
    }
}
