//! The optimal matching: one-to-one pairs with the greatest total credit, regardless of the order
//! of the input.
//!
//! A document is split into groups of overlapping spans ([`Groups`]). In each group, equal spans
//! are merged, the pairs with enough overlap become the edges of a bipartite graph, and each
//! distinct assignment problem of the lanes is solved once. If neither side has
//! duplicate or overlapping spans, the edges form a staircase and dynamic programming solves the
//! problem in linear time; otherwise it is a transportation problem (`transport`).
//!
//! The credit of an edge orders three criteria lexicographically in one integer: correct pairs,
//! pairs, shared positions.
//!
//! # Problems and lanes
//!
//! | correct pairs | pairs | lanes that use the solution |
//! |---|---|---|
//! | same bounds and type | any types | strict |
//! | same bounds | any types | bounds, overlap |
//! | same type | any types | type |
//! | same bounds | equal types | strict, bounds, overlap within types |
//! | same type | equal types | type within types |
//!
//! If all spans of a group have one type, the second and the third problem cover all lanes.
//!
//! # Example
//!
//! For gold [0, 6), [6, 8) and pred [0, 1), [1, 8) of one type, no pair has equal bounds, so the
//! number of pairs decides: [0, 6) with [0, 1) and [6, 8) with [1, 8) are two pairs. Pairing [0, 6)
//! with [1, 8), which shares more positions, would leave a single pair.

use spanrs_base::{Pace, Span};

use super::answers::Answers;
use super::assign::{self, Pair, staircase};
use super::first_choice::first_choice;
use super::groups::{Distinct, Groups, Pairs, reading_order};
use super::lanes::{LANES, Mode};
use super::options::Options;
use super::transport::{Edges, Flow, Solver};
use crate::matcher::Unmatched;

/// Solves one group after the other; keeps its buffers between documents.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupSolver {
    /// The distinct spans of gold and pred.
    sides: [Distinct; 2],
    /// The edges of the graph.
    pairs: Pairs,
    /// The edges of one problem, if they form a staircase.
    stairs: Vec<Pair>,
    /// The index in `pairs` of each element of `stairs`.
    stair_edges: Vec<usize>,
}

/// An assignment problem and the lanes that use its solution.
#[derive(Clone, Copy, Debug)]
struct Problem {
    /// Which pairs are correct.
    mode: Mode,
    /// Whether only spans of equal types can be paired.
    own_type: bool,
    /// Set of the lanes that use the pairs of this problem.
    lanes: u8,
}

/// The distinct problems of a group with several types.
///
/// Lanes with the same problem are solved once: `bounds` and `overlap` differ only in the outcome
/// of pairs that are not correct, and within one type `strict` equals `bounds`.
const PROBLEMS: [Problem; 5] = [
    Problem {
        mode: Mode::Strict,
        own_type: false,
        lanes: 0b0001,
    },
    Problem {
        mode: Mode::Bounds,
        own_type: false,
        lanes: 0b0110,
    },
    Problem {
        mode: Mode::Type,
        own_type: false,
        lanes: 0b1000,
    },
    Problem {
        mode: Mode::Bounds,
        own_type: true,
        lanes: 0b0111_0000,
    },
    Problem {
        mode: Mode::Type,
        own_type: true,
        lanes: 0b1000_0000,
    },
];

/// The distinct problems of a group in which all spans have one type, so that types make no
/// difference.
const ONE_TYPE: [Problem; 2] = [
    Problem {
        mode: Mode::Bounds,
        own_type: false,
        lanes: 0b0111_0111,
    },
    Problem {
        mode: Mode::Type,
        own_type: false,
        lanes: 0b1000_1000,
    },
];

impl GroupSolver {
    /// Fills `answers`, which must be clear, with a one-to-one assignment that has the most correct
    /// pairs; among these, the most pairs; among these, the most shared positions. For ties, see
    /// [`super::assign()`].
    ///
    /// Memory is proportional to the size of the largest group; equal spans count once.
    ///
    /// # Errors
    /// [`Unmatched::TooManyPairs`] and [`Unmatched::Stopped`].
    pub(super) fn match_groups(
        &mut self,
        [gold, pred]: [&[Span<i64>]; 2],
        options: &Options,
        answers: &mut Answers,
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        let orders = [reading_order(gold), reading_order(pred)];
        let groups = Groups::new([gold, pred], [&orders[0], &orders[1]]);
        for group in groups {
            match group {
                [[], _] | [_, []] => {}
                [&[g], &[p]] if gold[g as usize] == pred[p as usize] => answers.set_right(g, p),
                _ => self.solve_group([gold, pred], group, options, answers, pace)?,
            }
            pace.steps(group[0].len() + group[1].len())?;
        }
        Ok(())
    }

    /// Solves the problems of one group that the requested lanes need.
    ///
    /// The caller has already handled groups with spans on only one side and groups of two equal
    /// spans.
    ///
    /// # Errors
    /// [`Unmatched::TooManyPairs`] and [`Unmatched::Stopped`].
    fn solve_group(
        &mut self,
        spans: [&[Span<i64>]; 2],
        group: [&[u32]; 2],
        options: &Options,
        answers: &mut Answers,
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        for side in 0..2 {
            self.sides[side].set(spans[side], group[side]);
        }
        let max_pairs = options.limits.group_pairs;
        self.pairs
            .find(&self.sides, options.min_overlap, max_pairs, pace)?;
        let ty = self.sides[0].spans[0].ty;
        let mut all = self.sides.iter().flat_map(|side| &side.spans);
        let problems = if all.all(|span| span.ty == ty) {
            &ONE_TYPE[..]
        } else {
            &PROBLEMS
        };
        let is_staircase = self.is_staircase();
        for problem in problems {
            if problem.lanes & options.lanes == 0 {
                continue;
            }
            let flows = if is_staircase {
                self.staircase(problem)
            } else {
                self.solve(problem, options.ties, pace)?
            };
            self.answer(problem, &flows, spans, group, answers);
        }
        Ok(())
    }

    /// Records the chosen pairs of a problem in its lanes. Among equal spans, the first free gold
    /// span is paired with the first free pred span, in the given order.
    fn answer(
        &self,
        problem: &Problem,
        flows: &[Flow],
        spans: [&[Span<i64>]; 2],
        group: [&[u32]; 2],
        answers: &mut Answers,
    ) {
        let [mut gold_next, mut pred_next] = [0, 1].map(|side| self.sides[side].first.clone());
        let mut gold = 0;
        for flow in flows {
            while self.pairs.of(gold).end <= flow.edge {
                gold += 1;
            }
            let pred = self.pairs.preds[flow.edge] as usize;
            for _ in 0..flow.units {
                let g = group[0][gold_next[gold]] as usize;
                let p = group[1][pred_next[pred]] as usize;
                gold_next[gold] += 1;
                pred_next[pred] += 1;
                answers.taken[g] |= problem.lanes;
                let correct = problem.mode.agrees(&spans[0][g], &spans[1][p]);
                for lane in (0..LANES.len()).filter(|lane| problem.lanes & 1 << lane != 0) {
                    answers.of_preds[p].set(lane, g, correct);
                }
            }
        }
    }

    /// Returns whether no span is duplicated and the edges form a staircase; see [`staircase`].
    fn is_staircase(&self) -> bool {
        let preds = self.pairs.preds.iter();
        self.sides
            .iter()
            .all(|side| side.units.iter().all(|&units| units == 1))
            && assign::is_staircase(preds.map(|&pred| (0, pred)))
    }

    /// Solves a problem whose edges form a staircase. Edges without credit are skipped, which
    /// preserves the staircase; the flows are sorted by edge.
    fn staircase(&mut self, problem: &Problem) -> Vec<Flow> {
        self.stairs.clear();
        self.stair_edges.clear();
        for gold in 0..self.sides[0].spans.len() {
            for edge in self.pairs.of(gold) {
                let credit = credit(problem, &self.sides, &self.pairs, gold, edge);
                if credit > 0 {
                    self.stairs.push(Pair {
                        gold: gold as u32,
                        pred: self.pairs.preds[edge],
                        credit,
                    });
                    self.stair_edges.push(edge);
                }
            }
        }
        let chosen = staircase(&self.stairs).into_iter();
        chosen
            .map(|at| Flow {
                edge: self.stair_edges[at],
                units: 1,
            })
            .collect()
    }

    /// Solves a problem as a transportation problem; with `ties`, chooses the first of several
    /// solutions. The flows are sorted by edge.
    ///
    /// # Errors
    /// [`Unmatched::Stopped`] if the watch requests a stop.
    fn solve(
        &self,
        problem: &Problem,
        ties: bool,
        pace: &mut Pace,
    ) -> Result<Vec<Flow>, Unmatched> {
        let edges = Edges {
            offsets: &self.pairs.offsets,
            preds: &self.pairs.preds,
            supply: &self.sides[0].units,
            demand: &self.sides[1].units,
        };
        let credit = |gold, edge| credit(problem, &self.sides, &self.pairs, gold, edge);
        let mut solver = Solver::new(edges, credit);
        solver.solve(pace)?;
        Ok(if ties {
            first_choice(&solver, pace)?
        } else {
            solver.flows()
        })
    }
}

/// Returns the credit of a pair of distinct spans; 0 for pairs that the problem excludes.
///
/// | bits | 96 and up | 64-95 | 0-31 |
/// |---|---|---|---|
/// | value | 1 if correct | 1 | shared positions, at most 2^32 - 1 |
///
/// A sum over fewer than 2^32 pairs never carries from one field into the next, so comparing sums
/// compares the three criteria in order.
fn credit(
    problem: &Problem,
    sides: &[Distinct; 2],
    pairs: &Pairs,
    gold: usize,
    edge: usize,
) -> i128 {
    let gold = &sides[0].spans[gold];
    let pred = &sides[1].spans[pairs.preds[edge] as usize];
    if problem.own_type && gold.ty != pred.ty {
        return 0;
    }
    let shared = gold.end.min(pred.end);
    let shared = shared.saturating_sub(gold.start.max(pred.start));
    let shared = u32::try_from(shared).unwrap_or(u32::MAX);
    let correct = i128::from(problem.mode.agrees(gold, pred));
    correct << 96 | 1 << 64 | i128::from(shared)
}
