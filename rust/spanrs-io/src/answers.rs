//! Answers of language models, read as mentions: names with types, but mostly without offsets.
//!
//! A model writes what it was asked for in many layouts, and often breaks the layout: it thinks
//! aloud, adds prose, forgets commas, or runs into its token limit. [`read_answer`] recognises the
//! layout, repairs what can only mean one thing, and reports everything else as a located fault.
//! It never guesses: a name that is cut off, a pair whose order is undecidable and prose are
//! faults, not mentions.
//!
//! | module | content |
//! |---|---|
//! | `regions` | removes thoughts, finds fenced blocks |
//! | `json`, `json_strings` | tolerant scanner of JSON and Python literals |
//! | `values`, `fields`, `orientation` | what the values mean |
//! | `xml`, `marks` | texts with inline marks |
//! | `tag_lines`, `type_lines`, `table`, `sel` | other layouts |
//! | `vocabulary` | usual names of keys, phrases that mean "none" |
//!
//! Time and memory are linear in the length of the answer. An answer longer than
//! [`MAX_ANSWER_BYTES`], nested deeper than [`MAX_DEPTH`] or with more than [`MAX_VALUES`] values is
//! not read further, which is a fault.

use std::collections::BTreeSet;

use serde::Serialize;

mod draft;
mod fields;
mod interpret;
mod json;
mod json_strings;
mod marks;
mod orientation;
mod query;
mod regions;
mod sel;
mod table;
mod tag_lines;
mod type_lines;
mod values;
mod vocabulary;
mod xml;

use draft::Draft;
pub use query::Query;

/// Maximum length of an answer in bytes.
pub const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Maximum nesting of lists, objects and elements.
pub const MAX_DEPTH: usize = 128;
/// Maximum number of values in a JSON answer, and of mentions in any answer.
pub const MAX_VALUES: usize = 1 << 20;
/// Number of faults that are listed; the last one then says how many follow.
pub const MAX_FAULTS: usize = 1000;

/// A name in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The type; None if neither the answer nor the query states it.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The name.
    pub text: String,
    /// First character according to the answer, not verified.
    pub start: Option<u64>,
    /// End according to the answer, exclusive.
    pub end: Option<u64>,
    /// Index of the character of the answer at which the name begins.
    pub at: usize,
}

/// A part of an answer that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerFault {
    /// The kind of fault, such as `truncated`.
    pub code: &'static str,
    /// The reason, and what to do about it.
    pub message: String,
    /// Index of a character of the answer.
    pub at: usize,
}

/// The mentions of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The mentions in the order of the answer.
    pub mentions: Vec<Mention>,
    /// The recognised layout, such as `objects`.
    pub layout: &'static str,
    /// What was repaired or skipped, sorted by name.
    pub repairs: BTreeSet<&'static str>,
    /// What could not be read, in the order of the answer.
    pub faults: Vec<AnswerFault>,
    /// For layouts that repeat the text: the text without marks, to which offsets refer.
    pub text: Option<String>,
    /// True if nothing could be read. An answer that says "none" is readable.
    pub is_unreadable: bool,
}

/// Reads an answer of a language model.
///
/// The answer is searched for a layout in this order: fenced blocks from the last to the first, then
/// the text without fenced blocks; in each of them markers of structured extraction language, JSON
/// and Python values, inline marks, lines of tokens and tags, tables, lines of types and names, and
/// phrases such as "No entities found".
///
/// ```
/// use spanrs_io::answers::{Query, read_answer};
/// let answer = read_answer(r#"Sure! {"PER": ["Anna", "Ben"], "LOC": ["Par"#, &Query::default());
/// let names: Vec<&str> = answer.mentions.iter().map(|mention| &*mention.text).collect();
/// assert_eq!(names, ["Anna", "Ben"]);
/// assert_eq!((answer.layout, answer.faults[0].code), ("type-lists", "truncated"));
/// ```
pub fn read_answer(answer: &str, query: &Query) -> Answer {
    if answer.len() > MAX_ANSWER_BYTES {
        let message = format!(
            "the answer has {} bytes; at most {MAX_ANSWER_BYTES} are read",
            answer.len()
        );
        return Draft::unreadable("too_long", message, 0).finish(answer);
    }
    read_regions(answer, query).finish(answer)
}

/// Reads the regions of an answer until one of them can be read.
fn read_regions(answer: &str, query: &Query) -> Draft {
    let regions = match regions::regions(answer) {
        Ok(regions) => regions,
        Err(draft) => return *draft,
    };
    let mut first_failure = None;
    for region in regions.candidates {
        let mut draft = read_region(region.text, query);
        draft.shift(region.start);
        draft.repairs.extend(&regions.repairs);
        if region.is_fenced {
            draft.repair("fence");
        }
        if !region.is_closed && !draft.is_unreadable {
            draft.repair("truncated");
        }
        if !draft.is_unreadable {
            return draft;
        }
        first_failure.get_or_insert(draft);
    }
    first_failure.unwrap_or_else(|| {
        let message = "the answer is empty; a model that finds nothing should answer [] or none";
        Draft::unreadable("empty", message.to_owned(), 0)
    })
}

/// Reads a text in one layout; None if the text does not have this layout.
type Reader = fn(&str, &Query) -> Option<Draft>;

/// Tries all layouts on a region.
fn read_region(text: &str, query: &Query) -> Draft {
    if vocabulary::says_none(text, query) {
        return Draft::new("none");
    }
    let readers = [
        (sel::read as Reader, false),
        (values::read, false),
        (xml::read, false),
        (marks::read, false),
        (tag_lines::read, true),
        (table::read, true),
        (type_lines::read, true),
    ];
    let mut weak: Option<Draft> = None;
    let mut failure: Option<Draft> = None;
    for (read, reads_lines) in readers {
        // The lines of broken JSON are not lines of types and names.
        if reads_lines && failure.as_ref().is_some_and(|draft| draft.is_broken_json) {
            break;
        }
        let Some(draft) = read(text, query) else {
            continue;
        };
        if draft.is_unreadable {
            failure.get_or_insert(draft);
        } else if draft.is_weak {
            weak.get_or_insert(draft);
        } else {
            return draft;
        }
    }
    weak.or(failure).unwrap_or_else(|| {
        let at = text.len() - text.trim_start().len();
        let message = "no mentions and no known layout; ask the model for JSON such as \
                       [{\"type\": \"PER\", \"text\": \"Anna\"}]";
        Draft::unreadable("unreadable", message.to_owned(), at)
    })
}
