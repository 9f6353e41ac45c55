//! Habits of annotators and of tools that change the bounds of annotations: spaces inside of
//! annotations, inclusive ends, and offsets in other units.
//!
//! | option | `I saw Bob .` with PER 6-10 |
//! |---|---|
//! | none | `Bob ` with a notice only if most annotations are affected |
//! | trim: spaces | PER 6-9, counted in a notice |
//! | trim: punctuation | PER 6-9; `Bob .` would be trimmed, too |
//!
//! Inclusive ends and offsets in UTF-16 code units or bytes are never assumed. They are detected
//! from the borders of words, and a notice names the option that reads them.

use serde::Deserialize;
use spanrs_base::{Named, serde_by_name};

use super::annotated_text::{Annotation, Document};

/// Characters removed from both ends of annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trim {
    /// None.
    #[default]
    Nothing,
    /// White space.
    Spaces,
    /// White space and punctuation: all characters except letters, digits and underscores.
    Punctuation,
}

impl Named for Trim {
    const WHAT: &'static str = "trim";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("nothing", Self::Nothing),
        ("spaces", Self::Spaces),
        ("punctuation", Self::Punctuation),
    ];
}

serde_by_name!(Trim);

/// The unit of offsets in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetUnit {
    /// The unit that the format prescribes.
    #[default]
    Format,
    /// UTF-16 code units, as in JavaScript and Java.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl Named for OffsetUnit {
    const WHAT: &'static str = "offset unit";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("format", Self::Format),
        ("utf-16", Self::Utf16),
        ("bytes", Self::Bytes),
    ];
}

serde_by_name!(OffsetUnit);

/// How the bounds of annotations are read.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// Characters removed from both ends of annotations.
    pub trim: Trim,
    /// The unit of offsets, for formats that count code points.
    pub offsets: OffsetUnit,
    /// Whether the end of an annotation is its last character, not one past it.
    pub inclusive_ends: bool,
}

/// Evidence and counts over all documents of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Annotations whose bounds were examined.
    examined: usize,
    /// Annotations that end one character before the end of a word.
    short: usize,
    /// Evidence for UTF-16 code units.
    utf16: UnitEvidence,
    /// Evidence for bytes.
    bytes: UnitEvidence,
    /// Trimmed annotations, and the first of them.
    trimmed: (usize, String),
    /// Annotations that would be empty after trimming.
    blank: usize,
}

/// Evidence for an offset unit, from annotations that differ between the unit and code points.
#[derive(Clone, Debug, Default)]
struct UnitEvidence {
    /// Annotations examined.
    examined: usize,
    /// Annotations whose bounds are word borders if the offsets count the unit.
    fit: usize,
    /// Annotations whose bounds are word borders if the offsets count code points.
    fit_characters: usize,
}

impl UnitEvidence {
    /// Returns true if the offsets count the unit rather than code points.
    fn is_clear(&self) -> bool {
        self.examined >= 3
            && self.fit * 10 >= self.examined * 8
            && self.fit_characters * 2 <= self.examined
    }
}

/// Number of annotations that are examined in each source.
const EXAMINED: usize = 10_000;
/// Number of annotations from which inclusive ends are reported.
const FEWEST: usize = 20;

/// The beginning of a text with its characters, and the positions of each character in other units.
struct Units {
    characters: Vec<char>,
    /// Offsets of the characters in the unit, and of the end of the text, ascending.
    offsets: Vec<u32>,
}

impl Units {
    /// Indexes the first `most` characters of a text.
    fn new(text: &str, most: usize, width: impl Fn(char) -> usize) -> Self {
        let characters: Vec<char> = text.chars().take(most).collect();
        let mut offsets = Vec::with_capacity(characters.len() + 1);
        let mut at = 0;
        for &character in &characters {
            offsets.push(at);
            at += width(character) as u32;
        }
        offsets.push(at);
        Self {
            characters,
            offsets,
        }
    }

    /// Returns the character at an offset in the unit; None within a character and beyond the end.
    fn character(&self, offset: u32) -> Option<u32> {
        let at = self.offsets.binary_search(&offset).ok()?;
        Some(at as u32)
    }

    fn fits(&self, start: u32, end: u32) -> bool {
        is_border(&self.characters, start) && is_border(&self.characters, end)
    }
}

/// Returns true for characters of words.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns true for characters of words in scripts with spaces between words. In other scripts, and
/// before the particles of Korean, words do not end where annotations end.
fn has_spaces(character: char) -> bool {
    is_word(character)
        && !matches!(character, '\u{0E00}'..='\u{11FF}' | '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FFFF}' | '\u{20000}'..)
}

/// Returns true if an offset is within the text, and not within a word.
fn is_border(characters: &[char], at: u32) -> bool {
    let at = at as usize;
    let within = |at: usize| characters.get(at).copied().is_some_and(is_word);
    at <= characters.len() && !(at > 0 && within(at - 1) && within(at))
}

impl Quirks {
    /// Changes the bounds of the annotations of a document as requested, and collects evidence.
    pub(super) fn apply(&self, document: &mut Document, tally: &mut Tally) {
        if self.offsets != OffsetUnit::Format && !document.bounds_are_checked {
            self.convert(document);
        }
        if self.inclusive_ends && !document.bounds_are_checked {
            include_ends(document);
        }
        if tally.examined < EXAMINED {
            tally.examine(document);
        }
        if self.trim != Trim::Nothing {
            self.trim(document, tally);
        }
    }

    /// Converts the offsets of all annotations to code points. Annotations with an offset within a
    /// character are left out with a report.
    fn convert(&self, document: &mut Document) {
        if document.text.is_ascii() {
            return;
        }
        let units = Units::new(
            &document.text,
            usize::MAX,
            match self.offsets {
                OffsetUnit::Bytes => char::len_utf8,
                _ => char::len_utf16,
            },
        );
        let mut keeps = vec![true; document.annotations.len()];
        for (at, keep) in keeps.iter_mut().enumerate() {
            let annotation = document.annotations[at];
            let bounds = document.segments(&annotation);
            let converted = bounds
                .iter()
                .map(|&(start, end)| units.character(start).zip(units.character(end)));
            match converted.collect::<Option<Vec<_>>>() {
                Some(converted) => document.set_bounds(at, &converted),
                None => {
                    *keep = false;
                    let ty = document.type_of(&annotation).to_owned();
                    let Annotation { start, end, .. } = annotation;
                    document.leave_out(|| {
                        format!("{ty} {start}-{end} begins or ends within a character or beyond the text")
                    });
                }
            }
        }
        let relations = document.retain(&keeps);
        for relation in relations {
            let ty = document.type_of_relation(&relation).to_owned();
            document.leave_out_relation(|| {
                format!("relation {ty:?} of an annotation that is left out")
            });
        }
    }

    /// Removes characters from both ends of annotations; annotations that consist only of such
    /// characters are kept.
    fn trim(&self, document: &mut Document, tally: &mut Tally) {
        let characters: Vec<char> = document.text.chars().collect();
        let removed = |character: &char| match self.trim {
            Trim::Punctuation => !is_word(*character),
            _ => character.is_whitespace(),
        };
        for at in 0..document.annotations.len() {
            let annotation = document.annotations[at];
            if document.is_token(&annotation) {
                continue;
            }
            let mut bounds = document.segments(&annotation);
            let mut blank = false;
            if let Some((start, end)) = bounds.first_mut()
                && let Some(text) = characters.get(*start as usize..*end as usize)
            {
                let skipped = text.iter().take_while(|c| removed(c)).count();
                blank |= skipped == text.len();
                *start += skipped as u32;
            }
            if let Some((start, end)) = bounds.last_mut()
                && let Some(text) = characters.get(*start as usize..*end as usize)
            {
                let skipped = text.iter().rev().take_while(|c| removed(c)).count();
                blank |= skipped == text.len();
                *end -= skipped as u32;
            }
            if blank {
                tally.blank += usize::from(annotation.start < annotation.end);
            } else if bounds != document.segments(&annotation) {
                if tally.trimmed.0 == 0 {
                    tally.trimmed.1 = located(document, &annotation);
                }
                tally.trimmed.0 += 1;
                document.set_bounds(at, &bounds);
            }
        }
    }
}

/// Adds 1 to the ends of all annotations except tokens.
fn include_ends(document: &mut Document) {
    for at in 0..document.annotations.len() {
        if document.is_token(&document.annotations[at]) {
            continue;
        }
        let mut bounds = document.segments(&document.annotations[at]);
        for (_, end) in &mut bounds {
            *end = end.saturating_add(1);
        }
        document.set_bounds(at, &bounds);
    }
}

/// Returns an annotation with its document, for messages.
fn located(document: &Document, annotation: &Annotation) -> String {
    let Annotation { start, end, .. } = annotation;
    let name = document.name.as_ref().or(document.id.as_ref());
    let name = name.map_or(String::new(), |name| format!(" of document {name}"));
    format!("{} {start}-{end}{name}", document.type_of(annotation))
}

impl Tally {
    /// Examines the bounds of the annotations of a document, up to the limit for a source.
    fn examine(&mut self, document: &Document) {
        let left = EXAMINED - self.examined;
        let spans = || {
            let all = document.annotations.iter();
            all.filter(|a| !document.is_token(a)).take(left)
        };
        let Some(last) = spans().map(|a| a.start.max(a.end)).max() else {
            return;
        };
        // No character after the one that follows the last end matters.
        let most = last as usize + 2;
        let utf16 = Units::new(&document.text, most, char::len_utf16);
        let within = |at: usize| utf16.characters.get(at).copied().is_some_and(has_spaces);
        for annotation in spans() {
            let (start, end) = (annotation.start as usize, annotation.end as usize);
            self.examined += 1;
            let begins = start == 0 || !within(start - 1);
            let ends_word = within(end) && !within(end + 1);
            self.short += usize::from(begins && ends_word && (start >= end || within(end - 1)));
        }
        let units = utf16.offsets.last().copied().unwrap_or(0);
        if units as usize > utf16.characters.len() {
            self.utf16.add(&utf16, spans());
        }
        let bytes = Units::new(&document.text, most, char::len_utf8);
        let units = bytes.offsets.last().copied().unwrap_or(0);
        if units as usize > bytes.characters.len() {
            self.bytes.add(&bytes, spans());
        }
    }

    /// Returns what users should know, one sentence each.
    pub(super) fn notices(&self, quirks: &Quirks) -> Vec<String> {
        let mut notices = Vec::new();
        if self.examined >= FEWEST && self.short * 10 >= self.examined * 8 && !quirks.inclusive_ends
        {
            notices.push(format!(
                "every end may be off by one: {} of {} annotations end one character before the end of a word; if ends \
                 are inclusive, pass inclusive_ends=True (--inclusive-ends)",
                self.short, self.examined
            ));
        }
        if quirks.offsets == OffsetUnit::Format {
            let units = [
                ("utf-16", "UTF-16 code units", &self.utf16),
                ("bytes", "bytes", &self.bytes),
            ];
            if let Some((name, unit, evidence)) = units.iter().find(|unit| unit.2.is_clear()) {
                notices.push(format!(
                    "the offsets of {} of {} annotations fit the text if they count {unit}, and of {} if they count \
                     characters; if they count {unit}, pass offsets=\"{name}\" (--offsets {name})",
                    evidence.fit, evidence.examined, evidence.fit_characters
                ));
            }
        }
        let (trimmed, first) = &self.trimmed;
        if *trimmed > 0 {
            let s = if *trimmed == 1 { "" } else { "s" };
            notices.push(format!("trimmed {trimmed} annotation{s}, first {first}"));
        }
        if self.blank > 0 {
            notices.push(format!(
                "annotations that consist only of characters to trim, and are kept: {}",
                self.blank
            ));
        }
        notices
    }
}

impl UnitEvidence {
    /// Adds the annotations whose bounds differ between the unit and code points.
    fn add<'a>(&mut self, units: &Units, annotations: impl Iterator<Item = &'a Annotation>) {
        for &Annotation { start, end, .. } in annotations {
            let converted = units.character(start).zip(units.character(end));
            if converted == Some((start, end)) {
                continue;
            }
            self.examined += 1;
            self.fit += usize::from(converted.is_some_and(|(start, end)| units.fits(start, end)));
            self.fit_characters += usize::from(units.fits(start, end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::spans;
    use super::super::{Format, Reader};
    use super::*;

    fn read(text: &str, bounds: &[(u32, u32)], quirks: Quirks) -> (Vec<(u32, u32)>, Vec<String>) {
        let rows: Vec<_> = bounds
            .iter()
            .map(|&(start, end)| (start, end, "X"))
            .collect();
        let record = serde_json::json!({"id": "d", "text": text, "label": rows}).to_string();
        let reader = Reader {
            quirks,
            ..Reader::new(Format::Doccano)
        };
        let source =
            crate::Source::stream("d", Box::new(std::io::Cursor::new(record.into_bytes())));
        let mut documents = reader.open(&source).unwrap();
        let document = documents.next().unwrap().unwrap();
        let bounds = spans(&document)
            .into_iter()
            .map(|(_, start, end)| (start, end));
        (bounds.collect(), documents.notices())
    }

    #[test]
    fn annotations_are_trimmed_and_counted() {
        let text = "I saw Bob . He";
        let trimmed = |trim| {
            read(
                text,
                &[(5, 10), (6, 11), (9, 10), (6, 9)],
                Quirks {
                    trim,
                    ..Quirks::default()
                },
            )
        };
        assert_eq!(
            trimmed(Trim::Nothing),
            (vec![(5, 10), (6, 11), (9, 10), (6, 9)], vec![])
        );
        let (bounds, notices) = trimmed(Trim::Spaces);
        assert_eq!(bounds, [(6, 9), (6, 11), (9, 10), (6, 9)]);
        assert_eq!(
            notices[0],
            "trimmed 1 annotation, first X 5-10 of document d"
        );
        assert_eq!(
            notices[1],
            "annotations that consist only of characters to trim, and are kept: 1"
        );
        assert_eq!(
            trimmed(Trim::Punctuation).0,
            [(6, 9), (6, 9), (9, 10), (6, 9)]
        );
    }

    #[test]
    fn inclusive_ends_are_noticed_and_read() {
        let text = "Bob saw Ann and a cat";
        let inclusive = [(0, 2), (4, 6), (8, 10), (16, 16), (18, 20)].repeat(4);
        let (bounds, notices) = read(text, &inclusive, Quirks::default());
        assert_eq!(bounds, inclusive);
        assert!(
            notices[0].starts_with("every end may be off by one: 20 of 20 annotations"),
            "{notices:?}"
        );
        let quirks = Quirks {
            inclusive_ends: true,
            ..Quirks::default()
        };
        let exclusive = [(0, 3), (4, 7), (8, 11), (16, 17), (18, 21)].repeat(4);
        assert_eq!(read(text, &inclusive, quirks), (exclusive.clone(), vec![]));
        assert_eq!(
            read(text, &exclusive, Quirks::default()).1,
            Vec::<String>::new()
        );
    }

    #[test]
    fn offsets_in_other_units_are_noticed_and_read() {
        let text = "\u{1F600} Bob saw Ann \u{1F600} eat";
        let characters = vec![(2, 5), (6, 9), (10, 13), (16, 19)];
        for (offsets, shift) in [
            (OffsetUnit::Utf16, [1, 1, 1, 2]),
            (OffsetUnit::Bytes, [3, 3, 3, 6]),
        ] {
            let shifted = characters
                .iter()
                .zip(shift)
                .map(|(&(start, end), by)| (start + by, end + by));
            let shifted: Vec<_> = shifted.collect();
            let (_, notices) = read(text, &shifted, Quirks::default());
            let name = if offsets == OffsetUnit::Utf16 {
                "utf-16"
            } else {
                "bytes"
            };
            assert!(
                notices[0].contains(&format!("(--offsets {name})")),
                "{notices:?}"
            );
            let quirks = Quirks {
                offsets,
                ..Quirks::default()
            };
            assert_eq!(read(text, &shifted, quirks), (characters.clone(), vec![]));
        }
        assert_eq!(
            read(text, &characters, Quirks::default()).1,
            Vec::<String>::new()
        );
        let within = Quirks {
            offsets: OffsetUnit::Utf16,
            ..Quirks::default()
        };
        assert_eq!(read(text, &[(1, 3)], within).0, []);
    }
}
