//! Training of models from a treebank: passes, order of sentences, jackknifed tags, several seeds.

use spanrs_base::{Clock, Rng, Watch};

use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::oracle::Oracle;
use crate::parser::{Parser, ParserOptions, ParserTrainer, Tagged};
use crate::tagger::{Tagger, TaggerBuffers, TaggerOptions, TaggerTrainer, Tags};
use crate::treebank::Treebank;

/// The passes over the training data.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// How many.
    pub epochs: usize,
    /// Seed of the order of sentences, which is drawn anew before each pass. None keeps their order.
    pub seed: Option<u64>,
    /// How many models are trained, with this seed and the following ones: the averaged weights are added up. The sum is one
    /// linear model, no slower than each of them, and has less variance.
    pub models: usize,
    /// Asked at intervals whether to stop.
    pub watch: Watch,
}

/// What is known after a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Number of the model, from 1.
    pub model: usize,
    /// Number of the pass, from 1.
    pub epoch: usize,
    /// Words of the training data.
    pub words: usize,
    /// How many got their gold tag or head during the pass.
    pub correct: usize,
    /// How many got their gold head with its label.
    pub correct_labels: usize,
    /// Number of updates of the parser, and of features with a weight.
    pub parser: (u64, usize),
    /// Number of updates of the tagger, and of features with a weight.
    pub tagger: (u64, usize),
}

/// What happens after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// No more passes.
    Stop,
    /// The next pass.
    Continue,
    /// The next pass; the weights of this one are the best so far, and those that count in the end.
    Best,
}

/// The averaged weights of the best pass, or else of the last one.
fn of_best(best: &mut Option<Averages>, last: impl FnOnce() -> Averages) -> Averages {
    best.take().unwrap_or_else(last)
}

/// Shuffles in place (Fisher and Yates).
fn shuffle(order: &mut [usize], rng: &mut Rng) {
    for at in (1..order.len()).rev() {
        order.swap(at, rng.below(at as u64 + 1) as usize);
    }
}

impl Passes {
    /// The passes of each of the models.
    fn each(self) -> impl Iterator<Item = (usize, Self)> {
        (0..self.models.max(1)).map(move |at| {
            let seed = self.seed.map(|seed| seed.wrapping_add(at as u64));
            (at + 1, Self { seed, ..self })
        })
    }

    /// Calls `learn` with each sentence of `order`, pass after pass, and `after` between them, which says what comes next.
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
                shuffle(&mut order, &mut rng);
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

/// Trains a tagger on the sentences in `order`; `after` gets the state after each pass and says what comes next.
///
/// # Errors
/// [`Error::Training`], [`Error::Interrupted`], and those of `after`.
pub fn fit_tagger(
    treebank: &Treebank,
    sentences: &[usize],
    options: TaggerOptions,
    passes: Passes,
    mut after: impl FnMut(Epoch, &TaggerTrainer) -> Result<Next>,
) -> Result<Tagger> {
    let tags: Vec<Vec<Tags>> = sentences.iter().map(|&at| treebank.tags(at)).collect();
    let strings: Vec<_> = sentences.iter().map(|&at| treebank.strings(at)).collect();
    let pairs = strings.iter().zip(&tags);
    let mut trainer = TaggerTrainer::new(
        pairs.map(|(strings, tags)| strings.words.iter().copied().zip(tags)),
        options,
    )?;
    let class = |tags: &Tags| trainer.class(tags).unwrap_or_default();
    let gold: Vec<Vec<u32>> = tags
        .iter()
        .map(|tags| tags.iter().map(class).collect())
        .collect();
    let words = strings.iter().map(|strings| strings.words.len()).sum();
    let mut averages = Vec::new();
    for (model, passes) in passes.each() {
        trainer.forget();
        let mut best = None;
        let mut work = (&mut trainer, 0);
        passes.run(
            (0..sentences.len()).collect(),
            &mut work,
            |(trainer, correct), _, at| {
                *correct += trainer.train_one(&strings[at].words, &gold[at]);
            },
            |(trainer, correct), epoch| {
                let state = Epoch {
                    model,
                    epoch,
                    words,
                    correct: std::mem::take(correct),
                    correct_labels: 0,
                    parser: (0, 0),
                    tagger: trainer.progress(),
                };
                let next = after(state, trainer)?;
                if next == Next::Best {
                    best = Some(trainer.averages());
                }
                Ok(next)
            },
        )?;
        averages.push(of_best(&mut best, || trainer.averages()));
    }
    trainer.finish(Averages::total(averages))
}

/// Replaces the tags of a treebank with those of taggers that were trained without the sentence (jackknifing), so that a
/// parser learns from tags with as many errors as it will get. Parts are contiguous: neighbouring sentences are often of one
/// document, and would tell the tagger too much of each other.
///
/// # Errors
/// As [`fit_tagger`].
pub fn jackknife(
    treebank: &mut Treebank,
    parts: usize,
    options: TaggerOptions,
    passes: Passes,
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
            tagger.tag(&treebank.strings(at).words, &mut buffers, &mut classes);
            let tags = classes
                .iter()
                .map(|&class| tagger.classes()[class as usize].clone());
            predicted[at] = tags.collect();
        }
    }
    for (at, tags) in predicted.iter().enumerate() {
        treebank.retag(at, tags);
    }
    Ok(())
}

/// Trains a parser on a treebank of projective trees, with the tags that it has; from pass `explore_from` on (from 1) it
/// follows its own guesses. Features whose averaged weights are all below `prune` mean
/// steps, of either sign, are left out. `after` gets the state after each pass and says what comes next.
///
/// # Errors
/// [`Error::Training`], [`Error::Template`], [`Error::Interrupted`], and those of `after`.
pub fn fit_parser(
    treebank: &Treebank,
    options: &ParserOptions,
    (explore_from, prune): (usize, f64),
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
    let words = treebank.words();
    let mut averages = Vec::new();
    for (model, passes) in passes.each() {
        trainer.forget();
        let mut best = None;
        let mut work = (&mut trainer, (0, 0));
        passes.run(
            (0..treebank.len()).collect(),
            &mut work,
            |(trainer, correct), epoch, at| {
                let strings = treebank.strings(at);
                let sentence = Tagged {
                    words: &strings.words,
                    xpos: &strings.xpos,
                    upos: &strings.upos,
                    root_tag: "ROOT",
                };
                let own = &labels[treebank.range(at)];
                let explore = epoch >= explore_from;
                let found = trainer.train_one(&sentence, treebank.heads(at), own, explore);
                correct.0 += found.0;
                correct.1 += found.1;
            },
            |(trainer, correct), epoch| {
                let (correct, correct_labels) = std::mem::take(correct);
                let state = Epoch {
                    model,
                    epoch,
                    words,
                    correct,
                    correct_labels,
                    parser: trainer.progress(),
                    tagger: (0, 0),
                };
                let next = after(state, trainer)?;
                if next == Next::Best {
                    best = Some(trainer.averages());
                }
                Ok(next)
            },
        )?;
        averages.push(of_best(&mut best, || trainer.averages()));
    }
    let threshold = prune * averages.len() as f64 * trainer.mean_step();
    trainer.finish(Averages::total(averages).pruned(threshold))
}

/// A trainer for the arcs of a treebank, and the label of each word.
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

/// Trains tagger and parser as parser.py does: in turns on each sentence, the parser with the tags of the tagger so far; the
/// tagger for five passes, after which its weights are averaged. The treebank must be projective.
///
/// `after` gets the state after each pass and says what comes next; its `correct` is out of the padded sentences, as parser.py
/// counts.
///
/// # Errors
/// [`Error::Training`], [`Error::Interrupted`], and those of `after`.
pub fn fit_published(
    treebank: &Treebank,
    passes: Passes,
    mut after: impl FnMut(Epoch) -> Result<Next>,
) -> Result<(Tagger, Parser)> {
    const TAGGER_PASSES: usize = 5;
    let options = ParserOptions {
        templates: None,
        labelled: false,
        single_root: false,
        oracle: Oracle::Published,
        ..ParserOptions::default()
    };
    let (mut parser, labels) = parser_trainer(treebank, &options)?;
    let padded: Vec<(Vec<&str>, Vec<Tags>)> = (0..treebank.len())
        .map(|at| {
            let tag = |xpos: &str| Tags {
                xpos: xpos.to_owned(),
                upos: String::new(),
            };
            let words = treebank.strings(at).words;
            let words = [&["<start>"][..], &words, &["ROOT"]].concat();
            let own = treebank.sentence(at).map(|word| tag(word.xpos));
            let tags = std::iter::once(tag("<start>")).chain(own);
            (words, tags.chain([tag("ROOT")]).collect())
        })
        .collect();
    let mut tagger = TaggerTrainer::new(
        padded
            .iter()
            .map(|(words, tags)| words.iter().copied().zip(tags)),
        TaggerOptions::published(),
    )?;
    let names: Vec<Tags> = tagger.classes().to_vec();
    let class = |tags: &Tags| tagger.class(tags).unwrap_or_default();
    let gold: Vec<Vec<u32>> = padded
        .iter()
        .map(|(_, tags)| tags.iter().map(class).collect())
        .collect();
    let mut averaged: Option<Tagger> = None;
    let mut buffers = TaggerBuffers::default();
    let mut tags = Vec::new();
    let words = treebank.words() + 2 * treebank.len();
    let mut work = (&mut parser, &mut tagger, &mut averaged, 0);
    passes.run(
        (0..treebank.len()).collect(),
        &mut work,
        |(parser, tagger, averaged, correct), epoch, at| {
            let words = &padded[at].0;
            match averaged {
                Some(tagger) => tagger.tag(words, &mut buffers, &mut tags),
                None => tagger.tag(words, &mut tags),
            }
            let xpos: Vec<&str> = tags
                .iter()
                .map(|&tag| names[tag as usize].xpos.as_str())
                .collect();
            let inner = 1..words.len() - 1;
            let sentence = Tagged {
                words: &words[inner.clone()],
                xpos: &xpos[inner.clone()],
                upos: &[],
                root_tag: xpos[words.len() - 1],
            };
            let own = &labels[treebank.range(at)];
            // The start symbol, which has no head, counts as correct.
            *correct += 1 + parser.train_one(&sentence, treebank.heads(at), own, true).0;
            if epoch <= TAGGER_PASSES {
                tagger.train_one(words, &gold[at]);
            }
        },
        |(parser, tagger, averaged, correct), epoch| {
            if epoch == TAGGER_PASSES {
                **averaged = Some(tagger.finish(tagger.averages())?);
            }
            after(Epoch {
                model: 1,
                epoch,
                words,
                correct: std::mem::take(correct),
                correct_labels: 0,
                parser: parser.progress(),
                tagger: tagger.progress(),
            })
        },
    )?;
    let tagger = match averaged {
        Some(tagger) => tagger,
        // The original does not average after fewer passes; unaveraged weights are no use to anyone.
        None => tagger.finish(tagger.averages())?,
    };
    let averages = parser.averages();
    Ok((tagger, parser.finish(averages)?))
}
