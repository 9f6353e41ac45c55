//! Training of lemmas.
//!
//! The classifier learns from *types*, the different words of the training data: words with the same form, tags and
//! morphological features, whose lemma is the most frequent one. Frequent words thereby count no more than rare ones,
//! which are more like unknown words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::MorphologyBuffers;
use super::feats::feats_hash;
use super::fit::{MorphologyOptions, train_averages};
use super::lemmas::{Lemmatizer, Target, features, keys};
use super::script::Script;
use super::token::{PAD, Token, padded};
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::feature_index::FeatureIndex;
use crate::fit::{Epoch, Next, Passes};
use crate::learner::Learner;
use crate::treebank::Treebank;
use crate::weights::{MAX_CLASSES, Weights};

/// Number of scripts that are classes even if they are rarer than
/// [`MorphologyOptions::min_script_count`].
const MIN_CLASSES: usize = 50;

/// A word of the training data.
struct DistinctWord<'a> {
    /// The form.
    form: &'a str,
    /// Its hashes and those of its tags.
    token: Token,
    /// Hash of its morphological features; 0 if the treebank has none.
    feats: u64,
    /// The most frequent lemma; of equally frequent ones the first by bytes.
    lemma: &'a str,
    /// Number of its occurrences.
    count: usize,
    /// The script from the form to the lemma.
    script: u32,
}

/// Returns the types of the words with lemmas, in the order of form, tags and morphological features, without scripts.
fn types(treebank: &Treebank) -> Vec<DistinctWord<'_>> {
    let mut has_feats = false;
    // Words with a lemma, by form, XPOS, UPOS and FEATS.
    let mut counts: BTreeMap<[&str; 4], BTreeMap<&str, usize>> = BTreeMap::new();
    for word in (0..treebank.len()).flat_map(|at| treebank.sentence(at)) {
        has_feats |= !word.feats.is_empty();
        if !word.lemma.is_empty() {
            let key = [word.form, word.xpos, word.upos, word.feats];
            *counts
                .entry(key)
                .or_default()
                .entry(word.lemma)
                .or_default() += 1;
        }
    }
    let mut tokens = Vec::new();
    let types = counts
        .into_iter()
        .filter_map(|([form, xpos, upos, feats], lemmas)| {
            padded([[form, xpos, upos]], &mut tokens);
            let most = lemmas
                .iter()
                .max_by_key(|&(lemma, count)| (*count, Reverse(*lemma)));
            Some(DistinctWord {
                form,
                token: tokens[PAD],
                feats: if has_feats { feats_hash(feats) } else { 0 },
                lemma: most?.0,
                count: lemmas.values().sum(),
                script: 0,
            })
        });
    types.collect()
}

/// Sets the scripts of the types, and returns the scripts, the most frequent ones first, and the number of classes.
fn number_scripts(types: &mut [DistinctWord<'_>], min_count: usize) -> (Vec<Script>, usize) {
    let all: Vec<Script> = types
        .iter()
        .map(|own| Script::between(own.form, own.lemma))
        .collect();
    let mut counts: HashMap<&Script, usize> = HashMap::new();
    for script in &all {
        *counts.entry(script).or_default() += 1;
    }
    let mut scripts: Vec<(&Script, usize)> = counts.into_iter().collect();
    scripts.sort_unstable_by_key(|&(script, count)| (Reverse(count), script));
    let frequent = scripts
        .iter()
        .filter(|(_, count)| *count >= min_count)
        .count();
    let classes = frequent
        .max(MIN_CLASSES)
        .min(scripts.len())
        .min(MAX_CLASSES);
    let numbers: HashMap<&Script, u32> =
        scripts.iter().map(|(script, _)| *script).zip(0..).collect();
    for (own, script) in types.iter_mut().zip(&all) {
        own.script = numbers.get(script).copied().unwrap_or_default();
    }
    let scripts = scripts
        .into_iter()
        .map(|(script, _)| script.clone())
        .collect();
    (scripts, classes)
}

/// The classifier in training.
struct Trainer<'a> {
    /// The types whose script is a class.
    types: Vec<&'a DistinctWord<'a>>,
    /// The scripts of the classes.
    scripts: &'a [Script],
    /// Margin of the correct script.
    margin: i64,
    /// Buffers: features, scores, a form in another case, and a lemma.
    features: Vec<u64>,
    scores: Vec<i64>,
    text: String,
    lemma: String,
}

impl Trainer<'_> {
    /// Learns from a type, and returns whether its lemma was correct. A script that gives the gold lemma in another way
    /// is not a mistake.
    fn learn(&mut self, learner: &mut Learner, at: usize) -> bool {
        let own = self.types[at];
        features(&own.token, own.feats, &mut self.features);
        learner.score(&self.features, &mut self.scores);
        let truth = self.scores[own.script as usize];
        self.scores[own.script as usize] = i64::MIN;
        let mut wrong = None;
        // The best script that gives a wrong lemma, if it is within the margin.
        while let Some((class, score)) = self.best()
            && score > truth.saturating_sub(self.margin)
        {
            self.lemma.clear();
            let script = &self.scripts[class];
            if script.apply(own.form, &mut self.text, &mut self.lemma) && self.lemma != own.lemma {
                wrong = Some((class as u32, score));
                break;
            }
            self.scores[class] = i64::MIN;
        }
        let other = wrong.map_or(own.script, |(class, _)| class);
        learner.update(own.script, other, &self.features, 1);
        wrong.is_none_or(|(_, score)| score < truth)
    }

    /// Returns the class with the largest score, and the score; None if all classes are excluded.
    fn best(&self) -> Option<(usize, i64)> {
        let scores = self.scores.iter().copied().enumerate();
        scores
            .filter(|(_, score)| *score > i64::MIN)
            .max_by_key(|&(class, score)| (score, Reverse(class)))
    }
}

/// Trains lemmas; returns None if no word has a lemma.
///
/// # Errors
/// Same as [`fit_morphology`](super::fit_morphology).
pub(super) fn fit_lemmas(
    treebank: &Treebank,
    options: &MorphologyOptions,
    passes: Passes,
    after: impl FnMut(Epoch) -> Result<Next>,
) -> Result<Option<Lemmatizer>> {
    let mut types = types(treebank);
    // The lemma of the word "_" is written like a missing lemma.
    let words = (0..treebank.len()).flat_map(|at| treebank.sentence(at));
    if !words
        .into_iter()
        .any(|word| !matches!(word.lemma, "" | "_"))
    {
        return Ok(None);
    }
    let (scripts, classes) = number_scripts(&mut types, options.min_script_count);
    let mut trainer = Trainer {
        types: types
            .iter()
            .filter(|own| (own.script as usize) < classes)
            .collect(),
        scripts: &scripts[..classes],
        margin: options.lemma_margin,
        features: Vec::new(),
        scores: vec![0; classes],
        text: String::new(),
        lemma: String::new(),
    };
    let passes = Passes {
        epochs: options.lemma_epochs,
        ..passes
    };
    let len = trainer.types.len();
    let learn =
        |learner: &mut Learner, _: &mut Dropout, at| (usize::from(trainer.learn(learner, at)), 1);
    let averages = train_averages(len, passes, Dropout::new(0.0)?, learn, after)?;
    let weights = Weights::compact(&averages.at_most(options.max_lemma_weights), classes);
    let weights = weights.map_err(Error::Training)?;
    let mut lemmatizer = Lemmatizer {
        scripts,
        exceptions: FeatureIndex::default(),
        weights,
    };
    add_exceptions(&mut lemmatizer, &types);
    Ok(Some(lemmatizer))
}

/// Adds the types with a wrong lemma to the exceptions. Forms in lower case come first, because they are exceptions for
/// other forms too, and then frequent types, because an exception without morphological features is for the most
/// frequent ones.
fn add_exceptions(lemmatizer: &mut Lemmatizer, types: &[DistinctWord<'_>]) {
    let mut order: Vec<&DistinctWord<'_>> = types.iter().collect();
    order.sort_by_key(|own| (own.token.word != own.token.lower, Reverse(own.count)));
    let mut buffers = MorphologyBuffers::default();
    let mut decided = HashSet::new();
    let mut lemma = String::new();
    for own in order {
        let [specific, general, ..] = keys(&own.token, own.feats);
        let is_first = decided.insert(general);
        lemma.clear();
        let MorphologyBuffers {
            lookups,
            scores,
            text,
            ..
        } = &mut buffers;
        let mut target = Target {
            form: own.form,
            text,
            lemma: &mut lemma,
        };
        lemmatizer.lemmatize(&own.token, own.feats, &mut lookups[0], scores, &mut target);
        if lemma != own.lemma {
            let key = if is_first { general } else { specific };
            lemmatizer.exceptions.insert(key, own.script);
        }
    }
}
