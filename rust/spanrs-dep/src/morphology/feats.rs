//! Prediction of morphological features (FEATS of CoNLL-U), with the tags of the words on both sides.
//!
//! A class is a whole annotation such as `Number=Plur`. A word gets one of its *candidates*, the classes that occur
//! with its pair of tags in the training data; if there are several, the one with the largest score. Nothing depends on
//! the predicted classes of other words, so that the words of a sentence are looked up together and their cache misses
//! overlap.
//!
//! Most features are combined with the pair of tags of the word:
//!
//! | templates | values, with the pair of tags |
//! |---|---|
//! | 3 | nothing; form in lower case; shape |
//! | 5 | suffixes of 1 to 5 characters in lower case, if shorter than the word |
//! | 5 | tags at -1; 1; -1 and 1; -2 and -1; 1 and 2 |
//! | 4 | forms in lower case at -1, 1, -2 and 2 |
//! | 3 | nearest auxiliary before the word; with the suffix of 2; with the tag at -1 |
//! | 4 | nearest noun or pronoun before the word: its form and its tags; each with the nearest auxiliary |
//! | 1 | last word of the sentence |
//!
//! The others recognise words with a wrong tag: the form in lower case and the suffix of 3, alone and with UPOS; the
//! suffix of 2 with UPOS and the tag at -1, and with the form at -1; and the tags at -1 and 1.

use spanrs_base::Jagged;

use super::token::{PAD, Token};
use crate::feature_index::FeatureIndex;
use crate::tagger::rich::mix;
use crate::text_hash::TextHash;
use crate::weights::{Lookup, Scores, Weights};

/// The classes that are possible with each pair of tags.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    /// Keys of the pairs of tags, and of UPOS alone; all different.
    keys: Vec<u64>,
    /// The row of each key.
    index: FeatureIndex,
    /// The classes of each key, the most frequent ones first. No row is empty.
    rows: Jagged<u32>,
    /// All classes, the candidates of unknown tags.
    all: Vec<u32>,
}

impl Candidates {
    /// Creates the candidates from the rows of different keys and their index; `classes` is the number of classes.
    pub(super) fn new(
        keys: Vec<u64>,
        index: FeatureIndex,
        rows: Jagged<u32>,
        classes: usize,
    ) -> Self {
        let all = (0..classes as u32).collect();
        Self {
            keys,
            index,
            rows,
            all,
        }
    }

    /// Returns the candidates of a word: those of its pair of tags, or of its UPOS if the pair is unknown, or all
    /// classes.
    pub(super) fn of(&self, token: &Token) -> &[u32] {
        let row = self.index.find(token.pair);
        let row = row.or_else(|| self.index.find(token.upos));
        let row = row.and_then(|row| self.rows.get(row as usize));
        row.unwrap_or(&self.all)
    }

    /// Returns the keys and the rows.
    pub(super) fn rows(&self) -> (&[u64], &Jagged<u32>) {
        (&self.keys, &self.rows)
    }
}

/// Returns the candidate with the largest score; of equal scores the first. There must be a candidate, and a score for
/// each.
#[inline]
pub(super) fn best_candidate<T: PartialOrd + Copy>(candidates: &[u32], scores: &[T]) -> u32 {
    let mut best = candidates[0];
    for &class in candidates {
        if scores[class as usize] > scores[best as usize] {
            best = class;
        }
    }
    best
}

/// Replaces `features` with the features of the word with index `at` in the padded `tokens` of a sentence.
#[inline]
pub(super) fn features(tokens: &[Token], at: usize, features: &mut Vec<u64>) {
    features.clear();
    let Some([before2, before, own, after, after2]) = tokens.get(at..at + 2 * PAD + 1) else {
        return;
    };
    let last = tokens
        .len()
        .checked_sub(PAD + 1)
        .map_or(0, |last| tokens[last].word);
    let mut number = 0_u64;
    let mut push = |base: u64, value: u64| {
        number += 1;
        if value != 0 {
            features.push(mix(base.wrapping_add(number << 32), value));
        }
    };
    let mut with_pair = |value| push(own.pair, value);
    with_pair(1);
    with_pair(own.lower);
    with_pair(own.shape);
    own.suffixes[..5]
        .iter()
        .for_each(|&suffix| with_pair(suffix));
    let both = mix(before.tag, after.tag);
    with_pair(before.tag);
    with_pair(after.tag);
    with_pair(both);
    with_pair(mix(before2.tag, before.tag));
    with_pair(mix(after.tag, after2.tag));
    with_pair(before.lower);
    with_pair(after.lower);
    with_pair(before2.lower);
    with_pair(after2.lower);
    with_pair(own.auxiliary);
    with_pair(mix(own.auxiliary, own.suffixes[1]));
    with_pair(mix(own.auxiliary, before.tag));
    let (nominal_pair, nominal) = own.nominal;
    with_pair(nominal);
    with_pair(nominal_pair);
    with_pair(mix(nominal_pair, own.auxiliary));
    with_pair(mix(nominal, own.auxiliary));
    with_pair(last);
    push(0, own.lower);
    push(0, own.suffixes[2]);
    push(own.upos, own.lower);
    push(own.upos, own.suffixes[2]);
    push(own.upos, mix(before.tag, own.suffixes[1]));
    push(0, both);
    push(0, mix(before.lower, own.suffixes[1]));
}

/// Predicts the morphological features of words.
#[derive(Clone, Debug)]
pub(super) struct FeatsTagger {
    /// The classes, the most frequent ones first.
    pub(super) classes: Vec<String>,
    /// Hash of each class, for features of lemmas.
    pub(super) hashes: Vec<u64>,
    /// The classes that are possible with each pair of tags.
    pub(super) candidates: Candidates,
    /// Weights of the features for each class.
    pub(super) weights: Weights,
}

/// Number of words whose lookups are interleaved.
pub(super) const GROUP: usize = 16;

/// Returns the hash of morphological features; never 0.
pub(super) fn feats_hash(feats: &str) -> u64 {
    TextHash::of(feats).value().wrapping_mul(2) | 1
}

impl FeatsTagger {
    /// Creates a tagger from its parts. The candidates must be classes, and the weights have as many classes.
    pub(super) fn new(classes: Vec<String>, candidates: Candidates, weights: Weights) -> Self {
        let hashes = classes.iter().map(|feats| feats_hash(feats)).collect();
        Self {
            classes,
            hashes,
            candidates,
            weights,
        }
    }

    /// Writes the class of each word of a sentence into `feats`.
    pub(super) fn predict(
        &self,
        tokens: &[Token],
        lookups: &mut [Lookup; GROUP],
        scores: &mut Scores,
        feats: &mut Vec<u32>,
    ) {
        feats.clear();
        let words = tokens.len().saturating_sub(2 * PAD);
        let mut group = [0; GROUP];
        while feats.len() < words {
            // The words of the group, which are those with several candidates.
            let mut len = 0;
            while feats.len() < words && len < GROUP {
                let at = feats.len();
                let candidates = self.candidates.of(&tokens[at + PAD]);
                if candidates.len() > 1 {
                    group[len] = at;
                    features(tokens, at, &mut lookups[len].features);
                    self.weights.prefetch(&mut lookups[len]);
                    len += 1;
                }
                feats.push(candidates[0]);
            }
            for lookup in &mut lookups[..len] {
                self.weights.find(lookup);
            }
            for (lookup, &at) in lookups.iter().zip(&group[..len]) {
                let scores = self.weights.sums(lookup, scores);
                feats[at] = best_candidate(self.candidates.of(&tokens[at + PAD]), scores);
            }
        }
    }
}
