//! Prediction of lemmas: an edit script for each word.
//!
//! A word that is an *exception* has its script in a table. The classifier chooses the script of all other words,
//! known or unknown, from their affixes, shape, tags and morphological features; of the scripts that apply to the form
//! the one with the largest score. Exceptions are the words of the training data for which the classifier is wrong, so
//! that the table stays small.
//!
//! An exception is looked up by the form as written, then in lower case, with both tags; each first with the
//! morphological features, then without.
//!
//! | templates | values of the classifier |
//! |---|---|
//! | 1 + 6 + 3 | nothing; suffixes of 1 to 6 and prefixes of 1 to 3 characters; with both tags |
//! | 2 | shape; shape and suffix of 2; with both tags |
//! | 4 | morphological features; with the suffixes of 1, 2 and 3; with both tags |
//! | 3 | suffixes of 2, 3 and 4 with UPOS |

use super::feats::GROUP;
use super::script::Script;
use super::token::Token;
use crate::feature_index::FeatureIndex;
use crate::tagger::rich::mix;
use crate::weights::{Lookup, Scores, Weights};

/// Replaces `features` with the features of a word. `feats` is the hash of its morphological features.
#[inline]
pub(super) fn features(own: &Token, feats: u64, features: &mut Vec<u64>) {
    features.clear();
    let mut number = 0_u64;
    let mut push = |base: u64, value: u64| {
        number += 1;
        if value != 0 {
            features.push(mix(base.wrapping_add(number << 32), value));
        }
    };
    let mut with_pair = |value| push(own.pair, value);
    with_pair(1);
    own.suffixes.iter().for_each(|&suffix| with_pair(suffix));
    own.prefixes.iter().for_each(|&prefix| with_pair(prefix));
    with_pair(own.shape);
    with_pair(mix(own.shape, own.suffixes[1]));
    with_pair(feats);
    own.suffixes[..3]
        .iter()
        .for_each(|&suffix| with_pair(mix(feats, suffix)));
    own.suffixes[1..4]
        .iter()
        .for_each(|&suffix| push(own.upos, suffix));
}

/// Returns the keys of a word in the table of exceptions, in the order in which they are looked up.
pub(super) fn keys(token: &Token, feats: u64) -> [u64; 4] {
    let word = mix(token.word, token.pair);
    let lower = mix(token.lower, token.pair);
    [mix(word, feats), word, mix(lower, feats), lower]
}

/// Largest number of scripts that are tried for a word.
const MAX_TRIES: usize = 8;

/// Predicts the lemmas of words.
#[derive(Clone, Debug)]
pub(super) struct Lemmatizer {
    /// The scripts. The first ones are the classes of the classifier; the others only occur with exceptions.
    pub(super) scripts: Vec<Script>,
    /// The script of each exception by its key.
    pub(super) exceptions: FeatureIndex,
    /// Weights of the features for each class.
    pub(super) weights: Weights,
}

/// A word and the text that it adds to.
pub(super) struct Target<'a> {
    /// The form.
    pub(super) form: &'a str,
    /// Buffer for the form in another case.
    pub(super) text: &'a mut String,
    /// The lemma is appended to this text.
    pub(super) lemma: &'a mut String,
}

impl Target<'_> {
    /// Appends the lemma that the script gives, and returns true; returns false if it does not apply.
    fn apply(&mut self, script: &Script) -> bool {
        script.apply(self.form, self.text, self.lemma)
    }
}

impl Lemmatizer {
    /// Returns the key and the script of each exception, sorted by key.
    pub(super) fn sorted_exceptions(&self) -> Vec<(u64, u32)> {
        let mut exceptions = Vec::new();
        self.exceptions
            .each(|key, script| exceptions.push((key, script)));
        exceptions.sort_unstable();
        exceptions
    }

    /// Returns the script of a word that is an exception.
    #[inline]
    fn exception(&self, token: &Token, feats: u64) -> Option<&Script> {
        let mut keys = keys(token, feats).into_iter();
        let script = keys.find_map(|key| self.exceptions.find(key))?;
        self.scripts.get(script as usize)
    }

    /// Appends the lemma by the best script that applies, of equal scores the first; the form itself if none of the
    /// best scripts applies. Scores are overwritten.
    fn write_best(&self, scores: &mut Scores, target: &mut Target<'_>) {
        let classes = self.weights.classes();
        let scores = &mut scores[..classes];
        for _ in 0..classes.min(MAX_TRIES) {
            let mut best = 0;
            for (at, score) in scores.iter().enumerate() {
                if *score > scores[best] {
                    best = at;
                }
            }
            if target.apply(&self.scripts[best]) {
                return;
            }
            scores[best] = i32::MIN;
        }
        target.lemma.push_str(target.form);
    }

    /// Appends the lemma of a word, predicted by the classifier.
    pub(super) fn classify(
        &self,
        token: &Token,
        feats: u64,
        lookup: &mut Lookup,
        scores: &mut Scores,
        target: &mut Target<'_>,
    ) {
        features(token, feats, &mut lookup.features);
        self.weights.prefetch(lookup);
        self.weights.find(lookup);
        self.weights.sums(lookup, scores);
        self.write_best(scores, target);
    }

    /// Appends the lemma of a word.
    pub(super) fn lemmatize(
        &self,
        token: &Token,
        feats: u64,
        lookup: &mut Lookup,
        scores: &mut Scores,
        target: &mut Target<'_>,
    ) {
        match self.exception(token, feats) {
            Some(script) if target.apply(script) => {}
            _ => self.classify(token, feats, lookup, scores, target),
        }
    }

    /// Appends the lemmas of the words of a sentence to `lemmas`, and calls `end` with the length of `lemmas` after
    /// each. `tokens` are the words without padding, and `feats` the hashes of their morphological features.
    pub(super) fn predict<'a>(
        &self,
        mut forms: impl Iterator<Item = &'a str>,
        tokens: &[Token],
        feats: impl Fn(usize) -> u64,
        (lookups, scores, text): (&mut [Lookup; GROUP], &mut Scores, &mut String),
        (lemmas, mut end): (&mut String, impl FnMut(usize)),
    ) {
        for start in (0..tokens.len()).step_by(GROUP) {
            let words = start..(start + GROUP).min(tokens.len());
            let mut scripts = [None; GROUP];
            for ((at, lookup), script) in words.clone().zip(&mut *lookups).zip(&mut scripts) {
                *script = self.exception(&tokens[at], feats(at));
                lookup.is_pending = script.is_none();
                if lookup.is_pending {
                    features(&tokens[at], feats(at), &mut lookup.features);
                    self.weights.prefetch(lookup);
                }
            }
            for (_, lookup) in words
                .clone()
                .zip(&mut *lookups)
                .filter(|(_, lookup)| lookup.is_pending)
            {
                self.weights.find(lookup);
            }
            for ((at, lookup), script) in words.zip(&mut *lookups).zip(scripts) {
                let form = forms.next().unwrap_or_default();
                let lemma = &mut *lemmas;
                let mut target = Target { form, text, lemma };
                match script {
                    None => {
                        self.weights.sums(lookup, scores);
                        self.write_best(scores, &mut target);
                    }
                    Some(script) if target.apply(script) => {}
                    // The script of a word in lower case need not apply to this form.
                    Some(_) => self.classify(&tokens[at], feats(at), lookup, scores, &mut target),
                }
                end(lemmas.len());
            }
        }
    }
}
