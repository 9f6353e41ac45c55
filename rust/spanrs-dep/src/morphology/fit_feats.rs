//! Training of morphological features.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use spanrs_base::Jagged;

use super::feats::{Candidates, FeatsTagger, best_candidate, features};
use super::fit::{MorphologyOptions, train_averages};
use super::token::{PAD, padded, pair_key, upos_key};
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::feature_index::FeatureIndex;
use crate::fit::{Epoch, Next, Passes};
use crate::treebank::Treebank;
use crate::weights::{MAX_CLASSES, Weights};

/// Returns the classes, the most frequent ones first; of more than 4096 only the most frequent.
fn classes(treebank: &Treebank) -> Vec<&str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in (0..treebank.len()).flat_map(|at| treebank.sentence(at)) {
        *counts.entry(word.feats).or_default() += 1;
    }
    let mut classes: Vec<_> = counts.into_iter().collect();
    classes.sort_unstable_by_key(|&(feats, count)| (Reverse(count), feats));
    classes.truncate(MAX_CLASSES);
    classes.into_iter().map(|(feats, _)| feats).collect()
}

/// Returns the candidates of each pair of tags, and of each UPOS.
fn candidates(
    treebank: &Treebank,
    tagged: &Treebank,
    class: &HashMap<&str, u32>,
    min_count: usize,
) -> Candidates {
    let mut counts: BTreeMap<u64, BTreeMap<u32, usize>> = BTreeMap::new();
    for at in 0..treebank.len() {
        let feats = || treebank.sentence(at).map(|word| class.get(word.feats));
        let gold = treebank.sentence(at).zip(feats());
        for (word, class) in gold.chain(tagged.sentence(at).zip(feats())) {
            let Some(&class) = class else { continue };
            for key in [pair_key(word.xpos, word.upos), upos_key(word.upos)] {
                *counts.entry(key).or_default().entry(class).or_default() += 1;
            }
        }
    }
    let (mut keys, mut rows) = (Vec::new(), Jagged::default());
    for (key, counts) in counts {
        let frequent = counts.into_iter().filter(|(_, count)| *count >= min_count);
        let mut row: Vec<(u32, usize)> = frequent.collect();
        row.sort_by_key(|&(class, count)| (Reverse(count), class));
        if !row.is_empty() {
            keys.push(key);
            rows.push(row.into_iter().map(|(class, _)| class));
        }
    }
    let index = FeatureIndex::of(keys.iter().copied().zip(0..));
    Candidates::new(keys, index, rows, class.len())
}

/// Trains morphological features; returns None if no word has any. Words whose class is not a candidate, or the only
/// one, are not learnt.
///
/// # Errors
/// Same as [`fit_morphology`](super::fit_morphology).
pub(super) fn fit_feats(
    treebank: &Treebank,
    tagged: &Treebank,
    options: &MorphologyOptions,
    passes: Passes,
    after: impl FnMut(Epoch) -> Result<Next>,
) -> Result<Option<FeatsTagger>> {
    let classes = classes(treebank);
    if classes.iter().all(|feats| feats.is_empty()) {
        return Ok(None);
    }
    let class: HashMap<&str, u32> = classes.iter().copied().zip(0..).collect();
    let candidates = candidates(treebank, tagged, &class, options.min_candidate_count);
    let (mut tokens, mut own) = (Vec::new(), Vec::new());
    let mut scores = vec![0; classes.len()];
    let averages = train_averages(
        treebank.len(),
        passes,
        Dropout::new(options.feats_dropout)?,
        |learner, dropout, sentence| {
            let words = tagged.sentence(sentence);
            padded(
                words.map(|word| [word.form, word.xpos, word.upos]),
                &mut tokens,
            );
            let (mut correct, mut words) = (0, 0);
            for (at, word) in treebank.sentence(sentence).enumerate() {
                words += 1;
                let candidates = candidates.of(&tokens[at + PAD]);
                let truth = class
                    .get(word.feats)
                    .filter(|class| candidates.contains(class));
                let Some(&truth) = truth else { continue };
                if candidates.len() < 2 {
                    correct += 1;
                    continue;
                }
                features(&tokens, at, &mut own);
                dropout.drop_features(&mut own);
                learner.score(&own, &mut scores);
                let guess = best_candidate(candidates, &scores);
                correct += usize::from(guess == truth);
                let other = match guess == truth {
                    true => runner_up(candidates, &mut scores, guess, options.feats_margin),
                    false => guess,
                };
                learner.update(truth, other, &own, 1);
            }
            (correct, words)
        },
        after,
    )?;
    let averages = averages.at_most(options.max_feats_weights);
    let weights = Weights::compact(&averages, classes.len()).map_err(Error::Training)?;
    let classes = classes.into_iter().map(str::to_owned).collect();
    Ok(Some(FeatsTagger::new(classes, candidates, weights)))
}

/// Returns the second best candidate if it is within the margin of the best one, otherwise the best one, for which
/// nothing is updated. Overwrites the score of the best candidate.
fn runner_up(candidates: &[u32], scores: &mut [i64], best: u32, margin: i64) -> u32 {
    let score = std::mem::replace(&mut scores[best as usize], i64::MIN);
    let second = best_candidate(candidates, scores);
    match score - scores[second as usize] < margin {
        true => second,
        false => best,
    }
}
