//! The lexicographically first of several optimal assignments.
//!
//! By complementary slackness an assignment is optimal exactly if all its edges are tight (their
//! credit is the sum of the prices of their ends) and all nodes with a price above 0 have all their
//! units assigned. Any two such assignments differ by cycles of tight edges, through one virtual
//! node for the units that may stay unassigned. So the edges are processed in order, and as many
//! units as possible are moved to each edge along such cycles. In most cases this takes one
//! breadth-first search for each gold node; each search is linear in the number of tight edges.
//!
//! Nodes are numbered gold first, then pred, then the virtual node.
//!
//! # Example
//!
//! Two gold spans and two pred spans with equal credits for all four pairs have two optimal
//! assignments:
//!
//! | assignment | edges in order |
//! |---|---|
//! | g0-p0, g1-p1 | the first and the fourth |
//! | g0-p1, g1-p0 | the second and the third |
//!
//! If the solver has found the second assignment, the edge g0-p0 is processed first. A search from
//! g0 for p0 finds the cycle g0, p1, g1, p0: g0 gives up its unit of p1, g1 takes it and hands its
//! unit of p0 to g0. The other edges of g0 then cannot gain a unit, and g1 keeps p1.
//!
//! # Why later steps do not undo earlier ones
//!
//! Edges of gold nodes that have been processed are never entered by a search
//! ([`Tight::enter_pred`] skips them), and a search for an edge of the current node may only take
//! units from its later edges and its free units. So each edge has the greatest possible flow given
//! the flows of all earlier edges, which is the definition of the lexicographic order.

use std::collections::VecDeque;
use std::ops::Range;

use spanrs_base::{Interrupted, Pace};

use super::transport::{Edges, Flow, Solver};

/// The tight edges of a solved problem, and an optimal assignment that is changed step by step.
struct Tight {
    /// Number of gold nodes; pred node `p` has the number `golds + p`.
    golds: usize,
    /// Index of the first tight edge of each gold node, followed by the number of tight edges;
    /// tight edges are sorted by gold and then by pred.
    offsets: Vec<usize>,
    /// For each tight edge, its index in the problem.
    edge: Vec<usize>,
    /// For each tight edge, its pred node, from 0.
    pred: Vec<u32>,
    /// For each tight edge, its gold node.
    gold: Vec<u32>,
    /// For each tight edge, the units assigned to it.
    flow: Vec<u32>,
    /// Index in `by_pred` of the first tight edge of each pred node, followed by the number of
    /// tight edges.
    pred_offsets: Vec<usize>,
    /// The tight edges, sorted by pred node and then by gold node.
    by_pred: Vec<u32>,
    /// For each node, the units that are not assigned.
    free: Vec<u32>,
    /// For each node, whether units may stay unassigned, that is, whether the price of the node is
    /// 0.
    may_be_free: Vec<bool>,
    /// For each node, including the virtual node, the next step towards the target of the search;
    /// None if the search has not reached the node.
    next: Vec<Option<Step>>,
    /// Nodes that the search has reached, to reset `next`.
    seen: Vec<u32>,
    /// Queue of the breadth-first search.
    queue: VecDeque<u32>,
}

/// The step from a node towards the target of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Along a tight edge: a gold node takes units of a pred node, or a pred node gives them back.
    Edge(u32),
    /// Between a node and the virtual node; the value is the node that the step leads to.
    Virtual(u32),
}

/// Returns the optimal assignment whose list of edges, each repeated for its units, is
/// lexicographically first. The flows are sorted by edge.
///
/// `solver` has solved the problem; its prices determine which edges are tight, and its flows are
/// the initial assignment. At most one search is needed for each tight edge, usually one for each
/// gold node.
///
/// # Errors
/// [`Interrupted`] if the watch requests a stop.
pub(super) fn first_choice<C: Fn(usize, usize) -> i128>(
    solver: &Solver<'_, C>,
    pace: &mut Pace,
) -> Result<Vec<Flow>, Interrupted> {
    let mut tight = Tight::new(solver, pace)?;
    for gold in 0..tight.golds {
        tight.resolve(gold, pace)?;
    }
    let used = (0..tight.edge.len()).filter(|&at| tight.flow[at] > 0);
    let flow = |at: usize| Flow {
        edge: tight.edge[at],
        units: tight.flow[at],
    };
    Ok(used.map(flow).collect())
}

/// Returns the offsets of the tight edges of each gold node in the order by gold, and of each pred
/// node in the order by pred.
fn count_tight<C: Fn(usize, usize) -> i128>(
    solver: &Solver<'_, C>,
    pace: &mut Pace,
) -> Result<(Vec<usize>, Vec<usize>), Interrupted> {
    let edges = solver.edges;
    let (mut offsets, mut pred_offsets) = (vec![0], vec![0; edges.demand.len() + 1]);
    let mut count = 0;
    for gold in 0..edges.golds() {
        pace.steps(1 + edges.of(gold).len())?;
        for edge in edges.of(gold) {
            let pred = edges.preds[edge] as usize;
            if solver.is_tight(gold, pred, (solver.credit)(gold, edge)) {
                count += 1;
                pred_offsets[pred + 1] += 1;
            }
        }
        offsets.push(count);
    }
    for pred in 0..edges.demand.len() {
        pred_offsets[pred + 1] += pred_offsets[pred];
    }
    Ok((offsets, pred_offsets))
}

impl Tight {
    /// Collects the tight edges with the flows found by the solver. Edges with flow are always
    /// tight, because the assignment is optimal.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    fn new<C: Fn(usize, usize) -> i128>(
        solver: &Solver<'_, C>,
        pace: &mut Pace,
    ) -> Result<Self, Interrupted> {
        let edges: Edges<'_> = solver.edges;
        let golds = edges.golds();
        let nodes = golds + edges.demand.len();
        let (offsets, pred_offsets) = count_tight(solver, pace)?;
        let count = pred_offsets[edges.demand.len()];
        let mut tight = Self {
            golds,
            offsets,
            edge: Vec::with_capacity(count),
            pred: Vec::with_capacity(count),
            gold: Vec::with_capacity(count),
            flow: Vec::with_capacity(count),
            by_pred: vec![0; count],
            free: solver.free.clone(),
            may_be_free: solver.price.iter().map(|&price| price == 0).collect(),
            next: vec![None; nodes + 1],
            seen: Vec::new(),
            queue: VecDeque::new(),
            pred_offsets,
        };
        let mut place = tight.pred_offsets.clone();
        let mut flows = solver.flows().into_iter().peekable();
        for gold in 0..golds {
            pace.steps(1 + edges.of(gold).len())?;
            for edge in edges.of(gold) {
                let pred = edges.preds[edge];
                if !solver.is_tight(gold, pred as usize, (solver.credit)(gold, edge)) {
                    continue;
                }
                let flow = flows.next_if(|flow| flow.edge == edge);
                let next = &mut place[pred as usize];
                tight.by_pred[*next] = tight.edge.len() as u32;
                *next += 1;
                tight.edge.push(edge);
                tight.pred.push(pred);
                tight.gold.push(gold as u32);
                tight.flow.push(flow.map_or(0, |flow| flow.units));
            }
        }
        Ok(tight)
    }

    /// Returns the range of the tight edges of a node: indices of the edges for a gold node,
    /// indices of `by_pred` for a pred node.
    fn of(&self, node: usize) -> Range<usize> {
        if node < self.golds {
            self.offsets[node]..self.offsets[node + 1]
        } else {
            let pred = node - self.golds;
            self.pred_offsets[pred]..self.pred_offsets[pred + 1]
        }
    }

    /// Moves as many units of a gold node as possible to its first edge, then to its second, and so
    /// on. Earlier gold nodes are final and are not changed.
    ///
    /// Stops when the units of the node are used up. After a failed search, edges whose pred node
    /// was not reached need no search: the failed search has visited every node from which units
    /// can come.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    fn resolve(&mut self, gold: usize, pace: &mut Pace) -> Result<(), Interrupted> {
        let edges = self.of(gold);
        // Units on this edge, units on later edges, and free units.
        let mut remaining = self.free[gold] + self.flow[edges.clone()].iter().sum::<u32>();
        let mut failed = false;
        for at in edges.clone() {
            let goal = self.golds + self.pred[at] as usize;
            while remaining > self.flow[at] {
                // A failed search has reached every node from which units can come.
                if failed && self.flow[at] == 0 && self.next[goal].is_none() {
                    break;
                }
                self.clear_search();
                failed = !self.find(gold, at + 1..edges.end, goal, pace)?;
                if failed {
                    break;
                }
                self.shift(gold, at, goal);
            }
            remaining -= self.flow[at];
            if remaining == 0 {
                break;
            }
        }
        self.clear_search();
        Ok(())
    }

    /// Resets the nodes that the last search has reached.
    fn clear_search(&mut self) {
        for node in self.seen.drain(..) {
            self.next[node as usize] = None;
        }
        self.queue.clear();
    }

    /// Records the first step from a node that the search reaches for the first time.
    fn visit(&mut self, node: usize, step: Step) {
        if self.next[node].is_none() {
            self.next[node] = Some(step);
            self.seen.push(node as u32);
            self.queue.push_back(node as u32);
        }
    }

    /// Searches backwards from a gold node, which can give up the units of its edges `later` and
    /// its free units, for the pred node `goal`. Returns whether it was reached; the path is in
    /// `next`.
    ///
    /// The search is breadth-first over tight edges and the virtual node, so the path found has the
    /// fewest steps. Nodes are visited in a fixed order; the resulting assignment does not depend
    /// on it, because each edge gets as many units as possible.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    fn find(
        &mut self,
        gold: usize,
        later: Range<usize>,
        goal: usize,
        pace: &mut Pace,
    ) -> Result<bool, Interrupted> {
        let middle = self.next.len() - 1;
        for edge in later {
            if self.flow[edge] > 0 {
                self.visit(
                    self.golds + self.pred[edge] as usize,
                    Step::Edge(edge as u32),
                );
            }
        }
        if self.free[gold] > 0 {
            self.visit(middle, Step::Virtual(gold as u32));
        }
        while let Some(node) = self.queue.pop_front() {
            if self.next[goal].is_some() {
                return Ok(true);
            }
            let node = node as usize;
            if node == middle {
                pace.steps(middle)?;
                self.enter_virtual(gold);
            } else if node < self.golds {
                pace.steps(1 + self.of(node).len())?;
                self.enter_gold(node);
            } else {
                pace.steps(1 + self.of(node).len())?;
                self.enter_pred(gold, node);
            }
        }
        Ok(self.next[goal].is_some())
    }

    /// Visits the nodes that can pass a unit to the virtual node: later gold nodes that may give up
    /// a unit (their price is 0 and they have flow), and pred nodes with a free unit. Through the
    /// virtual node a unit of one node becomes free and a free unit of another node is assigned,
    /// which keeps the total credit.
    fn enter_virtual(&mut self, target: usize) {
        let middle = self.next.len() - 1;
        let step = Step::Virtual(middle as u32);
        for node in target + 1..middle {
            let gives = if node < self.golds {
                self.may_be_free[node] && self.of(node).any(|at| self.flow[at] > 0)
            } else {
                self.free[node] > 0
            };
            if gives {
                self.visit(node, step);
            }
        }
    }

    /// Visits the nodes from which a gold node can get a unit to pass on: pred nodes to which the
    /// gold node has flow, and the virtual node if the gold node has a free unit.
    fn enter_gold(&mut self, node: usize) {
        for at in self.of(node) {
            if self.flow[at] > 0 {
                let pred = self.golds + self.pred[at] as usize;
                self.visit(pred, Step::Edge(at as u32));
            }
        }
        if self.free[node] > 0 {
            self.visit(self.next.len() - 1, Step::Virtual(node as u32));
        }
    }

    /// Visits the nodes that can take a unit of a pred node: gold nodes with a tight edge to the
    /// pred node, and the virtual node if the pred node may stay unassigned. Gold nodes up to
    /// `target` are final and are skipped.
    fn enter_pred(&mut self, target: usize, node: usize) {
        for at in self.of(node) {
            let edge = self.by_pred[at];
            let gold = self.gold[edge as usize] as usize;
            if gold > target {
                self.visit(gold, Step::Edge(edge));
            }
        }
        if self.may_be_free[node] {
            self.visit(self.next.len() - 1, Step::Virtual(node as u32));
        }
    }

    /// Moves units along the cycle that the search has found, from the gold node through its edge
    /// `first` to `goal` and back.
    ///
    /// The number of units is the smallest capacity on the way: the flow of edges that give units
    /// back, and the free units of nodes that take part through the virtual node. Does nothing if
    /// the path is incomplete, which does not occur after a successful search.
    fn shift(&mut self, gold: usize, first: usize, goal: usize) {
        let middle = self.next.len() - 1;
        let (mut units, mut steps, mut node) = (u32::MAX, Vec::new(), goal);
        while node != gold {
            let Some(step) = self.next[node] else {
                return;
            };
            steps.push((node, step));
            node = match step {
                Step::Edge(edge) if node < self.golds => {
                    self.golds + self.pred[edge as usize] as usize
                }
                Step::Edge(edge) => {
                    units = units.min(self.flow[edge as usize]);
                    self.gold[edge as usize] as usize
                }
                Step::Virtual(to) => {
                    let to = to as usize;
                    // A unit comes from a free gold node, or goes to a free pred node.
                    let (from_gold, to_pred) =
                        (node == middle && to < self.golds, node >= self.golds);
                    if from_gold {
                        units = units.min(self.free[to]);
                    } else if node != middle && to_pred {
                        units = units.min(self.free[node]);
                    }
                    to
                }
            };
        }
        self.flow[first] += units;
        for (node, step) in steps {
            match step {
                Step::Edge(edge) if node < self.golds => self.flow[edge as usize] += units,
                Step::Edge(edge) => self.flow[edge as usize] -= units,
                Step::Virtual(to) => {
                    let to = to as usize;
                    let other = if node == middle { to } else { node };
                    let gains = (node == middle) == (other >= self.golds);
                    if gains {
                        self.free[other] += units;
                    } else {
                        self.free[other] -= units;
                    }
                }
            }
        }
    }
}
