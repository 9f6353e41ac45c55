//! Dynamic oracles of the arc-hybrid system: which moves lose no gold arc that can still be
//! reached.
//!
//! A static oracle prescribes one derivation of the gold tree. A dynamic oracle (Goldberg and Nivre
//! 2012, "A dynamic oracle for arc-eager dependency parsing"; 2013, "Training deterministic parsers
//! with non-deterministic oracles") answers for every state, also for those after a mistake: a move
//! is *zero-cost* if the best tree that can be reached after it has as many gold arcs as the best
//! tree that can be reached before it. The trainer can therefore follow its own guesses
//! ("exploration") and learn to make the best of a wrong state.
//!
//! # Cost in the arc-hybrid system
//!
//! The system is *arc-decomposable* (Goldberg and Nivre 2013, section 4.3): if every gold arc of a
//! set can be reached alone, all of them can be reached together. The cost of a move is then the
//! number of gold arcs that it makes unreachable. With the stack σ whose top is s0 and next item
//! s1, the buffer β whose front is n0, and gold heads g:
//!
//! | move | loses |
//! |---|---|
//! | SHIFT | each word x in σ with g(x) = n0; the arc to n0 if g(n0) is in σ below s0 |
//! | RIGHT | each word k in β with g(k) = s0; the arc to s0 if g(s0) is in β |
//! | LEFT | each word k in β with g(k) = s0; the arc to s0 if g(s0) is s1 or in β behind n0 |
//!
//! The root counts as an item of β. With a single root, the arc from the root to a word is
//! reachable only if nothing is below the word on the stack: popping it otherwise is free of that
//! loss, and shifting it on a stack that is not empty loses it.
//!
//! [`GoldTree`] answers in constant time instead of scanning stack and buffer: it knows the last
//! dependent after each position (fixed for the sentence), which words are on the stack, and how
//! many dependents of each position are on the stack (both updated by [`GoldTree::follow`]).
//!
//! The tests compare the oracle with brute force on all projective trees of up to five words and
//! all states that can be reached: it is right in all of them, with one root and with several.
//!
//! # The oracle of parser.py
//!
//! `get_gold_moves` of parser.py looks for the head of s0 among the words behind n0 but stops
//! before the root. If g(s0) is the root, n0 is not, and s0 has no dependent left in β, it accepts
//! popping s0 and losing the arc. This happens in 94 of the 9,694 states of single-root trees of
//! two to five words and in 1,159 of 18,419 if several roots are allowed; it never rejects a
//! zero-cost move. [`GoldTree::published`] equals it.

use crate::arc_hybrid::{Move, State};
use serde::{Deserialize, Serialize};

/// Which moves a parser in training regards as right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Oracle {
    /// The zero-cost moves (Goldberg and Nivre 2013, section 4.3): those that lose no reachable
    /// gold arc.
    #[default]
    Exact,
    /// The moves that parser.py accepts. It forgets the root when it looks for arcs into the buffer
    /// and so accepts some moves that lose an arc; see the module.
    Published,
}

/// The gold tree of a sentence, prepared for an oracle, and a record of the stack of the state that
/// it follows.
///
/// Started with [`GoldTree::start`] for each sentence, told of each move with [`GoldTree::follow`];
/// memory is kept between sentences. Positions are those of [`State`]: the root is the last one.
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
    /// Gold head of each position, as a position; the root of CoNLL (0) has become the last
    /// position. 0 for the start symbol and the root, which have no head.
    heads: Vec<u32>,
    /// Label of the arc to the gold head, by position of the dependent; 0 for the start symbol and
    /// the root.
    labels: Vec<u32>,
    /// The last (rightmost) dependent after each position; 0 if there is none. A position has
    /// dependents in the buffer if this is at least the front.
    last_right: Vec<u32>,
    /// Number of gold dependents on the stack, by position of the head.
    waiting: Vec<u32>,
    /// True for positions on the stack.
    on_stack: Vec<bool>,
}

impl GoldTree {
    /// Starts a sentence with the heads (words from 1, 0 is the root) and the labels of its words,
    /// which are as many. The tree has to be projective; otherwise some states have no zero-cost
    /// move. O(words).
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

    /// Notes that a word is on the stack now.
    #[inline]
    fn push(&mut self, word: u32) {
        self.on_stack[word as usize] = true;
        self.waiting[self.heads[word as usize] as usize] += 1;
    }

    /// Follows a move. Call it once per move with the state *before* the move, so that the record
    /// of the stack agrees with the state.
    #[inline]
    pub fn follow(&mut self, state: &State, transition: Move) {
        if transition == Move::Shift {
            self.push(state.front);
        } else if let Some(&top) = state.stack.last() {
            self.on_stack[top as usize] = false;
            self.waiting[self.heads[top as usize] as usize] -= 1;
        }
    }

    /// Returns the gold label of the arc that a move makes if this is a gold arc; then no other
    /// label is right. Returns None for SHIFT and for arcs that are not gold: any label is as good
    /// as another for them. The move has to be valid.
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

    /// Returns for each move, in the order of [`Move`], whether it is allowed and loses no gold
    /// arc; O(1). If the tree is projective and was followed from the start, at least one is in
    /// each state that is not final.
    ///
    /// `single_root` has to be that of the state. Under it the word that depends on the root can
    /// only get its arc if everything before it was popped before it is shifted.
    #[inline]
    pub fn zero_cost(&self, state: &State, single_root: bool) -> [bool; 3] {
        let shift = state.is_valid(Move::Shift) && self.shift_is_free(state, single_root);
        let Some(&top) = state.stack.last() else {
            return [shift, false, false];
        };
        let head = self.heads[top as usize];
        let root = state.n - 1;
        // Popping the top loses its dependents in the buffer. The root can no longer be its head under `single_root` if
        // there are others on the stack.
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

    /// Returns for each move, in the order of [`Move`], whether `get_gold_moves` of parser.py
    /// accepts it; O(1). For a projective tree one is accepted in each state. It knows nothing of a
    /// single root.
    ///
    /// In the order of the original: an empty stack asks for SHIFT; SHIFT alone is right if n0
    /// depends on s0, and LEFT alone if s0 depends on n0; otherwise every valid move is right
    /// unless it loses an arc between s0 and the buffer, s0 and s1, or n0 and the stack.
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
            // With one item on the stack, `stack_at(1)` is `NONE`, which is no word's head.
            head != state.stack_at(1) && !arc_with_buffer,
        ]
    }
}

#[cfg(test)]
mod tests;
