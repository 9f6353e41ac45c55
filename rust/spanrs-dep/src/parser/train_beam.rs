//! Training for beam search: the structured perceptron with max-violation updates.
//!
//! Source: Huang, Fayong and Guo (2012), "Structured perceptron with inexact search".
//!
//! A sentence has one gold sequence of moves: the one that makes each gold arc as early as possible. The beam search
//! runs with the current weights; after each move its best item is compared with the gold sequence of the same length.
//! The weights are updated once, for the length at which the best item exceeds the gold sequence by the largest score:
//! plus 1 for the features of the states of the gold sequence with its classes, minus 1 for those of the best item.
//! States before the first difference of the two are equal and cancel out.

use super::train::right_classes;
use super::{ParserFeatures, ParserSentence, ParserTrainer};

impl ParserTrainer {
    /// Learns from the sentence that was started, and leaves it in the state in which the beam search ended. If there
    /// is no gold sequence, which does not happen for projective trees with known labels, the gold sequence ends there.
    pub(super) fn learn_by_beam(&mut self, heads: &[u32], labels: &[u32]) {
        let gold = self.gold_classes(heads, labels);
        let (moves, mut guess) = self.largest_violation(&gold);
        self.learner.count_update();
        let common = gold.iter().zip(&guess).take_while(|(a, b)| a == b);
        let common = common.count();
        self.add(&gold[..moves], common, 1);
        self.add(&guess, common, -1);
        self.search.best_classes(usize::MAX, &mut guess);
        self.restart();
        self.setup.apply_all(&mut self.sentence.state, &guess);
    }

    /// Returns to the start of the sentence.
    fn restart(&mut self) {
        let state = &mut self.sentence.state;
        state.start(state.n as usize - 2, self.setup.single_root);
    }

    /// Returns the classes of the gold sequence: in each state the first correct class that makes an arc, otherwise
    /// SHIFT. The sentence is at its start before and after.
    fn gold_classes(&mut self, heads: &[u32], labels: &[u32]) -> Vec<u32> {
        let setup = &self.setup;
        let state = &mut self.sentence.state;
        self.gold.start(heads, labels);
        let mut classes = Vec::new();
        while !state.is_final() {
            let allowed = setup.allowed(state);
            let [shift, right, left] = self.gold.zero_cost(state, setup.single_root);
            let free = [shift, right, left && allowed[2], left && allowed[3]];
            let [shift, right, left, root] =
                right_classes(setup, &self.class_of, &self.gold, state, free);
            let mut choices = left.chain(root).chain(right).chain(shift);
            let Some(class) = choices.next() else {
                break;
            };
            classes.push(class as u32);
            let (transition, label) = setup.classes[class];
            self.gold.follow(state, transition);
            state.apply(transition, label);
        }
        self.restart();
        classes
    }

    /// Runs the beam search and returns the number of moves after which the score of the best item exceeds the score of
    /// the gold sequence most, and the classes of this item; the largest number if several exceed it equally. Without a
    /// violation, the best items are gold sequences.
    fn largest_violation(&mut self, gold: &[u32]) -> (usize, Vec<u32>) {
        let Self {
            setup,
            learner,
            sentence,
            search,
            scores,
            ..
        } = self;
        let ParserSentence {
            state,
            tokens,
            template,
            lookup,
        } = sentence;
        let classes = setup.classes.len();
        search.start(state.n as usize - 2);
        let (mut gold_score, mut largest, mut at) = (0, 0, 0);
        if let ParserFeatures::Templates(templates) = &setup.features {
            for (moves, &class) in (1..).zip(gold) {
                search.step(setup, templates, tokens, template, |lookups, scores| {
                    for (lookup, scores) in lookups.iter().zip(scores.chunks_exact_mut(classes)) {
                        learner.score(&lookup.features, scores);
                    }
                });
                setup.extract(state, tokens, template, &mut lookup.features);
                learner.score(&lookup.features, scores);
                gold_score += scores[class as usize];
                setup.apply_all(state, &[class]);
                // An equal score of another sequence is a violation too.
                if search.best_score() - gold_score >= largest {
                    (largest, at) = (search.best_score() - gold_score, moves);
                }
            }
        }
        let mut guess = Vec::new();
        search.best_classes(at, &mut guess);
        (at, guess)
    }

    /// Adds `step` to the weights of the features of each state for its class, for the classes of a sequence from
    /// `from` on.
    fn add(&mut self, classes: &[u32], from: usize, step: i32) {
        self.restart();
        let ParserSentence {
            state,
            tokens,
            template,
            lookup,
        } = &mut self.sentence;
        for (at, class) in classes.iter().enumerate() {
            if at >= from {
                self.setup
                    .extract(state, tokens, template, &mut lookup.features);
                self.learner.add(&lookup.features, *class, step);
            }
            self.setup.apply_all(state, &[*class]);
        }
    }
}
