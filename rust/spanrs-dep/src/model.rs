//! A tagger and a parser together.

use crate::parser::{Parse, Parser, ParserBuffers, Tagged};
use crate::tagger::{Tagger, TaggerBuffers};

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

/// Memory that is kept between sentences, one per thread.
#[derive(Debug, Default)]
pub struct Workspace {
    tagger: TaggerBuffers,
    parser: ParserBuffers,
    classes: Vec<u32>,
}

/// Symbols around the words of padded sentences.
pub(crate) const START: &str = "<start>";
pub(crate) const ROOT: &str = "ROOT";

impl Model {
    /// Tags a sentence with the tagger, if the model has one. There is no parse then.
    pub fn tag(&self, words: &[&str], workspace: &mut Workspace, annotated: &mut Annotated) {
        annotated.parse = Parse::default();
        self.tag_words(words, workspace, annotated);
    }

    /// Tags a sentence with the tagger, unless `given` are its (XPOS, UPOS) tags, and parses it with the parser; what the
    /// model does not have is skipped.
    pub fn annotate(
        &self,
        words: &[&str],
        given: Option<(&[&str], &[&str])>,
        workspace: &mut Workspace,
        annotated: &mut Annotated,
    ) {
        let root_tag = match given {
            None => self.tag_words(words, workspace, annotated),
            Some(_) => {
                annotated.tags.clear();
                ROOT
            }
        };
        let Some(parser) = &self.parser else {
            annotated.parse = Parse::default();
            return;
        };
        let (xpos, upos): (Vec<&str>, Vec<&str>) = match (given, &self.tagger) {
            (Some((xpos, upos)), _) => (xpos.to_vec(), upos.to_vec()),
            (None, Some(tagger)) => {
                let tags = annotated
                    .tags
                    .iter()
                    .map(|&class| &tagger.classes()[class as usize]);
                tags.map(|tags| (tags.xpos.as_str(), tags.upos.as_str()))
                    .unzip()
            }
            (None, None) => (vec![""; words.len()], vec![""; words.len()]),
        };
        let sentence = Tagged {
            words,
            xpos: &xpos,
            upos: &upos,
            root_tag,
        };
        parser.parse(&sentence, &mut workspace.parser, &mut annotated.parse);
    }

    /// Tags words; gives the tag of the root.
    fn tag_words(
        &self,
        words: &[&str],
        workspace: &mut Workspace,
        annotated: &mut Annotated,
    ) -> &str {
        annotated.tags.clear();
        let Some(tagger) = &self.tagger else {
            return ROOT;
        };
        let (buffers, classes) = (&mut workspace.tagger, &mut workspace.classes);
        if !self.padded {
            tagger.tag(words, buffers, &mut annotated.tags);
            return ROOT;
        }
        let padded: Vec<&str> = [&[START][..], words, &[ROOT]].concat();
        tagger.tag(&padded, buffers, classes);
        annotated.tags.extend_from_slice(&classes[1..=words.len()]);
        &tagger.classes()[classes[words.len() + 1] as usize].xpos
    }
}
