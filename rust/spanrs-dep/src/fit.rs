//! Training of models from a treebank: passes, order of sentences, jackknifed tags, several seeds.
//!
//! The trainers ([`TaggerTrainer`], [`ParserTrainer`]) learn from one sentence at a time. The functions here decide the
//! order of sentences and how the weights are averaged and combined:
//!
//! - A *pass* (epoch) presents each sentence once. With a seed the order is shuffled before every pass, starting from
//!   the order of the previous pass.
//! - After each pass the callback `after` is called with an [`Epoch`] and returns a [`Next`]: continue, stop early, or
//!   mark this pass as the best so far, for instance by the score on a development set.
//! - The *model* gets the averaged weights of the best pass, or of the last pass if none was marked.
//! - Several models are trained one after the other with consecutive seeds; their averaged weights are added up. The sum
//!   of rich taggers is divided by their number, because their margin for a second look is in units of one model.
//!
//! The usual recipe is the same as in Python's `Parser.fit`: [`Treebank::projectivise`], [`fit_tagger`] on all
//! sentences, [`jackknife`] to replace the gold tags, and [`fit_parser`]. [`fit_published`] instead trains tagger and
//! parser alternately, as parser.py does.
//!
//! Training uses one thread, and the result depends only on the data, the options and the seed.

mod jackknife;
mod published;

use serde::{Deserialize, Serialize};
use spanrs_base::{Clock, Jagged, Rng, Watch};

use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::parser::{Parser, ParserOptions, ParserTrainer};
use crate::sentence::Sentence;
use crate::tagger::{Tagger, TaggerFeatures, TaggerOptions, TaggerTrainer, Tags};
use crate::treebank::Treebank;

pub use jackknife::jackknife;
pub use published::fit_published;

/// The passes over the training data.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passes {
    /// Largest number of passes per model; `after` can stop earlier. With 0 the model has no weights.
    pub epochs: usize,
    /// Random seed for shuffling the sentences before each pass. None keeps their order, in which case several models
    /// would be equal.
    pub seed: Option<u64>,
    /// Number of models to train, with `seed` and the following numbers (0 counts as 1). Their averaged weights are
    /// added up: the sum is one linear model, with the same speed as each model and less variance. [`fit_published`]
    /// ignores this and trains one model.
    pub models: usize,
    /// Called between sentences, at most every 50 milliseconds, to check whether to stop.
    #[serde(skip, default = "never")]
    pub watch: Watch,
}

fn never() -> Watch {
    || false
}

/// State of training after a pass; argument of the callbacks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// Number of the model, from 1; 0 for the models that select the weights in [`fit_parser`].
    pub model: usize,
    /// Number of the pass within the model, from 1; for the models that select, within all of them.
    pub epoch: usize,
    /// Number of words in the training data, the denominator of the accuracy during training; for [`fit_published`]
    /// including the padding (two more words per sentence).
    pub words: usize,
    /// Number of words with the gold tag or head during the pass, predicted with the weights at the time the sentence
    /// was presented.
    pub correct: usize,
    /// Number of words with the gold head and the gold label; 0 for taggers and [`fit_published`], and meaningless for
    /// other unlabelled parsers.
    pub correct_labels: usize,
    /// Numbers of updates of the parser so far and of features changed by updates; (0, 0) for taggers.
    pub parser: (u64, usize),
    /// Numbers of updates of the tagger so far and of features changed by updates; (0, 0) for [`fit_parser`].
    pub tagger: (u64, usize),
}

/// What to do after a pass; returned by the callbacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Stop training this model. It gets the weights of the pass marked as best before, or of this pass if none was
    /// marked.
    Stop,
    /// Continue with the next pass, if any.
    Continue,
    /// Same as [`Next::Continue`]; in addition, the averaged weights of this pass are kept as the best so far.
    /// Averaging takes time and memory proportional to the number of weights. [`fit_published`] does not keep the
    /// weights.
    Best,
}

impl Passes {
    /// Returns the number of each model, from 1, and its passes, with its own seed.
    pub(crate) fn each(self) -> impl Iterator<Item = (usize, Self)> {
        (0..self.models.max(1)).map(move |at| {
            let seed = self.seed.map(|seed| seed.wrapping_add(at as u64));
            (at + 1, Self { seed, ..self })
        })
    }

    /// Runs the passes of one model: calls `learn(work, epoch, sentence)` for each sentence of `order`, then
    /// `after(work, epoch)`, which returns what to do next. `work` is passed to both closures, because both change it.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch requests a stop, and the errors of `after`.
    pub(crate) fn run<T>(
        &self,
        mut order: Vec<usize>,
        work: &mut T,
        mut learn: impl FnMut(&mut T, usize, usize),
        mut after: impl FnMut(&mut T, usize) -> Result<Next>,
    ) -> Result<()> {
        let mut rng = Rng::new(self.seed.unwrap_or_default());
        let mut clock = Clock::new(self.watch);
        for epoch in 1..=self.epochs {
            if self.seed.is_some() {
                rng.shuffle(&mut order);
            }
            for &sentence in &order {
                if clock.stops() {
                    return Err(Error::Interrupted);
                }
                learn(work, epoch, sentence);
            }
            if after(work, epoch)? == Next::Stop {
                break;
            }
        }
        Ok(())
    }
}

/// The operations of a trainer that training in passes needs.
trait Trainer {
    /// Resets the weights, to train the model with this seed on the same data.
    fn reset(&mut self, seed: Option<u64>);

    /// Returns the averaged weights so far.
    fn averages(&self) -> Averages;

    /// Returns the numbers of updates and of changed features of the parser and of the tagger.
    fn progress(&self) -> [(u64, usize); 2];
}

impl Trainer for TaggerTrainer {
    fn reset(&mut self, seed: Option<u64>) {
        self.reset(seed);
    }

    fn averages(&self) -> Averages {
        self.averages()
    }

    fn progress(&self) -> [(u64, usize); 2] {
        [(0, 0), self.progress()]
    }
}

impl Trainer for ParserTrainer {
    fn reset(&mut self, _seed: Option<u64>) {
        self.forget();
    }

    fn averages(&self) -> Averages {
        self.averages()
    }

    fn progress(&self) -> [(u64, usize); 2] {
        [self.progress(), (0, 0)]
    }
}

/// Trains all models and returns the averaged weights of each: from the best pass, or from the last pass if none was
/// marked.
///
/// `learn(trainer, epoch, sentence)` returns the number of correct words in the sentence, and the number of correct
/// labels of these words.
///
/// # Errors
/// Same as [`Passes::run`].
fn train_models<T: Trainer>(
    trainer: &mut T,
    passes: Passes,
    (sentences, words): (usize, usize),
    mut learn: impl FnMut(&mut T, usize, usize) -> (usize, usize),
    mut after: impl FnMut(Epoch, &T) -> Result<Next>,
) -> Result<Vec<Averages>> {
    let mut averages = Vec::new();
    for (model, passes) in passes.each() {
        trainer.reset(passes.seed);
        let mut best = None;
        let mut work = (&mut *trainer, (0, 0));
        passes.run(
            (0..sentences).collect(),
            &mut work,
            |(trainer, correct), epoch, at| {
                let (words, labels) = learn(trainer, epoch, at);
                *correct = (correct.0 + words, correct.1 + labels);
            },
            |(trainer, correct), epoch| {
                let (correct, correct_labels) = std::mem::take(correct);
                let [parser, tagger] = trainer.progress();
                let state = Epoch {
                    model,
                    epoch,
                    words,
                    correct,
                    correct_labels,
                    parser,
                    tagger,
                };
                let next = after(state, trainer)?;
                if next == Next::Best {
                    best = Some(trainer.averages());
                }
                Ok(next)
            },
        )?;
        averages.push(best.unwrap_or_else(|| trainer.averages()));
    }
    Ok(averages)
}

/// Trains a tagger on some sentences of a treebank, given by their indices.
///
/// Classes, the dictionary of unambiguous words and the known tags of words are computed from these sentences before
/// the first pass and shared by all models. `after` is called with the trainer, which can tag with the current weights.
///
/// With [`TaggerOptions::max_weights`], training has two stages, as that of parsers: a model with up to six passes
/// selects the weights, and then all models are trained with updates of the selected weights only. `after` is called in
/// the second stage.
///
/// # Errors
/// [`Error::Training`] if there are no tags or more than 4096 different tags, or if weights are too large for the
/// format; [`Error::Interrupted`]; and the errors of `after`.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Next, Passes, TaggerBuffers, TaggerOptions, Treebank, Word, fit_tagger};
/// let word = |form, upos| Word { form, upos, ..Word::default() };
/// let mut treebank = Treebank::default();
/// treebank.push([word("Dogs", "NOUN"), word("bark", "VERB")]);
/// treebank.push([word("Cats", "NOUN"), word("purr", "VERB")]);
/// let passes = Passes { epochs: 5, seed: Some(1), models: 2, watch: || false };
/// let options = TaggerOptions::default();
/// let tagger = fit_tagger(&treebank, &[0, 1], options, passes, |epoch, _| {
///     let is_learnt = epoch.correct == epoch.words;
///     Ok(if is_learnt { Next::Stop } else { Next::Continue })
/// }).unwrap();
/// let mut classes = Vec::new();
/// tagger.tag(&["Dogs", "purr"], &mut TaggerBuffers::default(), &mut classes);
/// let upos = classes.iter().map(|&class| tagger.classes()[class as usize].upos.as_str());
/// assert_eq!(upos.collect::<Vec<_>>(), ["NOUN", "VERB"]);
/// ```
pub fn fit_tagger(
    treebank: &Treebank,
    sentences: &[usize],
    options: TaggerOptions,
    passes: Passes,
    after: impl FnMut(Epoch, &TaggerTrainer) -> Result<Next>,
) -> Result<Tagger> {
    let tags: Vec<Vec<Tags>> = sentences.iter().map(|&at| treebank.tags(at)).collect();
    let mut forms = Jagged::default();
    for &at in sentences {
        forms.push(treebank.forms(at));
    }
    let pairs = forms.rows().zip(&tags);
    let mut trainer = TaggerTrainer::new(
        pairs.map(|(forms, tags)| forms.iter().copied().zip(tags)),
        options,
    )?;
    let class = |tags: &Tags| trainer.class(tags).unwrap_or_default();
    let gold: Vec<Vec<u32>> = tags
        .iter()
        .map(|tags| tags.iter().map(class).collect())
        .collect();
    let size = (sentences.len(), forms.values().len());
    let learn =
        |trainer: &mut TaggerTrainer, _, at| (trainer.train_one(forms.row(at), &gold[at]), 0);
    let limit = match options.features {
        TaggerFeatures::Rich => options.max_weights,
        TaggerFeatures::Published => 0,
    };
    if limit > 0 {
        let selection = Passes {
            epochs: passes.epochs.min(TAGGER_SELECTION),
            models: 1,
            ..passes
        };
        let go_on = |_, _: &TaggerTrainer| Ok(Next::Continue);
        let all = Averages::total(train_models(&mut trainer, selection, size, learn, go_on)?);
        if all.weight_count() > limit {
            trainer.restrict(&all.largest_weights(limit));
        }
    }
    let averages = train_models(&mut trainer, passes, size, learn, after)?;
    let models = averages.len() as f64;
    let averages = Averages::total(averages);
    trainer.finish(match options.features {
        TaggerFeatures::Rich => averages.at_most(limit).scaled(1.0 / models),
        TaggerFeatures::Published => averages,
    })
}

/// Maximum number of passes that select the weights of a tagger.
const TAGGER_SELECTION: usize = 6;

/// Trains a parser on a treebank of projective trees, using the tags in the treebank.
///
/// With [`ParserOptions::max_weights`], training has two stages. First, up to three models with up to six passes are
/// trained without a limit, and the largest weights of their sum are selected ([`Averages::largest_weights`]). Then all
/// models are trained from the start with updates of the selected weights only, so that these learn to do without the
/// others. If the first model does not exceed the limit, the first stage ends with it, and all models are trained with
/// all weights; if only their sum exceeds the limit, its largest weights are kept.
///
/// `after` is called after each pass with the trainer. For the passes of the first stage [`Epoch::model`] is 0,
/// [`Epoch::epoch`] is counted over all its models, up to [`selection_passes`], and the result has no effect.
///
/// # Errors
/// [`Error::Template`] for invalid templates; [`Error::Training`] for too many labels, weights that are too large for
/// the format, or a limit of passive-aggressive updates that is not finite and above 0; [`Error::Interrupted`]; and the
/// errors of `after`.
///
/// # Examples
///
/// See the [crate's documentation](crate#examples).
pub fn fit_parser(
    treebank: &Treebank,
    options: &ParserOptions,
    passes: Passes,
    mut after: impl FnMut(Epoch, &ParserTrainer) -> Result<Next>,
) -> Result<Parser> {
    if let crate::Update::PassiveAggressive(limit) = options.update
        && !(limit > 0.0 && limit.is_finite())
    {
        let message = "aggressiveness must be a finite number above 0";
        return Err(Error::Training(message.to_owned()));
    }
    let (mut trainer, labels) = parser_trainer(treebank, options)?;
    let size = (treebank.len(), treebank.words());
    let learn = |trainer: &mut ParserTrainer, epoch, at| {
        let words = treebank.sentence(at);
        let columns = words.map(|word| (word.form, (word.xpos, word.upos)));
        let (words, (xpos, upos)): (Vec<_>, (Vec<_>, Vec<_>)) = columns.unzip();
        let sentence = Sentence {
            words: &words,
            tags: Some((&xpos, &upos)),
            root_tag: None,
        };
        let labels = &labels[treebank.range(at)];
        let explore = epoch >= options.explore_from;
        trainer.train_one(&sentence, treebank.heads(at), labels, explore)
    };
    let limit = weight_limit(options);
    if let Some(selected) = select_weights(&mut trainer, limit, passes, size, learn, &mut after)? {
        trainer.restrict(&selected);
        let averages = train_models(&mut trainer, passes, size, learn, after)?;
        return trainer.finish(Averages::total(averages));
    }
    let averages = train_models(&mut trainer, passes, size, learn, after)?;
    let threshold = options.prune * averages.len() as f64 * trainer.mean_step();
    trainer.finish(Averages::total(averages).pruned(threshold).at_most(limit))
}

/// Maximum number of passes of each model that selects the weights of a parser.
const SELECTION_PASSES: usize = 6;
/// Maximum number of models that select the weights of a parser.
const SELECTION_MODELS: usize = 3;

/// Returns the passes of the models that select the weights of a parser; see [`fit_parser`].
fn selection(passes: Passes) -> Passes {
    Passes {
        epochs: passes.epochs.min(SELECTION_PASSES),
        models: passes.models.clamp(1, SELECTION_MODELS),
        ..passes
    }
}

/// Returns the largest number of passes that select the weights in [`fit_parser`], for instance to show progress; 0 if
/// nothing is selected.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{ParserOptions, Passes, selection_passes};
/// let passes = Passes { epochs: 8, seed: Some(1), models: 10, watch: || false };
/// let mut options = ParserOptions::default();
/// assert_eq!(selection_passes(&options, passes), 18, "three models with six passes");
/// options.max_weights = 0;
/// assert_eq!(selection_passes(&options, passes), 0);
/// ```
pub fn selection_passes(options: &ParserOptions, passes: Passes) -> usize {
    let selection = selection(passes);
    match weight_limit(options) {
        0 => 0,
        _ => selection.epochs * selection.models,
    }
}

/// Returns the maximum number of weights; 0 for no limit.
fn weight_limit(options: &ParserOptions) -> usize {
    match options.templates {
        Some(_) => options.max_weights,
        None => 0,
    }
}

/// Trains models without a limit and returns the `limit` largest weights of their sum; None without a limit, or if the
/// first model has no more weights. Calls `after` as described for [`fit_parser`]. The weights of the trainer are not
/// defined afterwards.
///
/// # Errors
/// Same as [`Passes::run`].
fn select_weights(
    trainer: &mut ParserTrainer,
    limit: usize,
    passes: Passes,
    size: (usize, usize),
    mut learn: impl FnMut(&mut ParserTrainer, usize, usize) -> (usize, usize),
    mut after: impl FnMut(Epoch, &ParserTrainer) -> Result<Next>,
) -> Result<Option<Averages>> {
    if limit == 0 {
        return Ok(None);
    }
    let mut averages = Vec::new();
    for (model, passes) in selection(passes).each() {
        let passes = Passes {
            models: 1,
            ..passes
        };
        let after = |state: Epoch, trainer: &_| {
            let epoch = (model - 1) * passes.epochs + state.epoch;
            let state = Epoch {
                model: 0,
                epoch,
                ..state
            };
            after(state, trainer).map(|_| Next::Continue)
        };
        averages.extend(train_models(trainer, passes, size, &mut learn, after)?);
        if averages.iter().all(|one| one.weight_count() <= limit) {
            return Ok(None);
        }
    }
    Ok(Some(Averages::total(averages).largest_weights(limit)))
}

/// Returns a trainer with the classes for the arcs of a treebank, and the label of each word as an index into the
/// treebank's sorted labels.
fn parser_trainer(
    treebank: &Treebank,
    options: &ParserOptions,
) -> Result<(ParserTrainer, Vec<u32>)> {
    let (names, labels) = treebank.labels();
    let sentences = (0..treebank.len()).flat_map(|at| {
        let heads = treebank.heads(at).iter().zip(&labels[treebank.range(at)]);
        (1..).zip(heads)
    });
    let arcs = sentences.map(|(word, (&head, &label))| (label, head < word, head == 0));
    let trainer = ParserTrainer::new(names, arcs, options)?;
    Ok((trainer, labels))
}

#[cfg(test)]
mod tests;
