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
//! | `blocks` | which of several blocks count |
//! | `json`, `json_strings` | tolerant scanner of JSON and Python literals |
//! | `values`, `embedded`, `interpret`, `fields`, `orientation` | what the values mean |
//! | `xml`, `marks` | texts with inline marks |
//! | `tag_lines`, `type_lines`, `parenthesised`, `records` | lines of names and types |
//! | `table`, `delimited`, `sel` | other layouts |
//! | `pieces` | splits lines at separators |
//! | `vocabulary` | usual names of keys, phrases that mean "none" |
//!
//! Time and memory are linear in the length of the answer. An answer longer than
//! [`MAX_ANSWER_BYTES`], nested deeper than [`MAX_DEPTH`] or with more than [`MAX_VALUES`] values
//! is not read further, which is a fault.

use std::collections::BTreeSet;

use serde::Serialize;
use spanrs_base::{Clock, Interrupted, Watch};

mod blocks;
mod delimited;
mod draft;
mod embedded;
mod fields;
mod interpret;
mod json;
mod json_strings;
mod marks;
mod orientation;
mod parenthesised;
mod pieces;
mod query;
mod records;
mod regions;
mod sel;
mod table;
mod tag_lines;
mod type_lines;
mod values;
mod vocabulary;
mod xml;

use blocks::Best;
use draft::Draft;
use interpret::Layout;
pub use query::Query;
use regions::Region;

/// Maximum length of an answer in bytes.
pub const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Maximum nesting of lists, objects and elements.
pub const MAX_DEPTH: usize = 128;
/// Maximum number of values in a JSON answer, and of mentions in any answer.
pub const MAX_VALUES: usize = 1 << 20;
/// Maximum length of a name in bytes.
pub const MAX_NAME_BYTES: usize = 1 << 16;
/// Maximum total length of the names and types of an answer in bytes.
pub const MAX_MENTION_BYTES: usize = 256 << 20;
/// Maximum number of faults; the last one contains the number of further faults.
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
    /// True if nothing could be read. The answer "none" is readable.
    pub is_unreadable: bool,
}

/// Reads an answer of a language model.
///
/// The answer is searched for a layout in this order: fenced blocks, then the text without fenced
/// blocks; in each of them markers of structured extraction language, JSON
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
    let answer = read_answer_to(answer, None, query, || false);
    answer.unwrap_or_else(|Interrupted| Answer::default())
}

/// Reads an answer of a language model about a text.
///
/// An answer that is the text, except for white space, has no mentions. This cannot be told from
/// prose without the text.
///
/// # Errors
/// [`Interrupted`] if `watch` returns true.
///
/// # Examples
/// ```
/// use spanrs_io::answers::{Query, read_answer_to};
/// let read = |text| read_answer_to("It rains.", text, &Query::default(), || false);
/// assert!(read(None).unwrap().is_unreadable);
/// assert_eq!(read(Some("It rains.\n")).unwrap().layout, "xml");
/// ```
pub fn read_answer_to(
    answer: &str,
    text: Option<&str>,
    query: &Query,
    watch: Watch,
) -> Result<Answer, Interrupted> {
    if answer.len() > MAX_ANSWER_BYTES {
        let message = format!(
            "the answer has {} bytes; at most {MAX_ANSWER_BYTES} are read",
            answer.len()
        );
        return Ok(Draft::unreadable("too_long", message, 0).finish(answer));
    }
    let clock = Clock::new(watch);
    let mut reading = Reading { text, query, clock };
    Ok(reading.regions(answer)?.finish(answer))
}

/// Reads a text in one layout; None if the text does not have this layout.
type Reader = fn(&str, &Query) -> Option<Draft>;

/// What an answer is read with.
struct Reading<'a> {
    text: Option<&'a str>,
    query: &'a Query,
    clock: Clock,
}

impl Reading<'_> {
    /// Reads the regions of an answer: all fenced blocks, or the text around them.
    fn regions(&mut self, answer: &str) -> Result<Draft, Interrupted> {
        let regions = match regions::regions(answer) {
            Ok(regions) => regions,
            Err(draft) => return Ok(*draft),
        };
        let (blocks, prose): (Vec<Region<'_>>, _) = regions
            .candidates
            .into_iter()
            .partition(|region| region.is_fenced);
        let mut failure: Option<Draft> = None;
        let mut best = Best::new(self.query);
        let mut broken = Vec::new();
        for block in blocks.iter().rev() {
            let draft = self.region(block, &regions.repairs)?;
            if !draft.is_unreadable {
                let layout = match draft.mentions.list.is_empty() {
                    true => Layout::Empty,
                    false => Layout::Objects,
                };
                best.add(layout, draft);
            } else {
                // The last block is the most likely answer.
                broken.extend(failure.replace(draft).filter(|draft| draft.is_broken_json));
            }
        }
        if let Some((_, mut draft)) = best.finish() {
            broken.extend(failure.filter(|draft| draft.is_broken_json));
            for block in broken {
                draft.append(block);
            }
            return Ok(draft);
        }
        for region in &prose {
            let draft = self.region(region, &regions.repairs)?;
            if !draft.is_unreadable {
                return Ok(draft);
            }
            failure.get_or_insert(draft);
        }
        Ok(failure.unwrap_or_else(|| {
            let message =
                "the answer is empty; a model that finds nothing should answer [] or none";
            Draft::unreadable("empty", message.to_owned(), 0)
        }))
    }

    fn region(
        &mut self,
        region: &Region<'_>,
        repairs: &[&'static str],
    ) -> Result<Draft, Interrupted> {
        let mut draft = self.layouts(region.text)?;
        draft.shift(region.start);
        draft.repairs.extend(repairs);
        if region.is_fenced {
            draft.repair("fence");
        }
        if !region.is_closed && !draft.is_unreadable {
            draft.repair("truncated");
        }
        Ok(draft)
    }

    /// Tries all layouts on a region.
    fn layouts(&mut self, region: &str) -> Result<Draft, Interrupted> {
        if self.text.is_some_and(|text| is_same(text, region)) {
            let mut draft = Draft::new("xml");
            draft.text = Some(region.trim().to_owned());
            return Ok(draft);
        }
        if vocabulary::says_none(region, self.query) {
            return Ok(Draft::new("none"));
        }
        let readers = [
            (sel::read as Reader, false),
            (embedded::read, false),
            (values::read, false),
            (xml::read, false),
            (marks::read, false),
            (tag_lines::read, true),
            (table::read, true),
            (delimited::read, true),
            (records::read, true),
            (parenthesised::read, true),
            (type_lines::read, true),
        ];
        let mut weak: Option<Draft> = None;
        let mut failure: Option<Draft> = None;
        for (read, reads_lines) in readers {
            if self.clock.stops() {
                return Err(Interrupted);
            }
            // The lines of broken JSON are not lines of types and names.
            if reads_lines && failure.as_ref().is_some_and(|draft| draft.is_broken_json) {
                break;
            }
            let Some(draft) = read(region, self.query) else {
                continue;
            };
            if draft.is_unreadable {
                failure.get_or_insert(draft);
            } else if draft.is_weak {
                weak.get_or_insert(draft);
            } else {
                return Ok(draft);
            }
        }
        Ok(weak.or(failure).unwrap_or_else(|| {
            let at = region.len() - region.trim_start().len();
            let message = "no mentions and no known layout; ask the model for JSON such as \
                           [{\"type\": \"PER\", \"text\": \"Anna\"}]";
            Draft::unreadable("unreadable", message.to_owned(), at)
        }))
    }
}

/// True if two texts are equal except for white space, and not blank.
fn is_same(text: &str, region: &str) -> bool {
    fn characters(text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(|c| !c.is_whitespace())
    }
    characters(text).next().is_some() && characters(text).eq(characters(region))
}
