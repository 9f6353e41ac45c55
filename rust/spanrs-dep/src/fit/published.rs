//! Training of tagger and parser together, as parser.py does it.

use std::iter::once;

use super::{Epoch, Next, Passes, parser_trainer};
use crate::error::Result;
use crate::oracle::Oracle;
use crate::parser::{Parser, ParserOptions, ParserTrainer};
use crate::sentence::{ROOT, START, Sentence};
use crate::tagger::{Tagger, TaggerBuffers, TaggerOptions, TaggerTrainer, Tags};
use crate::treebank::Treebank;

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
