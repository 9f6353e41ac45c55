//! The spans of a column file as JSON Lines.

use std::io::Write;

use serde_json::{Map, Value, json};
use spanrs_base::Span;
use spanrs_eval::Violations;
use spanrs_io::{ColumnReader, Select};
use spanrs_tags::{Reader, Reading};

use crate::error::{Error, Result};
use crate::file_warnings::{column_warnings, violation_warning};
use crate::tag_ids::read_tag_ids;
use crate::{Progress, report};

/// Writes the spans of a file as JSON Lines, one object for each sentence. Returns warnings.
///
/// | key | value |
/// |---|---|
/// | `document`, `sentence` | numbers in the file, from 0; documents without sentences are not numbered |
/// | `line` | line of the first token, from 1 |
/// | `tokens` | the tokens; empty strings in a file that contains only tags |
/// | `spans` | objects: `type`, `start`, `end` (tokens from 0, end exclusive), `text` (tokens joined by spaces) |
///
/// # Errors
/// Errors from reading the file; [`Error::Tags`]; [`Error::Malformed`] under [`Reading::Refuse`], after the whole
/// output was written; [`Error::Write`]; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::tags::{Reader, Scheme};
/// let source = Box::new(&b"New B-LOC\nYork I-LOC\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let mut reader = Reader::new(Scheme::Bio, Default::default(), Default::default()).unwrap();
/// let mut out = Vec::new();
/// spanrs::spans(rows, &mut reader, &mut out, &mut |_| true)?;
/// let row = r#"{"document":0,"sentence":0,"line":1,"tokens":["New","York"],"#.to_owned()
///     + r#""spans":[{"type":"LOC","start":0,"end":2,"text":"New York"}]}"#;
/// assert_eq!(String::from_utf8(out).unwrap().trim_end(), row);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn spans(
    rows: ColumnReader,
    reader: &mut Reader,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Vec<String>> {
    let mut warnings = column_warnings(&rows, None);
    let path = rows.path().to_owned();
    let mut chunks = rows.chunks(Select::TOKEN);
    let (mut ids, mut read) = (Vec::new(), Vec::new());
    let mut malformed = Violations::default();
    let (mut labelled, mut document, mut sentences) = (0, 0_u64, 0_u64);
    while let Some(chunk) = chunks.next()? {
        for sentence in chunk.sentences() {
            // Documents without sentences are not counted, as in scoring.
            document += u64::from(sentence.document().is_some() && sentences > 0);
            read_tag_ids(reader, &sentence, &path, &mut ids)?;
            let line = |token: u32| sentence.line(token as usize);
            malformed.add(reader.gold(), &ids, sentences, 1, line);
            labelled += reader.count_labelled(&ids);
            read.clear();
            reader.spans_into(&ids, &mut read);
            let tokens = (0..sentence.len()).map(|token| sentence.token_text(token));
            let tokens: Vec<&str> = tokens.collect();
            let spans: Vec<Value> = read.iter().map(|s| show(reader, &tokens, s)).collect();
            let mut row = Map::new();
            row.insert("document".into(), document.into());
            row.insert("sentence".into(), sentences.into());
            row.insert("line".into(), sentence.line(0).into());
            row.insert("tokens".into(), tokens.into());
            row.insert("spans".into(), spans.into());
            writeln!(out, "{}", Value::Object(row))?;
            sentences += 1;
        }
        report(progress, chunks.rows())?;
    }
    if malformed.count > 0 && reader.reading() == Reading::Refuse {
        return Err(Error::Malformed {
            path,
            scheme: reader.scheme(),
            violations: malformed,
        });
    }
    warnings.extend(violation_warning(
        &path,
        reader.scheme(),
        &malformed,
        labelled,
        "is it in another scheme?",
    ));
    Ok(warnings)
}

/// Returns a span as a JSON object.
fn show(reader: &Reader, tokens: &[&str], span: &Span) -> Value {
    let text = tokens[span.start as usize..span.end as usize].join(" ");
    json!({
        "type": reader.type_name(span.ty),
        "start": span.start,
        "end": span.end,
        "text": text,
    })
}
