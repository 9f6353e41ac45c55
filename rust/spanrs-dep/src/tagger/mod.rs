//! The part-of-speech tagger: greedy, with an averaged perceptron, from left to right and, for
//! uncertain words, from right to left.
//!
//! The class of a word is a pair of tags ([`Tags`]: XPOS and UPOS), so that both are predicted
//! together and agree. For each word the tagger
//!
//! 1. looks the word up in the *tagdict*, the dictionary of frequent words that (nearly) always
//!    have the same class in the training data; such a word gets this class without scoring;
//! 2. otherwise extracts its features: properties of the word, of its neighbours, and the predicted
//!    tags of the two previous words;
//! 3. adds up the weights of the features for each class, and predicts the class with the largest
//!    score.
//!
//! The right context has no tags then. A rich tagger therefore goes back from the last word to the
//! first, over the words whose best score exceeds the second best by less than a margin (`recheck`).
//! It extracts the features again, with the tags of the two following words instead of the previous
//! ones and with weights of their own, adds the scores of both directions, and predicts the class
//! with the largest sum. The weights for each direction are learnt by a tagger of one direction
//! that does not know the other, so that their errors differ.
//!
//! Time and memory are linear in the number of words (times the classes, for dense rows of
//! weights). Module `published` implements the features of parser.py and NLTK, `rich` the features
//! that spanrs trains by default, and `train` learns the weights.
//!
//! # Ties
//!
//! Classes are sorted by XPOS and then UPOS, byte by byte, and of classes with equal scores the
//! last wins, as in parser.py (the maximum of (score, class)). For the published features, whose
//! weights are thousandths, classes with equal integer sums are compared once more by their sums of
//! floats in the order of the features, because float sums may differ in the last bit.
//!
//! # Tags as features
//!
//! The features of the two previous tags use XPOS, or UPOS if no class has XPOS. Models with only
//! UPOS that were written with the first version of the format keep the features they were trained
//! with: XPOS, which is empty for all classes.

pub(crate) mod published;
pub(crate) mod rich;
mod sentence;
mod tag_counts;
mod train;

use crate::feature_index::FeatureIndex;
use crate::text_hash::TextHash;
use crate::turns::{Group, take_turns};
use crate::weights::{MAX_CLASSES, Scores, Weights};
use rich::Direction;
use serde::{Deserialize, Serialize};
use spanrs_base::Ends;

pub(crate) use sentence::TaggerSentence;
pub use train::{TaggerOptions, TaggerTrainer};

/// The two tags of a word, a class of the tagger; a tag that is not predicted is empty. Ordered by
/// XPOS, then UPOS.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tags {
    /// The tag of the treebank, such as `NNS`; XPOS in CoNLL-U.
    pub xpos: String,
    /// The universal tag, such as `NOUN`; UPOS in CoNLL-U.
    pub upos: String,
}

/// Feature set of a tagger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaggerFeatures {
    /// The 14 features of parser.py and NLTK's `PerceptronTagger`, identified by name.
    Published,
    /// Affixes, shapes, known tags of the word and its neighbours: 51 features, identified by hash.
    #[default]
    Rich,
}

/// Which tag of a class is a feature of later words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum History {
    /// The tag of the treebank.
    Xpos,
    /// The universal tag.
    Upos,
}

impl History {
    /// Chooses XPOS, or UPOS if no class has XPOS.
    pub(crate) fn of(classes: &[Tags]) -> Self {
        match classes.iter().all(|tags| tags.xpos.is_empty()) {
            true => Self::Upos,
            false => Self::Xpos,
        }
    }

    /// Returns the tag.
    pub(crate) fn tag(self, tags: &Tags) -> &str {
        match self {
            Self::Xpos => &tags.xpos,
            Self::Upos => &tags.upos,
        }
    }
}

/// Words that have an entry, each with a number.
#[derive(Clone, Debug)]
pub(crate) struct Lexicon {
    /// The words, concatenated in the order of model files.
    text: String,
    /// The end of each word.
    ends: Ends,
    /// The number of each word by the hash of its text; the first number for a word that occurs
    /// twice.
    pub(crate) index: FeatureIndex,
}

impl Default for Lexicon {
    fn default() -> Self {
        Self::new(&[] as &[(&str, u32)])
    }
}

impl Lexicon {
    /// Indexes entries.
    pub(crate) fn new(entries: &[(impl AsRef<str>, u32)]) -> Self {
        let words = || entries.iter().map(|(word, _)| word.as_ref());
        let hashes = words().map(|word| TextHash::of(word).value());
        let numbers = entries.iter().map(|(_, number)| *number);
        Self {
            text: words().collect(),
            ends: Ends::of_lengths(words().map(str::len)),
            index: FeatureIndex::of(hashes.zip(numbers)),
        }
    }

    /// Indexes entries of a file; None if lookups would be slow ([`FeatureIndex::checked`]).
    pub(crate) fn checked(entries: &[(&str, u32)]) -> Option<Self> {
        let hashes = entries
            .iter()
            .map(|(word, number)| (TextHash::of(word).value(), *number));
        Some(Self {
            text: entries.iter().map(|(word, _)| *word).collect(),
            ends: Ends::of_lengths(entries.iter().map(|(word, _)| word.len())),
            index: FeatureIndex::checked(hashes)?,
        })
    }

    /// Returns the words and their numbers.
    pub(crate) fn entries(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        let words = self.ends.ranges().map(|range| &self.text[range]);
        words.map(|word| {
            let number = self.index.find(TextHash::of(word).value());
            (word, number.unwrap_or_default())
        })
    }
}

/// The parts of a tagger other than its weights; training and prediction share them.
#[derive(Clone, Debug)]
pub(crate) struct TaggerSetup {
    /// The features extracted from words.
    pub(crate) features: TaggerFeatures,
    /// Number of templates of rich features that the weights were trained with.
    pub(crate) templates: u32,
    /// The classes, sorted: of equal scores the last class wins, as in parser.py.
    pub(crate) classes: Vec<Tags>,
    /// Which tags are features of later words.
    pub(crate) history: History,
    /// Hashes of the tags that are features of later words, by class.
    texts: Vec<TextHash>,
    /// Frequent words with one tag, as written, and their class.
    pub(crate) tagdict: Lexicon,
    /// Words with the numbers of their set of tags and their profile in the training data, packed by
    /// [`rich::pack`]; for rich features only.
    pub(crate) known_tags: Lexicon,
}

/// A trained tagger. It is immutable and can be shared by threads; each thread has its own
/// [`TaggerBuffers`]. Obtained from [`fit_tagger`](crate::fit_tagger), [`TaggerTrainer::finish`], a
/// model file or [`import_tagger`](crate::import_tagger).
///
/// # Examples
///
/// A tagger in NLTK's format with two known words:
///
/// ```
/// use spanrs_dep::{TaggerBuffers, import_tagger};
/// let weights = br#"{"i word bark": {"NN": 0.5}, "i-1 tag NNS": {"VBP": 1.0}}"#;
/// let tagger = import_tagger(weights, br#"{"Dogs": "NNS"}"#, br#"["NN", "NNS", "VBP"]"#).unwrap();
/// let (mut buffers, mut classes) = (TaggerBuffers::default(), Vec::new());
/// tagger.tag(&["Dogs", "bark"], &mut buffers, &mut classes);
/// let xpos = classes.iter().map(|&class| tagger.classes()[class as usize].xpos.as_str());
/// assert_eq!(xpos.collect::<Vec<_>>(), ["NNS", "VBP"], "0.5 for NN, 1.0 for VBP");
/// tagger.tag(&["bark"], &mut buffers, &mut classes);
/// assert_eq!(tagger.classes()[classes[0] as usize].xpos, "NN");
/// ```
#[derive(Clone, Debug)]
pub struct Tagger {
    /// Features, classes and dictionaries.
    pub(crate) setup: TaggerSetup,
    /// Weights of the features for each class.
    pub(crate) weights: Weights,
    /// Names of the published features, in the order of the weights' rows; empty if they are not
    /// known.
    pub(crate) names: Vec<String>,
    /// Words whose best score exceeds the second best by less are tagged again from right to left;
    /// 0 for taggers of one direction.
    pub(crate) recheck: i32,
}

/// Memory that is reused between sentences; each thread needs its own. Any tagger can use it, and
/// its content does not affect later sentences.
#[derive(Clone, Debug)]
pub struct TaggerBuffers {
    /// Sentences whose tagging is interleaved.
    pub(crate) group: Group<TaggerSentence>,
    /// Scores of the classes for one word.
    scores: Box<Scores>,
}

impl Default for TaggerBuffers {
    fn default() -> Self {
        Self {
            group: Group::default(),
            scores: Box::new([0; MAX_CLASSES]),
        }
    }
}

impl TaggerSetup {
    /// Creates a setup with all templates. `classes` must be sorted, and the numbers in `tagdict` are
    /// classes.
    pub(crate) fn new(
        features: TaggerFeatures,
        (classes, history): (Vec<Tags>, History),
        tagdict: Lexicon,
        known_tags: Lexicon,
    ) -> Self {
        let texts = classes
            .iter()
            .map(|tags| TextHash::of(history.tag(tags)))
            .collect();
        Self {
            features,
            templates: rich::TEMPLATES,
            classes,
            history,
            texts,
            tagdict,
            known_tags,
        }
    }

    /// Starts a sentence without tags: computes the parts of its words that features need.
    pub(crate) fn start<'a>(
        &self,
        words: impl Iterator<Item = &'a str>,
        sentence: &mut TaggerSentence,
    ) {
        sentence.tags.clear();
        sentence.uncertain.clear();
        sentence.first_scores.clear();
        let padded = match self.features {
            TaggerFeatures::Published => {
                published::padded(words, &mut sentence.published);
                sentence.published.len()
            }
            TaggerFeatures::Rich => {
                rich::padded(
                    words,
                    &self.known_tags.index,
                    self.templates,
                    &mut sentence.rich,
                );
                sentence.rich.len()
            }
        };
        sentence.len = padded - 4;
    }

    /// Returns the class of a word if it is in the tagdict. There must be such a word.
    #[inline]
    pub(crate) fn tagdict_class(&self, sentence: &TaggerSentence, at: usize) -> Option<u32> {
        let word = match self.features {
            TaggerFeatures::Published => sentence.published[at + 2].word.value(),
            TaggerFeatures::Rich => sentence.rich[at + 2].word,
        };
        self.tagdict.index.find(word)
    }

    /// Extracts the features of the next word, which depend on the predicted tags of the two
    /// previous words.
    #[inline]
    pub(crate) fn extract(&self, sentence: &mut TaggerSentence) {
        let (before, features) = (&sentence.tags[..], &mut sentence.lookup.features);
        let at = before.len();
        let previous = |back: usize| before.len().checked_sub(back).map(|at| before[at]);
        match self.features {
            TaggerFeatures::Published => {
                // Only the first word has "-START2-" as a previous tag, and it is the second
                // previous tag.
                let text = |back: usize| match previous(back) {
                    Some(class) => self.texts[class as usize],
                    None => TextHash::of(published::TAGS_BEFORE[back - before.len() - 1]),
                };
                let tags = [text(1), text(2)];
                published::features(&sentence.published, at, tags, features);
            }
            TaggerFeatures::Rich => {
                let tags = [1, 2].map(|back| self.code(previous(back)));
                let forward = (Direction::Forward, tags);
                rich::features(&sentence.rich, at, forward, self.templates, features);
            }
        }
    }

    /// Extracts the rich features of a word in a sentence whose following words have been tagged.
    #[inline]
    pub(crate) fn extract_backward(&self, sentence: &mut TaggerSentence, at: usize) {
        let tags = [1, 2].map(|distance| self.code(sentence.tags.get(at + distance).copied()));
        let (backward, features) = ((Direction::Backward, tags), &mut sentence.lookup.features);
        rich::features(&sentence.rich, at, backward, self.templates, features);
    }

    /// Returns the value of the tag of a class in rich features; None is beyond the sentence.
    #[inline]
    fn code(&self, class: Option<u32>) -> u64 {
        class.map_or(3, |class| self.texts[class as usize].value() | 1)
    }
}

impl Tagger {
    /// Returns the classes of the tagger, sorted; [`Tagger::tag`] writes indices into this slice.
    pub fn classes(&self) -> &[Tags] {
        &self.setup.classes
    }

    /// Returns the feature set of the tagger.
    pub fn features(&self) -> TaggerFeatures {
        self.setup.features
    }

    /// Returns the number of templates of rich features in model files.
    pub(crate) fn templates(&self) -> u32 {
        match self.setup.features {
            TaggerFeatures::Published => rich::FIRST_TEMPLATES,
            TaggerFeatures::Rich => self.setup.templates,
        }
    }

    /// Returns the frequent words that have one tag, as written, and the class of this tag. The
    /// features of these words are not used.
    pub fn tagdict(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.setup.tagdict.entries()
    }

    /// Number of features of the model.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns true for a tagger without features, which assigns the last class to every word that
    /// is not in the tagdict.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the XPOS of a class.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn xpos(&self, class: u32) -> &str {
        &self.classes()[class as usize].xpos
    }

    /// Returns the names of the published features with their (XPOS, weight) pairs, as in NLTK's
    /// JSON files; empty for a tagger without feature names.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::import_tagger;
    /// let weights = br#"{"bias": {"VB": 0.125, "NN": -0.125}}"#;
    /// let tagger = import_tagger(weights, b"{}", br#"["VB", "NN"]"#).unwrap();
    /// let (name, row) = tagger.named_weights().next().unwrap();
    /// assert_eq!(name, "bias");
    /// assert_eq!(row.collect::<Vec<_>>(), [("NN", -0.125), ("VB", 0.125)], "classes are sorted");
    /// ```
    pub fn named_weights(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = (&str, f64)>)> {
        let number = |(class, weight)| (self.xpos(class), f64::from(weight) / self.weights.scale());
        let rows = self.weights.rows().iter();
        let rows = rows.map(move |(_, row)| row.map(number));
        self.names.iter().map(String::as_str).zip(rows)
    }

    /// Tags a sentence: writes the class of each word into `tags`, whose memory is reused. For many
    /// sentences [`Model::annotate`](crate::Model::annotate) is faster, because it interleaves
    /// several sentences.
    pub fn tag(&self, words: &[&str], buffers: &mut TaggerBuffers, tags: &mut Vec<u32>) {
        self.start([words.iter().copied()], buffers);
        self.run(buffers, true, |_, _| ());
        tags.clone_from(&buffers.group.sentences()[0].tags);
    }

    /// Tags a sentence as [`Tagger::tag`] does, without the tagdict if `use_tagdict` is false, and
    /// returns the probability of each tag: the softmax of the class scores, as in NLTK, or 1 for
    /// words in the tagdict. For words that are tagged in both directions the scores are the sums of both.
    ///
    /// Scores of a perceptron are not trained to be log-probabilities; use the numbers to rank
    /// words, not as calibrated probabilities.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{TaggerBuffers, import_tagger};
    /// let weights = br#"{"i word bark": {"NN": 1.0}}"#;
    /// let tagger = import_tagger(weights, br#"{"Dogs": "NNS"}"#, br#"["NN", "NNS"]"#).unwrap();
    /// let (mut buffers, mut classes) = (TaggerBuffers::default(), Vec::new());
    /// let words = ["Dogs", "bark"];
    /// let p = tagger.tag_with_confidence(&words, true, &mut buffers, &mut classes);
    /// assert_eq!((p[0], classes[0]), (1.0, 1));
    /// assert!((p[1] - 1.0 / (1.0 + (-1.0_f64).exp())).abs() < 1e-12);
    /// ```
    pub fn tag_with_confidence(
        &self,
        words: &[&str],
        use_tagdict: bool,
        buffers: &mut TaggerBuffers,
        tags: &mut Vec<u32>,
    ) -> Vec<f64> {
        let mut confidences = vec![1.0; words.len()];
        self.start([words.iter().copied()], buffers);
        self.run(buffers, use_tagdict, |at, scores| {
            confidences[at] = match scores {
                None => 1.0,
                Some(scores) => {
                    let scores = scores.iter().map(|&s| f64::from(s) / self.weights.scale());
                    let most = scores.clone().fold(f64::NEG_INFINITY, f64::max);
                    1.0 / scores.map(|score| (score - most).exp()).sum::<f64>()
                }
            };
        });
        tags.clone_from(&buffers.group.sentences()[0].tags);
        confidences
    }

    /// Starts sentences; [`Tagger::run`] tags them in an interleaved way. Replaces the sentences of
    /// the buffers.
    pub(crate) fn start<'a, W: Iterator<Item = &'a str>>(
        &self,
        sentences: impl IntoIterator<Item = W>,
        buffers: &mut TaggerBuffers,
    ) {
        buffers.group.clear();
        for words in sentences {
            self.setup.start(words, buffers.group.push());
        }
    }

    /// Tags the sentences of the buffers to their ends. `each` is called with the index of
    /// each word and the scores of the classes, or with None for a word in the tagdict, and again
    /// for words that are tagged in both directions, with the sums of the scores. The calls of
    /// several sentences are interleaved.
    pub(crate) fn run(
        &self,
        buffers: &mut TaggerBuffers,
        use_tagdict: bool,
        mut each: impl FnMut(usize, Option<&[i32]>),
    ) {
        let TaggerBuffers { group, scores } = buffers;
        // Both closures call `each`.
        let each = std::cell::RefCell::new(&mut each);
        take_turns(
            group.sentences_mut(),
            &self.weights,
            |sentence| self.prepare(sentence, use_tagdict, |at| each.borrow_mut()(at, None)),
            |sentence| {
                let scores = self.weights.sums(&sentence.lookup, scores);
                let class = self.best(&sentence.lookup.features, scores);
                each.borrow_mut()(sentence.tags.len(), Some(scores));
                sentence.tags.push(class);
                if self.recheck > 0 {
                    sentence.note_uncertain(scores, class, self.recheck);
                }
            },
        );
        if self.recheck == 0 {
            return;
        }
        take_turns(
            group.sentences_mut(),
            &self.weights,
            |sentence| match sentence.uncertain.last() {
                Some(&at) => {
                    self.setup.extract_backward(sentence, at as usize);
                    true
                }
                None => false,
            },
            |sentence| {
                self.weights.sums(&sentence.lookup, scores);
                let scores = &mut scores[..self.weights.classes()];
                if let Some(at) = sentence.add_first_scores(scores) {
                    sentence.tags[at] = last_largest(scores) as u32;
                    each.borrow_mut()(at, Some(scores));
                }
            },
        );
    }

    /// Tags the next words of a sentence as long as they are in the tagdict, and extracts the
    /// features of the following word; returns false at the end.
    #[inline]
    fn prepare(
        &self,
        sentence: &mut TaggerSentence,
        use_tagdict: bool,
        each: impl Fn(usize),
    ) -> bool {
        while sentence.tags.len() < sentence.len {
            let at = sentence.tags.len();
            match self.setup.tagdict_class(sentence, at) {
                Some(class) if use_tagdict => {
                    sentence.tags.push(class);
                    each(at);
                }
                _ => {
                    self.setup.extract(sentence);
                    return true;
                }
            }
        }
        false
    }

    /// Returns the class with the largest score; see the module for ties.
    #[inline]
    fn best(&self, features: &[u64], scores: &[i32]) -> u32 {
        let best = last_largest(scores);
        match scores[..best].contains(&scores[best]) {
            // parser.py compares float sums, which may differ even if the sums of thousandths are
            // equal.
            true if self.setup.features == TaggerFeatures::Published => {
                self.break_tie(features, scores, best)
            }
            _ => best as u32,
        }
    }

    /// Returns the last class with the largest sum of floats, added in the order of the features,
    /// among the classes with the same integer sum as `best`.
    #[cold]
    fn break_tie(&self, features: &[u64], scores: &[i32], best: usize) -> u32 {
        let tied = (0..scores.len()).filter(|&class| scores[class] == scores[best]);
        let sum = |class: usize| -> f64 {
            let weights = features
                .iter()
                .map(|&feature| self.weights.get(feature, class as u32));
            weights
                .map(|weight| f64::from(weight) / self.weights.scale())
                .sum()
        };
        let sums: Vec<(usize, f64)> = tied.map(|class| (class, sum(class))).collect();
        let largest = sums
            .iter()
            .map(|(_, sum)| *sum)
            .fold(f64::NEG_INFINITY, f64::max);
        let last = sums.iter().rev().find(|(_, sum)| *sum == largest);
        last.map_or(best, |(class, _)| *class) as u32
    }
}

/// Returns the last index of the largest value; 0 if there are no values.
#[inline]
fn last_largest<T: PartialOrd + Copy>(values: &[T]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value >= values[best] {
            best = at;
        }
    }
    best
}

#[cfg(test)]
mod tests;
