//! Dynamic oracles of the arc-hybrid system: which moves lose no gold arc that can still be reached.

use crate::arc_hybrid::{Move, State};

/// Which moves are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Oracle {
    /// The moves that lose no reachable gold arc (Goldberg and Nivre 2013, "Training deterministic parsers with
    /// non-deterministic oracles", section 4.3).
    #[default]
    Exact,
    /// As published in parser.py, which forgets the root when it looks for arcs into the buffer and so accepts some moves
    /// that lose an arc.
    Published,
}

/// The gold tree of a sentence, prepared for an oracle.
#[derive(Clone, Debug, Default)]
pub struct GoldTree {
    /// By position; the root is the last position. 0 for the start symbol and the root.
    heads: Vec<u32>,
    /// By position: labels of the arcs to the heads.
    labels: Vec<u32>,
    /// The last dependent after each position; 0 if there is none.
    last_right: Vec<u32>,
    /// By position: how many of its dependents are on the stack.
    waiting: Vec<u32>,
    on_stack: Vec<bool>,
}

impl GoldTree {
    /// Starts a sentence with the heads (0 is the root) and labels of its words. The tree must be projective.
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

    #[inline]
    fn push(&mut self, word: u32) {
        self.on_stack[word as usize] = true;
        self.waiting[self.heads[word as usize] as usize] += 1;
    }

    /// Follows a move, before it is applied to the state.
    #[inline]
    pub fn follow(&mut self, state: &State, transition: Move) {
        if transition == Move::Shift {
            self.push(state.front);
        } else if let Some(&top) = state.stack.last() {
            self.on_stack[top as usize] = false;
            self.waiting[self.heads[top as usize] as usize] -= 1;
        }
    }

    /// The label of the arc that a move makes, if it is a gold arc: no other label is right then.
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

    /// The zero-cost moves in a state, in the order of [`Move`]; those that are not allowed are not zero-cost. O(1).
    ///
    /// Under `single_root` the word that depends on the root can be attached only if everything before it was
    /// popped before it is shifted.
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

    /// SHIFT loses the dependents of the front on the stack, and its head if that is on the stack below the top.
    #[inline]
    fn shift_is_free(&self, state: &State, single_root: bool) -> bool {
        let front = state.front as usize;
        let head = self.heads[front];
        let loses_head = self.on_stack[head as usize] && head != state.stack_at(0);
        let loses_root = single_root && head == state.n - 1 && !state.stack.is_empty();
        self.waiting[front] == 0 && !loses_head && !loses_root
    }

    /// The moves that `get_gold_moves` of parser.py accepts. Of a projective tree there is always one.
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
            // There is no word at 0, which is the position of what is not on the stack.
            head != state.stack_at(1) && !arc_with_buffer,
        ]
    }
}

#[cfg(test)]
mod tests;
