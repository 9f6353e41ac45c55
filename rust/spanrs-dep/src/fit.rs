//! Training of models from a treebank: passes, order of sentences, jackknifed tags, several seeds.
//!
//! The trainers ([`TaggerTrainer`], [`ParserTrainer`]) learn from one sentence at a time. The
//! functions here decide which sentence comes next and what becomes of the weights:
//!
//! - A *pass* (epoch) presents each sentence once. With a seed the order is shuffled before every
//!   pass, starting from that of the pass before.
//! - After each pass the callback `after` is called with an [`Epoch`] and answers with [`Next`]:
//!   continue, stop early, or mark this pass as the best so far, for instance by the score on a
//!   development set.
//! - The averaged weights of the best pass, or of the last one if none was marked, are those of the
//!   *model*.
//! - Several models are trained one after the other with consecutive seeds; their averaged weights
//!   are added up.
//!
//! The usual recipe is that of Python's `Parser.fit`: [`Treebank::projectivise`], [`fit_tagger`] on
//! all sentences, [`jackknife`] to replace the gold tags, and [`fit_parser`]. [`fit_published`]
//! instead trains both in turns, as parser.py does.
//!
//! Training uses one thread, and its result depends on the data, the options and the seed only.

use std::iter::once;

use serde::{Deserialize, Serialize};
use spanrs_base::{Clock, Jagged, Rng, Watch};

use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::oracle::Oracle;
use crate::parser::{Parser, ParserOptions, ParserTrainer};
use crate::sentence::{ROOT, START, Sentence};
use crate::tagger::{Tagger, TaggerBuffers, TaggerOptions, TaggerTrainer, Tags};
use crate::treebank::Treebank;

/// The passes over the training data.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passes {
    /// Largest number of passes per model; `after` can stop earlier. With 0 the model has no
    /// weights.
    pub epochs: usize,
    /// Seed of the order of sentences, which is drawn anew before each pass. None keeps their
    /// order, so that several models would be equal.
    pub seed: Option<u64>,
    /// How many models are trained, with `seed` and the numbers after it (0 counts as 1). Their
    /// averaged weights are added up: the sum is one linear model, no slower than each of them, and
    /// has less variance. [`fit_published`] trains one model whatever this is.
    pub models: usize,
    /// Asked between sentences, at most every 50 milliseconds, whether to stop.
    #[serde(skip, default = "never")]
    pub watch: Watch,
}

fn never() -> Watch {
    || false
}

/// What is known after a pass; argument of the callbacks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// Number of the model, from 1.
    pub model: usize,
    /// Number of the pass within the model, from 1.
    pub epoch: usize,
    /// Words of the training data, the denominator of the accuracy during training; of the padded
    /// sentences (two more each) for [`fit_published`].
    pub words: usize,
    /// How many words got their gold tag or head during the pass, with the weights as they were
    /// when their sentence was presented.
    pub correct: usize,
    /// How many words got their gold head with its gold label; 0 for taggers and [`fit_published`],
    /// and without meaning for other unlabelled parsers.
    pub correct_labels: usize,
    /// Updates of the parser so far, and features that an update has touched; (0, 0) for taggers.
    pub parser: (u64, usize),
    /// Updates of the tagger so far, and features that an update has touched; (0, 0) for
    /// [`fit_parser`].
    pub tagger: (u64, usize),
}

/// What happens after a pass; the answer of the callbacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// No more passes of this model. Its weights are those of the best pass, which this one is not,
    /// or of this pass if none was marked.
    Stop,
    /// The next pass, if there is one.
    Continue,
    /// Same as [`Next::Continue`]; besides, the averaged weights of this pass are the best so far and
    /// are kept. Averaging costs time and memory proportional to the weights. [`fit_published`]
    /// does not keep them.
    Best,
}

impl Passes {
    /// Returns the number of each model, from 1, and its passes, with its own seed.
    fn each(self) -> impl Iterator<Item = (usize, Self)> {
        (0..self.models.max(1)).map(move |at| {
            let seed = self.seed.map(|seed| seed.wrapping_add(at as u64));
            (at + 1, Self { seed, ..self })
        })
    }

    /// Runs the passes of one model: calls `learn(work, epoch, sentence)` with each sentence of
    /// `order`, then `after(work, epoch)`, which says what comes next. `work` is handed to both
    /// closures, because both change it.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says stop, and the errors of `after`.
    fn run<T>(
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

/// What training in passes needs of a trainer.
trait Trainer {
    /// Drops the weights, for the next model on the same data.
    fn forget(&mut self);

    /// Returns the averaged weights so far.
    fn averages(&self) -> Averages;

    /// Returns the updates and the touched features of parser and tagger.
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

/// Trains all models and returns the averaged weights of each: those of its best pass, or else of
/// its last one.
///
/// `learn(trainer, epoch, sentence)` returns how many words of the sentence were correct, and how
/// many of their labels.
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

/// Trains a tagger on some sentences of a treebank, given by their numbers.
///
/// Classes, the dictionary of unambiguous words and the known tags of words are taken from these
/// sentences before the first pass and hold for all models. `after` is called after each pass with
/// the trainer, which can tag with the weights so far.
///
/// # Errors
/// [`Error::Training`] if there are no tags, more than 4096 different ones, or weights too large
/// for the format; [`Error::Interrupted`]; and the errors of `after`.
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
    trainer.finish(Averages::total(averages))
}

/// Replaces the tags of a treebank with predicted ones: those of taggers that were trained without
/// the sentence (jackknifing). A parser that learns from gold tags trusts tags more than it can
/// when they are predicted.
///
/// The treebank is cut into `parts` parts, sentence `s` of `n` being in part `s * parts / n`
/// (rounded down), and each part is tagged by a tagger trained on the others. Parts are contiguous:
/// neighbouring sentences are often of one document, and would tell the tagger too much about each
/// other. This costs `parts - 1` times the training on the whole treebank. With fewer than two
/// parts or sentences the gold tags stay. `after` is called with the number of parts done.
///
/// # Errors
/// Same as [`fit_tagger`], and the errors of `after`; the tags are not changed then.
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
/// assert_eq!([upos(0), upos(1)], [["VERB"], ["NOUN"]], "each saw the other one only");
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

/// Trains a parser on a treebank of projective trees, with the tags that the treebank has.
///
/// `after` is called after each pass with the trainer.
///
/// # Errors
/// [`Error::Template`] for templates that cannot be read; [`Error::Training`] for too many labels
/// or weights that are too large for the format; [`Error::Interrupted`]; and the errors of `after`.
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
    let averages = train_models(
        &mut trainer,
        passes,
        (treebank.len(), treebank.words()),
        |trainer, epoch, at| {
            let words = treebank.sentence(at);
            let columns = words.map(|word| (word.form, (word.xpos, word.upos)));
            let (words, (xpos, upos)): (Vec<_>, (Vec<_>, Vec<_>)) = columns.unzip();
            let sentence = Sentence {
                words: &words,
                tags: Some((&xpos, &upos)),
                root_tag: None,
            };
            let labels = &labels[treebank.range(at)];
            trainer.train_one(
                &sentence,
                treebank.heads(at),
                labels,
                epoch >= options.explore_from,
            )
        },
        after,
    )?;
    let threshold = options.prune * averages.len() as f64 * trainer.mean_step();
    trainer.finish(Averages::total(averages).pruned(threshold))
}

/// Returns a trainer whose classes are those of the arcs of a treebank, and the label of each word
/// as an index of its sorted labels.
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

/// Trains tagger and parser as parser.py does: in turns on each sentence, first the parser with the
/// tags that the tagger predicts so far, then the tagger.
///
/// The tagger learns for five passes; its weights are then averaged, and later passes tag with the
/// averages (parser.py does not average after fewer passes; here the tagger is averaged at the end
/// then). The parser learns in all passes, explores from the first one on, and is unlabelled.
/// Sentences are padded with `<start>` and `ROOT`, which are tagged, too. parser.py shuffles with
/// an unseeded generator; on sentences in the same order the weights are equal. The treebank has to
/// be projective.
///
/// `after` gets the state after each pass; its `correct` is out of the padded sentences, the start
/// symbol counting as correct, as parser.py counts. Other values of `passes` than `epochs`, `seed`
/// and `watch` are ignored, and [`Next::Best`] means [`Next::Continue`].
///
/// # Errors
/// [`Error::Training`] if there are no tags or too many, [`Error::Interrupted`], and those of
/// `after`.
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
/// assert_eq!(tagger.classes().len(), 5, "three tags, and those of the padding");
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
        // The original does not average after fewer passes; unaveraged weights are no use to anyone.
        None => tagger.finish(tagger.averages())?,
    };
    Ok((tagger, parser))
}

/// The state of [`fit_published`].
struct PublishedTraining<'a> {
    treebank: &'a Treebank,
    parser: ParserTrainer,
    tagger: TaggerTrainer,
    /// The tagger with averaged weights, once it has learned for [`Self::TAGGER_PASSES`].
    averaged: Option<Tagger>,
    /// Label of each word of the treebank.
    labels: Vec<u32>,
    /// Words of each sentence between `<start>` and `ROOT`.
    words: Vec<Vec<&'a str>>,
    /// Class of the tag of each of these words.
    gold: Vec<Vec<u32>>,
    /// How many words got their gold head in this pass.
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
