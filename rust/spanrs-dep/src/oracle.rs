//! Dynamic oracles of the arc-hybrid system: which moves make no reachable gold arc unreachable.
//!
//! A static oracle prescribes one derivation of the gold tree. A dynamic oracle (Goldberg and Nivre 2012, "A dynamic
//! oracle for arc-eager dependency parsing"; 2013, "Training deterministic parsers with non-deterministic oracles") is
//! defined for every state, including states after a mistake: a move is *zero-cost* if the best tree that can be
//! reached after it has as many gold arcs as the best tree that can be reached before it. The trainer can therefore
//! follow its own guesses ("exploration") and learn the best moves from a wrong state.
//!
//! # Cost in the arc-hybrid system
//!
//! The system is *arc-decomposable* (Goldberg and Nivre 2013, section 4.3): if every gold arc in a set is reachable
//! individually, all arcs in the set are reachable together. The cost of a move is then the number of gold arcs that
//! the move makes unreachable. With the stack σ whose top is s0 and next item s1, the buffer β whose front is n0, and
//! gold heads g:
//!
//! | move | loses |
//! |---|---|
//! | SHIFT | each word x in σ with g(x) = n0; the arc to n0 if g(n0) is in σ below s0 |
//! | RIGHT | each word k in β with g(k) = s0; the arc to s0 if g(s0) is in β |
//! | LEFT | each word k in β with g(k) = s0; the arc to s0 if g(s0) is s1 or in β after n0 |
//!
//! The root counts as an item of β. With a single root, the arc from the root to a word is reachable only if nothing is
//! below the word on the stack: otherwise popping the word does not lose this arc, and shifting the word onto a
//! non-empty stack loses it.
//!
//! [`GoldTree`] computes this in constant time instead of scanning stack and buffer: it stores the last dependent after
//! each position (fixed for the sentence), which words are on the stack, and the number of dependents of each position
//! on the stack (both updated by [`GoldTree::follow`]).
//!
//! The tests compare the oracle with brute force on all projective trees of up to five words and all states that can be
//! reached: the oracle is correct in all of them, both with a single root and with several roots.
//!
//! # The oracle of parser.py
//!
//! `get_gold_moves` of parser.py looks for the head of s0 among the words after n0 but stops before the root. If g(s0)
//! is the root, n0 is not the root, and s0 has no dependent in β, it accepts popping s0, which loses the arc. This
//! happens in 94 of the 9,694 states of single-root trees of two to five words and in 1,159 of 18,419 if several roots
//! are allowed; it never rejects a zero-cost move. [`GoldTree::published`] returns the same moves.

use crate::arc_hybrid::{Move, State};
use serde::{Deserialize, Serialize};

/// Which moves are correct in the training of a parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Oracle {
    /// The zero-cost moves (Goldberg and Nivre 2013, section 4.3): moves that lose no reachable gold arc.
    #[default]
    Exact,
    /// The moves that parser.py accepts. It ignores the root when it looks for arcs into the buffer and therefore
    /// accepts some moves that lose an arc; see the module.
    Published,
}

/// The gold tree of a sentence, prepared for an oracle, and a record of the stack of the current state.
///
/// Call [`GoldTree::start`] for each sentence and [`GoldTree::follow`] for each move; memory is reused between
/// sentences. Positions are the same as in [`State`]: the root is the last position.
///
/// # Examples
///
/// Follow the first zero-cost move in each state until the end; the result is the gold tree:
///
/// ```
/// use spanrs_dep::{GoldTree, Move, State};
/// let gold = [2, 0, 4, 2]; // They ate the pizza
/// let mut tree = GoldTree::default();
/// tree.start(&gold, &[0; 4]);
/// let mut state = State::default();
/// state.start(4, true);
/// while !state.is_final() {
///     let zero_cost = tree.zero_cost(&state, true);
///     let moves = [Move::Shift, Move::Right, Move::Left].into_iter().zip(zero_cost);
///     let first = moves.filter(|(_, is_free)| *is_free).map(|(one, _)| one).next().unwrap();
///     tree.follow(&state, first); // before the state changes
///     state.apply(first, 0);
/// }
/// assert_eq!(state.conll_heads().collect::<Vec<_>>(), gold);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GoldTree {
    /// Gold head of each position, as a position; head 0 of CoNLL, the root, is stored as the last position. 0 for the
    /// start symbol and the root, which have no head.
    heads: Vec<u32>,
    /// Label of the arc to the gold head, by position of the dependent; 0 for the start symbol and
    /// the root.
    labels: Vec<u32>,
    /// The last (rightmost) dependent after each position; 0 if there is none. A position has dependents in the buffer
    /// if its last dependent is not before the front of the buffer.
    last_right: Vec<u32>,
    /// Number of gold dependents on the stack, by position of the head.
    waiting: Vec<u32>,
    /// True for positions on the stack.
    on_stack: Vec<bool>,
}

impl GoldTree {
    /// Starts a sentence with the heads (words from 1, 0 is the root) and as many labels. The tree must be projective;
    /// otherwise some states have no zero-cost move. O(words).
    ///
    /// # Panics
    /// If a head is greater than the number of words.
    pub fn start(&mut self, heads: &[u32], labels: &[u32]) {
        let root = heads.len() as u32 + 1;
        let positions = heads.len() + 2;
        self.heads.clear();
        self.heads.push(0);
        self.heads.extend(
            heads
                .iter()
                .map(|&head| if head == 0 { root } else { head }),
        );
        self.heads.push(0);
        self.labels.clear();
        self.labels.push(0);
        self.labels.extend_from_slice(labels);
        self.labels.push(0);
        for row in [&mut self.last_right, &mut self.waiting] {
            row.clear();
            row.resize(positions, 0);
        }
        for word in 1..root {
            let head = self.heads[word as usize];
            if head < word {
                self.last_right[head as usize] = word;
            }
        }
        self.on_stack.clear();
        self.on_stack.resize(positions, false);
        if !heads.is_empty() {
            self.push(1);
        }
    }

    /// Records that a word is on the stack.
    #[inline]
    fn push(&mut self, word: u32) {
        self.on_stack[word as usize] = true;
        self.waiting[self.heads[word as usize] as usize] += 1;
    }

    /// Updates the record for a move. Call this once per move with the state *before* the move, so that the record of
    /// the stack agrees with the state.
    #[inline]
    pub fn follow(&mut self, state: &State, transition: Move) {
        if transition == Move::Shift {
            self.push(state.front);
        } else if let Some(&top) = state.stack.last() {
            self.on_stack[top as usize] = false;
            self.waiting[self.heads[top as usize] as usize] -= 1;
        }
    }

    /// Returns the gold label of the arc that a move makes if it is a gold arc; then no other label is correct. Returns
    /// None for SHIFT and for arcs that are not gold, for which all labels are equally good. The move must be valid.
    #[inline]
    pub fn label(&self, state: &State, transition: Move) -> Option<u32> {
        let top = state.stack_at(0);
        let head = match transition {
            Move::Shift => return None,
            Move::Left => state.front,
            Move::Right => state.stack_at(1),
        };
        (self.heads[top as usize] == head).then(|| self.labels[top as usize])
    }

    /// Returns for each move, in the order of [`Move`], whether it is allowed and loses no gold arc; O(1). If the tree
    /// is projective and was followed from the start, at least one move satisfies this in each state that is not final.
    ///
    /// `single_root` must be the same as for the state. With a single root, the word that depends on the root can get
    /// its arc only if all words before it are popped before it is shifted.
    #[inline]
    pub fn zero_cost(&self, state: &State, single_root: bool) -> [bool; 3] {
        let shift = state.is_valid(Move::Shift) && self.shift_is_free(state, single_root);
        let Some(&top) = state.stack.last() else {
            return [shift, false, false];
        };
        let head = self.heads[top as usize];
        let root = state.n - 1;
        // Popping the top loses its dependents in the buffer. The root can no longer be its head under `single_root` if
        // there are other words on the stack.
        let keeps_children = self.last_right[top as usize] < state.front;
        let reachable = !(single_root && head == root && state.stack.len() >= 2);
        let right_is_free = head < state.front || !reachable;
        let left_is_free =
            head == state.front || (head < state.front || !reachable) && head != state.stack_at(1);
        [
            shift,
            state.is_valid(Move::Right) && keeps_children && right_is_free,
            state.is_valid(Move::Left) && keeps_children && left_is_free,
        ]
    }

    /// Returns true if SHIFT loses no arc: the front has no dependent on the stack, and its head is
    /// not on the stack below the top (the top itself can still become its head, by RIGHT).
    #[inline]
    fn shift_is_free(&self, state: &State, single_root: bool) -> bool {
        let front = state.front as usize;
        let head = self.heads[front];
        let loses_head = self.on_stack[head as usize] && head != state.stack_at(0);
        let loses_root = single_root && head == state.n - 1 && !state.stack.is_empty();
        self.waiting[front] == 0 && !loses_head && !loses_root
    }

    /// Returns for each move, in the order of [`Move`], whether `get_gold_moves` of parser.py accepts it; O(1). For a
    /// projective tree at least one move is accepted in each state. A single root is not taken into account.
    ///
    /// In the order of the original: with an empty stack SHIFT is correct; only SHIFT is correct if n0 depends on s0,
    /// and only LEFT if s0 depends on n0; otherwise every valid move is correct unless it loses an arc between s0 and
    /// the buffer, s0 and s1, or n0 and the stack.
    pub fn published(&self, state: &State) -> [bool; 3] {
        let can_shift = state.is_valid(Move::Shift);
        let Some(&top) = state.stack.last() else {
            return [true, false, false];
        };
        let front = state.front;
        if can_shift && self.heads[front as usize] == top {
            return [true, false, false];
        }
        let head = self.heads[top as usize];
        if head == front {
            return [false, false, true];
        }
        let arc_with_stack = self.waiting[front as usize] > 0
            || self.heads[front as usize] != 0
                && self.on_stack[self.heads[front as usize] as usize];
        let arc_with_buffer =
            self.last_right[top as usize] > front || head > front && head < state.n - 1;
        [
            can_shift && !arc_with_stack,
            state.is_valid(Move::Right) && !arc_with_buffer,
            // With one item on the stack, `stack_at(1)` is `NONE`, which is not the head of any word.
            head != state.stack_at(1) && !arc_with_buffer,
        ]
    }
}

#[cfg(test)]
mod tests;
