//! Training of multiword tokens.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::rule::{Rule, fold, stored};
use super::{FIRST_RULE, LISTED, MultiwordBuffers, Multiwords, Rules, SINGLE, best, features};
use crate::averages::Averages;
use crate::learner::Learner;
use crate::segmenter::hashes;
use crate::segmenter::sentences::TokenView;
use crate::segmenter::tokens::Gaps;
use crate::weights::Weights;

/// Most rules; further multiword tokens are listed.
const MAX_RULES: usize = 1000;
/// Longest multiword tokens with rules, in bytes.
const LONGEST: usize = 64;

/// Multiword tokens in training.
#[derive(Clone, Debug)]
pub(in super::super) struct MultiwordTrainer {
    /// The rules.
    rules: Rules,
    /// The current weights.
    learner: Learner,
    /// Scores of the classes.
    scores: Vec<i64>,
    /// Memory for features.
    buffers: MultiwordBuffers,
    /// Margin of updates.
    margin: i64,
}

impl MultiwordTrainer {
    /// Finds rules that explain tokens with several words; None if there are no such tokens.
    pub(in super::super) fn new<'a>(
        tokens: impl Iterator<Item = (&'a str, &'a [String])>,
        margin: i64,
    ) -> Option<Self> {
        let rules = find_rules(tokens)?;
        let scores = vec![0; rules.classes()];
        Some(Self {
            rules,
            learner: Learner::default(),
            scores,
            buffers: MultiwordBuffers::default(),
            margin,
        })
    }

    /// Resets the weights.
    pub(in super::super) fn forget(&mut self) {
        self.learner = Learner::default();
    }

    /// Returns the averaged weights so far.
    pub(in super::super) fn averages(&self) -> Averages {
        Averages::of(&self.learner)
    }

    /// Returns the class of a token with gold words; SINGLE if nothing explains them.
    pub(in super::super) fn class(&self, token: &str, words: &[String]) -> u32 {
        if words.is_empty() {
            return SINGLE;
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for stem in 0..words.len() {
            if let Some(rule) = Rule::of(token, &words, stem)
                && let Ok(at) = self.rules.rules.binary_search(&rule)
            {
                return FIRST_RULE + at as u32;
            }
        }
        let form = fold(token);
        match self.rules.forms.binary_search_by(|(own, _)| own.cmp(&form)) {
            Ok(_) => LISTED,
            Err(_) => SINGLE,
        }
    }

    /// Learns from a token of a class.
    pub(in super::super) fn train_one(
        &mut self,
        gaps: &Gaps,
        span: (usize, usize),
        context: (&[TokenView], usize),
        truth: u32,
    ) {
        let MultiwordBuffers { candidates, lookup } = &mut self.buffers;
        self.rules.candidates(&gaps.prefixes, span, candidates);
        if candidates.is_empty() {
            return;
        }
        features(&gaps.prefixes, span, context, &mut lookup.features);
        self.learner.score(&lookup.features, &mut self.scores);
        let scores = &mut self.scores;
        if let Some(score) = scores.get_mut(truth as usize) {
            *score -= self.margin;
        }
        let guess = best(candidates, |class| {
            scores.get(class as usize).copied().unwrap_or_default()
        });
        self.learner.update(truth, guess, &lookup.features, 1);
    }

    /// Returns the rules with averaged weights.
    pub(in super::super) fn finish(&self, averages: &Averages) -> Result<Multiwords, String> {
        let weights = Weights::compact(averages, self.rules.classes())?;
        Ok(Multiwords {
            rules: self.rules.clone(),
            weights,
        })
    }
}

/// Returns the rules and listed forms of tokens with their words; None if there are none.
fn find_rules<'a>(tokens: impl Iterator<Item = (&'a str, &'a [String])>) -> Option<Rules> {
    // Each distinct division of a token, with its number of occurrences.
    let mut divisions: BTreeMap<(String, Vec<String>), usize> = BTreeMap::new();
    // Files of models cannot contain words with control characters, nor empty words.
    let is_word = |word: &String| !word.is_empty() && !word.contains(char::is_control);
    let is_multiword = |words: &[String]| words.len() > 1 && words.iter().all(is_word);
    for (token, words) in tokens.filter(|(_, words)| is_multiword(words)) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        *divisions
            .entry((fold(token), stored(token, &words)))
            .or_default() += 1;
    }
    let explanations = |(token, words): &(String, Vec<String>)| -> Vec<Rule> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let stems = 0..if token.len() > LONGEST {
            0
        } else {
            words.len()
        };
        stems
            .filter_map(|stem| Rule::of(token, &words, stem))
            .filter(Rule::has_usable_affixes)
            .collect()
    };
    let mut support: BTreeMap<Rule, usize> = BTreeMap::new();
    for division in divisions.keys() {
        let rules: BTreeSet<Rule> = explanations(division).into_iter().collect();
        rules
            .into_iter()
            .for_each(|rule| *support.entry(rule).or_default() += 1);
    }
    // Of rules with equal support the one whose stem comes first.
    let best = |division: &(String, Vec<String>)| -> Option<Rule> {
        let rules = explanations(division).into_iter();
        let rules = rules.filter(|rule| support.get(rule) > Some(&1));
        rules.rev().max_by_key(|rule| support.get(rule).copied())
    };
    let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
    for rule in divisions.keys().filter_map(best) {
        *counts.entry(rule).or_default() += 1;
    }
    let mut rules: Vec<(Rule, usize)> = counts.into_iter().collect();
    rules.sort_by_key(|(_, count)| Reverse(*count));
    rules.truncate(MAX_RULES);
    let rules: BTreeSet<Rule> = rules.into_iter().map(|(rule, _)| rule).collect();
    // Tokens without a rule are listed, with their most frequent words; longer ones could not be found.
    let mut forms: BTreeMap<&String, (Reverse<usize>, &Vec<String>)> = BTreeMap::new();
    for (division, &count) in &divisions {
        let is_short = division.0.chars().count() <= hashes::LONGEST;
        if is_short && best(division).is_none_or(|rule| !rules.contains(&rule)) {
            let words = (Reverse(count), &division.1);
            let entry = forms.entry(&division.0).or_insert(words);
            *entry = words.min(*entry);
        }
    }
    let forms = forms
        .into_iter()
        .map(|(form, (_, words))| (form.clone(), words.clone()));
    let rules = rules.into_iter().collect();
    (!divisions.is_empty()).then(|| Rules::new(rules, forms.collect()))
}
