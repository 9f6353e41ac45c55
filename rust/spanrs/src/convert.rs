//! Conversion of a column file into another scheme.
//!
//! Only the tags are replaced: separators, comments, other columns, line ends and a byte order mark
//! are copied byte for byte. A sentence is held until it ends, since its tags are converted
//! together.
//!
//! ```text
//! # text = Bob Smith     # text = Bob Smith
//! Bob   NNP  B-PER       Bob   NNP  B-PER
//! Smith NNP  I-PER       Smith NNP  L-PER          BIO to BILOU
//! ```

use std::io::Write;
use std::ops::Range;

use spanrs_base::Position;
use spanrs_eval::Violations;
use spanrs_io::{Code, ColumnReader, LineKind};
use spanrs_tags::{Converter, Error as TagsError};

use crate::error::{Error, Result};
use crate::file_warnings::{column_warnings, violation_warning};
use crate::sentence::Lines;
use crate::{Progress, Reporter};

/// Number of violations that are kept for the message.
const KEEP: usize = 1000;

/// The lines of the current sentence, as they were read, and the places of their tags.
#[derive(Default)]
struct Pending {
    /// The lines with their line ends.
    text: Vec<u8>,
    /// Range in `text` of the tag of each token; None if CoNLL-U does not specify one.
    tags: Vec<Option<Range<usize>>>,
    /// Lines of the tokens, for messages.
    lines: Lines,
}

/// Copies a column file to `out` with its tags converted; all other bytes are unchanged. Returns
/// warnings.
///
/// The whole file is read even if a sentence is malformed, so that every violation is counted; what
/// was written until then is of no use. Tags that were malformed but could be read are converted as
/// they were read, with a warning if there are many.
///
/// # Errors
/// Those of reading the file; [`Error::Malformed`] if tags are malformed and the converter has no
/// reading; [`Error::Tags`] if the target scheme cannot express the spans; [`Error::Io`] with
/// [`Code::NoColumn`] if a tag other than `O` would have to be written where CoNLL-U does not
/// specify one; [`Error::Write`]; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::tags::{Converter, Dialect, Scheme};
/// let source = Box::new(&b"Bob\tB-PER\nSmith\tI-PER\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let (bio, bilou) = (Scheme::Bio, Scheme::Bilou);
/// let mut converter = Converter::new(bio, bilou, None, Dialect::default()).unwrap();
/// let mut out = Vec::new();
/// let warnings = spanrs::convert(rows, &mut converter, &mut out, &mut |_| true)?;
/// assert_eq!(out, b"Bob\tB-PER\nSmith\tL-PER\n");
/// assert!(warnings.is_empty());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn convert(
    mut rows: ColumnReader,
    converter: &mut Converter,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Vec<String>> {
    let mut warnings = column_warnings(&rows, None);
    let mut pending = Pending::default();
    let mut malformed = Violations::default();
    let mut scheme = None;
    let mut reporter = Reporter::new(progress);
    out.write_all(rows.byte_order_mark())?;
    loop {
        let kind = rows.next_line()?;
        reporter.line(|| rows.bytes_read())?;
        let ends = !matches!(kind, Some(LineKind::Token | LineKind::Comment));
        if ends && !pending.tags.is_empty() {
            match pending.convert(converter, out, rows.path()) {
                Err(Error::Malformed {
                    scheme: named,
                    violations,
                    ..
                }) => {
                    scheme = Some(named);
                    malformed.count += violations.count;
                    let room = KEEP - malformed.first.len();
                    malformed
                        .first
                        .extend(violations.first.into_iter().take(room));
                }
                other => other?,
            }
            pending.clear();
        }
        let Some(kind) = kind else {
            // Comments behind the last sentence.
            out.write_all(&pending.text)?;
            break;
        };
        pending.push(&rows, kind);
        if ends {
            out.write_all(&pending.text)?;
            pending.clear();
        }
    }
    match scheme {
        None => {
            let (violations, labelled) = converter.changed();
            let violations = Violations {
                count: violations,
                first: Vec::new(),
            };
            warnings.extend(violation_warning(
                rows.path(),
                converter.reader().scheme(),
                &violations,
                labelled,
                "what the reading makes of them was written, and tags that are none became O; is it in another scheme?",
            ));
            Ok(warnings)
        }
        Some(scheme) => Err(Error::Malformed {
            path: rows.path().to_owned(),
            scheme,
            violations: malformed,
        }),
    }
}

impl Pending {
    /// Begins the next sentence.
    fn clear(&mut self) {
        self.text.clear();
        self.tags.clear();
        self.lines.clear();
    }

    /// Adds the line that was read last.
    fn push(&mut self, rows: &ColumnReader, kind: LineKind) {
        if kind == LineKind::Token {
            let (offset, tag) = (self.text.len(), rows.tag_place());
            self.lines.push(self.tags.len(), rows.line());
            self.tags
                .push(tag.map(|tag| offset + tag.start..offset + tag.end));
        }
        self.text.extend_from_slice(rows.whole());
    }

    /// Writes the lines with converted tags: the bytes between two tags are copied in one piece.
    ///
    /// A token whose tag CoNLL-U does not specify has no place to write to. It is left alone if its
    /// tag is `O` after the conversion as well.
    ///
    /// # Errors
    /// As [`convert`].
    fn convert(&self, converter: &mut Converter, out: &mut dyn Write, path: &str) -> Result<()> {
        // The lines were checked to be UTF-8 when they were read.
        let text = |range: &Option<Range<usize>>| match range {
            Some(range) => std::str::from_utf8(&self.text[range.clone()]).unwrap_or_default(),
            None => "O",
        };
        let tags = match converter.convert(self.tags.iter().map(text)) {
            Ok(tags) => tags,
            Err(error) => return Err(self.located(error, path)),
        };
        let mut from = 0;
        for (token, (range, tag)) in self.tags.iter().zip(&tags).enumerate() {
            let Some(range) = range else {
                if tag == "O" {
                    continue;
                }
                let position = Position::line(path, self.lines.of(token as u32));
                let message = format!("the tag {tag} has no place: the file does not specify one");
                return Err(spanrs_io::Error::new(Code::NoColumn, position, message).into());
            };
            out.write_all(&self.text[from..range.start])?;
            out.write_all(tag.as_bytes())?;
            from = range.end;
        }
        Ok(out.write_all(&self.text[from..])?)
    }

    /// Gives an error of the converter the lines of the sentence: every violation that of its
    /// token, other errors that of the first token.
    fn located(&self, error: TagsError, path: &str) -> Error {
        let line = |token: u32| self.lines.of(token);
        match error {
            TagsError::Malformed { scheme, violations } => Error::Malformed {
                path: path.to_owned(),
                scheme,
                violations: Violations {
                    count: violations.len() as u64,
                    first: violations
                        .into_iter()
                        .map(|violation| spanrs_eval::Located {
                            sentence: 0,
                            line: line(violation.index),
                            violation,
                        })
                        .collect(),
                },
            },
            error => Error::Tags {
                position: Position::line(path, line(0)),
                error,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use spanrs_base::Limits;
    use spanrs_io::{Columns, LineReader};
    use spanrs_tags::{Dialect, Scheme};

    use super::*;

    #[test]
    fn comments_behind_the_last_sentence_are_kept() {
        let text = "a B-X\n\n# the end\n#\n";
        let source = Box::new(text.as_bytes());
        let lines = LineReader::new("t.conll", source, Limits::default()).unwrap();
        let rows = ColumnReader::new(lines, Columns::default()).unwrap();
        let mut converter =
            Converter::new(Scheme::Bio, Scheme::Bilou, None, Dialect::default()).unwrap();
        let mut out = Vec::new();
        convert(rows, &mut converter, &mut out, &mut |_| true).unwrap();
        assert_eq!(out, b"a U-X\n\n# the end\n#\n");
    }
}
