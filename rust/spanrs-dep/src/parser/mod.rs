//! The greedy dependency parser.
//!
//! In each state of the transition system (module `arc_hybrid`) the parser extracts features, adds up their weights for
//! each *class* (a move, with a label for moves that make an arc) and makes the allowed move with the largest score.
//! A sentence of N words takes 2N - 1 moves, and time and memory are linear in N. There is no search by default; a
//! parser with a beam (module `beam`) keeps several sequences of moves, which is slower.
//!
//! - `templates` implements features that users can edit, `published` the features of parser.py, and `train` learns the
//!   weights (`train_beam` for beam search).
//! - A [`ParserSetup`] contains everything in a parser except its weights; training and prediction share it.
//!
//! # Classes
//!
//! | classes | move |
//! |---|---|
//! | 0 | SHIFT |
//! | then | RIGHT with each label that occurs on arcs to the right |
//! | then | LEFT with each label that occurs on arcs to the left |
//! | last, optionally | LEFT to the root, if one label (`root`) occurs at the root and nowhere else |
//!
//! An unlabelled parser has the classes SHIFT, RIGHT and LEFT. With a class for the root, the parser need not score all
//! labels in the last moves of a sentence, and `root` cannot be predicted for arcs between words.
//!
//! # Ties
//!
//! Of classes with equal scores the first wins. For the published features, whose weights are thousandths, equal
//! integer sums are compared once more as sums of floats in the order of the features, because parser.py compares float
//! sums, which may differ in the last bit; then the first of the largest sums wins.
//!
//! # Speed
//!
//! Several sentences are parsed in an interleaved way (module `turns`), moves without an alternative are made without a
//! lookup, and for published features the weights of single tokens are looked up once per token instead of once per
//! state.

mod beam;
pub(crate) mod published;
pub(crate) mod templates;
mod train;
mod train_beam;

use std::ops::Range;

use beam::BeamSearch;

use crate::arc_hybrid::{Move, State};
use crate::error::Result;
use crate::sentence::{Parse, ROOT, Sentence};
use crate::text_hash::TextHash;
use crate::turns::{Group, Steps, take_turns};
use crate::weights::{FewClasses, Lookup, MAX_CLASSES, Scores, Weights};
use templates::{TOKEN_FIELDS, TemplateBuffers, Templates};

pub(crate) use train::MAX_BEAM;
pub use train::{ParserOptions, ParserTrainer, Update};

/// The templates of the parser that spanrs trains by default: 82, one per line, with comments. See
/// [`ParserOptions::templates`] for the syntax; edit a copy to train with other features.
///
/// # Examples
///
/// ```
/// let templates = spanrs_dep::RICH_TEMPLATES.lines();
/// let templates = templates.filter(|line| !line.is_empty() && !line.starts_with('#'));
/// assert_eq!(templates.clone().count(), 82);
/// assert!(templates.clone().any(|template| template == "S0.wp N0.wp"));
/// ```
pub const RICH_TEMPLATES: &str = include_str!("rich_templates.txt");

/// Feature set of a parser.
#[derive(Clone, Debug)]
pub(crate) enum ParserFeatures {
    /// The 59 templates of parser.py.
    Published,
    /// Templates given as text, such as [`RICH_TEMPLATES`].
    Templates(Box<Templates>),
}

/// The parts of a parser other than its weights.
#[derive(Clone, Debug)]
pub(crate) struct ParserSetup {
    /// The features extracted from states.
    pub(crate) features: ParserFeatures,
    /// Names of the labels; empty for an unlabelled parser, whose arcs have label 0.
    pub(crate) labels: Vec<String>,
    /// The move and the label of each class, sorted by move, as in the table of the module. SHIFT has label 0.
    pub(crate) classes: Vec<(Move, u32)>,
    /// True if exactly one word of a sentence is attached to the root.
    pub(crate) single_root: bool,
    /// True if the last class is LEFT to the root, used for all arcs to the root and for no other arcs.
    pub(crate) has_root_class: bool,
    /// Class ranges by move: SHIFT, RIGHT, LEFT, LEFT to the root. The last range is empty unless `has_root_class`; if
    /// it is empty, LEFT is also used for the root.
    ranges: [Range<usize>; 4],
    /// Number of items of the beam search; 1 for the greedy parser. Always 1 for published features.
    pub(crate) beam: usize,
}

/// A trained parser. It is immutable and can be shared by threads; each thread has its own
/// [`ParserBuffers`]. Obtained from [`fit_parser`](crate::fit_parser), [`ParserTrainer::finish`], a
/// model file or [`import_published`](crate::import_published).
#[derive(Clone, Debug)]
pub struct Parser {
    /// Features, labels and classes.
    pub(crate) setup: ParserSetup,
    /// Weights of the features for each class.
    pub(crate) weights: Weights,
}

/// The tokens of a sentence as needed for features, by position of the transition system: the start symbol (a missing
/// token), the words, the root. Only the vectors of the parser's features are filled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    /// Tokens of the published features.
    published: Vec<published::Token>,
    /// Features of single tokens and their weights, for the published features of a parser with
    /// three classes.
    single: Vec<published::Single>,
    /// Tokens of templates.
    rich: Vec<templates::Token>,
}

/// A sentence that is being parsed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParserSentence {
    /// Stack, buffer and arcs so far.
    pub(crate) state: State,
    /// The tokens, which do not change during a parse.
    pub(crate) tokens: Tokens,
    /// Scratch memory of the templates.
    pub(crate) template: TemplateBuffers,
    /// Features of the current state.
    pub(crate) lookup: Lookup,
}

impl Steps for ParserSentence {
    fn lookup(&mut self) -> &mut Lookup {
        &mut self.lookup
    }
}

/// Memory that is reused between sentences; each thread needs its own. Any parser can use it, and its content does not
/// affect later sentences.
#[derive(Clone, Debug)]
pub struct ParserBuffers {
    /// Sentences whose parsing is interleaved.
    pub(crate) group: Group<ParserSentence>,
    /// Scores of the classes of one state.
    scores: Box<Scores>,
    /// Memory of the beam search.
    search: BeamSearch,
    /// The best sequence of classes that a beam search has found.
    classes: Vec<u32>,
}

impl Default for ParserBuffers {
    fn default() -> Self {
        Self {
            group: Group::default(),
            scores: Box::new([0; MAX_CLASSES]),
            search: BeamSearch::default(),
            classes: Vec::new(),
        }
    }
}

/// Returns the hash of a word in lower case (Unicode), with `0` for each ASCII digit: `2,004` and `1,999` have the same
/// hash.
fn normal_form(word: &str) -> u64 {
    let zeros = |b: u8| if b.is_ascii_digit() { b'0' } else { b };
    match word.is_ascii() {
        true => TextHash::of_bytes(word.bytes().map(|b| zeros(b.to_ascii_lowercase()))),
        false => TextHash::of_bytes(word.to_lowercase().bytes().map(zeros)),
    }
    .value()
}

/// Returns the properties of a token that templates refer to, in the order of their fields: form, XPOS, UPOS, form with
/// XPOS, form with UPOS. A missing tag is 0, and its pair with the form is also 0.
fn rich_token(word: &str, xpos: &str, upos: &str) -> templates::Token {
    let [p, u] = [xpos, upos].map(|text| TextHash::of(text).value());
    let w = normal_form(word);
    let pair = |a: u64, b: u64| match b {
        0 => 0,
        b => (a ^ b.rotate_left(32)).wrapping_mul(0xE703_7ED1_A0B4_28DB) | 1,
    };
    [w, p, u, pair(w, p), pair(w, u)]
}

/// Returns the first index of the largest score in the ranges, which are visited in order; None if all ranges are
/// empty.
#[inline]
fn first_largest<T: PartialOrd + Copy>(
    scores: &[T],
    ranges: impl Iterator<Item = Range<usize>>,
) -> Option<usize> {
    let mut best = None;
    for range in ranges {
        for at in range {
            if best.is_none_or(|best: usize| scores[at] > scores[best]) {
                best = Some(at);
            }
        }
    }
    best
}

impl ParserSentence {
    /// Writes the current tree into `parse`, which keeps its memory and its tags. In a state that is not final, words
    /// without a head have head 0 and label 0.
    pub(crate) fn write(&self, parse: &mut Parse) {
        parse.heads.clear();
        parse.heads.extend(self.state.conll_heads());
        parse.labels.clear();
        let words = 1..self.state.n as usize - 1;
        parse.labels.extend_from_slice(&self.state.labels[words]);
    }
}

impl Tokens {
    /// Computes the features of single tokens and prefetches the buckets of their weights.
    fn look_up_single(&mut self, weights: &FewClasses) {
        self.single.clear();
        self.single
            .extend(self.published.iter().map(published::Single::of));
        for single in &self.single {
            weights.prefetch(&single.features);
        }
    }

    /// Finds the weights of the features of single tokens.
    fn find_single(&mut self, weights: &FewClasses) {
        for single in &mut self.single {
            single.find(weights);
        }
    }
}

impl ParserSetup {
    /// Computes the ranges of the classes, which must be sorted by move. With `has_root_class` the last class is the
    /// class for the root; [`Parser::new`] checks the classes.
    pub(crate) fn new(
        features: ParserFeatures,
        labels: Vec<String>,
        classes: Vec<(Move, u32)>,
        single_root: bool,
        has_root_class: bool,
    ) -> Self {
        let shifts = classes.partition_point(|class| class.0 == Move::Shift);
        let rights = classes.partition_point(|class| class.0 <= Move::Right);
        let lefts = classes.len() - usize::from(has_root_class);
        let ranges = [
            0..shifts,
            shifts..rights,
            rights..lefts,
            lefts..classes.len(),
        ];
        Self {
            features,
            labels,
            classes,
            single_root,
            has_root_class,
            ranges,
            beam: 1,
        }
    }

    /// Starts a sentence, given as (word, XPOS, UPOS) of each word and the tag of the root: prepares the tokens with
    /// the start symbol and the root around them, and the state.
    fn start<'a>(
        &self,
        words: impl Iterator<Item = [&'a str; 3]>,
        root_tag: &str,
        sentence: &mut ParserSentence,
    ) {
        let tokens = &mut sentence.tokens;
        let padded = match self.features {
            ParserFeatures::Published => {
                let all = &mut tokens.published;
                all.clear();
                // The start symbol never occurs in a state.
                all.push(published::Token::empty());
                all.extend(words.map(|[word, tag, _]| {
                    published::Token::of(TextHash::of(word), TextHash::of(tag))
                }));
                all.push(published::Token::root(TextHash::of(root_tag)));
                all.len()
            }
            ParserFeatures::Templates(_) => {
                let all = &mut tokens.rich;
                all.clear();
                all.push([0; TOKEN_FIELDS]);
                all.extend(words.map(|[word, xpos, upos]| rich_token(word, xpos, upos)));
                all.push(rich_token(ROOT, ROOT, ROOT));
                all.len()
            }
        };
        sentence.state.start(padded - 2, self.single_root);
    }

    /// Replaces `features` with the hashes of the features of a state. No feature occurs twice.
    #[inline]
    fn extract(
        &self,
        state: &State,
        tokens: &Tokens,
        template: &mut TemplateBuffers,
        features: &mut Vec<u64>,
    ) {
        match &self.features {
            ParserFeatures::Published => published::features(&tokens.published, state, features),
            ParserFeatures::Templates(own) => {
                own.features(&tokens.rich, state, template, features);
            }
        }
    }

    /// Makes the moves of a sequence of classes.
    fn apply_all(&self, state: &mut State, classes: &[u32]) {
        for &class in classes {
            let (transition, label) = self.classes[class as usize];
            state.apply(transition, label);
        }
    }

    /// Returns which of the four ranges of classes are allowed in a state. If there is a class for the root, it is the
    /// only allowed LEFT when the root is the front of the buffer, and is forbidden otherwise.
    #[inline]
    fn allowed(&self, state: &State) -> [bool; 4] {
        self.split_left([Move::Shift, Move::Right, Move::Left].map(|one| state.is_valid(one)))
    }

    /// Returns which of the four ranges of classes are allowed if the given moves are valid.
    #[inline]
    fn split_left(&self, [shift, right, left]: [bool; 3]) -> [bool; 4] {
        let at_root = self.has_root_class && !shift;
        [shift, right, left && !at_root, left && at_root]
    }

    /// Returns the ranges of the allowed classes, in increasing order.
    #[inline]
    fn ranges_of(&self, allowed: [bool; 4]) -> impl Iterator<Item = Range<usize>> {
        let ranges = self.ranges.iter().zip(allowed);
        ranges
            .filter(|(_, allowed)| *allowed)
            .map(|(range, _)| range.clone())
    }
}

impl Parser {
    /// Names of the labels, sorted; empty for an unlabelled parser. [`Parse`] has indices into this slice.
    pub fn labels(&self) -> &[String] {
        &self.setup.labels
    }

    /// Returns the text of the templates; None for the published features.
    pub fn templates(&self) -> Option<&str> {
        match &self.setup.features {
            ParserFeatures::Published => None,
            ParserFeatures::Templates(templates) => Some(templates.source()),
        }
    }

    /// Returns true if the parser attaches exactly one word of a sentence to the root.
    pub fn single_root(&self) -> bool {
        self.setup.single_root
    }

    /// Number of items of the beam search; 1 for a greedy parser.
    pub fn beam(&self) -> usize {
        self.setup.beam
    }

    /// Number of features of the model.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns true for a parser without features: every score is 0, and the first class wins.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Parses a sentence with the given tags and writes the tree into `parse`, whose memory is reused; tags are not
    /// predicted. A sentence without words has an empty parse.
    ///
    /// Of moves with equal scores the first wins, in the order SHIFT, RIGHT, LEFT, and then in the order of the labels;
    /// see the module for ties with the published features. Takes O(words) time. For many sentences
    /// [`Model::annotate`](crate::Model::annotate) is faster, because it interleaves several sentences.
    pub fn parse(&self, sentence: &Sentence, buffers: &mut ParserBuffers, parse: &mut Parse) {
        let root_tag = sentence.root_tag.unwrap_or(ROOT);
        self.start([(sentence.tokens(), root_tag)], buffers);
        self.run(buffers);
        parse.tags.clear();
        buffers.group.sentences()[0].write(parse);
    }

    /// Starts sentences, each given as (word, XPOS, UPOS) of each word and the tag of the root; [`Parser::run`] parses
    /// them in an interleaved way. Replaces the sentences of the buffers.
    pub(crate) fn start<'a, W: Iterator<Item = [&'a str; 3]>>(
        &self,
        sentences: impl IntoIterator<Item = (W, &'a str)>,
        buffers: &mut ParserBuffers,
    ) {
        buffers.group.clear();
        for (words, root_tag) in sentences {
            let sentence = buffers.group.push();
            self.setup.start(words, root_tag, sentence);
            if let Some(weights) = self.published() {
                sentence.tokens.look_up_single(weights);
            }
        }
    }

    /// Returns the table of a parser with the published features and exactly three classes, for which there is a
    /// separate code path; None for other parsers.
    #[inline]
    fn published(&self) -> Option<&FewClasses> {
        match self.setup.features {
            ParserFeatures::Published => {
                self.weights.few().filter(|_| self.setup.classes.len() == 3)
            }
            ParserFeatures::Templates(_) => None,
        }
    }

    /// Parses the sentences of the buffers to their ends.
    pub(crate) fn run(&self, buffers: &mut ParserBuffers) {
        if let (2.., ParserFeatures::Templates(templates)) = (self.setup.beam, &self.setup.features)
        {
            return self.run_beam(templates, buffers);
        }
        let ParserBuffers { group, scores, .. } = buffers;
        let sentences = group.sentences_mut();
        if let Some(weights) = self.published() {
            for sentence in sentences.iter_mut() {
                sentence.tokens.find_single(weights);
            }
        }
        take_turns(
            sentences,
            &self.weights,
            |sentence| self.prepare(sentence),
            |sentence| self.make_best_move(sentence, scores),
        );
    }

    /// Makes the moves of a sentence that have no alternative, and extracts the features of the resulting state;
    /// returns false at the end. SHIFT on an empty stack has no alternative; LEFT to the root often has none.
    #[inline]
    fn prepare(&self, sentence: &mut ParserSentence) -> bool {
        let setup = &self.setup;
        while !sentence.state.is_final() {
            let mut choices = setup.ranges_of(setup.allowed(&sentence.state)).flatten();
            let Some(only) = choices.next() else {
                return false;
            };
            if choices.next().is_none() {
                let (transition, label) = setup.classes[only];
                sentence.state.apply(transition, label);
                continue;
            }
            let ParserSentence {
                state,
                tokens,
                template,
                lookup,
                ..
            } = sentence;
            match self.published() {
                Some(_) => {
                    published::joint_features(&tokens.published, state, &mut lookup.features)
                }
                None => setup.extract(state, tokens, template, &mut lookup.features),
            }
            return true;
        }
        false
    }

    /// Makes the best move for a sentence whose features have been looked up.
    #[inline]
    fn make_best_move(&self, sentence: &mut ParserSentence, scores: &mut Scores) {
        let ParserSentence {
            state,
            tokens,
            template,
            lookup,
            ..
        } = sentence;
        let sums = match self.published() {
            Some(weights) => {
                let Tokens {
                    published, single, ..
                } = &*tokens;
                &published::scores(published, single, state, weights, &lookup.features)
            }
            None => self.weights.sums(lookup, scores),
        };
        let allowed = self.setup.allowed(state);
        let best = self.best(allowed, sums, || {
            self.setup
                .extract(state, tokens, template, &mut lookup.features);
            &mut lookup.features
        });
        if let Some(best) = best {
            let (transition, label) = self.setup.classes[best];
            state.apply(transition, label);
        }
    }

    /// Returns the best allowed class; None if none is allowed. `features` extracts all features of the state in the
    /// order of parser.py; it is called only if scores tie with published features.
    #[inline]
    fn best<'a>(
        &self,
        allowed: [bool; 4],
        scores: &[i32],
        features: impl FnOnce() -> &'a mut Vec<u64>,
    ) -> Option<usize> {
        let ranges = || self.setup.ranges_of(allowed);
        let best = first_largest(scores, ranges())?;
        let is_published = matches!(self.setup.features, ParserFeatures::Published);
        let mut equal = ranges().flatten().filter(|&at| scores[at] == scores[best]);
        if !is_published || (equal.next(), equal.next()).1.is_none() {
            return Some(best);
        }
        // parser.py compares float sums, which may differ even if the sums of thousandths are equal: add in the order
        // of its features.
        let features = features();
        let sums: Vec<f64> = (0..scores.len() as u32)
            .map(|class| {
                let weights = features
                    .iter()
                    .map(|&feature| self.weights.get(feature, class));
                weights
                    .map(|weight| f64::from(weight) / self.weights.scale())
                    .sum()
            })
            .collect();
        first_largest(&sums, ranges())
    }

    /// Creates a parser and checks that it can make every move: there are classes for SHIFT, RIGHT and LEFT, and as
    /// many classes as the weights have.
    ///
    /// # Errors
    /// A message if a move has no class; the caller decides whether it is a file error or a training error.
    pub(crate) fn new(setup: ParserSetup, weights: Weights) -> Result<Self, String> {
        let complete = setup.ranges[..2].iter().all(|range| !range.is_empty())
            && setup.ranges[2].len() + setup.ranges[3].len() > 0
            && (setup.has_root_class || !setup.ranges[2].is_empty());
        if !complete || weights.classes() != setup.classes.len() {
            return Err(
                "the parser has no class for one of the moves SHIFT, RIGHT and LEFT".into(),
            );
        }
        Ok(Self { setup, weights })
    }
}
