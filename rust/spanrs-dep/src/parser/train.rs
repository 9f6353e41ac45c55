//! Training of the parser.

use super::{
    Parser, ParserFeatures, ParserSentence, ParserSetup, Tagged, Templates, first_largest,
};
use crate::arc_hybrid::Move;
use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::oracle::{GoldTree, Oracle};
use crate::weights::{MAX_CLASSES, Weights};

/// How far weights are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Update {
    /// By 1 after a wrong guess.
    #[default]
    Perceptron,
    /// By as much as makes the best right move better than the best wrong one by 1, and at most by this (PA-I, Crammer et
    /// al. 2006).
    PassiveAggressive(f64),
}

/// How a parser is trained.
#[derive(Clone, Debug)]
pub struct ParserOptions {
    /// Templates; None for the published features.
    pub templates: Option<String>,
    /// Learn labels.
    pub labelled: bool,
    /// Attach one word to the root.
    pub single_root: bool,
    /// Which moves are right.
    pub oracle: Oracle,
    /// How far weights are moved.
    pub update: Update,
}

impl Default for ParserOptions {
    fn default() -> Self {
        Self {
            templates: Some(super::RICH_TEMPLATES.to_owned()),
            labelled: true,
            single_root: true,
            oracle: Oracle::Exact,
            update: Update::Perceptron,
        }
    }
}

/// Weight units of a step of 1, for steps that are fractions.
const UNITS: f64 = 65536.0;

/// A parser in training: one sentence after the other, in the order of the caller.
#[derive(Debug)]
pub struct ParserTrainer {
    setup: ParserSetup,
    oracle: Oracle,
    update: Update,
    learner: Learner,
    gold: GoldTree,
    sentence: ParserSentence,
    scores: Vec<i64>,
    /// The class of RIGHT and LEFT with each label; [`NO_CLASS`] where it does not occur.
    class_of: [Vec<usize>; 2],
}

const NO_CLASS: usize = usize::MAX;

impl ParserTrainer {
    /// Prepares training. `arcs` are the (label, is the head to the left, is the head the root) of all gold arcs, and
    /// `labels` the names of the labels.
    ///
    /// # Errors
    /// [`Error::Template`], and [`Error::Training`] for too many labels.
    pub fn new(
        labels: Vec<String>,
        arcs: impl Iterator<Item = (u32, bool, bool)>,
        options: &ParserOptions,
    ) -> Result<Self> {
        let features = match &options.templates {
            None => ParserFeatures::Published,
            Some(source) => ParserFeatures::Templates(Box::new(Templates::parse(source)?)),
        };
        let labels = if options.labelled { labels } else { Vec::new() };
        let label_count = labels.len().max(1);
        // Which labels occur to the right of their head, to the left, and at the root.
        let mut occurs = [vec![false; label_count], vec![false; label_count]];
        let mut at_root = vec![false; label_count];
        for (label, is_right, is_root) in arcs {
            let label = if options.labelled { label as usize } else { 0 };
            match is_root {
                true => at_root[label] = true,
                false => occurs[usize::from(!is_right)][label] = true,
            }
        }
        let mut roots = (0..label_count).filter(|&label| at_root[label]);
        let root = match (roots.next(), roots.next()) {
            // Without labels there is one class for LEFT, whatever the head.
            (Some(root), None) if options.labelled && !occurs[0][root] && !occurs[1][root] => {
                Some(root)
            }
            _ => None,
        };
        if root.is_none() {
            for (occurs, at_root) in occurs[1].iter_mut().zip(&at_root) {
                *occurs |= at_root;
            }
        }
        for side in &mut occurs {
            // Every move needs a class.
            if !side.contains(&true) {
                side[0] = true;
            }
        }
        let mut classes = vec![(Move::Shift, 0)];
        let mut class_of = [vec![NO_CLASS; label_count], vec![NO_CLASS; label_count]];
        for (side, transition) in [Move::Right, Move::Left].into_iter().enumerate() {
            for label in (0..label_count).filter(|&label| occurs[side][label]) {
                class_of[side][label] = classes.len();
                classes.push((transition, label as u32));
            }
        }
        if let Some(root) = root {
            class_of[1][root] = classes.len();
            classes.push((Move::Left, root as u32));
        }
        if classes.len() > MAX_CLASSES {
            return Err(Error::Training(format!(
                "{label_count} labels; a parser has at most {}",
                MAX_CLASSES / 2 - 1
            )));
        }
        let scores = vec![0; classes.len()];
        Ok(Self {
            setup: ParserSetup::new(
                features,
                labels,
                classes,
                options.single_root,
                root.is_some(),
            ),
            oracle: options.oracle,
            update: options.update,
            learner: Learner::default(),
            gold: GoldTree::default(),
            sentence: ParserSentence::default(),
            scores,
            class_of,
        })
    }

    /// The mean step of the updates that changed weights.
    pub(crate) fn mean_step(&self) -> f64 {
        self.learner.mean_step()
    }

    /// Starts again without weights.
    pub(crate) fn forget(&mut self) {
        self.learner = Learner::default();
    }

    /// Number of updates so far, and of features that were touched.
    pub fn progress(&self) -> (u64, usize) {
        (self.learner.updates(), self.learner.len())
    }

    /// Learns from a sentence with projective gold heads and labels (0 for an unlabelled parser). With `explore` it goes on
    /// from the state of the guessed move, else from that of the best right one. Returns how many words got their gold
    /// head, and how many of these their gold label.
    pub fn train_one(
        &mut self,
        sentence: &Tagged,
        heads: &[u32],
        labels: &[u32],
        explore: bool,
    ) -> (usize, usize) {
        let setup = &self.setup;
        setup.start(sentence.tokens(), sentence.root_tag, &mut self.sentence);
        let ParserSentence {
            state,
            tokens,
            template,
            lookup,
            ..
        } = &mut self.sentence;
        let features = &mut lookup.features;
        self.gold.start(heads, labels);
        while !state.is_final() {
            let allowed = setup.allowed(state);
            let zero_cost = match self.oracle {
                Oracle::Exact => self.gold.zero_cost(state, setup.single_root),
                Oracle::Published => self.gold.published(state),
            };
            setup.extract(state, tokens, template, features);
            self.learner.score(features, &mut self.scores);
            let guess = first_largest(&self.scores, setup.ranges_of(allowed)).unwrap_or_default();
            // Ranges of the right classes: all labels of an arc that is not gold, the gold label of one that is.
            let [shift, right, left] = zero_cost;
            let free = [shift, right, left && allowed[2], left && allowed[3]];
            let mut ranges = setup.ranges.clone();
            for (at, (range, free)) in ranges.iter_mut().zip(free).enumerate() {
                let transition = [Move::Shift, Move::Right, Move::Left, Move::Left][at];
                if !free {
                    *range = 0..0;
                } else if let Some(label) = self.gold.label(state, transition) {
                    let label = if setup.labels.is_empty() {
                        0
                    } else {
                        label as usize
                    };
                    match self.class_of[usize::from(transition == Move::Left)][label] {
                        NO_CLASS => *range = 0..0,
                        class => *range = class..class + 1,
                    }
                }
            }
            let is_right = |class: usize| ranges.iter().any(|range| range.contains(&class));
            // There is always a right move for a projective tree; without one nothing is learned.
            let best = first_largest(&self.scores, ranges.iter().cloned()).unwrap_or(guess);
            match self.update {
                Update::Perceptron => {
                    self.learner.update(best as u32, guess as u32, features, 1);
                }
                Update::PassiveAggressive(limit) => {
                    let all = setup.ranges_of(allowed).flatten();
                    let wrong = all.filter(|&class| !is_right(class));
                    let wrong = first_largest(&self.scores, wrong.map(|at| at..at + 1));
                    let other = wrong.unwrap_or(best);
                    let margin = (self.scores[best] - self.scores[other]) as f64 / UNITS;
                    let length = 2.0 * features.len() as f64;
                    let step = ((1.0 - margin) / length).min(limit) * UNITS;
                    let changes = wrong.is_some() && step >= 1.0;
                    let other = if changes { other } else { best };
                    self.learner
                        .update(best as u32, other as u32, features, step as i32);
                }
            }
            let followed = match explore || is_right(guess) {
                true => guess,
                false => best,
            };
            let (transition, label) = setup.classes[followed];
            self.gold.follow(state, transition);
            state.apply(transition, label);
        }
        let found = state.conll_heads().zip(&state.labels[1..]);
        let gold = heads.iter().zip(labels);
        let mut correct = (0, 0);
        for ((head, label), (gold_head, gold_label)) in found.zip(gold) {
            correct.0 += usize::from(head == *gold_head);
            correct.1 += usize::from(head == *gold_head && label == gold_label);
        }
        correct
    }

    /// The averaged weights so far, in whole steps; those of the published features rounded to thousandths.
    pub fn averages(&self) -> Averages {
        match self.setup.features {
            ParserFeatures::Published => Averages::rounded(&self.learner),
            ParserFeatures::Templates(_) => Averages::of(&self.learner),
        }
    }

    /// The parser with these weights, such as [`ParserTrainer::averages`] or the sum of those of several seeds.
    ///
    /// # Errors
    /// [`Error::Training`] where weights are too large for the format.
    pub fn finish(&self, averages: Averages) -> Result<Parser> {
        let scale = matches!(self.setup.features, ParserFeatures::Published).then_some(1000.0);
        // The published order is that of the original.
        let averages = if scale.is_some() {
            averages
        } else {
            averages.by_use()
        };
        let weights = Weights::new(&averages, self.setup.classes.len(), scale);
        Parser::new(self.setup.clone(), weights.map_err(Error::Training)?).map_err(Error::Training)
    }
}
