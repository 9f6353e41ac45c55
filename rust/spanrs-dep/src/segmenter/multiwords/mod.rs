//! Multiword tokens: which tokens consist of several words, and of which.
//!
//! The words of a multiword token are described by a rule: the token is a stem between a prefix
//! and a suffix, which are replaced by words of their own (`n't` in `do|n't`). A multiword token of
//! the training data could be explained with any of its words as the stem; the rule that explains
//! the most distinct tokens is chosen. Tokens that share their rule with no other token (French
//! `du` for `de le`) become entries of a list of forms instead. Where several rules apply, or where
//! the token may also be a single word (`its`), a perceptron decides by the token and its context.
//!
//! Classes: 0 is a single word, 1 an entry of the list, and the others are rules.

mod rule;
mod train;

use crate::feature_index::FeatureIndex;
use crate::weights::{Lookup, Scores, Weights};

use super::hashes::{FeatureWriter, Prefixes, hash_of, mix};
use super::sentences::TokenView;
use super::tokens::Gaps;
use rule::push_words;

pub(super) use rule::Rule;
pub(super) use train::MultiwordTrainer;

/// Class of single words.
const SINGLE: u32 = 0;
/// Class of the forms of the list.
const LISTED: u32 = 1;
/// Class of the first rule.
const FIRST_RULE: u32 = 2;

/// The rules and the list of forms.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    /// The rules, sorted by prefix and suffix.
    rules: Vec<Rule>,
    /// Folded forms and their words, sorted.
    forms: Vec<(String, Vec<String>)>,
    /// First rule for each pair of prefix and suffix.
    by_affixes: FeatureIndex,
    /// Index of each form.
    by_form: FeatureIndex,
    /// Pairs of lengths of prefixes and suffixes.
    lengths: Vec<(usize, usize)>,
}

/// Returns the key of a prefix and a suffix, given by their hashes.
fn affix_key(prefix: u64, suffix: u64) -> u64 {
    mix(prefix, mix(suffix, 7))
}

/// Returns the hash of a string as [`Prefixes`] computes it.
fn hash(text: &str) -> u64 {
    hash_of(text.chars().map(u32::from))
}

impl Rules {
    /// Sorts and indexes rules and forms.
    pub(super) fn new(mut rules: Vec<Rule>, mut forms: Vec<(String, Vec<String>)>) -> Self {
        rules.sort_unstable();
        rules.dedup();
        forms.sort_unstable();
        forms.dedup_by(|a, b| a.0 == b.0);
        let affixes = rules
            .iter()
            .map(|rule| affix_key(hash(&rule.prefix), hash(&rule.suffix)));
        let by_affixes = FeatureIndex::of(affixes.zip(0..));
        let by_form = FeatureIndex::of(forms.iter().map(|(form, _)| hash(form)).zip(0..));
        let chars = |text: &str| text.chars().count();
        let lengths = rules
            .iter()
            .map(|rule| (chars(&rule.prefix), chars(&rule.suffix)));
        let mut lengths: Vec<_> = lengths.collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self {
            rules,
            forms,
            by_affixes,
            by_form,
            lengths,
        }
    }

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        FIRST_RULE as usize + self.rules.len()
    }

    /// The rules, sorted.
    pub(super) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The forms with their words, sorted.
    pub(super) fn forms(&self) -> &[(String, Vec<String>)] {
        &self.forms
    }

    /// Replaces `classes` with the classes of several words that apply to a token.
    fn candidates(
        &self,
        prefixes: &Prefixes,
        (start, end): (usize, usize),
        classes: &mut Vec<u32>,
    ) {
        classes.clear();
        for &(prefix, suffix) in &self.lengths {
            if prefix + suffix >= end - start {
                continue;
            }
            let affixes = [
                prefixes.hash(start, start + prefix),
                prefixes.hash(end - suffix, end),
            ];
            let Some(first) = self.by_affixes.find(affix_key(affixes[0], affixes[1])) else {
                continue;
            };
            let rules = self.rules.get(first as usize..).unwrap_or_default();
            let Some(own) = rules.first() else { continue };
            let same = rules
                .iter()
                .take_while(|rule| rule.prefix == own.prefix && rule.suffix == own.suffix);
            classes.extend(same.zip(first..).map(|(_, at)| FIRST_RULE + at));
        }
        if self.find_form(prefixes.hash(start, end)).is_some() {
            classes.push(LISTED);
        }
    }

    /// Returns the index of a form by its hash.
    fn find_form(&self, form: u64) -> Option<u32> {
        self.by_form.find(form).filter(|_| form != 0)
    }

    /// Appends the words of a token of a class to `out`.
    pub(super) fn apply(&self, class: u32, form: u64, token: &str, out: &mut Vec<String>) {
        match class
            .checked_sub(FIRST_RULE)
            .and_then(|rule| self.rules.get(rule as usize))
        {
            Some(rule) => rule.apply(token, out),
            None => {
                let entry = self
                    .find_form(form)
                    .and_then(|at| self.forms.get(at as usize));
                match entry {
                    Some((_, words)) if class == LISTED => push_words(token, token, words, out),
                    _ => {}
                }
            }
        }
    }
}

/// Rules with the weights of their classes.
#[derive(Clone, Debug)]
pub(super) struct Multiwords {
    /// The rules.
    pub(super) rules: Rules,
    /// The weights.
    pub(super) weights: Weights,
}

/// Memory that predictions reuse.
#[derive(Clone, Debug, Default)]
pub(super) struct MultiwordBuffers {
    /// Classes that apply to the token.
    candidates: Vec<u32>,
    /// Features of the token.
    lookup: Lookup,
}

impl Multiwords {
    /// Returns the class of the token with a range of characters; `context` are the tokens of the
    /// paragraph and its index.
    pub(super) fn class(
        &self,
        gaps: &Gaps,
        span: (usize, usize),
        context: (&[TokenView], usize),
        buffers: &mut MultiwordBuffers,
        scores: &mut Scores,
    ) -> u32 {
        self.rules
            .candidates(&gaps.prefixes, span, &mut buffers.candidates);
        if buffers.candidates.is_empty() {
            return SINGLE;
        }
        features(&gaps.prefixes, span, context, &mut buffers.lookup.features);
        self.weights.prefetch(&mut buffers.lookup);
        self.weights.find(&mut buffers.lookup);
        let scores = self.weights.sums(&buffers.lookup, scores);
        let score = |class: u32| {
            scores
                .get(class as usize)
                .map_or(0, |score| i64::from(*score))
        };
        best(&buffers.candidates, score)
    }
}

/// Returns the class with the largest score among the single word and the candidates; the first of
/// equal ones.
fn best(candidates: &[u32], score: impl Fn(u32) -> i64) -> u32 {
    let mut best = (SINGLE, score(SINGLE));
    for &class in candidates {
        let own = score(class);
        if own > best.1 {
            best = (class, own);
        }
    }
    best.0
}

/// Replaces `features` with the features of a token.
fn features(
    prefixes: &Prefixes,
    (start, end): (usize, usize),
    (views, at): (&[TokenView], usize),
    features: &mut Vec<u64>,
) {
    let view = |at: Option<usize>| at.and_then(|at| views.get(at)).copied().unwrap_or_default();
    let [own, after, after2] = [0, 1, 2].map(|n| view(at.checked_add(n)));
    let [before, before2] = [1, 2].map(|n| view(at.checked_sub(n)));
    let suffix = |n: usize| prefixes.hash(end - n.min(end - start), end);
    let prefix = |n: usize| prefixes.hash(start, start + n.min(end - start));
    let mut out = FeatureWriter::new(features, 2000);
    out.extend([0, own.form, own.facts, own.shape]);
    out.extend([suffix(1), prefix(1), suffix(2), prefix(2)]);
    out.extend([suffix(3), prefix(3), suffix(4), prefix(4)]);
    out.extend([
        mix(suffix(2), own.shape),
        mix(suffix(2), own.facts),
        mix(suffix(3), own.facts),
    ]);
    let classes = mix(before.class(), after.class());
    let contexts = [
        before.form,
        after.form,
        after.suffix,
        before.suffix,
        classes,
        mix(after.suffix, after2.suffix),
        mix(after.class(), after2.class()),
        mix(before2.class(), before.class()),
        u64::from(own.first),
    ];
    out.extend(contexts.map(|context| mix(own.form, context)));
    for suffix in [suffix(1), suffix(2)] {
        let contexts = [before.form, after.form, after.suffix, classes];
        out.extend(contexts.map(|context| mix(suffix, context)));
    }
}
