//! Conversion of a column file into another scheme.
//!
//! Only the tags are replaced: separators, comments, other columns, line ends and a byte order mark
//! are copied byte for byte. The tags of a sentence are converted together, so a sentence is kept
//! in memory until its end.
//!
//! ```text
//! # text = Bob Smith     # text = Bob Smith
//! Bob   NNP  B-PER       Bob   NNP  B-PER
//! Smith NNP  I-PER       Smith NNP  L-PER          BIO to BILOU
//! ```

use std::io::Write;

use spanrs_base::Position;
use spanrs_eval::Violations;
use spanrs_io::{ChunkSentence, Code, ColumnReader, Edits, Select};
use spanrs_tags::{Converter, Error as TagsError};

use crate::error::{Error, Result};
use crate::file_warnings::{column_warnings, violation_warning};
use crate::{Progress, report};

/// Number of violations that are kept for the message.
const KEEP: usize = 1000;

/// Copies a column file to `out` with its tags converted; all other bytes are unchanged. Returns
/// warnings.
///
/// The whole file is read even if a sentence is malformed, so that every violation is counted; the
/// output is then incomplete. Malformed tags that the reading accepts are converted, with a warning
/// if there are many.
///
/// # Errors
/// Errors from reading the file; [`Error::Malformed`] if tags are malformed and the converter has
/// no reading; [`Error::Tags`] if the target scheme cannot express the spans; [`Error::Io`] with
/// [`Code::NoColumn`] if a tag other than `O` would have to be written for a word without a tag in
/// CoNLL-U; [`Error::Write`]; [`Error::Stopped`].
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
    rows: ColumnReader,
    converter: &mut Converter,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Vec<String>> {
    let mut warnings = column_warnings(&rows, None);
    let path = rows.path().to_owned();
    let mut chunks = rows.chunks(Select::default());
    let mut malformed = Violations::default();
    let mut scheme = None;
    while let Some(chunk) = chunks.next()? {
        let mut edits = Edits::new(chunk.bytes(), out);
        for sentence in chunk.sentences() {
            match convert_sentence(&sentence, converter, &mut edits, &path) {
                Err(Error::Malformed {
                    scheme: named,
                    violations,
                    ..
                }) => {
                    scheme = Some(named);
                    malformed.count += violations.count;
                    let more = KEEP - malformed.first.len();
                    malformed
                        .first
                        .extend(violations.first.into_iter().take(more));
                }
                other => other?,
            }
        }
        edits.finish()?;
        report(progress, chunks.rows())?;
    }
    match scheme {
        None => {
            let (violations, labelled) = converter.changed();
            let violations = Violations {
                count: violations,
                first: Vec::new(),
            };
            warnings.extend(violation_warning(
                &path,
                converter.reader().scheme(),
                &violations,
                labelled,
                "they were converted as the reading interprets them, and unknown tags became O; is it in another scheme?",
            ));
            Ok(warnings)
        }
        Some(scheme) => Err(Error::Malformed {
            path,
            scheme,
            violations: malformed,
        }),
    }
}

/// Replaces the tags of a sentence by the converted tags.
///
/// A word without a tag in CoNLL-U is read as `O` and has no field for a new tag. The word is left
/// unchanged if its tag is still `O` after the conversion.
///
/// # Errors
/// Same as [`convert`].
fn convert_sentence(
    sentence: &ChunkSentence<'_>,
    converter: &mut Converter,
    edits: &mut Edits<'_>,
    path: &str,
) -> Result<()> {
    let tags = match converter.convert((0..sentence.len()).map(|token| sentence.tag_text(token))) {
        Ok(tags) => tags,
        Err(error) => return Err(located(error, sentence, path)),
    };
    for (token, tag) in tags.iter().enumerate() {
        if let Some(range) = sentence.tag_range(token) {
            edits.replace(range, tag.as_bytes())?;
        } else if tag != "O" {
            let position = Position::line(path, sentence.line(token));
            let message =
                format!("the tag {tag} cannot be written: the word has no tag in the file");
            return Err(spanrs_io::Error::new(Code::NoColumn, position, message).into());
        }
    }
    Ok(())
}

/// Adds lines to an error of the converter: every violation gets the line of its token, other
/// errors get the line of the first token.
fn located(error: TagsError, sentence: &ChunkSentence<'_>, path: &str) -> Error {
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
                        line: sentence.line(violation.index as usize),
                        violation,
                    })
                    .collect(),
            },
        },
        error => Error::Tags {
            position: Position::line(path, sentence.line(0)),
            error,
        },
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
