//! Training of segmenters.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spanrs_base::Rng;

use super::characters::kinds;
use super::gold::GoldParagraph;
use super::hashes::hash_of;
use super::lexicon::{Lexicon, TokenCounts};
use super::multiwords::MultiwordTrainer;
use super::sentences::{find_sentences, view_tokens};
use super::tokens::{GAPS, Gap, GapTable, find_tokens, gap_index};
use super::training_paragraph::{TrainingParagraph, in_capitals, joined};
use super::{Segmenter, sentences, tokens};
use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::fit::{Next, Passes};
use crate::learner::Learner;
use crate::weights::Weights;

/// How a segmenter is trained.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SegmenterOptions {
    /// Minimum number of occurrences of a known token.
    pub min_count: u32,
    /// Margin of token boundaries: correct decisions also cause updates if their score is not above
    /// the score of the other decision by this value.
    pub token_margin: i64,
    /// Margin of sentence boundaries.
    pub sentence_margin: i64,
    /// Margin of multiword tokens.
    pub multiword_margin: i64,
    /// Share of the paragraphs, from 0 to 1, that are learnt a second time without blank lines
    /// between them.
    pub joined: f64,
    /// Share of the paragraphs, from 0 to 1, that are learnt a second time in capitals.
    pub capitals: f64,
    /// Maximum number of weights of each of the three perceptrons, 0 for all; see
    /// [`Averages::largest_weights`].
    pub max_weights: usize,
}

impl Default for SegmenterOptions {
    fn default() -> Self {
        Self {
            min_count: 5,
            token_margin: 10,
            sentence_margin: 100,
            multiword_margin: 10,
            joined: 0.2,
            capitals: 0.03,
            max_weights: 20_000,
        }
    }
}

/// Counts the tokens of the paragraphs by the hash of their folded form.
fn count_tokens(paragraphs: &[TrainingParagraph]) -> HashMap<u64, TokenCounts> {
    let mut all: HashMap<u64, TokenCounts> = HashMap::new();
    for paragraph in paragraphs {
        let mut is_start = true;
        for (&(start, end), &is_end) in paragraph.spans.iter().zip(&paragraph.ends) {
            let own = paragraph
                .gaps
                .characters
                .get(start..end)
                .unwrap_or_default();
            let counts = all
                .entry(hash_of(own.iter().map(|c| c.folded)))
                .or_default();
            counts.all += 1;
            counts.starts += u32::from(is_start);
            counts.ends += u32::from(is_end);
            let is_capital = own.first().is_some_and(|c| c.kind == kinds::UPPER);
            counts.capitals += u32::from(is_capital && !is_start);
            is_start = is_end;
        }
    }
    all
}

/// Minimum number of gaps with the same kinds that are decided by the kinds without white space.
const MIN_INSIDE: u32 = 2000;
/// Minimum number of gaps with the same kinds that are decided by the kinds across white space.
const MIN_BOUNDARY: u32 = 20;

/// Decides which gaps follow from the kinds of their characters: those that are hardly ever
/// boundaries, and those across white space that always are.
fn gap_table(paragraphs: &[TrainingParagraph]) -> GapTable {
    // Numbers of gaps and of boundaries.
    let mut counts = vec![(0_u32, 0_u32); GAPS];
    for paragraph in paragraphs {
        let mut left: Option<(usize, u8)> = None;
        for ((at, c), &is_start) in paragraph
            .gaps
            .characters
            .iter()
            .enumerate()
            .zip(&paragraph.starts)
        {
            if c.kind == kinds::SPACE {
                continue;
            }
            if let Some((left, kind)) = left
                && let Some(counts) = counts.get_mut(gap_index(left + 1 < at, kind, c.kind))
            {
                counts.0 += 1;
                counts.1 += u32::from(is_start);
            }
            left = Some((at, c.kind));
        }
    }
    let spaced = counts.get(GAPS / 2..).unwrap_or_default();
    let is_space_boundary = spaced.iter().all(|(all, ends)| all == ends);
    let gap = |(at, &(all, ends)): (usize, &(u32, u32))| match at >= GAPS / 2 {
        true if is_space_boundary || all >= MIN_BOUNDARY && ends == all => Gap::Boundary,
        false if all >= MIN_INSIDE && ends <= all / MIN_INSIDE => Gap::Inside,
        _ => Gap::Ask,
    };
    GapTable(counts.iter().enumerate().map(gap).collect())
}

/// Scores a binary decision and learns from it: class 1 is true. Returns the guess.
fn learn(learner: &mut Learner, features: &[u64], truth: bool, margin: i64) {
    let mut scores = [0; 2];
    learner.score(features, &mut scores);
    let [no, yes] = scores;
    let lead = if truth { yes - no } else { no - yes };
    let is_updated = lead < margin || lead < i64::from(truth);
    let truth = u32::from(truth);
    let guess = if is_updated { 1 - truth } else { truth };
    learner.update(truth, guess, features, 1);
}

/// Returns the weights of class 1 minus those of class 0 as weights of class 1: half as many
/// weights, and the same decisions.
fn difference(averages: &Averages) -> Averages {
    let mut all = Averages::default();
    for (feature, row) in averages.rows() {
        let signed = row
            .iter()
            .map(|&(class, weight)| if class == 1 { weight } else { -weight });
        all.push(feature, [(1, signed.sum())]);
    }
    all
}

/// The three perceptrons in training.
struct Learners {
    /// Token boundaries.
    tokens: Learner,
    /// Sentence boundaries.
    sentences: Learner,
    /// Multiword tokens.
    multiwords: Option<MultiwordTrainer>,
    /// Features of a decision.
    features: Vec<u64>,
    /// Tokens found; only the decisions on the way are used.
    spans: Vec<(usize, usize)>,
}

impl Learners {
    /// Learns from a paragraph.
    fn train_one(
        &mut self,
        paragraph: &TrainingParagraph,
        gaps: &GapTable,
        lexicon: &Lexicon,
        options: &SegmenterOptions,
    ) {
        let Self {
            tokens,
            sentences,
            features,
            spans,
            ..
        } = self;
        if !paragraph.is_joined {
            find_tokens(&paragraph.gaps, gaps, spans, |gap, open| {
                tokens::features(&paragraph.gaps, lexicon, gap, open, features);
                let truth = paragraph.starts.get(gap.1).copied().unwrap_or_default();
                learn(tokens, features, truth, options.token_margin);
                truth
            });
        }
        let ask = |at: usize, open: &_, so_far: &_| {
            sentences::features(&paragraph.views, at, open, so_far, features);
            let truth = paragraph.ends.get(at).copied().unwrap_or_default();
            learn(sentences, features, truth, options.sentence_margin);
            truth
        };
        find_sentences(&paragraph.views, ask, |_| ());
        if let Some(trainer) = &mut self.multiwords {
            for (at, (span, class)) in paragraph.spans.iter().zip(&paragraph.classes).enumerate() {
                trainer.train_one(&paragraph.gaps, *span, (&paragraph.views, at), *class);
            }
        }
    }
}

/// Returns the paragraphs as training data, followed by some of them joined or in capitals, and the number of the
/// former.
fn training_paragraphs(
    gold: &[GoldParagraph],
    multiwords: Option<&MultiwordTrainer>,
    options: &SegmenterOptions,
) -> Result<(Vec<TrainingParagraph>, usize)> {
    let with_classes = |gold: &GoldParagraph| {
        let mut paragraph = TrainingParagraph::of(gold)?;
        if let Some(multiwords) = multiwords {
            let classes: Vec<u32> = (gold.token_words())
                .map(|(token, words)| multiwords.class(token, words))
                .collect();
            let class = |token: &usize| classes.get(*token).copied().unwrap_or_default();
            paragraph.classes = paragraph.tokens.iter().map(class).collect();
        }
        Ok(paragraph)
    };
    let mut all = gold.iter().map(with_classes).collect::<Result<Vec<_>>>()?;
    let mut rng = Rng::new(0);
    let plain = all.len();
    for paragraph in gold {
        if rng.below(1 << 32) as f64 <= options.capitals * (1_u64 << 32) as f64 {
            all.push(with_classes(&in_capitals(paragraph))?);
        }
    }
    for paragraph in joined(gold, options.joined, &mut rng) {
        all.push(TrainingParagraph {
            is_joined: true,
            ..TrainingParagraph::of(&paragraph)?
        });
    }
    Ok((all, plain))
}

/// Trains a segmenter from paragraphs with gold segmentation.
///
/// In each pass the paragraphs are presented in random order; `passes` decides the number of passes
/// and models. Training takes time proportional to passes, models and characters, and one thread.
///
/// # Errors
/// [`Error::Training`] if there are no tokens, or the tokens of a paragraph do not cover its text;
/// [`Error::Interrupted`].
pub fn fit_segmenter(
    paragraphs: &[GoldParagraph],
    options: &SegmenterOptions,
    passes: Passes,
) -> Result<Segmenter> {
    let tokens = paragraphs.iter().flat_map(GoldParagraph::token_words);
    let multiwords = MultiwordTrainer::new(tokens, options.multiword_margin);
    let (mut paragraphs, plain) = training_paragraphs(paragraphs, multiwords.as_ref(), options)?;
    let gold = paragraphs.get(..plain).unwrap_or_default();
    if gold.iter().all(|paragraph| paragraph.spans.is_empty()) {
        return Err(Error::Training("there are no tokens to learn".into()));
    }
    let lexicon = Lexicon::of_counts(&count_tokens(gold), options.min_count);
    let gaps = gap_table(gold);
    for paragraph in &mut paragraphs {
        view_tokens(
            &paragraph.gaps,
            &lexicon,
            &paragraph.spans,
            &mut paragraph.views,
        );
    }
    let mut learners = Learners {
        tokens: Learner::default(),
        sentences: Learner::default(),
        multiwords,
        features: Vec::new(),
        spans: Vec::new(),
    };
    let mut averages: [Vec<Averages>; 3] = Default::default();
    for (_, passes) in passes.each() {
        learners.tokens = Learner::default();
        learners.sentences = Learner::default();
        if let Some(trainer) = &mut learners.multiwords {
            trainer.forget();
        }
        passes.run(
            (0..paragraphs.len()).collect(),
            &mut learners,
            |learners, _, at| {
                if let Some(paragraph) = paragraphs.get(at) {
                    learners.train_one(paragraph, &gaps, &lexicon, options);
                }
            },
            |_, _| Ok(Next::Continue),
        )?;
        averages[0].push(difference(&Averages::of(&learners.tokens)));
        averages[1].push(difference(&Averages::of(&learners.sentences)));
        averages[2].extend(learners.multiwords.as_ref().map(MultiwordTrainer::averages));
    }
    let [tokens, sentences, multiwords] =
        averages.map(|models| Averages::total(models).at_most(options.max_weights));
    let weights = |averages: &Averages| Weights::compact(averages, 2);
    let trainer = learners.multiwords;
    Ok(Segmenter {
        gaps,
        lexicon,
        tokens: weights(&tokens).map_err(Error::Training)?,
        sentences: weights(&sentences).map_err(Error::Training)?,
        multiwords: (trainer
            .map(|trainer| trainer.finish(&multiwords))
            .transpose())
        .map_err(Error::Training)?,
    })
}
