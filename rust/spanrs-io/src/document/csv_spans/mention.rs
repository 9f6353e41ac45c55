//! How the offsets of a table are counted, according to the texts of its spans.

use crate::document::annotated_text::{Annotation, Document};
use crate::document::char_index::CharIndex;
use crate::document::json::excerpt;

/// Maximum number of characters of a text that are quoted in messages.
const QUOTE: usize = 40;

/// The text of a span in the table, and the line of the row.
pub(super) struct Mention {
    /// The text; empty if the table does not have it.
    pub(super) text: Box<str>,
    /// Line number.
    pub(super) line: u64,
}

/// A way of counting offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counting {
    /// Whether the end is the last character of the span.
    inclusive: bool,
    /// Whether offsets count UTF-16 code units.
    utf16: bool,
}

/// All ways of counting, in order of preference.
const COUNTINGS: [Counting; 4] = [
    Counting {
        inclusive: false,
        utf16: false,
    },
    Counting {
        inclusive: true,
        utf16: false,
    },
    Counting {
        inclusive: false,
        utf16: true,
    },
    Counting {
        inclusive: true,
        utf16: true,
    },
];

/// How the offsets of the documents so far are counted.
#[derive(Default)]
pub(super) struct Offsets {
    /// The way of the last document with texts of spans.
    last: Counting,
    /// Number and first line of the documents with inclusive ends.
    inclusive: (u64, u64),
    /// Number and first line of the documents with UTF-16 offsets.
    utf16: (u64, u64),
}

impl Offsets {
    /// Converts the offsets of a document that begins at `line`, which has a mention for each
    /// annotation. Spans whose text differs from the document are left out with a report.
    pub(super) fn convert(&mut self, document: &mut Document, mentions: &[Mention], line: u64) {
        let text = std::mem::take(&mut document.text);
        let units = Units::new(&text);
        let mut segments = Vec::new();
        let mut fits = |counting: Counting| {
            let all = document.annotations.iter().zip(mentions);
            let all = all.filter(|(_, mention)| !mention.text.is_empty());
            all.filter(|(a, mention)| {
                units.segments(document, a, counting, &mut segments);
                units.is_text(&segments, &mention.text)
            })
            .count()
        };
        let mut all_fit = true;
        let shown = mentions.iter().filter(|mention| !mention.text.is_empty());
        let shown = shown.count();
        if shown > 0 {
            let plain = fits(COUNTINGS[0]);
            let mut best = (plain, COUNTINGS[0]);
            for counting in COUNTINGS.into_iter().skip(1).filter(|_| plain < shown) {
                let number = fits(counting);
                if number > best.0 {
                    best = (number, counting);
                }
            }
            self.last = match best.0 {
                0 => self.last,
                _ => best.1,
            };
            all_fit = best.0 == shown;
            self.count(line);
        }
        if all_fit && self.last == Counting::default() {
            document.text = text;
            return;
        }
        let mut keeps = vec![true; document.annotations.len()];
        for (at, mention) in mentions.iter().enumerate() {
            let annotation = document.annotations[at];
            units.segments(document, &annotation, self.last, &mut segments);
            if self.last != Counting::default() {
                document.set_bounds(at, &segments);
            }
            if mention.text.is_empty() || units.is_text(&segments, &mention.text) {
                continue;
            }
            // Spans outside of the text are reported when the document is closed.
            if let Some(covered) = units.covered(&segments) {
                keeps[at] = false;
                let (ty, line) = (document.type_of(&annotation).to_owned(), mention.line);
                document.leave_out(|| {
                    let [ty, covered, shown] =
                        [&*ty, &*covered, &*mention.text].map(|text| excerpt(text, QUOTE));
                    let (start, end) = (annotation.start, annotation.end);
                    format!(
                        "line {line}: {ty} {start}-{end}: the text is {covered:?}, but the table has {shown:?}"
                    )
                });
            }
        }
        document.retain(&keeps);
        document.text = text;
    }

    /// Counts a document that begins at `line`.
    fn count(&mut self, line: u64) {
        let Counting { inclusive, utf16 } = self.last;
        for (is_so, (number, first)) in [(inclusive, &mut self.inclusive), (utf16, &mut self.utf16)]
        {
            if is_so {
                *number += 1;
                if *number == 1 {
                    *first = line;
                }
            }
        }
    }

    /// Returns what users should know.
    pub(super) fn notices(&self) -> Vec<String> {
        let places =
            |(number, first): (u64, u64)| format!("documents: {number}, first: line {first}");
        let mut notices = Vec::new();
        if self.inclusive.0 > 0 {
            let places = places(self.inclusive);
            notices.push(format!(
                "every end is off by one: ends are inclusive ({places})"
            ));
        }
        if self.utf16.0 > 0 {
            let places = places(self.utf16);
            notices.push(format!("offsets count UTF-16 code units ({places})"));
        }
        notices
    }
}

/// A text with conversion of offsets.
struct Units<'a> {
    index: CharIndex<'a>,
    /// Offsets in UTF-16 of the characters of two code units, ascending.
    pairs: Vec<u32>,
}

impl<'a> Units<'a> {
    fn new(text: &'a str) -> Self {
        let mut pairs = Vec::new();
        let mut at = 0;
        if !text.is_ascii() {
            for units in text.chars().map(char::len_utf16) {
                if units == 2 {
                    pairs.push(at);
                }
                at += units as u32;
            }
        }
        Self {
            index: CharIndex::new(text),
            pairs,
        }
    }

    /// Replaces `segments` by those of an annotation in code points, ends exclusive.
    fn segments(
        &self,
        document: &Document,
        annotation: &Annotation,
        counting: Counting,
        segments: &mut Vec<(u32, u32)>,
    ) {
        let point = |unit: u32| match counting.utf16 {
            true => unit - self.pairs.partition_point(|&pair| pair < unit) as u32,
            false => unit,
        };
        segments.clear();
        match document.pieces(annotation) {
            [] => segments.push((annotation.start, annotation.end)),
            pieces => segments.extend_from_slice(pieces),
        }
        let last = u32::from(counting.inclusive);
        for (start, end) in segments {
            (*start, *end) = (point(*start), point(end.saturating_add(last)));
        }
    }

    /// Returns the text of segments, joined by spaces; None if a segment is outside of the text.
    fn covered(&self, segments: &[(u32, u32)]) -> Option<String> {
        let parts = segments.iter();
        let parts: Option<Vec<&str>> = parts
            .map(|&(start, end)| self.index.between(start, end))
            .collect();
        parts.map(|parts| parts.join(" "))
    }

    /// Returns true if the segments have this text. All white space is equal, because tables often
    /// have spaces in place of line ends.
    fn is_text(&self, segments: &[(u32, u32)], text: &str) -> bool {
        let mut shown = text.chars();
        let mut same = |c: char| {
            let shown = shown.next();
            shown.is_some_and(|s| s == c || s.is_whitespace() && c.is_whitespace())
        };
        for (number, &(start, end)) in segments.iter().enumerate() {
            let Some(part) = self.index.between(start, end) else {
                return false;
            };
            if (number > 0 && !same(' ')) || !part.chars().all(&mut same) {
                return false;
            }
        }
        shown.next().is_none()
    }
}
