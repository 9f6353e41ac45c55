//! A tagger and a parser together: the unit that is trained, stored and applied.
//!
//! [`Model::annotate`] tags and parses sentences in groups of 16. Within a group the steps of the
//! sentences are interleaved (module `turns`), because each step waits for weights that are not in
//! the cache; tagging of the group is finished before its parsing starts.

use crate::parser::{Parse, Parser, ParserBuffers};
use crate::tagger::{Tagger, TaggerBuffers, Tags};

/// A tagger, a parser, or both. A model is immutable in use and can be shared by threads; each
/// thread has its own [`Workspace`].
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
/// let model = Model { tagger: Some(tagger), parser: None, padded: false, metadata };
///
/// let bytes = model.to_bytes().unwrap();
/// let again = Model::from_bytes(&bytes).unwrap();
/// assert_eq!(again.metadata, r#"{"trained_on":"one word"}"#);
/// assert_eq!(again.classes(), model.classes());
/// assert_eq!(again.to_bytes().unwrap(), bytes);
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    /// The tagger; without one, words have the tags that are given, or empty ones.
    pub tagger: Option<Tagger>,
    /// The parser.
    pub parser: Option<Parser>,
    /// True if the tagger was trained on sentences with `<start>` before and `ROOT` after the
    /// words, as in parser.py. Sentences are then padded before they are tagged, and the predicted
    /// tag of `ROOT` is a feature of the parser.
    pub padded: bool,
    /// A JSON object that describes the training: anything the caller wants to store.
    pub metadata: String,
}

/// Tags and tree of a sentence; what was not predicted is empty.
#[derive(Clone, Debug, Default)]
pub struct Annotated {
    /// Class of each word, an index of [`Model::classes`]; empty if tags were given or the model
    /// has no tagger.
    pub tags: Vec<u32>,
    /// The tree; empty if the sentence was not parsed.
    pub parse: Parse,
}

/// A sentence to annotate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sentence<'a> {
    /// Forms of the words, without padding.
    pub words: &'a [&'a str],
    /// The (XPOS, UPOS) of the words, used by the parser instead of those of the tagger. Tags that
    /// are not known are empty strings; the lists may be shorter than the sentence.
    pub tags: Option<(&'a [&'a str], &'a [&'a str])>,
}

/// Buffers that are kept between calls, one per thread. They hold nothing that has an influence on
/// later calls.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Buffers of the tagger. They also hold the tags of the group until it is parsed.
    tagger: TaggerBuffers,
    /// Buffers of the parser.
    parser: ParserBuffers,
}

/// Symbol before the words of padded sentences.
pub(crate) const START: &str = "<start>";
/// Symbol after the words of padded sentences, and the default tag of the root.
pub(crate) const ROOT: &str = "ROOT";

/// Number of sentences that are annotated in turns: while the weights for one are fetched into the
/// cache, the others are worked on.
const GROUP: usize = 16;

impl Model {
    /// Returns the classes of the tagger; none without one.
    pub fn classes(&self) -> &[Tags] {
        self.tagger.as_ref().map_or(&[], |tagger| tagger.classes())
    }

    /// Returns the labels of the parser; none without one or for an unlabelled parser.
    pub fn labels(&self) -> &[String] {
        self.parser.as_ref().map_or(&[], |parser| parser.labels())
    }

    /// Tags the sentences that have no tags, with `parse` parses all of them, and writes one result
    /// per sentence into `annotated`, whose memory is reused.
    ///
    /// What the model lacks is skipped: without a parser the trees are empty. The results of a
    /// sentence do not depend on the others.
    pub fn annotate(
        &self,
        sentences: &[Sentence],
        parse: bool,
        workspace: &mut Workspace,
        annotated: &mut Vec<Annotated>,
    ) {
        annotated.resize_with(sentences.len(), Annotated::default);
        for (group, annotated) in sentences.chunks(GROUP).zip(annotated.chunks_mut(GROUP)) {
            self.tag_group(group, workspace, annotated);
            match &self.parser {
                Some(parser) if parse => {
                    self.parse_group(parser, group, workspace, annotated);
                }
                _ => annotated
                    .iter_mut()
                    .for_each(|one| one.parse = Parse::default()),
            }
        }
    }

    /// Tags the sentences of a group that have no tags, and copies the classes of their words,
    /// without those of the padding. The buffers hold these sentences afterwards, or none without a
    /// tagger.
    fn tag_group(
        &self,
        group: &[Sentence],
        workspace: &mut Workspace,
        annotated: &mut [Annotated],
    ) {
        annotated.iter_mut().for_each(|one| one.tags.clear());
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
            let words = sentence.words.iter().copied();
            pads.0.into_iter().chain(words).chain(pads.1)
        });
        tagger.start(words, buffers);
        tagger.run(buffers, true, |_| ());
        let results = annotated.iter_mut().zip(group);
        let results = results.filter(|(_, sentence)| sentence.tags.is_none());
        for ((annotated, sentence), tagged) in results.zip(buffers.group.sentences()) {
            let start = usize::from(self.padded);
            let words = start..start + sentence.words.len();
            annotated.tags.extend_from_slice(&tagged.tags[words]);
        }
    }

    /// Parses the sentences of a group with their given or predicted tags. The tag of the root is
    /// the predicted tag of the symbol after the words if the sentence was padded and tagged,
    /// otherwise `ROOT`.
    fn parse_group<'a>(
        &self,
        parser: &Parser,
        group: &[Sentence<'a>],
        workspace: &mut Workspace,
        annotated: &mut [Annotated],
    ) {
        let classes = self.classes();
        let text = |tags: &[&'a str], at: usize| tags.get(at).copied().unwrap_or_default();
        let mut tagged = workspace.tagger.group.sentences().iter();
        let inputs = group.iter().zip(&*annotated).map(|(sentence, annotated)| {
            let root = match sentence.tags {
                Some(_) => None,
                None => tagged.next().and_then(|sentence| sentence.tags.last()),
            };
            let root = root
                .filter(|_| self.padded)
                .map(|&class| classes[class as usize].xpos.as_str());
            let words = sentence.words.iter().enumerate();
            let words =
                words.map(
                    move |(at, word)| match (sentence.tags, annotated.tags.get(at)) {
                        (Some((xpos, upos)), _) => [*word, text(xpos, at), text(upos, at)],
                        (None, Some(&class)) => {
                            let tags = &classes[class as usize];
                            [*word, &tags.xpos, &tags.upos]
                        }
                        (None, None) => [*word, "", ""],
                    },
                );
            (words, root.unwrap_or(ROOT))
        });
        parser.start(inputs, &mut workspace.parser);
        parser.run(&mut workspace.parser);
        for (annotated, sentence) in annotated.iter_mut().zip(workspace.parser.group.sentences()) {
            sentence.write(&mut annotated.parse);
        }
    }
}
