//! A tagger and a parser together.

use crate::parser::{Parse, Parser, ParserBuffers};
use crate::tagger::{Tagger, TaggerBuffers, Tags};

/// A tagger, a parser, or both. It is immutable, and threads share it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The tagger.
    pub tagger: Option<Tagger>,
    /// The parser.
    pub parser: Option<Parser>,
    /// True if the tagger was trained on sentences with `<start>` before and `ROOT` after the words, as in parser.py.
    pub padded: bool,
    /// A JSON object with what is known of the training.
    pub metadata: String,
}

/// Tags and a tree of a sentence; what was not predicted is empty.
#[derive(Clone, Debug, Default)]
pub struct Annotated {
    /// Classes of the tagger, one per word.
    pub tags: Vec<u32>,
    /// The tree.
    pub parse: Parse,
}

/// A sentence to annotate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sentence<'a> {
    /// Forms of the words.
    pub words: &'a [&'a str],
    /// The (XPOS, UPOS) of the words, instead of those of the tagger; empty or missing where they are not known.
    pub tags: Option<(&'a [&'a str], &'a [&'a str])>,
}

/// Memory that is kept between calls, one per thread.
#[derive(Debug, Default)]
pub struct Workspace {
    tagger: TaggerBuffers,
    parser: ParserBuffers,
}

/// Symbols around the words of padded sentences.
pub(crate) const START: &str = "<start>";
pub(crate) const ROOT: &str = "ROOT";

/// Number of sentences that are annotated in turns: while the weights for one are fetched into the cache, the others go on.
const GROUP: usize = 16;

impl Model {
    /// Classes of the tagger; none without one.
    pub fn classes(&self) -> &[Tags] {
        self.tagger.as_ref().map_or(&[], |tagger| tagger.classes())
    }

    /// Labels of the parser; none without one.
    pub fn labels(&self) -> &[String] {
        self.parser.as_ref().map_or(&[], |parser| parser.labels())
    }

    /// Tags sentences with the tagger, unless they have tags, and with `parse` parses them with the parser; what the model does
    /// not have is skipped. The results are put into `annotated`, one per sentence.
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
