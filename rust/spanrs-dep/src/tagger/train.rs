//! Training of the tagger, one sentence at a time.
//!
//! Before the first sentence [`TaggerTrainer::new`] counts the tags of each word in the training
//! data, and computes from the counts
//!
//! - the classes, sorted;
//! - the tagdict: words that occur at least `min_count` times and have their most frequent class
//!   (of equally frequent classes the first to occur) for at least a share of `min_share` of their
//!   occurrences;
//! - for rich features the known tags and the profile of each word (module `tag_counts`).
//!
//! A sentence is then tagged with the weights so far, first from left to right and then from right
//! to left: nothing is learnt from words in the tagdict, and features of previous tags use the
//! predicted tags, so that the tagger learns from its own mistakes. There are three differences from
//! prediction. All words are tagged in both directions, and each direction learns alone, from its own
//! tags and scores. The profile of a word is that of its other occurrences in the training data,
//! because with its own tag it would give the answer for rare words. And a share of the features is
//! ignored (module `dropout`).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spanrs_base::Interner;

use super::tag_counts::{HeldOutProfiles, TagCounts};
use super::{
    History, Lexicon, Tagger, TaggerFeatures, TaggerSentence, TaggerSetup, Tags, last_largest,
    published,
};
use crate::averages::Averages;
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::text_hash::TextHash;
use crate::weights::{MAX_CLASSES, Weights};

/// How a tagger is trained. The default is the rich tagger.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaggerOptions {
    /// The feature set.
    pub features: TaggerFeatures,
    /// Minimum number of occurrences of a word in the tagdict.
    pub min_count: usize,
    /// Minimum share, from 0 to 1, of the most frequent class in the occurrences of a word in the
    /// tagdict.
    pub min_share: f64,
    /// Margin: a correct guess also causes an update if its score exceeds the score of the second
    /// best class by less than this value (Crammer and Singer 2003, "Ultraconservative online
    /// algorithms"). With 0, only wrong guesses cause updates. Scores are sums of weights that
    /// updates change by 1.
    pub margin: i64,
    /// Share of the features of a word, from 0 to less than 1, that are ignored in training, chosen
    /// at random for each word and pass. Prediction uses all features.
    pub dropout: f64,
    /// Words whose best score exceeds the second best by less than this value are tagged once more
    /// from right to left, and get the class with the largest sum of the scores of both directions;
    /// 0 or less for a tagger of one direction. Several models are averaged, so that it does not
    /// depend on their number. Published features always have one direction.
    pub recheck: i64,
    /// True to keep the names of the features, so that they can be written to NLTK's JSON files.
    /// Only for published features.
    pub keep_names: bool,
    /// Maximum number of weights of the tagger, for rich features; 0 keeps all weights. They are
    /// selected by a first training, see [`Averages::largest_weights`], and trained again without
    /// the others. A weight takes about four bytes of a model.
    pub max_weights: usize,
}

impl Default for TaggerOptions {
    fn default() -> Self {
        Self {
            features: TaggerFeatures::Rich,
            min_count: 100,
            min_share: 0.995,
            margin: 50,
            dropout: 0.2,
            recheck: 50,
            keep_names: false,
            max_weights: 600_000,
        }
    }
}

impl TaggerOptions {
    /// Returns the options of parser.py and NLTK: published features, a tagdict of words with at
    /// least 20 occurrences and a share of 0.97, no margin and no dropout.
    pub fn published() -> Self {
        Self {
            features: TaggerFeatures::Published,
            min_count: 20,
            min_share: 0.97,
            margin: 0,
            dropout: 0.0,
            recheck: 0,
            keep_names: true,
            max_weights: 0,
        }
    }
}

/// A tagger in training. The caller passes one sentence at a time, in any order. Used by one
/// thread.
///
/// [`fit_tagger`](crate::fit_tagger) runs passes over a treebank with a trainer; use the trainer
/// directly for sentences from other sources.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{TaggerBuffers, TaggerOptions, TaggerTrainer, Tags};
/// let tags = |xpos: &str| Tags { xpos: xpos.to_owned(), upos: String::new() };
/// let (words, gold) = (["Dogs", "bark"], [tags("NNS"), tags("VBP")]);
/// let sentence = words.into_iter().zip(&gold);
/// let mut trainer = TaggerTrainer::new([sentence].into_iter(), TaggerOptions::default()).unwrap();
/// let classes = gold.each_ref().map(|tags| trainer.class(tags).unwrap());
/// for _ in 0..3 {
///     trainer.train_one(&words, &classes);
/// }
/// let tagger = trainer.finish(trainer.averages()).unwrap();
/// let mut found = Vec::new();
/// tagger.tag(&words, &mut TaggerBuffers::default(), &mut found);
/// assert_eq!(found, classes);
/// ```
#[derive(Debug)]
pub struct TaggerTrainer {
    /// Features, classes and dictionaries; the finished tagger gets them.
    setup: TaggerSetup,
    /// The weights before the first update.
    start: Learner,
    /// The current weights.
    learner: Learner,
    /// Correct guesses with a smaller margin also cause updates.
    margin: i64,
    /// Words with a smaller margin are tagged in both directions.
    recheck: i32,
    /// Profiles of the other occurrences of a word.
    held_out: HeldOutProfiles,
    /// Chooses the features that are ignored.
    dropout: Dropout,
    /// The current sentence.
    sentence: TaggerSentence,
    /// Scores of the classes for the current word.
    scores: Vec<i64>,
    /// Names of the features changed by updates, in the order of their rows; None if names are not
    /// kept.
    names: Option<Interner<str>>,
    /// The class of each pair of tags.
    class_of: HashMap<Tags, u32>,
}

impl TaggerTrainer {
    /// Prepares training: classes and dictionaries are computed from all `sentences` of (word,
    /// tags).
    ///
    /// # Errors
    /// [`Error::Training`] if all tags are empty or there are no words, if there are more than
    /// 4096 different pairs of tags, and if `dropout` is not a share below 1.
    pub fn new<'a, S>(sentences: impl Iterator<Item = S>, options: TaggerOptions) -> Result<Self>
    where
        S: IntoIterator<Item = (&'a str, &'a Tags)>,
    {
        let counts = TagCounts::of(sentences);
        if counts.tags.iter().all(|tags| *tags == Tags::default()) {
            return Err(Error::Training("there are no tags to learn".into()));
        }
        if counts.tags.len() > MAX_CLASSES {
            return Err(Error::Training(format!(
                "{} different tags; a tagger has at most {MAX_CLASSES}; check that the column contains tags",
                counts.tags.len()
            )));
        }
        let mut classes = counts.tags.clone();
        classes.sort_unstable();
        let class_of: HashMap<Tags, u32> = classes.iter().cloned().zip(0..).collect();
        let class = |id: u32| class_of[&counts.tags[id as usize]];
        let tagdict = counts.tagdict(&options, class);
        let (known_tags, held_out) = match options.features {
            TaggerFeatures::Rich => counts.known_tags(class),
            TaggerFeatures::Published => Default::default(),
        };
        let scores = vec![0; classes.len()];
        let history = History::of(&classes);
        let setup = TaggerSetup::new(
            options.features,
            (classes, history),
            Lexicon::new(&tagdict),
            Lexicon::new(&known_tags),
        );
        Ok(Self {
            setup,
            start: Learner::default(),
            learner: Learner::default(),
            margin: options.margin,
            recheck: match options.features {
                TaggerFeatures::Published => 0,
                TaggerFeatures::Rich => options.recheck.clamp(0, 1 << 20) as i32,
            },
            held_out,
            dropout: Dropout::new(options.dropout)?,
            sentence: TaggerSentence::default(),
            scores,
            names: options.keep_names.then(Interner::default),
            class_of,
        })
    }

    /// Returns the pairs of tags by class, sorted.
    pub fn classes(&self) -> &[Tags] {
        &self.setup.classes
    }

    /// Returns the class of a pair of tags; None for a pair that is not in the training data.
    pub fn class(&self, tags: &Tags) -> Option<u32> {
        self.class_of.get(tags).copied()
    }

    /// Resets the weights and the random numbers, to train the model with this seed on the same data.
    pub(crate) fn reset(&mut self, seed: Option<u64>) {
        self.learner = self.start.clone();
        self.dropout.restart(seed);
    }

    /// Restricts the models that are trained after the next [`TaggerTrainer::reset`] to the weights
    /// of `averages`.
    pub(crate) fn restrict(&mut self, averages: &Averages) {
        self.start = Learner::with_weights_of(averages);
    }

    /// Returns the number of updates so far, including correct guesses, and the number of features
    /// changed by updates.
    pub fn progress(&self) -> (u64, usize) {
        (self.learner.updates(), self.learner.len())
    }

    /// Tags a sentence with the current weights, which are not averaged: writes the class of each
    /// word into `tags`.
    pub fn tag(&mut self, words: &[&str], tags: &mut Vec<u32>) {
        self.walk(words, None, tags);
    }

    /// Learns from a sentence with the gold class of each word, and returns the number of words
    /// that got the gold class, including words in the tagdict.
    pub fn train_one(&mut self, words: &[&str], gold: &[u32]) -> usize {
        let mut tags = Vec::with_capacity(words.len());
        self.walk(words, Some(gold), &mut tags);
        tags.iter().zip(gold).filter(|(a, b)| a == b).count()
    }

    /// Tags a sentence, and learns from the words that have a gold class and are not in the
    /// tagdict.
    fn walk(&mut self, words: &[&str], gold: Option<&[u32]>, tags: &mut Vec<u32>) {
        self.setup.start(words.iter().copied(), &mut self.sentence);
        if let Some(gold) = gold {
            self.held_out.replace(gold, &mut self.sentence.rich);
        }
        for at in 0..words.len() {
            if let Some(class) = self.setup.tagdict_class(&self.sentence, at) {
                self.sentence.tags.push(class);
                continue;
            }
            self.setup.extract(&mut self.sentence);
            let class = self.step(words, gold, at);
            self.sentence.tags.push(class);
            if gold.is_none() && self.recheck > 0 {
                let scores = as_i32(&self.scores);
                self.sentence.note_uncertain(&scores, class, self.recheck);
            }
        }
        tags.clone_from(&self.sentence.tags);
        if self.recheck > 0 {
            self.walk_back(words, gold, tags);
        }
    }

    /// Goes through a tagged sentence from right to left. Learns if there are gold classes, and
    /// otherwise replaces the classes of uncertain words.
    fn walk_back(&mut self, words: &[&str], gold: Option<&[u32]>, tags: &mut Vec<u32>) {
        if gold.is_some() {
            for at in (0..words.len()).rev() {
                if self.setup.tagdict_class(&self.sentence, at).is_none() {
                    self.setup.extract_backward(&mut self.sentence, at);
                    self.sentence.tags[at] = self.step(words, gold, at);
                }
            }
            return;
        }
        while let Some(&at) = self.sentence.uncertain.last() {
            self.setup.extract_backward(&mut self.sentence, at as usize);
            self.learner
                .score(self.sentence.features(), &mut self.scores);
            let mut scores = as_i32(&self.scores);
            self.sentence.add_first_scores(&mut scores);
            self.sentence.tags[at as usize] = last_largest(&scores) as u32;
        }
        tags.clone_from(&self.sentence.tags);
    }

    /// Returns the class with the largest score for the features that have been extracted, and learns
    /// if there is a gold class.
    fn step(&mut self, words: &[&str], gold: Option<&[u32]>, at: usize) -> u32 {
        let sentence = &mut self.sentence;
        if gold.is_some() {
            self.dropout.drop_features(&mut sentence.lookup.features);
        }
        self.learner.score(sentence.features(), &mut self.scores);
        let guess = last_largest(&self.scores) as u32;
        if let Some(truth) = gold.and_then(|gold| gold.get(at)) {
            let other = match guess == *truth && self.margin > 0 {
                true => runner_up(&mut self.scores, guess, self.margin),
                false => guess,
            };
            self.learner.update(*truth, other, sentence.features(), 1);
            if *truth != other {
                self.intern_names(words, at);
            }
        }
        guess
    }

    /// Interns the names of the features of a word, if names are kept, in the order in which the
    /// learner adds their rows.
    fn intern_names(&mut self, words: &[&str], at: usize) {
        let Some(names) = &mut self.names else {
            return;
        };
        let (tags, setup) = (&self.sentence.tags, &self.setup);
        let text = |back: usize| match tags.len().checked_sub(back) {
            Some(at) => setup.history.tag(&setup.classes[tags[at] as usize]),
            None => published::TAGS_BEFORE[back - tags.len() - 1],
        };
        for name in published::names(words, at, [text(1), text(2)]) {
            names.intern(&name);
        }
    }

    /// Returns the current averaged weights; for the published features rounded to thousandths, as
    /// in parser.py.
    pub fn averages(&self) -> Averages {
        match self.setup.features {
            TaggerFeatures::Published => Averages::rounded(&self.learner),
            TaggerFeatures::Rich => Averages::of(&self.learner),
        }
    }

    /// Returns the tagger with these weights: [`TaggerTrainer::averages`], or the mean of the
    /// averages for several seeds.
    ///
    /// # Errors
    /// [`Error::Training`] if weights are too large for the format. This can only happen for
    /// published features, whose scale is fixed.
    pub fn finish(&self, averages: Averages) -> Result<Tagger> {
        let mut names = Vec::new();
        if let Some(all) = &self.names {
            // Names in the order of the rows; features whose weights are all 0 have no row and no
            // name.
            let known: HashMap<u64, &str> = all
                .names()
                .map(|name| (TextHash::of(name).value(), name))
                .collect();
            let name = |(feature, _)| known.get(&feature).map(|name| (*name).to_owned());
            names = averages.rows().filter_map(name).collect();
        }
        let classes = self.setup.classes.len();
        let weights = match self.setup.features {
            TaggerFeatures::Published => Weights::new(&averages, classes, Some(1000.0)),
            TaggerFeatures::Rich => Weights::compact(&averages, classes),
        };
        let weights = weights.map_err(Error::Training)?;
        let recheck = (f64::from(self.recheck) * weights.scale()).round() as i32;
        Ok(Tagger {
            setup: self.setup.clone(),
            weights,
            names,
            recheck,
        })
    }
}

/// Returns scores as numbers of 32 bits; larger scores become the nearest of these.
fn as_i32(scores: &[i64]) -> Vec<i32> {
    let near = |&score: &i64| score.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    scores.iter().map(near).collect()
}

/// Returns the second best class if it is within the margin of the best class, otherwise the best
/// class, for which nothing is updated. Overwrites the score of the best class.
fn runner_up(scores: &mut [i64], best: u32, margin: i64) -> u32 {
    if scores.len() < 2 {
        return best;
    }
    let score = std::mem::replace(&mut scores[best as usize], i64::MIN);
    let second = last_largest(scores);
    match score - scores[second] < margin {
        true => second as u32,
        false => best,
    }
}
