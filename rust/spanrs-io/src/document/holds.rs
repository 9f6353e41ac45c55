//! What each format can represent.

use serde::Serialize;
use spanrs_base::Named;

use super::Format;

/// Spans that may share characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    /// None.
    No,
    /// Spans inside other spans.
    Nested,
    /// Any spans, including spans that cross others.
    Any,
}

/// Relations between annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relations {
    /// None.
    No,
    /// Relations between concepts, which are given by the attribute `identifier` of annotations; a
    /// relation is read as that of the first annotations with the two identifiers.
    Concepts,
    /// Relations between any annotations.
    Yes,
}

/// Values of attributes or metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// No values.
    No,
    /// Only the attributes `identifier` and `mentions`, as text.
    Concepts,
    /// Values are text.
    Text,
    /// Values are text, or an attribute without a value is true.
    Flags,
    /// Values are text, numbers, booleans, lists or objects.
    Typed,
}

/// What an annotator decided about a document ([`super::Answer`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answers {
    /// Only annotators with annotations are represented.
    No,
    /// Annotators who saw the document without annotating anything are represented.
    Empty,
    /// Skipped documents are represented, too.
    Skipped,
    /// Skipped and rejected documents are represented, too.
    All,
}

/// Tokens of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokens {
    /// Tokens are not represented.
    No,
    /// Tokens are kept if there are any.
    Yes,
    /// Tokens are kept if there are any. Documents with relations have tokens.
    ForRelations,
    /// Every document has tokens, and annotations consist of whole tokens.
    Whole,
    /// Every document has tokens, and annotations may begin and end within a token.
    Within,
}

/// Ids of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ids {
    /// None.
    No,
    /// The id or the name of a document is the name of its file.
    FileName,
    /// Ids are represented.
    Yes,
}

/// The text of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// Rebuilt from the tokens, joined by spaces.
    Tokens,
    /// Rebuilt from the tokens: a space between tokens, a line feed between lines.
    Lines,
    /// Represented as it is, except that all line ends but one are spaces.
    OneBreak,
    /// Represented as it is.
    Whole,
}

/// What a format can represent. Items that it cannot represent are listed when documents are
/// written in the format ([`super::Losses`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Holds {
    /// Spans that share characters.
    pub overlap: Overlap,
    /// Spans with several pieces.
    pub discontinuous: bool,
    /// Spans without text.
    pub empty: bool,
    /// Relations between annotations.
    pub relations: Relations,
    /// Attributes of annotations.
    pub attributes: Values,
    /// Annotations by several annotators, with the names of the annotators.
    pub annotators: bool,
    /// Decisions of annotators about a document.
    pub answers: Answers,
    /// Tokens.
    pub tokens: Tokens,
    /// The text.
    pub text: Text,
    /// Ids of documents.
    pub id: Ids,
    /// Names and further metadata of documents.
    pub metadata: Values,
}

/// A format that represents spans in a text, and nothing else.
const SPANS: Holds = Holds {
    overlap: Overlap::Any,
    discontinuous: false,
    empty: true,
    relations: Relations::No,
    attributes: Values::No,
    annotators: false,
    answers: Answers::No,
    tokens: Tokens::No,
    text: Text::Whole,
    id: Ids::Yes,
    metadata: Values::No,
};

/// What the formats of this module can represent.
const TABLE: [(Format, Holds); 18] = [
    (
        Format::MatJson,
        Holds {
            relations: Relations::Yes,
            attributes: Values::Typed,
            tokens: Tokens::Yes,
            id: Ids::FileName,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::XmlInline,
        Holds {
            overlap: Overlap::Nested,
            attributes: Values::Text,
            tokens: Tokens::Yes,
            id: Ids::FileName,
            ..SPANS
        },
    ),
    (
        Format::FakeXmlInline,
        Holds {
            overlap: Overlap::Nested,
            attributes: Values::Text,
            tokens: Tokens::Yes,
            id: Ids::FileName,
            ..SPANS
        },
    ),
    (
        Format::Raw,
        Holds {
            overlap: Overlap::No,
            empty: false,
            id: Ids::FileName,
            ..SPANS
        },
    ),
    (
        Format::Brat,
        Holds {
            discontinuous: true,
            empty: false,
            relations: Relations::Yes,
            attributes: Values::Flags,
            id: Ids::FileName,
            ..SPANS
        },
    ),
    (
        Format::Doccano,
        Holds {
            empty: false,
            relations: Relations::Yes,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::Prodigy,
        Holds {
            relations: Relations::Yes,
            annotators: true,
            answers: Answers::All,
            tokens: Tokens::ForRelations,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::LabelStudio,
        Holds {
            relations: Relations::Yes,
            attributes: Values::Typed,
            annotators: true,
            answers: Answers::Skipped,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::LabelStudioMin,
        Holds {
            answers: Answers::Empty,
            annotators: true,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::LabelStudioCsv,
        Holds {
            answers: Answers::Empty,
            annotators: true,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::WebannoTsv,
        Holds {
            relations: Relations::Yes,
            attributes: Values::Text,
            tokens: Tokens::Within,
            id: Ids::FileName,
            ..SPANS
        },
    ),
    (
        Format::UimaXmi,
        Holds {
            relations: Relations::Yes,
            attributes: Values::Text,
            tokens: Tokens::Yes,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::GateXml,
        Holds {
            answers: Answers::Empty,
            relations: Relations::Yes,
            attributes: Values::Typed,
            annotators: true,
            tokens: Tokens::Yes,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::BiocXml,
        Holds {
            discontinuous: true,
            relations: Relations::Yes,
            attributes: Values::Text,
            annotators: true,
            metadata: Values::Text,
            ..SPANS
        },
    ),
    (
        Format::BiocJson,
        Holds {
            discontinuous: true,
            relations: Relations::Yes,
            attributes: Values::Typed,
            annotators: true,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::Pubtator,
        Holds {
            attributes: Values::Concepts,
            relations: Relations::Concepts,
            text: Text::OneBreak,
            ..SPANS
        },
    ),
    (
        Format::JsonlSpans,
        Holds {
            tokens: Tokens::Whole,
            empty: false,
            text: Text::Tokens,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
    (
        Format::CsvSpans,
        Holds {
            answers: Answers::Empty,
            discontinuous: true,
            attributes: Values::Typed,
            annotators: true,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
];

/// A format of sentences with a tag for each token.
const TAGS: Holds = Holds {
    overlap: Overlap::No,
    empty: false,
    tokens: Tokens::Whole,
    text: Text::Lines,
    ..SPANS
};

/// The formats that are not read and written by this module, but by the modules of sentences and
/// by other libraries.
pub const OTHER_FORMATS: [(&str, Holds); 9] = [
    ("columns", TAGS),
    ("conllu", TAGS),
    (
        "stacked",
        Holds {
            overlap: Overlap::Nested,
            id: Ids::No,
            ..TAGS
        },
    ),
    (
        "spans",
        Holds {
            overlap: Overlap::Any,
            discontinuous: true,
            id: Ids::No,
            ..TAGS
        },
    ),
    ("jsonl-tags", TAGS),
    ("csv", TAGS),
    ("parquet", SPANS_OF_TOKENS),
    ("arrow", SPANS_OF_TOKENS),
    (
        "spacy",
        Holds {
            empty: false,
            annotators: true,
            answers: Answers::Empty,
            tokens: Tokens::Whole,
            metadata: Values::Typed,
            ..SPANS
        },
    ),
];

/// A table with lists of tokens and of spans.
const SPANS_OF_TOKENS: Holds = Holds {
    overlap: Overlap::Any,
    discontinuous: true,
    ..TAGS
};

/// Returns what a format can represent, by name.
///
/// ```
/// use spanrs_io::document::{Overlap, holds_of};
/// assert_eq!(holds_of("columns").unwrap().overlap, Overlap::No);
/// assert!(holds_of("pdf").is_none());
/// ```
pub fn holds_of(format: &str) -> Option<Holds> {
    let other = OTHER_FORMATS.iter().find(|(name, _)| *name == format);
    let other = other.map(|&(_, holds)| holds);
    other.or_else(|| Some(Format::from_name(format).ok()?.holds()))
}

impl Format {
    /// Returns what the format can represent.
    ///
    /// ```
    /// use spanrs_io::document::{Format, Overlap};
    /// assert_eq!(Format::XmlInline.holds().overlap, Overlap::Nested);
    /// assert!(Format::Brat.holds().discontinuous);
    /// ```
    pub fn holds(self) -> Holds {
        let row = TABLE.iter().find(|(format, _)| *format == self);
        row.map_or(SPANS, |&(_, holds)| holds)
    }

    /// Returns the suffix of files with one document each; None for formats with several documents
    /// in a file.
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Self::MatJson => Some(".json"),
            Self::XmlInline | Self::FakeXmlInline | Self::GateXml => Some(".xml"),
            Self::Raw => Some(".txt"),
            Self::Brat => Some(".ann"),
            Self::WebannoTsv => Some(".tsv"),
            Self::UimaXmi => Some(".xmi"),
            _ => None,
        }
    }

    /// Returns all formats that can be written.
    pub fn written() -> impl Iterator<Item = Self> {
        let all = Self::NAMES.iter().map(|&(_, format)| format);
        all.filter(|format| !matches!(format, Self::FakeXmlInline | Self::Raw))
    }
}
