//! Training of morphological features and lemmas from a treebank.

use serde::{Deserialize, Serialize};

use super::Morphology;
use super::fit_feats::fit_feats;
use super::fit_lemmas::fit_lemmas;
use crate::averages::Averages;
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::fit::{Epoch, Next, Passes};
use crate::learner::Learner;
use crate::treebank::Treebank;

/// How morphological features and lemmas are trained.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MorphologyOptions {
    /// Minimum number of words with the same tags and morphological features for the features to be possible with the
    /// tags; a word counts with its gold tags and with its predicted tags.
    pub min_candidate_count: usize,
    /// Margin of the classifier of morphological features, as in [`TaggerOptions`](crate::TaggerOptions).
    pub feats_margin: i64,
    /// Dropout of the classifier of morphological features, as in [`TaggerOptions`](crate::TaggerOptions).
    pub feats_dropout: f64,
    /// Maximum number of weights of the classifier of morphological features, 0 for all; see
    /// [`Averages::largest_weights`].
    pub max_feats_weights: usize,
    /// Minimum number of different words whose lemmas are made in the same way, for the way to be learnt for other
    /// words too. If fewer than 50 ways are so frequent, the 50 most frequent ones are learnt.
    pub min_script_count: usize,
    /// Margin of the classifier of lemmas.
    pub lemma_margin: i64,
    /// Maximum number of weights of the classifier of lemmas, 0 for all.
    pub max_lemma_weights: usize,
    /// Number of passes over the different words of the training data, from which lemmas are learnt.
    pub lemma_epochs: usize,
}

impl Default for MorphologyOptions {
    fn default() -> Self {
        Self {
            min_candidate_count: 2,
            feats_margin: 20,
            feats_dropout: 0.2,
            max_feats_weights: 200_000,
            min_script_count: 5,
            lemma_margin: 10,
            max_lemma_weights: 10_000,
            lemma_epochs: 10,
        }
    }
}

/// Trains morphological features and lemmas.
///
/// `treebank` has the gold annotation, and `tagged` the same sentences with the tags from which the model learns:
/// usually predicted by [`jackknife`](crate::jackknife), so that the model learns to tell wrong tags from the context.
/// Lemmas are learnt with gold tags, since wrong tags have lemmas of their own. A part is missing in the model if its
/// column is empty for all words.
///
/// `passes` are run over the sentences for morphological features, then [`MorphologyOptions::lemma_epochs`] passes over
/// the different words for lemmas, each for all models. `after` is called after each pass; [`Next::Best`] means
/// [`Next::Continue`].
///
/// # Errors
/// [`Error::Training`] if the two treebanks have different numbers of sentences or words, the dropout is not a share
/// below 1, or weights are too large for the format; [`Error::Interrupted`]; and the errors of `after`.
///
/// # Examples
///
/// See [`Morphology`].
pub fn fit_morphology(
    treebank: &Treebank,
    tagged: &Treebank,
    options: &MorphologyOptions,
    passes: Passes,
    mut after: impl FnMut(Epoch) -> Result<Next>,
) -> Result<Morphology> {
    let lengths = |treebank: &Treebank| -> Vec<usize> {
        let sentences = 0..treebank.len();
        sentences.map(|at| treebank.range(at).len()).collect()
    };
    if lengths(treebank) != lengths(tagged) {
        let message = "the treebank with predicted tags has other sentences";
        return Err(Error::Training(message.to_owned()));
    }
    let feats = fit_feats(treebank, tagged, options, passes, &mut after)?;
    let lemmas = fit_lemmas(treebank, options, passes, &mut after)?;
    Ok(Morphology { feats, lemmas })
}

/// Runs the passes of all models over `len` examples, and returns the sum of the averaged weights.
///
/// `learn(learner, dropout, example)` learns from an example and returns the numbers of its correct words and of its
/// words. The dropout starts with the seed of each model.
///
/// # Errors
/// [`Error::Interrupted`], and the errors of `after`.
pub(super) fn train_averages(
    len: usize,
    passes: Passes,
    mut dropout: Dropout,
    mut learn: impl FnMut(&mut Learner, &mut Dropout, usize) -> (usize, usize),
    mut after: impl FnMut(Epoch) -> Result<Next>,
) -> Result<Averages> {
    let mut averages = Vec::new();
    for (model, passes) in passes.each() {
        let mut work = (Learner::default(), (0, 0));
        dropout.restart(passes.seed);
        passes.run(
            (0..len).collect(),
            &mut work,
            |(learner, counts), _, at| {
                let (correct, words) = learn(learner, &mut dropout, at);
                *counts = (counts.0 + correct, counts.1 + words);
            },
            |(learner, counts), epoch| {
                let (correct, words) = std::mem::take(counts);
                after(Epoch {
                    model,
                    epoch,
                    words,
                    correct,
                    correct_labels: 0,
                    parser: (0, 0),
                    tagger: (learner.updates(), learner.len()),
                })
            },
        )?;
        averages.push(Averages::of(&work.0));
    }
    Ok(Averages::total(averages))
}
