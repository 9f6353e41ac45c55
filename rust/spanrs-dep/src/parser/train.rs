//! Training of the parser, one sentence at a time.
//!
//! In each state of a sentence the trainer scores all classes, guesses the best allowed class,
//! determines the correct moves with the oracle, and updates the weights of the state's features
//! towards the best-scoring correct class if the guess is wrong (or, for passive-aggressive
//! updates, if the guess is not correct by a margin). The trainer then makes the guessed move
//! ("exploration", Goldberg and Nivre 2012) or, without exploration, the guessed move if it is
//! correct and otherwise the best correct move.
//!
//! A class is correct if its move is correct according to the oracle and its label is correct: an
//! arc of the gold tree must have its gold label, any other arc may have any label. Moves and
//! labels are thus learnt together.

use std::ops::Range;

use super::beam::BeamSearch;
use super::{Parser, ParserFeatures, ParserSentence, ParserSetup, Templates, first_largest};
use crate::arc_hybrid::{Move, State};
use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::oracle::{GoldTree, Oracle};
use crate::sentence::{ROOT, Sentence};
use crate::weights::{MAX_CLASSES, Weights};
use serde::{Deserialize, Serialize};

/// Step size of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Option<f64>", into = "Option<f64>")]
pub enum Update {
    /// A step of 1 after a wrong guess.
    #[default]
    Perceptron,
    /// The step that makes the score of the best correct class exceed the score of the best wrong
    /// class by 1, but at most this limit (PA-I of Crammer et al. 2006, "Online passive-aggressive
    /// algorithms", where the limit is called C): `min(limit, (1 - margin) / (2 * features))`.
    /// Correct guesses with a margin of less than 1 also cause updates. Steps are rounded down to
    /// multiples of 2^-16.
    PassiveAggressive(f64),
}

/// How a parser is trained. The default is the rich parser: labelled, with a single root, the exact
/// oracle and perceptron updates.
///
/// # Examples
///
/// A small unlabelled parser with custom templates; the error for an invalid template gives its
/// line:
///
/// ```
/// use spanrs_dep::{Error, ParserOptions, ParserTrainer};
/// let train = |templates: &str| {
///     let templates = Some(templates.to_owned());
///     let options = ParserOptions { templates, labelled: false, ..ParserOptions::default() };
///     ParserTrainer::new(Vec::new(), std::iter::empty(), &options)
/// };
/// assert!(train("# tags\nS0.u N0.u\nS0.w\nd0n S0.u\n").is_ok());
/// assert!(matches!(train("S0.u N0.u\nS0.upos\n"), Err(Error::Template { line: 2, .. })));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParserOptions {
    /// Feature templates, one per line: atoms such as `S0.w`, `N0l.p` or `d0n`, separated by spaces
    /// (see [`RICH_TEMPLATES`](crate::RICH_TEMPLATES) for examples). None for the published
    /// features.
    pub templates: Option<String>,
    /// True to learn labels; otherwise all arcs have label 0, and gold labels are ignored.
    pub labelled: bool,
    /// True to attach exactly one word of a sentence to the root, in training and in use.
    pub single_root: bool,
    /// Which moves are correct.
    pub oracle: Oracle,
    /// Step size of updates. Serialised as the limit of passive-aggressive updates, or None.
    #[serde(rename = "aggressiveness")]
    pub update: Update,
    /// Margin: a correct guess also causes an update if its score exceeds the score of the best wrong class by less
    /// than this value (Crammer and Singer 2003, "Ultraconservative online algorithms"). With 0, only wrong guesses
    /// cause updates. Scores are sums of weights that updates change by 1. A margin helps a single model, but not a sum
    /// of models. Only for perceptron updates; ignored for published features.
    pub margin: i64,
    /// From this pass on (counted from 1) the parser follows its own guesses in training, whether
    /// correct or not; in earlier passes it follows the best-scoring correct move.
    pub explore_from: usize,
    /// Pruning threshold. Features whose averaged weights are all smaller than this value times the
    /// mean step of an update times the number of models are dropped at the end; 0 keeps all
    /// features.
    pub prune: f64,
    /// Maximum number of weights; 0 for no limit. If a first model has more weights, training has two stages: models
    /// without a limit select the largest weights ([`Averages::largest_weights`]), and then models are trained
    /// that have only these weights, to which `prune` does not apply (see [`fit_parser`](crate::fit_parser)). No limit
    /// for published features. A weight takes about four bytes of a model.
    pub max_weights: usize,
    /// Width of the beam in training and in use; 1 for a greedy parser. With a beam, weights are updated once per
    /// sentence at the largest violation (see [`ParserTrainer::train_one`]); `update`, `oracle` and `explore_from` are
    /// ignored. Training and parsing take about as many times longer. At most 64; published features have no beam.
    pub beam: usize,
}

/// Maximum width of a beam.
pub(crate) const MAX_BEAM: usize = 64;

impl From<Update> for Option<f64> {
    fn from(update: Update) -> Self {
        match update {
            Update::Perceptron => None,
            Update::PassiveAggressive(limit) => Some(limit),
        }
    }
}

impl From<Option<f64>> for Update {
    fn from(limit: Option<f64>) -> Self {
        limit.map_or(Self::Perceptron, Self::PassiveAggressive)
    }
}

impl Default for ParserOptions {
    fn default() -> Self {
        Self {
            templates: Some(super::RICH_TEMPLATES.to_owned()),
            labelled: true,
            single_root: true,
            oracle: Oracle::Exact,
            update: Update::Perceptron,
            margin: 0,
            explore_from: 2,
            prune: 0.3,
            max_weights: 1_000_000,
            beam: 1,
        }
    }
}

/// Number of weight units in a step of 1 for passive-aggressive updates: their steps are
/// fractional, but weights are integers.
const UNITS: f64 = 65536.0;

/// A parser in training. The caller passes one sentence at a time, in any order. Used by one
/// thread.
///
/// [`fit_parser`](crate::fit_parser) runs passes over a treebank with a trainer; use the trainer
/// directly for sentences from other sources.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Parse, ParserBuffers, ParserOptions, ParserTrainer, Sentence};
/// let tags: (&[&str], &[&str]) = (&["NNS", "VBP"], &["NOUN", "VERB"]);
/// let sentence = Sentence { words: &["Dogs", "bark"], tags: Some(tags), root_tag: None };
/// let names = ["nsubj", "root"].map(str::to_owned).to_vec();
/// let arcs = [(0, false, false), (1, true, true)]; // label, head to the left, head is the root
/// let options = ParserOptions::default();
/// let mut trainer = ParserTrainer::new(names, arcs.into_iter(), &options).unwrap();
/// for _ in 0..3 {
///     trainer.train_one(&sentence, &[2, 0], &[0, 1], true);
/// }
/// assert_eq!(trainer.train_one(&sentence, &[2, 0], &[0, 1], true), (2, 2));
/// let parser = trainer.finish(trainer.averages()).unwrap();
/// let mut parse = Parse::default();
/// parser.parse(&sentence, &mut ParserBuffers::default(), &mut parse);
/// assert_eq!((parse.heads, parse.labels), (vec![2, 0], vec![0, 1]));
/// ```
#[derive(Debug)]
pub struct ParserTrainer {
    /// Features, labels and classes; the finished parser gets them.
    pub(super) setup: ParserSetup,
    /// Which moves are correct.
    oracle: Oracle,
    /// Step size of updates.
    update: Update,
    /// Margin of perceptron updates.
    margin: i64,
    /// The weights at the start of a model, all 0.
    start: Learner,
    /// The current weights; in units of 2^-16 for passive-aggressive updates.
    pub(super) learner: Learner,
    /// The gold tree of the current sentence.
    pub(super) gold: GoldTree,
    /// The current sentence.
    pub(super) sentence: ParserSentence,
    /// Scores of the classes in the current state.
    pub(super) scores: Vec<i64>,
    /// The class of RIGHT (0) and LEFT (1) with each label; [`NO_CLASS`] where the label does not
    /// occur in this direction.
    pub(super) class_of: [Vec<usize>; 2],
    /// Memory of the beam search.
    pub(super) search: BeamSearch,
}

/// Class of a move and label that do not occur in the training data together.
const NO_CLASS: usize = usize::MAX;

impl ParserTrainer {
    /// Prepares training with the classes that the gold arcs need.
    ///
    /// `labels` are the names of the labels, and `arcs` are all gold arcs in the training data, as
    /// (label, whether the head is to the left of the word, whether the head is the root); the
    /// direction of arcs from the root is ignored. A label gets a class for each direction in which
    /// it occurs. If exactly one label occurs at the root and nowhere else, it gets a class that is
    /// only used for the root. Every move gets at least one class.
    ///
    /// # Errors
    /// [`Error::Template`] if a template is invalid; [`Error::Training`] if there would be more
    /// than 4096 classes.
    ///
    /// # Panics
    /// If the parser is labelled and an arc has a label that is not in `labels`.
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
        let arcs = arcs.map(|(label, is_right, is_root)| match options.labelled {
            true => (label as usize, is_right, is_root),
            false => (0, is_right, is_root),
        });
        let Classes {
            classes,
            class_of,
            has_root_class,
        } = Classes::of(arcs, label_count, options.labelled);
        if classes.len() > MAX_CLASSES {
            return Err(Error::Training(format!(
                "{label_count} labels; a parser has at most {}",
                MAX_CLASSES / 2 - 1
            )));
        }
        let is_published = matches!(features, ParserFeatures::Published);
        if !(1..=MAX_BEAM).contains(&options.beam) || is_published && options.beam > 1 {
            return Err(Error::Training(format!(
                "beam must be from 1 to {MAX_BEAM}, and 1 for the published features, not {}",
                options.beam
            )));
        }
        let scores = vec![0; classes.len()];
        let single_root = options.single_root;
        let mut setup = ParserSetup::new(features, labels, classes, single_root, has_root_class);
        setup.beam = options.beam;
        Ok(Self {
            scores,
            setup,
            oracle: options.oracle,
            update: options.update,
            margin: if is_published { 0 } else { options.margin },
            start: Learner::default(),
            learner: Learner::default(),
            gold: GoldTree::default(),
            sentence: ParserSentence::default(),
            class_of,
            search: BeamSearch::default(),
        })
    }

    /// Mean step of the updates that changed weights, in the unit of the weights.
    pub(crate) fn mean_step(&self) -> f64 {
        self.learner.mean_step()
    }

    /// Resets the weights, to train the next model on the same data.
    pub(crate) fn forget(&mut self) {
        self.learner = self.start.clone();
    }

    /// Restricts the models that are trained after the next [`ParserTrainer::forget`] to the weights of `averages`.
    pub(crate) fn restrict(&mut self, averages: &Averages) {
        self.start = Learner::with_weights_of(averages);
    }

    /// Returns the number of updates so far, including correct guesses, and the number of features
    /// changed by updates.
    pub fn progress(&self) -> (u64, usize) {
        (self.learner.updates(), self.learner.len())
    }

    /// Learns from a sentence with its gold heads (0 is the root; projective) and labels (indices
    /// into the names; ignored by an unlabelled parser, except in the second count).
    ///
    /// With `explore` the trainer makes the guessed move even if it is wrong, otherwise the best
    /// correct move. Returns the number of words that have the gold head at the end, and the number
    /// of these words that also have the gold label; for an unlabelled parser the second number
    /// counts words whose gold label is 0.
    ///
    /// With a beam, `explore` has no effect. The beam search runs to the end of the sentence, and the weights are
    /// updated once for the prefix in which the best item of the beam exceeds the gold sequence by the largest score
    /// ("max-violation", Huang, Fayong and Guo 2012, "Structured perceptron with inexact search").
    ///
    /// If no class is correct, which does not happen for projective trees with known labels,
    /// nothing is learnt from the state.
    pub fn train_one(
        &mut self,
        sentence: &Sentence,
        heads: &[u32],
        labels: &[u32],
        explore: bool,
    ) -> (usize, usize) {
        let setup = &self.setup;
        let root_tag = sentence.root_tag.unwrap_or(ROOT);
        setup.start(sentence.tokens(), root_tag, &mut self.sentence);
        if setup.beam > 1 {
            self.learn_by_beam(heads, labels);
            return count_correct(&self.sentence.state, heads, labels);
        }
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
            let [shift, right, left] = zero_cost;
            let free = [shift, right, left && allowed[2], left && allowed[3]];
            let ranges = right_classes(setup, &self.class_of, &self.gold, state, free);
            let is_right = |class: usize| ranges.iter().any(|range| range.contains(&class));
            // There is always a correct move for a projective tree; without a correct move nothing
            // is learnt.
            let best = first_largest(&self.scores, ranges.iter().cloned()).unwrap_or(guess);
            let wrong = || {
                let all = setup.ranges_of(allowed).flatten();
                let wrong = all.filter(|&class| !is_right(class));
                first_largest(&self.scores, wrong.map(|at| at..at + 1))
            };
            let (rival, step) = match self.update {
                Update::Perceptron if guess != best => (guess, 1),
                Update::Perceptron => (close_rival(&self.scores, best, wrong, self.margin), 1),
                Update::PassiveAggressive(limit) => {
                    passive_aggressive(&self.scores, best, wrong(), features.len(), limit)
                }
            };
            self.learner
                .update(best as u32, rival as u32, features, step);
            let keeps_guess = explore || is_right(guess);
            let (transition, label) = setup.classes[if keeps_guess { guess } else { best }];
            self.gold.follow(state, transition);
            state.apply(transition, label);
        }
        count_correct(state, heads, labels)
    }

    /// Returns the current averaged weights; for the published features rounded to thousandths, as
    /// in parser.py, for passive-aggressive updates in units of 2^-16.
    pub fn averages(&self) -> Averages {
        match self.setup.features {
            ParserFeatures::Published => Averages::rounded(&self.learner),
            ParserFeatures::Templates(_) => Averages::of(&self.learner),
        }
    }

    /// Returns the parser with these weights: [`ParserTrainer::averages`], a sum of such averages
    /// or a pruned version of them. Weights of published features are frozen as thousandths, those
    /// of templates as one byte each.
    ///
    /// # Errors
    /// [`Error::Training`] if weights are too large for the format. This can only happen for
    /// published features, whose scale is fixed.
    pub fn finish(&self, averages: Averages) -> Result<Parser> {
        let classes = self.setup.classes.len();
        let weights = match self.setup.features {
            ParserFeatures::Published => Weights::new(&averages, classes, Some(1000.0)),
            ParserFeatures::Templates(_) => Weights::compact(&averages, classes),
        };
        Parser::new(self.setup.clone(), weights.map_err(Error::Training)?).map_err(Error::Training)
    }
}

/// The classes that a treebank needs; see [`ParserTrainer::new`].
struct Classes {
    classes: Vec<(Move, u32)>,
    /// The class of RIGHT (0) and LEFT (1) with each label.
    class_of: [Vec<usize>; 2],
    has_root_class: bool,
}

impl Classes {
    /// Returns the classes of arcs, given as (label, whether the head is to the left, whether the
    /// head is the root).
    fn of(
        arcs: impl Iterator<Item = (usize, bool, bool)>,
        label_count: usize,
        labelled: bool,
    ) -> Self {
        // Which labels occur to the right of their head, to the left, and at the root.
        let mut occurs = [vec![false; label_count], vec![false; label_count]];
        let mut at_root = vec![false; label_count];
        for (label, is_right, is_root) in arcs {
            match is_root {
                true => at_root[label] = true,
                false => occurs[usize::from(!is_right)][label] = true,
            }
        }
        let mut roots = (0..label_count).filter(|&label| at_root[label]);
        let root = match (roots.next(), roots.next()) {
            // Without labels there is one class for LEFT, for the root and other heads.
            (Some(root), None) if labelled && !occurs[0][root] && !occurs[1][root] => Some(root),
            _ => None,
        };
        if root.is_none() {
            for (occurs, at_root) in occurs[1].iter_mut().zip(&at_root) {
                *occurs |= at_root;
            }
        }
        let mut classes = vec![(Move::Shift, 0)];
        let mut class_of = [vec![NO_CLASS; label_count], vec![NO_CLASS; label_count]];
        for (side, transition) in [Move::Right, Move::Left].into_iter().enumerate() {
            // Every move needs a class.
            if !occurs[side].contains(&true) {
                occurs[side][0] = true;
            }
            for label in (0..label_count).filter(|&label| occurs[side][label]) {
                class_of[side][label] = classes.len();
                classes.push((transition, label as u32));
            }
        }
        if let Some(root) = root {
            class_of[1][root] = classes.len();
            classes.push((Move::Left, root as u32));
        }
        Self {
            classes,
            class_of,
            has_root_class: root.is_some(),
        }
    }
}

/// Returns the number of words with the gold head, and the number of these words with the gold
/// label.
fn count_correct(state: &State, heads: &[u32], labels: &[u32]) -> (usize, usize) {
    let parsed = state.conll_heads().zip(&state.labels[1..]);
    let mut correct = (0, 0);
    for ((head, label), (gold_head, gold_label)) in parsed.zip(heads.iter().zip(labels)) {
        correct.0 += usize::from(head == *gold_head);
        correct.1 += usize::from(head == *gold_head && label == gold_label);
    }
    correct
}

/// Returns the correct classes in each of the four ranges; ranges that are not `free` have none.
/// For an arc that is not gold all labels are correct, for a gold arc only the gold label.
#[inline]
pub(super) fn right_classes(
    setup: &ParserSetup,
    class_of: &[Vec<usize>; 2],
    gold: &GoldTree,
    state: &State,
    free: [bool; 4],
) -> [Range<usize>; 4] {
    let mut ranges = setup.ranges.clone();
    for (at, (range, free)) in ranges.iter_mut().zip(free).enumerate() {
        let transition = [Move::Shift, Move::Right, Move::Left, Move::Left][at];
        if !free {
            *range = 0..0;
        } else if let Some(label) = gold.label(state, transition) {
            let label = match setup.labels.is_empty() {
                true => 0,
                false => label as usize,
            };
            match class_of[usize::from(transition == Move::Left)][label] {
                NO_CLASS => *range = 0..0,
                class => *range = class..class + 1,
            }
        }
    }
    ranges
}

/// Returns the best-scoring wrong class if the score of `best` exceeds its score by less than `margin`, otherwise
/// `best`.
#[inline]
fn close_rival(
    scores: &[i64],
    best: usize,
    wrong: impl FnOnce() -> Option<usize>,
    margin: i64,
) -> usize {
    if margin <= 0 {
        return best;
    }
    let close = wrong().filter(|&wrong| scores[best] - scores[wrong] < margin);
    close.unwrap_or(best)
}

/// Returns the class to update against and the step, as defined by [`Update::PassiveAggressive`],
/// where `wrong` is the best-scoring wrong class; returns `best` if no weight changes.
#[inline]
fn passive_aggressive(
    scores: &[i64],
    best: usize,
    wrong: Option<usize>,
    features: usize,
    limit: f64,
) -> (usize, i32) {
    let Some(wrong) = wrong else {
        return (best, 0);
    };
    let margin = (scores[best] - scores[wrong]) as f64 / UNITS;
    let step = ((1.0 - margin) / (2.0 * features as f64)).min(limit) * UNITS;
    match step >= 1.0 {
        true => (wrong, step as i32),
        false => (best, 0),
    }
}
