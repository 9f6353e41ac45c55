//! brat's annotations, which stand off in a file beside the text.
//!
//! ```text
//! T1<tab>PER 0 3<tab>Bob                          text-bound: id, type, offsets, the text there
//! T2<tab>LOC 10 15;20 25<tab>North Coast          two fragments
//! A1<tab>Confidence T1 high                       attribute: id, name, target, value
//! ```
//!
//! Offsets count code points from 0, ends exclusive; a byte order mark is one of them, and so it
//! stays in the text. Relations (`R`, `*`), events (`E`), normalisations (`N`) and notes (`#`) are
//! passed over; what triggers an event is an annotation like others. An attribute without a value
//! has the value `yes`.
//!
//! The text that an annotation shows is compared with the document. If it differs the file is
//! refused, because then the text is another version, or the offsets count bytes, and all
//! annotations are suspect.
//!
//! Fragments between which there is only white space are one piece: brat itself cuts annotations at
//! the ends of lines.
//!
//! | offsets in `New York and Bonn` | pieces |
//! |---|---|
//! | `0 3;4 8` | none: one stretch, 0 to 8 |
//! | `0 3;13 17` | 0 to 3 and 13 to 17 |
//!
//! Source: <https://brat.nlplab.org/standoff.html>.

use std::collections::HashMap;
use std::path::Path;

use spanrs_base::{Limits, Position};

use super::annotated_text::Document;
use super::char_index::CharIndex;
use super::encoding::{decoded, utf8};
use super::json::excerpt;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Advice on how an annotation is written.
const TEXT_BOUND: &str = "write T1<tab>TYPE START END<tab>TEXT";
/// Advice on how an attribute is written.
const ATTRIBUTE: &str = "write A1<tab>NAME T1, or A1<tab>NAME T1 VALUE";
/// Advice where annotations and text do not fit.
const OTHER_TEXT: &str = "the .txt is another version, or the offsets count bytes";
/// Number of characters of a text that are quoted in messages.
const QUOTE: usize = 40;

/// Reads the document of a pair of files, of which either is named: the other one has the same name
/// with the other ending.
///
/// # Errors
/// [`Code::BadDocument`] if the path ends in neither `.ann` nor `.txt`, [`Code::Io`] if one of the
/// files is missing, [`Code::Encoding`] if one is not UTF-8, and as [`read`].
pub(super) fn open(path: &Path, limits: Limits) -> Result<Document> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !matches!(ending, Some("ann" | "txt")) {
        let message = "brat keeps annotations in a file that ends in .ann, beside the text in one that ends \
                       in .txt; name either";
        let position = Position::file(&path.display().to_string());
        return Err(Error::new(Code::BadDocument, position, message));
    }
    let bytes = |ending| {
        let source = Source::from(path.with_extension(ending));
        let bytes = source.contents(limits)?;
        Ok((source.name().to_owned(), bytes))
    };
    let (name, annotations) = bytes("ann")?;
    let (text_name, text) = bytes("txt")?;
    let text = decoded(&text_name, &text)?;
    read(&name, utf8(&name, &annotations)?, text)
}

/// Reads a document from its annotations and its text; `name` is the name of the file of
/// annotations.
///
/// Annotations are in the order of the file. Lines may end with LF or CR LF. For the text `Bob
/// ate`:
///
/// | line | outcome |
/// |---|---|
/// | `T1<tab>PER 0 3<tab>Bob` | an annotation |
/// | `T1<tab>PER 0 3<tab>Bib` | refused: the text differs |
/// | `T1<tab>PER 0 9<tab>Bob ate` | refused: reaches beyond the text |
/// | `A1<tab>Negation E1` | passed over: about an event |
/// | `A1<tab>Negation T9` | left out with a report, if there is no T9 |
/// | `X1<tab>...` | refused: no line of brat's |
/// | blank | passed over |
///
/// # Errors
/// [`Code::BadDocument`] with line and column for a line that is none of brat's, a malformed
/// annotation or attribute, an id that occurs twice, offsets beyond the text, and a text that
/// differs from the document's.
pub(super) fn read(name: &str, annotations: &str, text: &str) -> Result<Document> {
    let mut walk = Walk {
        name,
        document: Document::new(text.to_owned()),
        characters: CharIndex::new(text),
        ids: HashMap::new(),
        bounds: Vec::new(),
        pieces: Vec::new(),
        attributes: Vec::new(),
    };
    for (number, line) in (1..).zip(annotations.split('\n')) {
        let line = Line {
            number,
            text: line.strip_suffix('\r').unwrap_or(line),
        };
        match line.text.as_bytes().first() {
            Some(b'T') => walk.text_bound(&line)?,
            Some(b'A' | b'M') => walk.attribute(&line)?,
            None | Some(b'R' | b'E' | b'N' | b'#' | b'*') => {}
            Some(_) if line.text.trim().is_empty() => {}
            Some(_) => {
                let message = "this is no line of brat's: they begin with T, A, M, R, E, N, # or *";
                return Err(walk.error(&line, line.text, message));
            }
        }
    }
    Ok(walk.finish())
}

/// A line of the file of annotations.
struct Line<'a> {
    /// Its number, from 1.
    number: u64,
    /// The line without its line end.
    text: &'a str,
}

/// A text-bound annotation.
struct Bound {
    /// Number of its type in the document.
    ty: u32,
    /// First character of the first piece.
    start: u32,
    /// One past the last character of the last piece.
    end: u32,
    /// Index range, end exclusive, in [`Walk::pieces`]; empty for an annotation of one piece.
    pieces: (usize, usize),
    /// Number of its line, for messages.
    line: u64,
}

/// An attribute: its id, the id of its target, name, value.
type AttributeLine<'a> = (&'a str, &'a str, &'a str, &'a str);

/// State of a pass over the file of annotations.
///
/// Annotations are put into the document at the end, because an attribute may stand before its
/// annotation, and those of an annotation must be added together.
struct Walk<'a> {
    /// Name of the file of annotations.
    name: &'a str,
    /// The document, without annotations until the end.
    document: Document,
    /// The text by characters.
    characters: CharIndex<'a>,
    /// Index in `bounds` of each annotation, by id.
    ids: HashMap<&'a str, usize>,
    /// Annotations in the order of the file.
    bounds: Vec<Bound>,
    /// Pieces of all annotations that have several.
    pieces: Vec<(u32, u32)>,
    /// Attributes of text-bound annotations in the order of the file.
    attributes: Vec<AttributeLine<'a>>,
}

impl<'a> Walk<'a> {
    /// Reads an annotation: id, type and offsets, and the text that they cover.
    ///
    /// Columns are separated by tabs, so the text may have blanks. Type and offsets are separated
    /// by a single blank; the type ends at the first one. The text is needed, also if it is empty.
    ///
    /// # Errors
    /// [`Code::BadDocument`] with the column of the part that is missing, malformed or different
    /// from the document's text; for an id that occurs twice at the beginning of the line, with the
    /// line of its first occurrence in the message.
    fn text_bound(&mut self, line: &Line<'a>) -> Result<()> {
        let wrong = |at: &str, what: &str| self.error(line, at, &format!("{what}; {TEXT_BOUND}"));
        let end = &line.text[line.text.len()..];
        let Some((id, rest)) = line.text.split_once('\t') else {
            return Err(wrong(end, "there is no tab, and no type behind it"));
        };
        let Some((body, shown)) = rest.split_once('\t') else {
            return Err(wrong(end, "there is no tab, and no text behind it"));
        };
        let Some((ty, offsets)) = body.split_once(' ').filter(|(ty, _)| !ty.is_empty()) else {
            return Err(wrong(
                body,
                "there is no type, or there are no offsets behind it",
            ));
        };
        let pieces = self.offsets(line, offsets)?;
        if let Some(covered) = self.differs(&pieces, shown) {
            let quoted = excerpt(shown, QUOTE);
            let message =
                format!("the text says {covered:?}, the annotation {quoted:?}; {OTHER_TEXT}");
            return Err(self.error(line, shown, &message));
        }
        if let Some(first) = self.ids.insert(id, self.bounds.len()) {
            let (id, first) = (excerpt(id, QUOTE), self.bounds[first].line);
            let message = format!("{id} is the id of line {first} as well; give each its own");
            return Err(self.error(line, line.text, &message));
        }
        self.add(ty, pieces, line.number);
        Ok(())
    }

    /// Returns start and end of each fragment, in the order of the file: `10 15;20 25` gives 10-15
    /// and 20-25.
    ///
    /// # Errors
    /// [`Code::BadDocument`] at the fragment if it is not two whole numbers, ends before it begins
    /// or reaches beyond the text.
    fn offsets(&self, line: &Line<'_>, offsets: &str) -> Result<Vec<(u32, u32)>> {
        let length = self.characters.len();
        let piece = |piece: &str| {
            let bounds = piece.split_once(' ');
            let bounds = bounds.and_then(|(start, end)| offset(start).zip(offset(end)));
            let message = match bounds {
                None => {
                    let piece = excerpt(piece, QUOTE);
                    format!("{piece:?} is not two whole numbers from 0; {TEXT_BOUND}")
                }
                Some((start, end)) if start > end => {
                    format!("{start} {end} ends before it begins; {TEXT_BOUND}")
                }
                Some((start, end)) if end as usize > length => {
                    format!(
                        "{start} {end} reaches beyond the text of {length} characters; {OTHER_TEXT}"
                    )
                }
                Some(bounds) => return Ok(bounds),
            };
            Err(self.error(line, piece, &message))
        };
        offsets.split(';').map(piece).collect()
    }

    /// Returns the beginning of the text that an annotation covers, for a message, if it differs
    /// from `shown`; None if they are equal.
    ///
    /// Fragments are joined by a blank, and a blank may stand for a line end or a tab of the text,
    /// which cannot be shown in a line of the file: the text `New<LF>York` is shown as `New York`.
    /// Comparison ends at the first difference, and nothing is copied if there is none.
    fn differs(&self, pieces: &[(u32, u32)], shown: &str) -> Option<String> {
        let stretches = || {
            let stretch = |&(start, end)| self.characters.between(start, end).unwrap_or_default();
            pieces.iter().map(stretch)
        };
        let covered = || {
            let blanks = std::iter::once("").chain(std::iter::repeat(" "));
            stretches()
                .zip(blanks)
                .flat_map(|(stretch, blank)| blank.chars().chain(stretch.chars()))
        };
        // The ends of lines cannot be shown in a line, and tabs would end a field.
        let mut shown = shown.chars();
        let same = covered().all(|c| {
            shown
                .next()
                .is_some_and(|s| s == c || s == ' ' && matches!(c, '\n' | '\r' | '\t'))
        });
        if same && shown.next().is_none() {
            return None;
        }
        let quoted: String = covered().take(QUOTE + 1).collect();
        Some(excerpt(&quoted, QUOTE))
    }

    /// Adds an annotation. Pieces are sorted, and those that overlap or have only white space
    /// between them become one.
    ///
    /// In `New York, or North and<LF> South Shore`, `0 3;4 8` is one stretch, `13 18;30 35` two
    /// pieces, and `24 29;30 35;13 18` the pieces 13-18 and 24-35. The annotation reaches from the
    /// beginning of the first piece to the end of the last.
    fn add(&mut self, ty: &str, mut pieces: Vec<(u32, u32)>, line: u64) {
        pieces.sort_unstable();
        let from = self.pieces.len();
        for (start, end) in pieces {
            match self.pieces[from..].last_mut() {
                Some(last) if start <= last.1 || self.characters.is_blank(last.1, start) => {
                    last.1 = last.1.max(end);
                }
                _ => self.pieces.push((start, end)),
            }
        }
        let (start, end) = (self.pieces[from].0, self.pieces[self.pieces.len() - 1].1);
        if self.pieces.len() == from + 1 {
            self.pieces.truncate(from);
        }
        self.bounds.push(Bound {
            ty: self.document.intern(ty),
            start,
            end,
            pieces: (from, self.pieces.len()),
            line,
        });
    }

    /// Reads an attribute: id, name, target, and perhaps a value. Attributes of events and
    /// relations are passed over.
    ///
    /// | line | attribute |
    /// |---|---|
    /// | `A1<tab>Negation T1` | `Negation` of T1 is `yes` |
    /// | `M1<tab>Confidence T1 rather high` | `Confidence` of T1 is `rather high` |
    /// | `A2<tab>Negation E1` | passed over |
    /// | `A3<tab>Negation` | refused: no target |
    fn attribute(&mut self, line: &Line<'a>) -> Result<()> {
        let end = &line.text[line.text.len()..];
        let Some((id, body)) = line.text.split_once('\t') else {
            let message = format!("there is no tab, and no name behind it; {ATTRIBUTE}");
            return Err(self.error(line, end, &message));
        };
        let Some((name, about)) = body.trim().split_once(char::is_whitespace) else {
            let message = format!("there is no name, or not whose it is; {ATTRIBUTE}");
            return Err(self.error(line, body, &message));
        };
        let about = about.trim_start();
        let (target, value) = about
            .split_once(char::is_whitespace)
            .map_or((about, "yes"), |(target, value)| (target, value.trim()));
        // Events have attributes too.
        if target.starts_with('T') {
            self.attributes.push((id, target, name, value));
        }
        Ok(())
    }

    /// Puts annotations and attributes together. An attribute without target is left out with a
    /// report. The sort is stable, so that the attributes of an annotation stay in the order of the
    /// file.
    fn finish(self) -> Document {
        let mut document = self.document;
        let mut attributes = Vec::with_capacity(self.attributes.len());
        for (id, target, name, value) in self.attributes {
            match self.ids.get(target) {
                Some(&bound) => attributes.push((bound, name, value)),
                None => document.leave_out(|| {
                    let [id, name, target] = [id, name, target].map(|part| excerpt(part, QUOTE));
                    format!("{id} ({name}) is about {target}, which is not there")
                }),
            }
        }
        attributes.sort_by_key(|&(bound, ..)| bound);
        let mut attributes = attributes.into_iter().peekable();
        for (at, bound) in self.bounds.iter().enumerate() {
            document.push(bound.ty, bound.start, bound.end);
            document.set_pieces(&self.pieces[bound.pieces.0..bound.pieces.1]);
            while let Some((_, name, value)) = attributes.next_if(|&(of, ..)| of == at) {
                document.add_attribute(name, value.to_owned());
            }
        }
        document
    }

    /// The error [`Code::BadDocument`] at a part of a line. `part` must be a slice of the line's
    /// text; its distance from the beginning of the line is the column.
    fn error(&self, line: &Line<'_>, part: &str, message: &str) -> Error {
        let position = Position {
            path: self.name.to_owned(),
            line: line.number,
            column: (part.as_ptr() as usize - line.text.as_ptr() as usize) as u64 + 1,
        };
        Error::new(Code::BadDocument, position, message)
    }
}

/// Parses a whole number from 0. One that is too large for the type becomes its maximum, which is
/// beyond any text as well.
fn offset(digits: &str) -> Option<u32> {
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(String, u32, u32, Vec<(u32, u32)>)>;

    fn found(annotations: &str, text: &str) -> Found {
        let document = read("d.ann", annotations, text).unwrap().close();
        let all = document.annotations.iter();
        all.map(|a| {
            let ty = document.type_of(a).to_owned();
            (ty, a.start, a.end, document.pieces(a).to_vec())
        })
        .collect()
    }

    fn row(ty: &str, start: u32, end: u32, pieces: &[(u32, u32)]) -> Found {
        vec![(ty.to_owned(), start, end, pieces.to_vec())]
    }

    fn refused(annotations: &str, text: &str) -> String {
        read("d.ann", annotations, text).unwrap_err().to_string()
    }

    #[test]
    fn offsets_count_code_points() {
        let text = "\u{1F600} \u{e9}t\u{e9}\tBob\n";
        let annotations =
            "T1\tX 2 5\t\u{e9}t\u{e9}\r\nT2\tPER 6 9\tBob\r\nT3\tE 0 1\t\u{1F600}\nT4\tY 9 9\t";
        let expected = [
            row("X", 2, 5, &[]),
            row("PER", 6, 9, &[]),
            row("E", 0, 1, &[]),
            row("Y", 9, 9, &[]),
        ];
        assert_eq!(found(annotations, text), expected.concat());
    }

    #[test]
    fn pieces_with_blanks_between_are_one() {
        let text = "New York, or North and\n South Shore";
        let whole = "T1\tLOC 0 3;4 8\tNew York";
        assert_eq!(found(whole, text), row("LOC", 0, 8, &[]));
        let fragmented = "T1\tLOC 19 22;24 29\tand South";
        assert_eq!(found(fragmented, text), row("LOC", 19, 29, &[]));
        let unbroken = "T1\tLOC 19 29\tand  South";
        assert_eq!(found(unbroken, text), row("LOC", 19, 29, &[]));
        let apart = "T1\tLOC 13 18;30 35\tNorth Shore";
        assert_eq!(
            found(apart, text),
            row("LOC", 13, 35, &[(13, 18), (30, 35)])
        );
        let both = "T1\tLOC 24 29;30 35;13 18\tSouth Shore North";
        assert_eq!(found(both, text), row("LOC", 13, 35, &[(13, 18), (24, 35)]));
        let nested = "T1\tLOC 0 8;4 6\tNew York Yo";
        assert_eq!(found(nested, text), row("LOC", 0, 8, &[]));
    }

    #[test]
    fn attributes_find_their_annotations() {
        let annotations = "A3\tCertainty  T2   rather high \nT1\tA 0 1\ta\nT2\tB 1 2\tb\nA1\tNegation T1\n\
                           M1\tSpeculation T2\nA2\tNegation E1\nE1\tA:T1 Arg:T2\nR1\tRel Arg1:T1 Arg2:T2\n\
                           N1\tReference T1 W:1\ta\n#1\tAnnotatorNotes T1\tnote\n*\tEquiv T1 T2\n\n \nA9\tNegation T9";
        let document = read("d.ann", annotations, "ab").unwrap();
        let of = |at: usize| {
            document
                .attributes(&document.annotations[at])
                .collect::<Vec<_>>()
        };
        assert_eq!(document.annotations.len(), 2);
        assert_eq!(of(0), [("Negation", "yes")]);
        assert_eq!(
            of(1),
            [("Certainty", "rather high"), ("Speculation", "yes")]
        );
        assert_eq!(document.left_out_count, 1);
        assert_eq!(
            document.left_out,
            ["A9 (Negation) is about T9, which is not there"]
        );
    }

    #[test]
    fn another_text_is_refused() {
        assert_eq!(
            refused("T1\tA 0 2\tB\u{e9}", "Bo\n"),
            "d.ann:1:10: the text says \"Bo\", the annotation \"B\u{e9}\"; the .txt is another version, or the \
             offsets count bytes"
        );
        let long = "a".repeat(50);
        assert_eq!(
            refused(
                &format!("\nT1\tA 0 50;50 51\t{long} c"),
                &format!("{long}b")
            ),
            format!(
                "d.ann:2:17: the text says \"{0}...\", the annotation \"{0}...\"; the .txt is another version, \
                 or the offsets count bytes",
                "a".repeat(40)
            )
        );
        assert!(refused("T1\tA 0 2\tBob", "Bob").contains("says \"Bo\", the annotation \"Bob\""));
        assert!(refused("T1\tA 0 2\tB", "Bob").contains("says \"Bo\", the annotation \"B\""));
        let beyond = "reaches beyond the text of 2 characters; the .txt is another version, or the offsets \
                      count bytes";
        assert_eq!(
            refused("T1\tA 0 3\ta", "\u{e9}b"),
            format!("d.ann:1:6: 0 3 {beyond}")
        );
        assert_eq!(
            refused("T1\tA 0 1;1 99999999999999999999\ta", "ab"),
            format!("d.ann:1:10: 1 4294967295 {beyond}")
        );
    }

    #[test]
    fn malformed_lines_are_refused_at_their_place() {
        let of = |line: &str| refused(&format!("#\n{line}\n"), "some text");
        let write = "write T1<tab>TYPE START END<tab>TEXT";
        assert_eq!(
            of("T1 A 0 1"),
            format!("d.ann:2:9: there is no tab, and no type behind it; {write}")
        );
        assert_eq!(
            of("T1\tA 0 1"),
            format!("d.ann:2:9: there is no tab, and no text behind it; {write}")
        );
        let offsets = format!("there is no type, or there are no offsets behind it; {write}");
        assert_eq!(of("T1\tA\ts"), format!("d.ann:2:4: {offsets}"));
        assert_eq!(of("T1\t 0 1\ts"), format!("d.ann:2:4: {offsets}"));
        let number = |piece| format!("{piece:?} is not two whole numbers from 0; {write}");
        assert_eq!(
            of("T1\tA -1 1\ts"),
            format!("d.ann:2:6: {}", number("-1 1"))
        );
        assert_eq!(of("T1\tA 0 1;\ts"), format!("d.ann:2:10: {}", number("")));
        assert_eq!(
            of("T1\tA 0 +1\ts"),
            format!("d.ann:2:6: {}", number("0 +1"))
        );
        assert_eq!(
            of("T1\tA B 0 1\ts"),
            format!("d.ann:2:6: {}", number("B 0 1"))
        );
        assert_eq!(
            of("T1\tA 2 1\ts"),
            format!("d.ann:2:6: 2 1 ends before it begins; {write}")
        );
        assert_eq!(
            of("T1\tA 0 1\ts\nT1\tB 1 2\to"),
            "d.ann:3:1: T1 is the id of line 2 as well; give each its own"
        );
        let attribute = "write A1<tab>NAME T1, or A1<tab>NAME T1 VALUE";
        assert_eq!(
            of("A1 Negation T1"),
            format!("d.ann:2:15: there is no tab, and no name behind it; {attribute}")
        );
        assert_eq!(
            of("A1\tNegation "),
            format!("d.ann:2:4: there is no name, or not whose it is; {attribute}")
        );
        assert_eq!(
            of("Bob ate"),
            "d.ann:2:1: this is no line of brat's: they begin with T, A, M, R, E, N, # or *"
        );
    }

    #[test]
    fn work_does_not_grow_with_the_stretches() {
        let text = format!("a{}b", " ".repeat(200_000));
        let lines = (0..20_000).map(|at| format!("T{at}\tX 0 1;200001 200002\ta b\n"));
        let annotations: String = lines.collect();
        let spans = found(&annotations, &text);
        assert_eq!(spans.len(), 20_000);
        assert_eq!(spans[19_999..], row("X", 0, 200_002, &[]));
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_files_hold_is_read_or_refused(
            lines in "(T[12]\t(A|\u{e9}) [0-3] [0-3](;[0-3] [0-3])?\t[a\u{1F600} ]{0,3}|A1\tN T1|[TAMRx*]\\PC?\t?)(\n[TA]\\PC{0,9})?",
            text in "[a\u{1F600} \n]{0,4}",
        ) {
            if let Ok(document) = read("d.ann", &lines, &text) {
                let read = document.annotations.len();
                assert_eq!(document.close().annotations.len(), read, "{lines:?} {text:?}");
            }
        }
    }
}
