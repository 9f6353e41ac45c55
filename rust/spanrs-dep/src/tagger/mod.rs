//! The part-of-speech tagger: greedy, from left to right, with an averaged perceptron.

pub(crate) mod published;
pub(crate) mod rich;
mod train;

use crate::feature_index::FeatureIndex;
use crate::text_hash::TextHash;
use crate::turns::{Group, Steps, take_turns};
use crate::weights::{Lookup, MAX_CLASSES, Scores, Weights};

pub use train::{TaggerOptions, TaggerTrainer};

/// The two tags of a word; a tag that is not predicted is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tags {
    /// The tag of the treebank (`NNS`), XPOS in CoNLL-U.
    pub xpos: String,
    /// The universal tag (`NOUN`).
    pub upos: String,
}

/// Which features a tagger has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaggerFeatures {
    /// The 14 of parser.py and NLTK.
    Published,
    /// Affixes, shapes, known tags of the neighbours: 42.
    #[default]
    Rich,
}

/// Words that have an entry, each with a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexicon {
    pub(crate) entries: Vec<(String, u32)>,
    pub(crate) index: FeatureIndex,
}

impl Lexicon {
    pub(crate) fn new(entries: impl IntoIterator<Item = (String, u32)>) -> Self {
        let entries: Vec<_> = entries.into_iter().collect();
        let mut index = FeatureIndex::default();
        for (word, number) in &entries {
            index.insert(TextHash::of(word).value(), *number);
        }
        Self { entries, index }
    }
}

/// What a tagger knows besides its weights.
#[derive(Clone, Debug)]
pub(crate) struct TaggerSetup {
    pub(crate) features: TaggerFeatures,
    /// Sorted: of equal scores the last class wins, as in parser.py.
    pub(crate) classes: Vec<Tags>,
    /// Hashes of the XPOS tags of the classes, which are features of later tokens.
    texts: Vec<TextHash>,
    /// Frequent words with one tag, and the class of that tag.
    pub(crate) tagdict: Lexicon,
    /// Words with the number of the set of tags they have in the training data.
    pub(crate) known_tags: Lexicon,
}

/// A trained tagger.
#[derive(Clone, Debug)]
pub struct Tagger {
    pub(crate) setup: TaggerSetup,
    pub(crate) weights: Weights,
    /// Names of the published features, in the order of the weights' rows; empty where they are not known.
    pub(crate) names: Vec<String>,
}

/// A sentence that is being tagged.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaggerSentence {
    published: Vec<published::Token>,
    pub(crate) rich: Vec<rich::Token>,
    /// Number of words.
    len: usize,
    /// The classes of the words so far.
    pub(crate) tags: Vec<u32>,
    lookup: Lookup,
}

impl Steps for TaggerSentence {
    fn lookup(&mut self) -> &mut Lookup {
        &mut self.lookup
    }
}

/// Memory that is kept between sentences.
#[derive(Clone, Debug)]
pub struct TaggerBuffers {
    /// Sentences that are tagged in turns.
    pub(crate) group: Group<TaggerSentence>,
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

impl TaggerSentence {
    /// The features of the next word.
    pub(crate) fn features(&self) -> &[u64] {
        &self.lookup.features
    }
}

impl TaggerSetup {
    pub(crate) fn new(
        features: TaggerFeatures,
        classes: Vec<Tags>,
        tagdict: Lexicon,
        known_tags: Lexicon,
    ) -> Self {
        let texts = classes
            .iter()
            .map(|tags| TextHash::of(&tags.xpos))
            .collect();
        Self {
            features,
            classes,
            texts,
            tagdict,
            known_tags,
        }
    }

    /// Starts a sentence.
    pub(crate) fn start<'a>(
        &self,
        words: impl Iterator<Item = &'a str>,
        sentence: &mut TaggerSentence,
    ) {
        sentence.tags.clear();
        let padded = match self.features {
            TaggerFeatures::Published => {
                published::padded(words, &mut sentence.published);
                sentence.published.len()
            }
            TaggerFeatures::Rich => {
                rich::padded(words, &self.known_tags.index, &mut sentence.rich);
                sentence.rich.len()
            }
        };
        sentence.len = padded - 4;
    }

    /// The class of the next word in the dictionary of unambiguous words.
    #[inline]
    pub(crate) fn listed(&self, sentence: &TaggerSentence) -> Option<u32> {
        let at = sentence.tags.len();
        let word = match self.features {
            TaggerFeatures::Published => sentence.published[at + 2].word.value(),
            TaggerFeatures::Rich => sentence.rich[at + 2].word,
        };
        self.tagdict.index.find(word)
    }

    /// Extracts the features of the next word.
    #[inline]
    pub(crate) fn extract(&self, sentence: &mut TaggerSentence) {
        let (before, features) = (&sentence.tags[..], &mut sentence.lookup.features);
        let at = before.len();
        let previous = |back: usize| before.len().checked_sub(back).map(|at| before[at]);
        match self.features {
            TaggerFeatures::Published => {
                // The pads stand at fixed distances: "-START2-" only before the first token.
                let text = |back: usize| match previous(back) {
                    Some(class) => self.texts[class as usize],
                    None => TextHash::of(published::TAGS_BEFORE[back - before.len() - 1]),
                };
                let tags = [text(1), text(2)];
                published::features(&sentence.published, at, tags, features);
            }
            TaggerFeatures::Rich => {
                let code = |back| match previous(back) {
                    Some(class) => self.texts[class as usize].value() | 1,
                    None => 3,
                };
                let tags = [code(1), code(2)];
                rich::features(&sentence.rich, at, tags, features);
            }
        }
    }
}

impl Tagger {
    /// The pairs of tags that it predicts; [`Tagger::tag`] gives indices.
    pub fn classes(&self) -> &[Tags] {
        &self.setup.classes
    }

    /// The features that it has.
    pub fn features(&self) -> TaggerFeatures {
        self.setup.features
    }

    /// Frequent words with one tag, and the class of that tag: their features are not looked at.
    pub fn tagdict(&self) -> &[(String, u32)] {
        &self.setup.tagdict.entries
    }

    /// Number of features with a weight.
    pub fn len(&self) -> usize {
        self.weights.rows().len()
    }

    /// True for a tagger without weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// XPOS of a class.
    pub fn xpos(&self, class: u32) -> &str {
        &self.classes()[class as usize].xpos
    }

    /// Names of the published features with their (XPOS, weight) pairs; empty for a tagger that does not know the names.
    pub fn named_weights(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = (&str, f64)>)> {
        let number = |(class, weight)| (self.xpos(class), f64::from(weight) / self.weights.scale());
        let rows = self.weights.rows().iter();
        let rows = rows.map(move |(_, row)| row.map(number));
        self.names.iter().map(String::as_str).zip(rows)
    }

    /// Tags a sentence: the index of a class for each word.
    pub fn tag(&self, words: &[&str], buffers: &mut TaggerBuffers, tags: &mut Vec<u32>) {
        self.start([words.iter().copied()], buffers);
        self.run(buffers, true, |_| ());
        tags.clone_from(&buffers.group.sentences()[0].tags);
    }

    /// Tags a sentence, with the dictionary of unambiguous words or without it, and gives the probability of each tag: the
    /// softmax of its score, 1 for words of the dictionary.
    pub fn tag_with_confidence(
        &self,
        words: &[&str],
        use_tagdict: bool,
        buffers: &mut TaggerBuffers,
        tags: &mut Vec<u32>,
    ) -> Vec<f64> {
        let mut confidences = Vec::with_capacity(words.len());
        self.start([words.iter().copied()], buffers);
        self.run(buffers, use_tagdict, |scores| {
            confidences.push(match scores {
                None => 1.0,
                Some(scores) => {
                    let scores = scores.iter().map(|&s| f64::from(s) / self.weights.scale());
                    let most = scores.clone().fold(f64::NEG_INFINITY, f64::max);
                    1.0 / scores.map(|score| (score - most).exp()).sum::<f64>()
                }
            });
        });
        tags.clone_from(&buffers.group.sentences()[0].tags);
        confidences
    }

    /// Starts sentences, which [`Tagger::run`] tags in turns.
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

    /// Tags the sentences of the buffers. `each` is called once per word, with the scores of the classes or with None for a word of
    /// the dictionary; the calls of several sentences are interleaved.
    pub(crate) fn run(
        &self,
        buffers: &mut TaggerBuffers,
        use_tagdict: bool,
        mut each: impl FnMut(Option<&[i32]>),
    ) {
        let TaggerBuffers { group, scores } = buffers;
        // Both closures report words.
        let each = std::cell::RefCell::new(&mut each);
        take_turns(
            group.sentences_mut(),
            &self.weights,
            |sentence| self.prepare(sentence, use_tagdict, || each.borrow_mut()(None)),
            |sentence| {
                let scores = self.weights.sums(&sentence.lookup, scores);
                let class = self.best(&sentence.lookup.features, scores);
                sentence.tags.push(class);
                each.borrow_mut()(Some(scores));
            },
        );
    }

    /// Tags the next words of a sentence as far as they are in the dictionary, and extracts the features of the one after
    /// them; false at the end.
    #[inline]
    fn prepare(&self, sentence: &mut TaggerSentence, use_tagdict: bool, each: impl Fn()) -> bool {
        while sentence.tags.len() < sentence.len {
            match self.setup.listed(sentence) {
                Some(class) if use_tagdict => {
                    sentence.tags.push(class);
                    each();
                }
                _ => {
                    self.setup.extract(sentence);
                    return true;
                }
            }
        }
        false
    }

    #[inline]
    fn best(&self, features: &[u64], scores: &[i32]) -> u32 {
        let best = last_largest(scores);
        match scores[..best].contains(&scores[best]) {
            // Equal sums of thousandths may differ in floats, which parser.py compares.
            true if self.setup.features == TaggerFeatures::Published => {
                self.tied(features, scores, best)
            }
            _ => best as u32,
        }
    }

    /// The class of largest score among those that are equal in thousandths, by sums of floats in the order of the features.
    #[cold]
    fn tied(&self, features: &[u64], scores: &[i32], best: usize) -> u32 {
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

/// The last index of the largest value; 0 where there is none.
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
