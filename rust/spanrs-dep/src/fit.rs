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
//! - Several models are trained one after the other with consecutive seeds; their averaged weights are added up.
//!
//! The usual recipe is the same as in Python's `Parser.fit`: [`Treebank::projectivise`], [`fit_tagger`] on all
//! sentences, [`jackknife`] to replace the gold tags, and [`fit_parser`]. [`fit_published`] instead trains tagger and
//! parser alternately, as parser.py does.
//!
//! Training uses one thread, and the result depends only on the data, the options and the seed.

use std::iter::once;

use serde::{Deserialize, Serialize};
use spanrs_base::{Clock, Jagged, Rng, Watch};

use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::oracle::Oracle;
use crate::parser::{Parser, ParserOptions, ParserTrainer};
use crate::sentence::{ROOT, START, Sentence};
use crate::tagger::{Tagger, TaggerBuffers, TaggerFeatures, TaggerOptions, TaggerTrainer, Tags};
use crate::treebank::Treebank;

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
    /// Number of the model, from 1.
    pub model: usize,
    /// Number of the pass within the model, from 1.
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
    /// Resets the weights, to train the next model on the same data.
    fn forget(&mut self);

    /// Returns the averaged weights so far.
    fn averages(&self) -> Averages;

    /// Returns the numbers of updates and of changed features of the parser and of the tagger.
    fn progress(&self) -> [(u64, usize); 2];
}

impl Trainer for TaggerTrainer {
    fn forget(&mut self) {
        self.forget();
    }

    fn averages(&self) -> Averages {
        self.averages()
    }

    fn progress(&self) -> [(u64, usize); 2] {
        [(0, 0), self.progress()]
    }
}

impl Trainer for ParserTrainer {
    fn forget(&mut self) {
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
        trainer.forget();
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
/// Classes, the dictionary of unambiguous words and the known tags of words are computed from these sentences before the
/// first pass and shared by all models. `after` is called with the trainer, which can tag with the current weights.
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
    let averages = train_models(
        &mut trainer,
        passes,
        (sentences.len(), forms.values().len()),
        |trainer, _, at| (trainer.train_one(forms.row(at), &gold[at]), 0),
        after,
    )?;
    let averages = Averages::total(averages);
    trainer.finish(match options.features {
        TaggerFeatures::Rich => averages.at_most(options.max_weights),
        TaggerFeatures::Published => averages,
    })
}

/// Replaces the tags of a treebank with predicted tags, each from a tagger that was trained without the sentence
/// (jackknifing). A parser trained on gold tags relies on tags more than it should when they are predicted.
///
/// The treebank is divided into `parts` parts (sentence `s` of `n` is in part `s * parts / n`, rounded down), and each
/// part is tagged by a tagger trained on the other parts. Parts are contiguous: neighbouring sentences are often from
/// the same document, so training on one would reveal too much about the other. This takes `parts - 1` times as long as
/// training on the whole treebank. With fewer than two parts or sentences the gold tags are kept. `after` is called
/// with the number of parts done.
///
/// # Errors
/// Same as [`fit_tagger`], and the errors of `after`. On error the tags are not changed.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Passes, TaggerOptions, Treebank, Word, jackknife};
/// let mut treebank = Treebank::default();
/// for upos in ["NOUN", "VERB"] {
///     treebank.push([Word { form: "cook", upos, ..Word::default() }]);
/// }
/// let passes = Passes { epochs: 2, seed: None, models: 1, watch: || false };
/// jackknife(&mut treebank, 2, TaggerOptions::default(), passes, |_| Ok(())).unwrap();
/// let upos = |sentence| treebank.sentence(sentence).map(|word| word.upos).collect::<Vec<_>>();
/// assert_eq!([upos(0), upos(1)], [["VERB"], ["NOUN"]], "each tagger was trained on the other sentence only");
/// ```
pub fn jackknife(
    treebank: &mut Treebank,
    parts: usize,
    options: TaggerOptions,
    passes: Passes,
    mut after: impl FnMut(usize) -> Result<()>,
) -> Result<()> {
    let mut predicted: Vec<Vec<Tags>> = vec![Vec::new(); treebank.len()];
    let mut buffers = TaggerBuffers::default();
    let mut classes = Vec::new();
    let sentences = treebank.len();
    for part in 0..parts {
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..sentences).partition(|at| at * parts / sentences == part);
        if own.is_empty() || others.is_empty() {
            continue;
        }
        let tagger = fit_tagger(treebank, &others, options, passes, |_, _| {
            Ok(Next::Continue)
        })?;
        for at in own {
            let forms: Vec<&str> = treebank.forms(at).collect();
            tagger.tag(&forms, &mut buffers, &mut classes);
            let tags = classes
                .iter()
                .map(|&class| tagger.classes()[class as usize].clone());
            predicted[at] = tags.collect();
        }
        after(part + 1)?;
    }
    for (at, tags) in predicted.iter().enumerate() {
        treebank.retag(at, tags);
    }
    Ok(())
}

/// Trains a parser on a treebank of projective trees, using the tags in the treebank.
///
/// With [`ParserOptions::max_weights`], training has two stages. First, up to three models with up to six passes are
/// trained without a limit, and the weights with the largest absolute values in their sum are selected. Then all models
/// are trained from the start with updates of the selected weights only, so that these learn to do without the others.
/// `after` is called after each pass of the second stage with the trainer.
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
    after: impl FnMut(Epoch, &ParserTrainer) -> Result<Next>,
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
    let limit = options
        .templates
        .as_ref()
        .map_or(0, |_| options.max_weights);
    if limit > 0 {
        let selection = Passes {
            epochs: passes.epochs.min(SELECTION[0]),
            models: passes.models.min(SELECTION[1]),
            ..passes
        };
        let go_on = |_, _: &ParserTrainer| Ok(Next::Continue);
        let sum = Averages::total(train_models(&mut trainer, selection, size, learn, go_on)?);
        if sum.weights() > limit {
            trainer.restrict(&sum.largest_weights(limit));
            let averages = train_models(&mut trainer, passes, size, learn, after)?;
            return trainer.finish(Averages::total(averages));
        }
    }
    let averages = train_models(&mut trainer, passes, size, learn, after)?;
    let threshold = options.prune * averages.len() as f64 * trainer.mean_step();
    trainer.finish(Averages::total(averages).pruned(threshold).at_most(limit))
}

/// Maximum number of passes, and of models, that select the weights of a parser.
const SELECTION: [usize; 2] = [6, 3];

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

/// Trains tagger and parser as parser.py does: on each sentence, first the parser with the tags predicted by the
/// current tagger, then the tagger.
///
/// The tagger learns for five passes; its weights are then averaged, and later passes tag with the averages (after
/// fewer passes, parser.py does not average; here the tagger is then averaged at the end). The parser learns in all
/// passes, explores from the first pass on, and is unlabelled. Sentences are padded with `<start>` and `ROOT`, which
/// are also tagged. parser.py shuffles with an unseeded generator; if the sentences are in the same order, the weights
/// are equal. The treebank must be projective.
///
/// `after` gets the state after each pass; as in parser.py, its `correct` covers the padded sentences, and the start
/// symbol counts as correct. Of `passes`, only `epochs`, `seed` and `watch` are used, and [`Next::Best`] means
/// [`Next::Continue`].
///
/// # Errors
/// [`Error::Training`] if there are no tags or too many tags, [`Error::Interrupted`], and the errors of `after`.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Next, Passes, Treebank, Word, fit_published};
/// let word = |form, xpos, head| Word { form, xpos, head, ..Word::default() };
/// let mut treebank = Treebank::default();
/// treebank.push([word("They", "PRP", 2), word("ate", "VBD", 0), word("pizza", "NN", 2)]);
/// let passes = Passes { epochs: 6, seed: None, models: 1, watch: || false };
/// let mut accuracy = Vec::new();
/// let (tagger, parser) = fit_published(&treebank, passes, |epoch| {
///     accuracy.push((epoch.correct, epoch.words));
///     Ok(Next::Continue)
/// }).unwrap();
/// assert_eq!(accuracy.last(), Some(&(4, 5)), "ROOT has no head, and is never counted as correct");
/// assert_eq!(tagger.classes().len(), 5, "three tags, and the two padding tags");
/// assert!(parser.labels().is_empty());
/// ```
pub fn fit_published(
    treebank: &Treebank,
    passes: Passes,
    mut after: impl FnMut(Epoch) -> Result<Next>,
) -> Result<(Tagger, Parser)> {
    let mut training = PublishedTraining::new(treebank)?;
    let words = treebank.words() + 2 * treebank.len();
    passes.run(
        (0..treebank.len()).collect(),
        &mut training,
        PublishedTraining::learn,
        |training, epoch| {
            if epoch == PublishedTraining::TAGGER_PASSES {
                let tagger = &training.tagger;
                training.averaged = Some(tagger.finish(tagger.averages())?);
            }
            after(Epoch {
                model: 1,
                epoch,
                words,
                correct: std::mem::take(&mut training.correct),
                correct_labels: 0,
                parser: training.parser.progress(),
                tagger: training.tagger.progress(),
            })
        },
    )?;
    let PublishedTraining { parser, tagger, .. } = &training;
    let parser = parser.finish(parser.averages())?;
    let tagger = match training.averaged {
        Some(tagger) => tagger,
        // The original does not average after fewer passes; unaveraged weights are not useful.
        None => tagger.finish(tagger.averages())?,
    };
    Ok((tagger, parser))
}

/// The state of [`fit_published`].
struct PublishedTraining<'a> {
    treebank: &'a Treebank,
    parser: ParserTrainer,
    tagger: TaggerTrainer,
    /// The tagger with averaged weights, once it has been trained for [`Self::TAGGER_PASSES`] passes.
    averaged: Option<Tagger>,
    /// Label of each word of the treebank.
    labels: Vec<u32>,
    /// Words of each sentence between `<start>` and `ROOT`.
    words: Vec<Vec<&'a str>>,
    /// Class of each of these words' tags.
    gold: Vec<Vec<u32>>,
    /// Number of words with the gold head in this pass.
    correct: usize,
    buffers: TaggerBuffers,
    /// Classes of the tags of the current sentence.
    tags: Vec<u32>,
}

impl<'a> PublishedTraining<'a> {
    /// Number of passes in which the tagger learns.
    const TAGGER_PASSES: usize = 5;

    /// Prepares both trainers.
    fn new(treebank: &'a Treebank) -> Result<Self> {
        let options = ParserOptions {
            templates: None,
            labelled: false,
            single_root: false,
            oracle: Oracle::Published,
            ..ParserOptions::default()
        };
        let (parser, labels) = parser_trainer(treebank, &options)?;
        let tag = |xpos: &str| Tags {
            xpos: xpos.to_owned(),
            upos: String::new(),
        };
        let padded = |at: usize| {
            let words: Vec<&str> = once(START)
                .chain(treebank.forms(at))
                .chain([ROOT])
                .collect();
            let xpos = treebank.sentence(at).map(|word| word.xpos);
            let tags: Vec<Tags> = once(START).chain(xpos).chain([ROOT]).map(tag).collect();
            (words, tags)
        };
        let (words, tags): (Vec<_>, Vec<_>) = (0..treebank.len()).map(padded).unzip();
        let sentences = words.iter().zip(&tags);
        let tagger = TaggerTrainer::new(
            sentences.map(|(words, tags)| words.iter().copied().zip(tags)),
            TaggerOptions::published(),
        )?;
        let class = |tags: &Tags| tagger.class(tags).unwrap_or_default();
        let gold = tags.iter().map(|tags| tags.iter().map(class).collect());
        Ok(Self {
            treebank,
            parser,
            averaged: None,
            labels,
            gold: gold.collect(),
            words,
            tagger,
            correct: 0,
            buffers: TaggerBuffers::default(),
            tags: Vec::new(),
        })
    }

    /// Learns from a sentence: first the parser, with predicted tags, then the tagger.
    fn learn(&mut self, epoch: usize, at: usize) {
        let words = &self.words[at];
        match &self.averaged {
            Some(tagger) => tagger.tag(words, &mut self.buffers, &mut self.tags),
            None => self.tagger.tag(words, &mut self.tags),
        }
        let classes = self.tagger.classes();
        let xpos = self
            .tags
            .iter()
            .map(|&tag| classes[tag as usize].xpos.as_str());
        let xpos: Vec<&str> = xpos.collect();
        let inner = 1..words.len() - 1;
        let sentence = Sentence {
            words: &words[inner.clone()],
            tags: Some((&xpos[inner], &[])),
            root_tag: xpos.last().copied(),
        };
        let labels = &self.labels[self.treebank.range(at)];
        let heads = self.treebank.heads(at);
        // The start symbol, which has no head, counts as correct.
        self.correct += 1 + self.parser.train_one(&sentence, heads, labels, true).0;
        if epoch <= Self::TAGGER_PASSES {
            self.tagger.train_one(words, &self.gold[at]);
        }
    }
}

#[cfg(test)]
mod tests;
