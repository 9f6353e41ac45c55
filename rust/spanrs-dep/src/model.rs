//! The components of a pipeline together: the unit that is trained, stored and applied.
//!
//! [`Model::annotate`] tags and parses sentences in groups of 16. Within a group the steps of the
//! sentences are interleaved (module `turns`), because each step waits for weights that are not in
//! the cache; a group is tagged completely before it is parsed.

use std::sync::Arc;

use crate::morphology::{Morphology, MorphologyBuffers};
use crate::parser::{Parser, ParserBuffers};
use crate::segmenter::Segmenter;
use crate::sentence::{Parse, ROOT, START, Sentence};
use crate::tagger::{Tagger, TaggerBuffers, Tags};

/// The components of a pipeline, each of which may be missing; models can share components. A model is immutable in use
/// and can be shared by threads; each thread has its own [`Workspace`].
///
/// # Examples
///
/// Write a model to bytes and read it again:
///
/// ```
/// use spanrs_dep::{Model, Next, Passes, TaggerOptions, Treebank, Word, fit_tagger};
/// let mut treebank = Treebank::default();
/// treebank.push([Word { form: "Dogs", upos: "NOUN", ..Word::default() }]);
/// let passes = Passes { epochs: 1, seed: None, models: 1, watch: || false };
/// let options = TaggerOptions::default();
/// let tagger = fit_tagger(&treebank, &[0], options, passes, |_, _| Ok(Next::Continue)).unwrap();
/// let metadata = r#"{"trained_on": "one word"}"#.to_owned();
/// let model = Model { tagger: Some(tagger.into()), metadata, ..Model::default() };
///
/// let bytes = model.to_bytes().unwrap();
/// let again = Model::from_bytes(&bytes).unwrap();
/// assert_eq!(again.metadata, r#"{"trained_on":"one word"}"#);
/// assert_eq!(again.classes(), model.classes());
/// assert_eq!(again.to_bytes().unwrap(), bytes);
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    /// The segmenter, which divides raw text into sentences and words. Not used for sentences.
    pub segmenter: Option<Arc<Segmenter>>,
    /// The tagger; without a tagger, words have the given tags, or empty tags.
    pub tagger: Option<Arc<Tagger>>,
    /// Predicts morphological features and lemmas of tagged words.
    pub morphology: Option<Arc<Morphology>>,
    /// The parser.
    pub parser: Option<Arc<Parser>>,
    /// True if the tagger was trained on sentences with `<start>` before and `ROOT` after the
    /// words, as in parser.py. Sentences are then padded before they are tagged, and the predicted
    /// tag of `ROOT` is a feature of the parser.
    pub padded: bool,
    /// A JSON object that describes the training: it can contain anything the caller wants to
    /// store.
    pub metadata: String,
}

/// Buffers that are reused between calls; each thread needs its own. Their content does not affect
/// later calls.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Buffers of the tagger, which also store the tags of a group until the group is parsed.
    tagger: TaggerBuffers,
    /// Buffers of the morphology.
    morphology: MorphologyBuffers,
    /// Buffers of the parser.
    parser: ParserBuffers,
}

/// Number of sentences that are annotated in turns: while the weights for one sentence are fetched
/// into the cache, the other sentences are processed.
const GROUP: usize = 16;

impl Default for Model {
    /// Returns a model without components and with an empty object as metadata.
    fn default() -> Self {
        Self {
            segmenter: None,
            tagger: None,
            morphology: None,
            parser: None,
            padded: false,
            metadata: "{}".to_owned(),
        }
    }
}

impl Model {
    /// Returns the classes of the tagger; empty without a tagger.
    pub fn classes(&self) -> &[Tags] {
        self.tagger.as_ref().map_or(&[], |tagger| tagger.classes())
    }

    /// Returns the labels of the parser; empty without a parser or for an unlabelled parser.
    pub fn labels(&self) -> &[String] {
        self.parser.as_ref().map_or(&[], |parser| parser.labels())
    }

    /// Returns the different morphological features, in the notation of CoNLL-U; empty if the model predicts none.
    pub fn feats(&self) -> &[String] {
        self.morphology
            .as_ref()
            .map_or(&[], |morphology| morphology.feats())
    }

    /// Returns true if the model predicts lemmas.
    pub fn has_lemmas(&self) -> bool {
        self.morphology
            .as_ref()
            .is_some_and(|morphology| morphology.has_lemmas())
    }

    /// Tags the sentences that have no tags, analyses and parses all sentences if `parse` is true, and writes
    /// one result per sentence into `parses`, whose memory is reused.
    ///
    /// Steps for which the model has no tagger or parser are skipped: without a parser the trees
    /// are empty. The result of a sentence does not depend on the other sentences.
    pub fn annotate<S: AsRef<str>>(
        &self,
        sentences: &[Sentence<'_, S>],
        parse: bool,
        workspace: &mut Workspace,
        parses: &mut Vec<Parse>,
    ) {
        parses.resize_with(sentences.len(), Parse::default);
        for (group, parses) in sentences.chunks(GROUP).zip(parses.chunks_mut(GROUP)) {
            self.tag_group(group, workspace, parses);
            self.analyse_group(group, workspace, parses);
            match &self.parser {
                Some(parser) if parse => self.parse_group(parser, group, workspace, parses),
                _ => {
                    for parse in parses {
                        parse.heads.clear();
                        parse.labels.clear();
                    }
                }
            }
        }
    }

    /// Tags the sentences of a group that have no tags, and copies the classes of their words,
    /// without the padding. Afterwards the buffers contain these sentences, or no sentences if
    /// there is no tagger.
    fn tag_group<S: AsRef<str>>(
        &self,
        group: &[Sentence<'_, S>],
        workspace: &mut Workspace,
        parses: &mut [Parse],
    ) {
        parses.iter_mut().for_each(|parse| parse.tags.clear());
        let Some(tagger) = &self.tagger else {
            workspace.tagger.group.clear();
            return;
        };
        let buffers = &mut workspace.tagger;
        let untagged = || group.iter().filter(|sentence| sentence.tags.is_none());
        let pads = if self.padded {
            (Some(START), Some(ROOT))
        } else {
            (None, None)
        };
        let words = untagged().map(|sentence| {
            let words = sentence.words.iter().map(AsRef::as_ref);
            pads.0.into_iter().chain(words).chain(pads.1)
        });
        tagger.start(words, buffers);
        tagger.run(buffers, true, |_, _| ());
        let results = parses.iter_mut().zip(group);
        let results = results.filter(|(_, sentence)| sentence.tags.is_none());
        for ((parse, sentence), tagged) in results.zip(buffers.group.sentences()) {
            let start = usize::from(self.padded);
            let words = start..start + sentence.words.len();
            parse.tags.extend_from_slice(&tagged.tags[words]);
        }
    }

    /// Predicts morphological features and lemmas of a group with given or predicted tags.
    fn analyse_group<S: AsRef<str>>(
        &self,
        group: &[Sentence<'_, S>],
        workspace: &mut Workspace,
        parses: &mut [Parse],
    ) {
        for (sentence, parse) in group.iter().zip(parses) {
            let Parse { tags, analysis, .. } = parse;
            match &self.morphology {
                Some(morphology) => {
                    let words = tagged_words(self.classes(), sentence, tags);
                    morphology.analyse(words, &mut workspace.morphology, analysis);
                }
                None => analysis.clear(),
            }
        }
    }

    /// Parses the sentences of a group with their given or predicted tags. The tag of the root, if
    /// it is not given, is the predicted tag of the symbol after the words if the sentence was
    /// padded and tagged, otherwise `ROOT`.
    fn parse_group<S: AsRef<str>>(
        &self,
        parser: &Parser,
        group: &[Sentence<'_, S>],
        workspace: &mut Workspace,
        parses: &mut [Parse],
    ) {
        let classes = self.classes();
        let mut tagged = workspace.tagger.group.sentences().iter();
        let inputs = group.iter().zip(&*parses).map(|(sentence, parse)| {
            let root = match sentence.tags {
                Some(_) => None,
                None => tagged.next().and_then(|sentence| sentence.tags.last()),
            };
            let root = root
                .filter(|_| self.padded)
                .map(|&class| classes[class as usize].xpos.as_str());
            let words = tagged_words(classes, sentence, &parse.tags);
            (words, sentence.root_tag.or(root).unwrap_or(ROOT))
        });
        parser.start(inputs, &mut workspace.parser);
        parser.run(&mut workspace.parser);
        for (parse, sentence) in parses.iter_mut().zip(workspace.parser.group.sentences()) {
            sentence.write(parse);
        }
    }
}

/// Returns (form, XPOS, UPOS) of each word of a sentence, with the predicted tags if there are any, otherwise with the
/// given tags.
fn tagged_words<'a, S: AsRef<str>>(
    classes: &'a [Tags],
    sentence: &Sentence<'a, S>,
    predicted: &'a [u32],
) -> impl Iterator<Item = [&'a str; 3]> + Clone {
    let words = sentence.tokens().enumerate();
    words.map(move |(at, [word, xpos, upos])| match predicted.get(at) {
        Some(&class) => {
            let tags = &classes[class as usize];
            [word, &tags.xpos, &tags.upos]
        }
        None => [word, xpos, upos],
    })
}
