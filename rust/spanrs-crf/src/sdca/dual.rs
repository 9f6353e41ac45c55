//! The dual variables of a corpus, and a sweep over them.
//!
//! The sequences are divided among two lanes ([`Lane`]). Both visit a sequence at the same time, then
//! each applies the changes of the other: two threads that meet after each sequence do this together,
//! or one thread does it by turns, with the same results. Sequences that are visited at the same time
//! have about the same length.

use std::sync::{Mutex, MutexGuard, PoisonError};

use spanrs_base::{Clock, Rng, limit_threads};

use super::Sdca;
use super::chain::TurnSums;
use super::lane::{Context, LANE_COUNT, Lane, Mailboxes, lock_changes};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::objective::packed::{Masks, Packed};
use crate::team::{Member, run_together};

/// Least number of tokens of the chunk of a lane, and least number for each label of the padded rows: the
/// pairs of a chunk take at most half as much memory as its tokens.
const CHUNK_TOKENS: usize = 128;
const CHUNK_ROWS: usize = 4;

/// Sequences with smaller weights are left out; they change nothing in 32 bits.
const LEAST_WEIGHT: f64 = 1e-12;

/// What sweeps read: targets, and items. The features are those of the groups.
#[derive(Clone, Copy)]
pub(crate) struct Data<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) packed: &'a Packed,
    pub(crate) features: &'a Features,
}

impl Data<'_> {
    /// The sequences to train on.
    fn sequences(&self) -> impl Iterator<Item = usize> {
        let trained = |at: &usize| {
            self.corpus.total_weight(*at) >= LEAST_WEIGHT && !self.corpus.sequence(*at).is_empty()
        };
        (0..self.corpus.sequences()).filter(trained)
    }
}

/// Tokens keep their dual variables if their part of the gap is below this fraction of the mean in the
/// sweep before: most tokens are easy, and a step costs as much as the rest of the turn.
const SMALL_PART: f32 = 0.3;

/// Number of sweeps that visit all chunks.
const FULL_SWEEPS: usize = 3;

/// Number of sweeps that count after a change of the targets: the next ones are as careful as the third
/// and later sweeps of a training, because transition weights change first.
const RESUMED: usize = 2;

/// Largest number of successive sweeps that skip a chunk.
const MOST_SKIPPED: u32 = 4;

/// The chunks that are visited at the same time, one of each lane that has one left.
type Step = [Option<usize>; LANE_COUNT];

/// The state of the sweeps. The weights are always a sum of the differences, times the weights of the
/// sequences.
#[derive(Debug)]
pub(crate) struct Dual {
    /// The penalty.
    c2: f64,
    masks: Masks,
    lanes: [Mutex<Lane>; LANE_COUNT],
    /// The last visit of each chunk, by lane.
    visits: [Vec<Visit>; LANE_COUNT],
    /// The order of the chunks in each sweep.
    rng: Rng,
    /// Number of sweeps so far.
    sweeps: usize,
    /// `1 / (2 c2)`.
    scale: f32,
    /// Tokens whose part of the gap is smaller keep their dual variables.
    least: f32,
    /// Number of tokens to train on.
    tokens: usize,
    /// Largest number of sequences of a chunk; others have at most one less.
    rounds: usize,
    /// Factor of the curvature of transitions.
    caution: f32,
}

/// What a chunk contributed at its last visit, and the number of sweeps that have skipped it since.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    gap: f64,
    loss: f64,
    skipped: u32,
}

/// Totals of a sweep, measured while weights change.
pub(super) struct Sweep {
    /// Estimate of the gap; infinite if a probability was not a number.
    pub(super) gap: f64,
    /// Weighted negative log-likelihood.
    pub(super) loss: f64,
}

impl Dual {
    /// Dual variables equal to the observed probabilities, and weights of 0.
    pub(super) fn new(data: Data, options: &Sdca) -> Self {
        let mut rng = Rng::new(options.seed);
        let length = |at: &usize| data.corpus.sequence(*at).len();
        let mut order: Vec<usize> = data.sequences().collect();
        let tokens: usize = order.iter().map(length).sum();
        order.sort_by_key(length);
        // Sequences of each length are divided evenly among the chunks of all lanes.
        let least = CHUNK_TOKENS.max(CHUNK_ROWS * data.packed.width());
        let number = (tokens / (LANE_COUNT * least)).max(1);
        let mut chunks = vec![Vec::new(); LANE_COUNT * number];
        for layer in order.chunks_mut(chunks.len()) {
            rng.shuffle(layer);
            for (chunk, &mut at) in chunks.iter_mut().zip(layer) {
                chunk.push(at);
            }
        }
        let lane = |first: usize| {
            let own = chunks.iter().skip(first).step_by(LANE_COUNT);
            Mutex::new(Lane::new(data, own.map(Vec::as_slice)))
        };
        Self {
            c2: options.c2,
            masks: data.packed.masks(data.features),
            lanes: [lane(0), lane(1)],
            visits: [const { Vec::new() }; LANE_COUNT]
                .map(|_: Vec<Visit>| vec![Visit::default(); number]),
            rng,
            sweeps: 0,
            scale: (0.5 / options.c2) as f32,
            least: 0.0,
            tokens,
            rounds: order.len().div_ceil(chunks.len()),
            // Weaker penalties and fewer chunks need smaller steps of the transitions; found by experiments.
            caution: (0.4 / options.c2).clamp(0.5 + 2.5 / number as f64, 16.0) as f32,
        }
    }

    /// Prepares sweeps over new targets and weights of the same sequences, as in EM. The weights of the
    /// features, and so the products of differences and weights of sequences, do not change. Returns
    /// false if the sequences, the features or the penalty are others.
    pub(super) fn resume(&mut self, data: Data, options: &Sdca) -> bool {
        let mut trained: Vec<usize> = Vec::new();
        let mut fits = self.c2 == options.c2;
        for lane in &mut self.lanes {
            let lane = owned(lane);
            fits &= lane.fits(data);
            trained.extend(&lane.order);
        }
        trained.sort_unstable();
        if !fits || !trained.into_iter().eq(data.sequences()) {
            return false;
        }
        for lane in &mut self.lanes {
            owned(lane).reweigh(data);
        }
        for visits in &mut self.visits {
            visits.fill(Visit::default());
        }
        self.sweeps = self.sweeps.min(RESUMED);
        true
    }

    /// A step of the dual variables, in a random order of the chunks. Chunks whose part of the gap is
    /// below the mean are visited in every fifth sweep only, after the first three.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Spill`].
    pub(super) fn sweep(&mut self, data: Data, threads: usize, clock: &mut Clock) -> Result<Sweep> {
        self.sweeps += 1;
        let mut sweep = Sweep {
            gap: 0.0,
            loss: 0.0,
        };
        let plan = self.plan(&mut sweep);
        // The first steps of the transitions are small, since state weights are not known yet, and
        // those of the state weights are large. Without this the first sweeps may move away from the
        // optimum.
        let early = 1.0 / (self.sweeps * self.sweeps) as f32;
        let context = Context {
            data,
            masks: &self.masks,
            rounds: self.rounds,
            scale: self.scale,
            factor: 1.0 - 0.5 * early,
            least: self.least,
            caution: self.caution * (1.0 + 39.0 * early),
        };
        run(&self.lanes, &plan, context, threads, clock)?;
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            let lane = owned(lane);
            for chunk in plan.iter().filter_map(|step| step[number]) {
                let TurnSums { gap, loss } = lane.sums[chunk];
                sweep.gap += gap;
                sweep.loss += loss;
                self.visits[number][chunk] = Visit {
                    gap,
                    loss,
                    skipped: 0,
                };
            }
        }
        if !sweep.gap.is_finite() {
            sweep.gap = f64::INFINITY;
        }
        self.least = SMALL_PART * (sweep.gap / self.tokens as f64) as f32;
        Ok(sweep)
    }

    /// The chunks to visit in this sweep, in a random order; adds the last gap and loss of all others to
    /// the sweep. Chunks that are visited at the same time differ from sweep to sweep: sequences that
    /// always change at the same time might repeat the same mistakes.
    fn plan(&mut self, sweep: &mut Sweep) -> Vec<Step> {
        let all = self.visits.iter().flatten();
        let number = all.clone().count();
        let mean = all.map(|visit| visit.gap).sum::<f64>() / number as f64;
        let mut plan: Vec<Step> = Vec::new();
        for (lane, visits) in self.visits.iter_mut().enumerate() {
            let mut chunks: Vec<usize> = (0..visits.len()).collect();
            self.rng.shuffle(&mut chunks);
            chunks.retain(|&chunk| {
                let visit = &mut visits[chunk];
                let skip =
                    self.sweeps > FULL_SWEEPS && visit.gap < mean && visit.skipped < MOST_SKIPPED;
                if skip {
                    visit.skipped += 1;
                    sweep.gap += visit.gap;
                    sweep.loss += visit.loss;
                }
                !skip
            });
            plan.resize(plan.len().max(chunks.len()), Step::default());
            for (step, chunk) in plan.iter_mut().zip(chunks) {
                step[lane] = Some(chunk);
            }
        }
        plan
    }

    /// The sum of the squared parameters.
    pub(super) fn squares(&self, data: Data) -> f64 {
        let lane = lock(&self.lanes[0]);
        data.packed.parameter_squares(&lane.weights) + lane.pairs.squares()
    }

    /// Writes the weights to the parameters of the groups, in the order of the features.
    pub(super) fn to_parameters(&self, data: Data, parameters: &mut [f64]) {
        let (features, lane) = (data.features, lock(&self.lanes[0]));
        data.packed
            .to_parameters(features, &lane.weights, parameters);
        let (first, pairs) = features.pairs();
        let labels = features.labels();
        for (parameter, &pair) in parameters[first..].iter_mut().zip(pairs) {
            let (from, to) = (pair as usize / labels, pair as usize % labels);
            *parameter = f64::from(lane.pairs.weight(from, to));
        }
    }
}

/// Locks a lane; it is never contended.
fn lock(lane: &Mutex<Lane>) -> MutexGuard<'_, Lane> {
    lane.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A lane that no thread uses.
fn owned(lane: &mut Mutex<Lane>) -> &mut Lane {
    lane.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// Visits the chunks, in one or two threads.
///
/// # Errors
/// [`Error::Interrupted`], [`Error::Spill`].
fn run(
    lanes: &[Mutex<Lane>; LANE_COUNT],
    plan: &[Step],
    context: Context,
    threads: usize,
    clock: &mut Clock,
) -> Result<()> {
    let (mailboxes, failed) = (Default::default(), Mutex::new(None));
    let work = Work {
        lanes,
        mailboxes: &mailboxes,
        plan,
        context,
        failed: &failed,
    };
    let threads = limit_threads(threads).min(LANE_COUNT);
    let done = run_together(threads, &mut || clock.stops(), |member| work.run(member));
    match failed.into_inner() {
        // The other threads only know that this one has ended.
        Ok(Some(error)) => Err(error),
        _ => done,
    }
}

/// A sweep of all lanes.
#[derive(Clone, Copy)]
struct Work<'a> {
    lanes: &'a [Mutex<Lane>; LANE_COUNT],
    mailboxes: &'a [Mailboxes; LANE_COUNT],
    plan: &'a [Step],
    context: Context<'a>,
    /// Why a thread could not read the items of a chunk.
    failed: &'a Mutex<Option<Error>>,
}

impl Work<'_> {
    /// What one thread does, for some of the lanes.
    ///
    /// # Errors
    /// [`Error::Interrupted`], in all threads.
    fn run(&self, member: &mut Member) -> Result<()> {
        let lanes = (member.number()..LANE_COUNT).step_by(member.count());
        let mut own: Vec<_> = lanes
            .map(|number| (number, lock(&self.lanes[number])))
            .collect();
        // Which of its mailboxes each lane writes to.
        let mut place = 0;
        for step in self.plan {
            for (number, lane) in &mut own {
                if let Err(error) = lane.begin(step[*number], self.context) {
                    *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(Error::Interrupted);
                }
            }
            for round in 0..self.context.rounds {
                for (number, lane) in &mut own {
                    let mailbox = &self.mailboxes[*number][place];
                    lane.turn(step[*number], round, self.context, mailbox);
                }
                member.wait()?;
                for (number, lane) in &mut own {
                    for (other, mailboxes) in self.mailboxes.iter().enumerate() {
                        if other != *number {
                            lane.apply(&lock_changes(&mailboxes[place]), self.context);
                        }
                    }
                }
                place = 1 - place;
            }
            let stop = member.stops();
            for (number, lane) in &mut own {
                lane.end(
                    step[*number],
                    self.context,
                    stop,
                    &self.mailboxes[*number][place],
                );
            }
            member.wait()?;
            let mut stop = false;
            for (_, lane) in &mut own {
                for mailboxes in self.mailboxes {
                    let changes = lock_changes(&mailboxes[place]);
                    lane.pairs.add(&changes.pairs);
                    stop |= changes.stop;
                }
                lane.pairs.update();
            }
            if stop {
                return Err(Error::Interrupted);
            }
            place = 1 - place;
        }
        Ok(())
    }
}
