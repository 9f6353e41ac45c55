//! The arc-hybrid transition system (Kuhlmann, Gómez-Rodríguez and Satta 2011), with the root after the last word.
//!
//! Positions are those of a padded sentence: 0 is a start symbol, words are 1 to N, the root is N + 1. A parse starts with
//! the first word on the stack and ends with an empty stack and the root at the front of the buffer: 2N - 1 transitions.

/// What a transition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Pushes the front of the buffer on the stack.
    Shift,
    /// The top of the stack becomes a dependent of the one below, and is popped.
    Right,
    /// The top of the stack becomes a dependent of the front of the buffer, and is popped.
    Left,
}

/// No token: the position of what is missing.
pub(crate) const NONE: u32 = 0;

/// The children of a token on one side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Children {
    /// The child attached last, which is the outermost; [`NONE`] if there is none.
    pub(crate) last: u32,
    /// The one attached before it.
    pub(crate) previous: u32,
    pub(crate) count: u32,
    /// The labels of the children as bits, by label number modulo 64.
    pub(crate) labels: u64,
}

impl Children {
    #[inline]
    fn add(&mut self, child: u32, label: u32) {
        self.previous = std::mem::replace(&mut self.last, child);
        self.count += 1;
        self.labels |= 1 << (label % 64);
    }
}

/// A state of a parse. Buffers are kept between sentences.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Number of positions, start and root included.
    pub(crate) n: u32,
    /// Front of the buffer.
    pub(crate) front: u32,
    pub(crate) stack: Vec<u32>,
    /// By position; 0 where there is no head yet.
    pub(crate) heads: Vec<u32>,
    /// By position: the label of the arc to the head.
    pub(crate) labels: Vec<u32>,
    pub(crate) lefts: Vec<Children>,
    pub(crate) rights: Vec<Children>,
    /// At most one word depends on the root.
    single_root: bool,
}

impl State {
    /// Starts a sentence. With `single_root`, LEFT to the root is allowed for the last word of the stack only.
    pub fn start(&mut self, words: usize, single_root: bool) {
        let n = words + 2;
        self.n = n as u32;
        self.front = if words == 0 { 1 } else { 2 };
        self.stack.clear();
        if words > 0 {
            self.stack.push(1);
        }
        for row in [&mut self.heads, &mut self.labels] {
            row.clear();
            row.resize(n, 0);
        }
        for side in [&mut self.lefts, &mut self.rights] {
            side.clear();
            side.resize(n, Children::default());
        }
        self.single_root = single_root;
    }

    /// True at the end of the sentence.
    #[inline]
    pub fn is_final(&self) -> bool {
        self.stack.is_empty() && self.front + 1 >= self.n
    }

    /// True where a move is allowed.
    #[inline]
    pub fn is_valid(&self, transition: Move) -> bool {
        match transition {
            Move::Shift => self.front + 1 < self.n,
            Move::Right => self.stack.len() >= 2,
            Move::Left => match self.stack.len() {
                0 => false,
                1 => true,
                _ => !(self.single_root && self.front + 1 == self.n),
            },
        }
    }

    /// Makes a move, which must be valid; `label` is that of the arc.
    #[inline]
    pub fn apply(&mut self, transition: Move, label: u32) {
        if transition == Move::Shift {
            self.stack.push(self.front);
            self.front += 1;
            return;
        }
        let Some(child) = self.stack.pop() else {
            return;
        };
        let (head, side) = match transition {
            Move::Left => (self.front, &mut self.lefts),
            _ => (
                self.stack.last().copied().unwrap_or_default(),
                &mut self.rights,
            ),
        };
        side[head as usize].add(child, label);
        self.heads[child as usize] = head;
        self.labels[child as usize] = label;
    }

    /// The token at a depth of the stack, from 0 at the top.
    #[inline]
    pub(crate) fn stack_at(&self, depth: usize) -> u32 {
        match self.stack.len().checked_sub(depth + 1) {
            Some(at) => self.stack[at],
            None => NONE,
        }
    }

    /// The token so many positions after the front of the buffer.
    #[inline]
    pub(crate) fn buffer_at(&self, offset: u32) -> u32 {
        let at = self.front + offset;
        if at < self.n { at } else { NONE }
    }

    /// Heads of the words as in CoNLL, 0 for the root.
    pub fn conll_heads(&self) -> impl Iterator<Item = u32> {
        let root = self.n - 1;
        let words = &self.heads[1..self.n as usize - 1];
        words
            .iter()
            .map(move |&head| if head == root { 0 } else { head })
    }
}
