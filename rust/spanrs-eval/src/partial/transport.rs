//! The transportation problem: units of gold nodes are assigned to pred nodes such that the total
//! credit is greatest.
//!
//! A primal-dual method with a sparse core (Volgenant 1996, "Linear and semi-assignment problems: a
//! core oriented approach"; successive shortest paths as in Jonker and Volgenant 1987). Every node
//! has a non-negative price, and no edge has more credit than the sum of the prices of its ends. An
//! assignment is optimal if all its edges are tight, that is, have a credit equal to this sum, and
//! every node with a price above 0 has all its units assigned.
//!
//! Shortest paths use only the core, a few promising edges of each gold node. When the core is
//! solved, all edges are checked against the prices, and edges with more credit are added to the
//! core. Spans are mostly paired with spans of similar bounds, so the number of core edges remains
//! close to the number of nodes.
//!
//! Credits are computed when needed and stored only for core edges: memory is O(nodes + core edges)
//! in addition to the graph.
//!
//! # Example
//!
//! With the credits g0-p0 3, g0-p1 2 and g1-p0 2, taking the best edge first gives 3. The optimum
//! is 4; these prices prove it:
//!
//! | node | g0 | g1 | p0 | p1 |
//! |---|---|---|---|---|
//! | price | 2 | 1 | 1 | 0 |
//!
//! The edges g0-p1 and g1-p0 are tight, and every node with a price above 0 is assigned. The sum of
//! the prices, 4, is an upper bound for every assignment (weak duality). g0-p0 is also tight, but
//! not used.
//!
//! # Termination
//!
//! Each path assigns at least one more unit, or lowers the price of a node with free units to 0.
//! Each extension adds new edges to the core, up to twice as many per gold node as the previous
//! one, so few extensions are needed even for dense groups.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use spanrs_base::{Interrupted, Pace};

/// Number of edges of a gold node that are added to the core at first; doubled at each later
/// extension.
const CORE_EDGES: usize = 8;

/// The nodes and edges of a bipartite graph, in compressed sparse rows: edges are sorted by gold
/// and then by pred.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges<'a> {
    /// Index of the first edge of each gold node, followed by the number of edges.
    pub(super) offsets: &'a [usize],
    /// The pred node of each edge, from 0.
    pub(super) preds: &'a [u32],
    /// Units of each gold node.
    pub(super) supply: &'a [u32],
    /// Units of each pred node.
    pub(super) demand: &'a [u32],
}

impl Edges<'_> {
    /// Returns the number of gold nodes.
    pub(super) fn golds(&self) -> usize {
        self.supply.len()
    }

    /// Returns the range of the edges of a gold node.
    pub(super) fn of(&self, gold: usize) -> std::ops::Range<usize> {
        self.offsets[gold]..self.offsets[gold + 1]
    }
}

/// An edge of the core.
#[derive(Clone, Copy, Debug)]
struct CoreEdge {
    /// Gold node and pred node; pred nodes are numbered after the gold nodes.
    ends: [u32; 2],
    /// The credit of the edge.
    credit: i128,
    /// Units assigned to it.
    flow: u32,
    /// The index among all edges.
    edge: usize,
}

/// Where an augmenting path ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// At a node on the other side that has free units.
    Free(usize),
    /// At a node on the side where the path begins; the node gives up a unit.
    Drop(usize),
}

/// Index of the gold end in [`CoreEdge::ends`].
const GOLD: usize = 0;
/// Index of the pred end in [`CoreEdge::ends`].
const PRED: usize = 1;
/// Distance of a node that no path has reached.
const UNSEEN: i128 = i128::MAX;

/// An edge with more credit than the prices of its ends: (price of its pred node minus its credit,
/// distance of its pred node from the diagonal, index). The smallest is the most violated; ties go
/// to the edge nearest to the diagonal, then to the first.
type Violated = (i128, usize, usize);

/// Keeps `width` edges: one half with the greatest violations, and from the remaining edges those
/// nearest to the diagonal.
///
/// The worst edges of many gold nodes often lead to the same few pred nodes. In an optimal
/// assignment the spans of both sides are mostly paired in the same order, which is the diagonal.
fn keep_promising(violated: &mut Vec<Violated>, width: usize) {
    if violated.len() <= width {
        return;
    }
    let half = width / 2;
    let (_, _, rest) = violated.select_nth_unstable(half - 1);
    rest.select_nth_unstable_by_key(half, |&(_, off_diagonal, edge)| (off_diagonal, edge));
    violated.truncate(width);
}

/// Units assigned to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow {
    /// Index of the edge.
    pub(super) edge: usize,
    /// Number of units, at least 1.
    pub(super) units: u32,
}

/// Solves one problem.
///
/// `credit` returns the credit of an edge, given its gold node and index; an edge with credit 0 is
/// treated as absent.
pub(super) struct Solver<'a, C> {
    /// The graph.
    pub(super) edges: Edges<'a>,
    /// The credits.
    pub(super) credit: C,
    /// Prices (dual variables) of gold nodes, then of pred nodes.
    pub(super) price: Vec<i128>,
    /// Unassigned units, by node.
    pub(super) free: Vec<u32>,
    /// The core, in the order in which edges were added.
    core: Vec<CoreEdge>,
    /// The core edges of each node, as indices into `core`.
    incident: Vec<Vec<u32>>,
    /// Number of edges of each gold node that the next extension adds to the core.
    width: Vec<usize>,
    /// For each node, the length of the shortest path found so far, or [`UNSEEN`].
    distance: Vec<i128>,
    /// For each node, the last core edge of that path.
    last: Vec<u32>,
    /// Nodes that paths have reached, to reset `distance`.
    seen: Vec<u32>,
    /// Nodes whose distance is final; their prices change when the path is complete.
    resolved: Vec<u32>,
    /// Queue of Dijkstra's algorithm: (distance, node), nearest first.
    open: BinaryHeap<Reverse<(i128, u32)>>,
}

impl<'a, C: Fn(usize, usize) -> i128> Solver<'a, C> {
    /// Prepares a problem; nothing is assigned and all prices are 0.
    pub(super) fn new(edges: Edges<'a>, credit: C) -> Self {
        let (golds, nodes) = (edges.golds(), edges.supply.len() + edges.demand.len());
        Self {
            edges,
            credit,
            price: vec![0; nodes],
            free: [edges.supply, edges.demand].concat(),
            core: Vec::new(),
            incident: vec![Vec::new(); nodes],
            width: vec![CORE_EDGES; golds],
            distance: vec![UNSEEN; nodes],
            last: vec![0; nodes],
            seen: Vec::new(),
            resolved: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    /// Finds an optimal assignment and optimal prices.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    pub(super) fn solve(&mut self, pace: &mut Pace) -> Result<(), Interrupted> {
        self.set_pred_prices(pace)?;
        self.extend_core(pace)?;
        loop {
            self.solve_core(pace)?;
            if !self.extend_core(pace)? {
                return Ok(());
            }
        }
    }

    /// Assigns the units of all nodes with a price above 0, along core edges. Afterwards the
    /// assignment is optimal for the core.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    fn solve_core(&mut self, pace: &mut Pace) -> Result<(), Interrupted> {
        let golds = self.edges.golds();
        for node in 0..self.price.len() {
            let side = if node < golds { GOLD } else { PRED };
            while self.free[node] > 0 && self.price[node] > 0 {
                self.augment_from(side, node, pace)?;
            }
        }
        Ok(())
    }

    /// Returns the assignment, sorted by edge.
    pub(super) fn flows(&self) -> Vec<Flow> {
        let used = self.core.iter().filter(|core| core.flow > 0);
        let flow = |core: &CoreEdge| Flow {
            edge: core.edge,
            units: core.flow,
        };
        let mut flows: Vec<Flow> = used.map(flow).collect();
        flows.sort_unstable_by_key(|flow| flow.edge);
        flows
    }

    /// Returns whether an edge with the given credit is tight; false for absent edges.
    pub(super) fn is_tight(&self, gold: usize, pred: usize, credit: i128) -> bool {
        credit > 0 && self.price[gold] + self.price[self.edges.golds() + pred] == credit
    }

    /// Sets the price of each pred node to half of the greatest credit of its edges. Spans with the
    /// same bounds then share the credit equally, and edges between spans with similar bounds are
    /// nearly tight.
    fn set_pred_prices(&mut self, pace: &mut Pace) -> Result<(), Interrupted> {
        let golds = self.edges.golds();
        for gold in 0..golds {
            pace.steps(1 + self.edges.of(gold).len())?;
            for edge in self.edges.of(gold) {
                let half = ((self.credit)(gold, edge) + 1) / 2;
                let price = &mut self.price[golds + self.edges.preds[edge] as usize];
                *price = half.max(*price);
            }
        }
        Ok(())
    }

    /// Adds violated edges to the core, that is, edges with more credit than the sum of the prices
    /// of their ends. Raises the prices of their gold nodes so that no edge is violated, and
    /// unassigns the units of these nodes, because their edges are no longer tight.
    ///
    /// Returns false if there are no violated edges; the solution of the core is then optimal for
    /// all edges. Takes time proportional to the number of all edges.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    fn extend_core(&mut self, pace: &mut Pace) -> Result<bool, Interrupted> {
        let (golds, preds) = (self.edges.golds(), self.edges.demand.len());
        let mut violated: Vec<Violated> = Vec::new();
        let mut extended = false;
        for gold in 0..golds {
            pace.steps(1 + self.edges.of(gold).len())?;
            violated.clear();
            let diagonal = gold * preds / golds;
            for edge in self.edges.of(gold) {
                let credit = (self.credit)(gold, edge);
                let pred = self.edges.preds[edge] as usize;
                let value = credit - self.price[golds + pred];
                if credit > 0 && value > self.price[gold] {
                    violated.push((-value, pred.abs_diff(diagonal), edge));
                }
            }
            let Some(&(least, ..)) = violated.iter().min() else {
                continue;
            };
            extended = true;
            self.release(gold);
            self.price[gold] = -least;
            keep_promising(&mut violated, self.width[gold]);
            self.width[gold] *= 2;
            for &(.., edge) in &violated {
                let pred = golds + self.edges.preds[edge] as usize;
                let number = self.core.len() as u32;
                self.core.push(CoreEdge {
                    ends: [gold as u32, pred as u32],
                    credit: (self.credit)(gold, edge),
                    flow: 0,
                    edge,
                });
                self.incident[gold].push(number);
                self.incident[pred].push(number);
            }
        }
        Ok(extended)
    }

    /// Unassigns the units of a gold node.
    fn release(&mut self, gold: usize) {
        for &number in &self.incident[gold] {
            let core = &mut self.core[number as usize];
            self.free[gold] += core.flow;
            self.free[core.ends[PRED] as usize] += core.flow;
            core.flow = 0;
        }
    }

    /// Assigns units of a node along a shortest path, or lowers its price to 0 (Dijkstra's
    /// algorithm).
    ///
    /// The length of an edge is the excess of its prices over its credit; edges with flow have
    /// length 0. A path ends at a node on the other side that has free units, or at a node on the
    /// same side that gives up units, at the cost of its price.
    fn augment_from(
        &mut self,
        side: usize,
        start: usize,
        pace: &mut Pace,
    ) -> Result<(), Interrupted> {
        let mut end = (self.price[start], End::Drop(start));
        self.reach(start, 0, 0);
        self.expand(side, start, &mut end, pace)?;
        while let Some(Reverse((distance, node))) = self.open.pop() {
            if distance >= end.0 {
                break;
            }
            let node = node as usize;
            if distance > self.distance[node] {
                continue;
            }
            self.resolved.push(node as u32);
            for at in 0..self.incident[node].len() {
                let number = self.incident[node][at];
                let core = self.core[number as usize];
                let own = core.ends[side] as usize;
                if core.flow > 0 && self.distance[own] > distance {
                    self.reach(own, distance, number);
                    let drop = distance + self.price[own];
                    if drop < end.0 {
                        end = (drop, End::Drop(own));
                    }
                    self.expand(side, own, &mut end, pace)?;
                }
            }
        }
        self.change_prices(side, start, end.0);
        self.ship(side, start, end.1);
        for node in self.seen.drain(..) {
            self.distance[node as usize] = UNSEEN;
        }
        self.resolved.clear();
        self.open.clear();
        Ok(())
    }

    /// Records a shorter path to a node.
    fn reach(&mut self, node: usize, distance: i128, last: u32) {
        if self.distance[node] == UNSEEN {
            self.seen.push(node as u32);
        }
        self.distance[node] = distance;
        self.last[node] = last;
    }

    /// Follows the core edges of a node on the side where the path begins, and updates `end` if a
    /// nearer node with free units is reached. Edges that cannot lead to a shorter path are
    /// ignored.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch requests a stop.
    fn expand(
        &mut self,
        side: usize,
        node: usize,
        end: &mut (i128, End),
        pace: &mut Pace,
    ) -> Result<(), Interrupted> {
        self.resolved.push(node as u32);
        pace.steps(1 + self.incident[node].len())?;
        let from = self.distance[node] + self.price[node];
        for at in 0..self.incident[node].len() {
            let number = self.incident[node][at];
            let core = &self.core[number as usize];
            let other = core.ends[1 - side] as usize;
            let distance = from + self.price[other] - core.credit;
            if distance >= end.0 || distance >= self.distance[other] {
                continue;
            }
            self.reach(other, distance, number);
            if self.free[other] > 0 {
                *end = (distance, End::Free(other));
            } else {
                self.open.push(Reverse((distance, other as u32)));
            }
        }
        Ok(())
    }

    /// Changes the prices of the nodes that are nearer than the end of the path by the difference
    /// in distance: down on the side where the path begins, up on the other side. This makes the
    /// edges of the path tight and keeps all edge lengths non-negative.
    fn change_prices(&mut self, side: usize, start: usize, length: i128) {
        let is_gold = start < self.edges.golds();
        debug_assert_eq!(is_gold, side == GOLD);
        for &node in &self.resolved {
            let node = node as usize;
            let change = length - self.distance[node];
            if (node < self.edges.golds()) == is_gold {
                self.price[node] -= change;
            } else {
                self.price[node] += change;
            }
        }
    }

    /// Moves as many units as the path allows, limited by the free units of its ends and the flow
    /// of the edges used backwards. A path that ends where it begins moves nothing; the price of
    /// its node is now 0.
    fn ship(&mut self, side: usize, start: usize, end: End) {
        let mut units = self.free[start];
        let mut path = Vec::new();
        let mut own = match end {
            End::Free(other) => {
                units = units.min(self.free[other]);
                let number = self.last[other];
                path.push((number, true));
                self.core[number as usize].ends[side] as usize
            }
            End::Drop(node) if node == start => return,
            End::Drop(node) => node,
        };
        while own != start {
            let back = self.last[own];
            let core = &self.core[back as usize];
            units = units.min(core.flow);
            path.push((back, false));
            let number = self.last[core.ends[1 - side] as usize];
            path.push((number, true));
            own = self.core[number as usize].ends[side] as usize;
        }
        for (number, forward) in path {
            let flow = &mut self.core[number as usize].flow;
            if forward {
                *flow += units;
            } else {
                *flow -= units;
            }
        }
        self.free[start] -= units;
        match end {
            End::Free(other) => self.free[other] -= units,
            End::Drop(node) => self.free[node] += units,
        }
    }
}
