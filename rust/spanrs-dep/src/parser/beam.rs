//! Beam search over sequences of moves, an alternative to the greedy parser.
//!
//! The search keeps the best *items* (partial parses) after each move, as many as the width of the beam. All parses of
//! a sentence have the same number of moves, 2N - 1, so that items after the same number of moves are comparable; the
//! score of an item is the sum of the scores of its classes. With a width of 1 the search makes the moves of the greedy
//! parser. Time and memory are proportional to the number of words times the width.
//!
//! # Shared memory of items
//!
//! Copying a state for each new item would take O(words) per move. Items share their past instead: an item refers to
//! its front and to a linked list of the tokens on its stack, and a token in a *node* refers to the nodes of its
//! children. A move makes at most three new records and changes none, as in the graph-structured stack of Huang and
//! Sagae (2010, "Dynamic programming for linear-time incremental parsing"), but without merging of equal items.
//!
//! # Ties
//!
//! Of candidates with equal scores those of the better item come first, and of one item the first class.

use crate::arc_hybrid::{Children, Move, NONE, valid_moves};
use crate::parser::templates::{Configuration, TemplateBuffers, Templates};
use crate::parser::{Parser, ParserBuffers, ParserSentence, ParserSetup, Tokens};
use crate::weights::Lookup;

/// A token with the children that it has in some items. Nodes of tokens without children come first and have the
/// number of their position.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The position in the sentence.
    position: u32,
    /// The label of the arc to the head; 0 without a head.
    label: u32,
    /// Children on the left, by node.
    lefts: Children,
    /// Children on the right, by node.
    rights: Children,
}

/// A token on the stack.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The node of the token.
    node: u32,
    /// The cell below; the first cell, which has no token, is below the last token of a stack.
    below: u32,
}

/// A partial parse.
#[derive(Clone, Copy, Debug, Default)]
struct Item {
    /// Sum of the scores of the moves.
    score: i64,
    /// The cell of the top of the stack.
    top: u32,
    /// Number of tokens on the stack.
    depth: u32,
    /// The node of the front of the buffer.
    front: u32,
}

/// An item with the class of its next move.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Score of the item plus the score of the class.
    score: i64,
    /// Index of the item.
    item: u32,
    /// The class.
    class: u32,
}

/// A search; memory is reused between sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct BeamSearch {
    /// Number of positions, including the start symbol and the root.
    n: u32,
    /// All nodes, first those of the tokens without children by position.
    nodes: Vec<Node>,
    /// All cells of stacks; the first has no token.
    cells: Vec<Cell>,
    /// The items after the last move, the best first; none before the first sentence.
    items: Vec<Item>,
    /// Memory of the items of the next move.
    next: Vec<Item>,
    /// The best candidates for the next move, in the order of the future items.
    candidates: Vec<Candidate>,
    /// For each move and item: the item before the move, and the class of the move.
    history: Vec<(u32, u32)>,
    /// End of each move in `history`.
    ends: Vec<usize>,
    /// Features of the items.
    lookups: Vec<Lookup>,
    /// Scores of all classes for each item.
    scores: Vec<i64>,
}

/// An item as templates read it; handles are nodes.
struct View<'a> {
    /// Owner of the nodes and cells.
    search: &'a BeamSearch,
    /// The item.
    item: &'a Item,
}

impl Configuration for View<'_> {
    #[inline(always)]
    fn stack_at(&self, depth: usize) -> u32 {
        let cells = &self.search.cells;
        let cell = (0..depth).fold(self.item.top, |cell, _| cells[cell as usize].below);
        cells[cell as usize].node
    }

    #[inline(always)]
    fn buffer_at(&self, offset: u32) -> u32 {
        let at = self.position(self.item.front) + offset;
        match offset {
            0 => self.item.front,
            _ if at < self.search.n => at,
            _ => NONE,
        }
    }

    #[inline(always)]
    fn children(&self, token: u32, right: bool) -> &Children {
        let node = &self.search.nodes[token as usize];
        if right { &node.rights } else { &node.lefts }
    }

    #[inline(always)]
    fn label(&self, token: u32) -> u32 {
        self.search.nodes[token as usize].label
    }

    #[inline(always)]
    fn position(&self, token: u32) -> u32 {
        self.search.nodes[token as usize].position
    }
}

impl BeamSearch {
    /// Starts a sentence, which may be without words.
    pub(crate) fn start(&mut self, words: usize) {
        self.n = words as u32 + 2;
        self.nodes.clear();
        self.nodes.extend((0..self.n).map(|position| Node {
            position,
            ..Node::default()
        }));
        let bottom = Cell::default();
        self.cells.clear();
        self.cells.extend([bottom, Cell { node: 1, below: 0 }]);
        self.items.clear();
        self.items.push(Item {
            score: 0,
            top: 1,
            depth: 1,
            front: 2,
        });
        self.history.clear();
        self.ends.clear();
    }

    /// Returns true if all moves of the sentence have been made.
    pub(crate) fn is_final(&self) -> bool {
        // 2N - 1 moves for N = n - 2 words.
        self.ends.len() + 5 >= 2 * self.n as usize
    }

    /// Makes one move: extends all items by all allowed classes and keeps the best. `score(lookups, scores)` writes the
    /// score of each class into `scores`, one row per lookup.
    pub(crate) fn step(
        &mut self,
        setup: &ParserSetup,
        templates: &Templates,
        tokens: &Tokens,
        buffers: &mut TemplateBuffers,
        score: impl FnOnce(&mut [Lookup], &mut [i64]),
    ) {
        let items = self.items.len();
        let mut lookups = std::mem::take(&mut self.lookups);
        lookups.resize_with(lookups.len().max(items), Lookup::default);
        for (item, lookup) in self.items.iter().zip(&mut lookups) {
            let view = View { search: self, item };
            templates.features(&tokens.rich, &view, buffers, &mut lookup.features);
        }
        self.scores.resize(items * setup.classes.len(), 0);
        score(&mut lookups[..items], &mut self.scores);
        self.lookups = lookups;
        self.choose(setup);
        self.extend(setup);
    }

    /// Finds the best candidates, in the order of the future items.
    fn choose(&mut self, setup: &ParserSetup) {
        let candidates = &mut self.candidates;
        candidates.clear();
        let rows = self.scores.chunks_exact(setup.classes.len());
        for (at, (item, scores)) in self.items.iter().zip(rows).enumerate() {
            let at_root = self.nodes[item.front as usize].position + 1 == self.n;
            let valid = valid_moves(item.depth as usize, at_root, setup.single_root);
            for class in setup.ranges_of(setup.split_left(valid)).flatten() {
                let score = item.score + scores[class];
                if candidates.len() == setup.beam {
                    if candidates.last().is_some_and(|worst| worst.score >= score) {
                        continue;
                    }
                    candidates.pop();
                }
                let rank = candidates.partition_point(|better| better.score >= score);
                let candidate = Candidate {
                    score,
                    item: at as u32,
                    class: class as u32,
                };
                candidates.insert(rank, candidate);
            }
        }
    }

    /// Replaces the items by the candidates.
    fn extend(&mut self, setup: &ParserSetup) {
        let mut items = std::mem::take(&mut self.next);
        items.clear();
        for at in 0..self.candidates.len() {
            let Candidate { score, item, class } = self.candidates[at];
            self.history.push((item, class));
            let (transition, label) = setup.classes[class as usize];
            let next = self.apply(self.items[item as usize], transition, label);
            items.push(Item { score, ..next });
        }
        self.next = std::mem::replace(&mut self.items, items);
        self.ends.push(self.history.len());
    }

    /// Returns an item after a move, with an unchanged score.
    fn apply(&mut self, item: Item, transition: Move, label: u32) -> Item {
        if transition == Move::Shift {
            self.cells.push(Cell {
                node: item.front,
                below: item.top,
            });
            return Item {
                top: self.cells.len() as u32 - 1,
                depth: item.depth + 1,
                front: self.nodes[item.front as usize].position + 1,
                ..item
            };
        }
        let Cell { node, below } = self.cells[item.top as usize];
        let child = self.nodes.len() as u32;
        let node = Node {
            label,
            ..self.nodes[node as usize]
        };
        self.nodes.push(node);
        let item = Item {
            depth: item.depth - 1,
            top: below,
            ..item
        };
        let head = self.nodes.len() as u32;
        if transition == Move::Left {
            let mut node = self.nodes[item.front as usize];
            node.lefts.add(child, label);
            self.nodes.push(node);
            return Item {
                front: head,
                ..item
            };
        }
        let Cell { node, below } = self.cells[below as usize];
        let mut node = self.nodes[node as usize];
        node.rights.add(child, label);
        self.nodes.push(node);
        self.cells.push(Cell { node: head, below });
        Item {
            top: self.cells.len() as u32 - 1,
            ..item
        }
    }

    /// Score of the best item.
    pub(crate) fn best_score(&self) -> i64 {
        self.items.first().map_or(0, |item| item.score)
    }

    /// Replaces `classes` with the classes of the item that was the best after `moves` moves, or after the last move if
    /// fewer have been made.
    pub(crate) fn best_classes(&self, moves: usize, classes: &mut Vec<u32>) {
        classes.clear();
        let mut item = 0;
        for at in (0..moves.min(self.ends.len())).rev() {
            let start = match at {
                0 => 0,
                _ => self.ends[at - 1],
            };
            let (before, class) = self.history[start + item as usize];
            classes.push(class);
            item = before;
        }
        classes.reverse();
    }
}

impl Parser {
    /// Parses the sentences of the buffers to their ends by beam search, one after the other: the lookups of the items
    /// of the beam are interleaved instead.
    pub(super) fn run_beam(&self, templates: &Templates, buffers: &mut ParserBuffers) {
        let setup = &self.setup;
        let ParserBuffers {
            group,
            scores: sums,
            search,
            classes,
        } = buffers;
        for sentence in group.sentences_mut() {
            let ParserSentence {
                state,
                tokens,
                template,
                ..
            } = sentence;
            search.start(state.n as usize - 2);
            while !search.is_final() {
                search.step(setup, templates, tokens, template, |lookups, scores| {
                    lookups
                        .iter_mut()
                        .for_each(|lookup| self.weights.prefetch(lookup));
                    lookups
                        .iter_mut()
                        .for_each(|lookup| self.weights.find(lookup));
                    for (lookup, scores) in lookups
                        .iter()
                        .zip(scores.chunks_exact_mut(setup.classes.len()))
                    {
                        for (score, &sum) in scores.iter_mut().zip(self.weights.sums(lookup, sums))
                        {
                            *score = i64::from(sum);
                        }
                    }
                });
            }
            search.best_classes(usize::MAX, classes);
            setup.apply_all(state, classes);
        }
    }
}

#[cfg(test)]
mod tests;
