//! The arc-hybrid transition system, with the root after the last word.
//!
//! Source: Kuhlmann, Gómez-Rodríguez and Satta (2011), "Dynamic programming algorithms for
//! transition-based dependency parsers".
//!
//! # Positions
//!
//! A sentence of N words has N + 2 positions: 0 is a start symbol, the words are 1 to N, and the
//! root is N + 1. The start symbol never enters the stack or the buffer, so position 0 also means
//! "no token" ([`NONE`]). The root stays in the buffer: it is never shifted, and words become its
//! dependents by LEFT when it is the front of the buffer. Ballesteros and Nivre (2013, "Going to
//! the roots of dependency parsing") discuss this placement, which parser.py also uses.
//!
//! # Transitions
//!
//! With the stack σ, its top s0, the item below it s1, and the buffer n0, n1, ...:
//!
//! | transition | before | after | arc | allowed if |
//! |---|---|---|---|---|
//! | SHIFT | σ, n0 n1... | σ n0, n1... | | n0 is not the root |
//! | RIGHT | σ s1 s0, n0... | σ s1, n0... | s1 → s0 | the stack has two items |
//! | LEFT | σ s0, n0... | σ, n0... | n0 → s0 | the stack has one item |
//!
//! A parse starts with the first word on the stack, because SHIFT is the only possible first
//! transition, and ends when the stack is empty and the root is the front of the buffer. Each word
//! except the first is shifted once and each word is popped once: 2N - 1 transitions for any
//! sentence. Every sequence of allowed transitions ends in a tree. All projective trees with the
//! root at the end are reachable.
//!
//! "They ate pizza" (`nsubj`, `root`, `obj`; N = 3, the root is 4):
//!
//! | transition | stack | front | arc |
//! |---|---|---|---|
//! | | 1 | 2 | |
//! | LEFT | | 2 | 2 → 1 |
//! | SHIFT | 2 | 3 | |
//! | SHIFT | 2 3 | 4 | |
//! | RIGHT | 2 | 4 | 2 → 3 |
//! | LEFT | | 4 | 4 → 2 |
//!
//! # Single root
//!
//! LEFT with the root as head is possible for several words. Treebanks such as Universal
//! Dependencies allow only one such word; then LEFT to the root is forbidden as long as the stack
//! has a second item, so that exactly one word, the last word popped, becomes a dependent of the
//! root.

/// A transition of the parser.
///
/// The variants are in the order of a parser's classes, which decides ties: of equal scores the
/// first move wins. Model files and the JSON of parser.py store the moves as the numbers 0, 1 and 2
/// in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Pushes the front of the buffer onto the stack, without adding an arc.
    Shift,
    /// Makes the top of the stack a dependent of the item below it, to the right of this head, and
    /// pops it.
    Right,
    /// Makes the top of the stack a dependent of the front of the buffer, to the left of this head,
    /// and pops it.
    Left,
}

/// Position that means "no token": the top of an empty stack, a child that does not exist, an
/// offset after the end of the buffer. It is the position of the start symbol, which never occurs
/// in a state.
pub(crate) const NONE: u32 = 0;

/// The children of a token on one side, to the extent that features need them.
///
/// The arc-hybrid system attaches the children on a side from the inside outwards, so the child
/// attached last is the outermost. No list of children is kept: features use only the two outermost
/// children, the number of children and the set of their labels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Children {
    /// The child that was attached last, which is the outermost; [`NONE`] if there are no children.
    pub(crate) last: u32,
    /// The child that was attached before `last`; [`NONE`] if there are fewer than two.
    pub(crate) previous: u32,
    /// Number of children on this side, without an upper limit.
    pub(crate) count: u32,
    /// The labels of the children as a set of bits, by label number modulo 64. Labels that are
    /// equal modulo 64 share a bit; this only makes features less specific.
    pub(crate) labels: u64,
}

impl Children {
    /// Adds the new outermost child.
    #[inline]
    pub(crate) fn add(&mut self, child: u32, label: u32) {
        self.previous = std::mem::replace(&mut self.last, child);
        self.count += 1;
        self.labels |= 1 << (label % 64);
    }
}

/// Returns which moves are allowed, in the order of [`Move`], if the stack has `depth` items and the front of the
/// buffer is the root (`at_root`) or a word.
#[inline]
pub(crate) fn valid_moves(depth: usize, at_root: bool, single_root: bool) -> [bool; 3] {
    let left = depth == 1 || depth >= 2 && !(single_root && at_root);
    [!at_root, depth >= 2, left]
}

/// The state of a parse: stack, buffer and the arcs made so far.
///
/// Call [`State::start`] for each sentence; [`State::apply`] then changes the state in place. The
/// memory of its vectors is reused between sentences. Each thread uses its own.
///
/// # Examples
///
/// The derivation of the table above, "They ate pizza":
///
/// ```
/// use spanrs_dep::{Move, State};
/// let mut state = State::default();
/// state.start(3, true);
/// for transition in [Move::Left, Move::Shift, Move::Shift, Move::Right, Move::Left] {
///     assert!(!state.is_final() && state.is_valid(transition));
///     state.apply(transition, 0);
/// }
/// assert!(state.is_final());
/// assert_eq!(state.conll_heads().collect::<Vec<_>>(), [2, 0, 2]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Number of positions, including the start symbol and the root: words + 2. The root is
    /// `n - 1`.
    pub(crate) n: u32,
    /// Position of the front of the buffer, n0; at most the root, `n - 1`.
    pub(crate) front: u32,
    /// Positions of the words on the stack in increasing order; the top is the last.
    pub(crate) stack: Vec<u32>,
    /// Head of each position, as a position; 0 where there is no head yet.
    pub(crate) heads: Vec<u32>,
    /// Label of the arc to the head, by position of the dependent; 0 where there is no head yet.
    pub(crate) labels: Vec<u32>,
    /// Left children of each position.
    pub(crate) lefts: Vec<Children>,
    /// Right children of each position.
    pub(crate) rights: Vec<Children>,
    /// True if at most one word may depend on the root.
    single_root: bool,
}

impl State {
    /// Starts a sentence of `words` words: the first word is on the stack, the second word (or the
    /// root) is the front of the buffer, and there are no arcs.
    ///
    /// With `single_root`, LEFT to the root is only allowed for the last item on the stack. A
    /// sentence without words is in a final state immediately.
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

    /// Returns true at the end of the sentence: the stack is empty and only the root is left in the
    /// buffer.
    #[inline]
    pub fn is_final(&self) -> bool {
        self.stack.is_empty() && self.front + 1 >= self.n
    }

    /// Returns true if a move is allowed; see the table of the module. In every state that is not
    /// final at least one move is allowed.
    #[inline]
    pub fn is_valid(&self, transition: Move) -> bool {
        let at_root = self.front + 1 >= self.n;
        valid_moves(self.stack.len(), at_root, self.single_root)[transition as usize]
    }

    /// Makes a move, in constant time. `label` is the label of the new arc; SHIFT ignores it.
    ///
    /// The move must be valid ([`State::is_valid`]); this is not checked, and after an invalid move
    /// the state is meaningless.
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

    /// Returns the word at a depth of the stack, where 0 is the top; [`NONE`] if the stack is not
    /// deep enough.
    #[inline]
    pub(crate) fn stack_at(&self, depth: usize) -> u32 {
        match self.stack.len().checked_sub(depth + 1) {
            Some(at) => self.stack[at],
            None => NONE,
        }
    }

    /// Returns the token `offset` positions after the front of the buffer, including the root;
    /// [`NONE`] after the root.
    #[inline]
    pub(crate) fn buffer_at(&self, offset: u32) -> u32 {
        let at = self.front + offset;
        if at < self.n { at } else { NONE }
    }

    /// Returns the head of each word as in CoNLL: words are numbered from 1 and the root is 0. A
    /// word without a head also gets 0, so the heads are a tree only in a final state.
    ///
    /// # Panics
    /// If no sentence was started.
    pub fn conll_heads(&self) -> impl Iterator<Item = u32> {
        let root = self.n - 1;
        let words = &self.heads[1..self.n as usize - 1];
        words
            .iter()
            .map(move |&head| if head == root { 0 } else { head })
    }
}
