//! Lines of WebAnno TSV: sentences, tokens, parts of tokens.

use spanrs_base::Position;

use super::super::json::excerpt;
use super::escapes::unescape_text;
use super::schema::Schema;
use crate::error::{Code, Error, Result};

/// Advice on the syntax of a token.
const TOKEN_LINE: &str =
    "write SENTENCE-TOKEN<tab>START-END<tab>TEXT, and a column for each feature";

/// A token or a part of a token.
pub(super) struct Row<'a> {
    /// The line.
    pub(super) line: Line<'a>,
    /// `1-2`, or `1-2.1` for a part of a token.
    pub(super) id: &'a str,
    /// Number of the sentence, of the token, and of the part of the token, which is 0 for a token.
    pub(super) number: [u32; 3],
    /// First character: in the unit of the file until the text is assembled, then in characters.
    pub(super) start: u32,
    /// One past the last character.
    pub(super) end: u32,
    /// The text of the token, as in the file.
    pub(super) shown: &'a str,
    /// The columns of the layers.
    pub(super) cells: &'a str,
    /// Index of the token.
    pub(super) token: u32,
    /// Whether this is a part of the token.
    pub(super) part: bool,
}

/// A sentence.
pub(super) struct Sentence {
    /// The text, without escapes.
    pub(super) text: String,
    /// Number of the first line.
    pub(super) line: u64,
    /// Index of the first row; the rows extend to the first row of the next sentence.
    pub(super) first: usize,
}

/// A line of the file.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Number, from 1.
    pub(super) number: u64,
    pub(super) text: &'a str,
}

impl Line<'_> {
    /// Returns an error at a part of the line.
    pub(super) fn error(&self, name: &str, part: &str, message: impl Into<String>) -> Error {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let offset = if offset > self.text.len() { 0 } else { offset };
        let position = Position {
            path: name.to_owned(),
            line: self.number,
            column: offset as u64 + 1,
        };
        Error::new(Code::BadDocument, position, message)
    }
}

/// A file, divided into its lines.
pub(super) struct Table<'a> {
    pub(super) schema: Schema<'a>,
    pub(super) sentences: Vec<Sentence>,
    pub(super) rows: Vec<Row<'a>>,
    /// Number of tokens.
    pub(super) tokens: u32,
}

impl<'a> Table<'a> {
    /// Divides a file into its lines; `name` is the name of the file in messages.
    ///
    /// # Errors
    /// [`Code::BadDocument`], or [`Code::LaterVersion`], with line and column.
    pub(super) fn parse(name: &str, text: &'a str) -> Result<Self> {
        let mut lines = (1..).zip(text.split('\n')).map(|(number, text)| Line {
            number,
            text: text.strip_suffix('\r').unwrap_or(text),
        });
        let legacy = version(name, lines.next())?;
        let mut table = Self {
            schema: Schema::default(),
            sentences: Vec::new(),
            rows: Vec::new(),
            tokens: 0,
        };
        // A sentence has begun, and has no token yet.
        let mut in_header = false;
        for line in lines {
            if line.text.starts_with('#') {
                if table.sentences.is_empty() {
                    let added = table.schema.add(line.text);
                    if added.map_err(|message| line.error(name, line.text, message))? {
                        continue;
                    }
                }
                if let Some(text) = line.text.strip_prefix("#Text=") {
                    let text = unescape_text(text, legacy);
                    match table.sentences.last_mut() {
                        Some(sentence) if in_header => {
                            sentence.text.push('\n');
                            sentence.text.push_str(&text);
                        }
                        _ => table.sentences.push(Sentence {
                            text: text.into_owned(),
                            line: line.number,
                            first: table.rows.len(),
                        }),
                    }
                    in_header = true;
                }
            } else if line.text.trim().is_empty() {
                in_header = false;
            } else {
                let row = table.row(name, line)?;
                if !row.part {
                    table.tokens += 1;
                }
                table.rows.push(row);
                in_header = false;
            }
        }
        Ok(table)
    }

    /// Parses the line of a token.
    fn row(&self, name: &str, line: Line<'a>) -> Result<Row<'a>> {
        let wrong =
            |part: &str, what: &str| line.error(name, part, format!("{what}; {TOKEN_LINE}"));
        let after = &line.text[line.text.len()..];
        let mut fields = line.text.splitn(4, '\t');
        let [id, offsets, shown] = [(); 3].map(|()| fields.next());
        let id = id.unwrap_or_default();
        let Some(number) = parse_number(id) else {
            let what = format!("{:?} is not the number of a token", excerpt(id, 40));
            return Err(wrong(line.text, &what));
        };
        let part = id.contains('.');
        let Some(offsets) = offsets else {
            return Err(wrong(after, "the offsets are missing"));
        };
        let bounds = offsets.split_once('-');
        let bounds = bounds.and_then(|(start, end)| Some((offset(start)?, offset(end)?)));
        let Some((start, end)) = bounds.filter(|(start, end)| start <= end) else {
            let what = format!("{:?} is not a range of offsets", excerpt(offsets, 40));
            return Err(wrong(offsets, &what));
        };
        let Some(shown) = shown else {
            return Err(wrong(after, "the text of the token is missing"));
        };
        let cells = fields.next().unwrap_or_default();
        let columns = match cells.is_empty() {
            true => 0,
            false => memchr::memchr_iter(b'\t', cells.as_bytes()).count() + 1,
        };
        if columns < self.schema.columns {
            let message = format!(
                "the line has {} of the {} columns for features that the header declares",
                columns, self.schema.columns
            );
            return Err(line.error(name, after, message));
        }
        let first_of_sentence = self.sentences.last().map(|sentence| sentence.first);
        let message = match (first_of_sentence, part) {
            (None, _) => "a token without a sentence; write the sentence before it: #Text=...",
            (Some(first), true) if first == self.rows.len() => {
                "a part of a token without the token"
            }
            _ => {
                return Ok(Row {
                    line,
                    id,
                    number,
                    start,
                    end,
                    shown,
                    cells,
                    token: self.tokens.saturating_sub(u32::from(part)),
                    part,
                });
            }
        };
        Err(line.error(name, line.text, message))
    }
}

/// Parses the first line, which contains the version of the format; returns true for 3.0 and 3.1.
fn version(name: &str, line: Option<Line<'_>>) -> Result<bool> {
    let line = line.unwrap_or(Line {
        number: 1,
        text: "",
    });
    let Some(version) = line.text.trim_end().strip_prefix("#FORMAT=WebAnno TSV ") else {
        let message = "this is not WebAnno TSV 3, whose first line is #FORMAT=WebAnno TSV 3.3; \
                       export WebAnno TSV v3.x";
        return Err(line.error(name, line.text, message));
    };
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let (Ok(major), Ok(minor)) = (major.parse::<u32>(), minor.parse::<u32>()) else {
        let message = format!("{:?} is not a version; write 3.3", excerpt(version, 40));
        return Err(line.error(name, version, message));
    };
    match major {
        3 => Ok(minor < 2),
        0..=2 => {
            let message = format!("WebAnno TSV {major} is not supported; export WebAnno TSV v3.x");
            Err(line.error(name, version, message))
        }
        _ => {
            let message = format!("WebAnno TSV {major} is not supported; export WebAnno TSV v3.x");
            let error = line.error(name, version, message);
            Err(Error {
                code: Code::LaterVersion,
                ..error
            })
        }
    }
}

/// Parses the number of a token, `1-2`, or of a part of a token, `1-2.3`.
pub(super) fn parse_number(id: &str) -> Option<[u32; 3]> {
    let (token, part) = match id.split_once('.') {
        Some((token, part)) => (token, offset(part)?),
        None => (id, 0),
    };
    let (sentence, token) = token.split_once('-')?;
    Some([offset(sentence)?, offset(token)?, part])
}

/// Returns true for a number without a sign.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses an offset.
fn offset(text: &str) -> Option<u32> {
    is_number(text).then(|| text.parse().ok())?
}
