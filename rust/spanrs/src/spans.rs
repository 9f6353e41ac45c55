//! The spans of a column file as JSON Lines.

use std::io::Write;

use serde_json::{Map, Value, json};
use spanrs_base::Span;
use spanrs_eval::Violations;
use spanrs_io::{ColumnReader, Event};
use spanrs_tags::{Reader, Reading};

use crate::error::{Error, Result};
use crate::file_warnings::{column_warnings, violation_warning};
use crate::sentence::Sentence;
use crate::{Progress, Reporter};

/// Writes the spans of a file as JSON Lines, one object for each sentence. Returns warnings.
///
/// | key | value |
/// |---|---|
/// | `document`, `sentence` | numbers in the file, from 0; documents without sentences do not count |
/// | `line` | line of the first token, from 1 |
/// | `tokens` | the tokens; empty strings in a file of tags alone |
/// | `spans` | objects: `type`, `start`, `end` (tokens from 0, end exclusive), `text` (tokens joined by blanks) |
///
/// # Errors
/// Those of reading the file; [`Error::Tags`]; [`Error::Malformed`] under [`Reading::Refuse`],
/// after all was written; [`Error::Write`]; [`Error::Stopped`].
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
    mut rows: ColumnReader,
    reader: &mut Reader,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Vec<String>> {
    let mut warnings = column_warnings(&rows, None);
    let mut labelled = 0;
    let mut sentence = Sentence::default();
    let mut tokens: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut malformed = Violations::default();
    let (mut document, mut sentences, mut begun) = (0_u64, 0_u64, 0_u64);
    let mut reporter = Reporter::new(progress);
    while let Some(event) = rows.next_event()? {
        reporter.line(|| rows.bytes_read())?;
        match event {
            Event::Token => {
                tokens.push(rows.token_text().to_owned());
                sentence.push(reader, &rows, rows.tag())?;
            }
            Event::Sentence => {
                let line = |token| sentence.line(token);
                malformed.add(reader.gold(), &sentence.ids, sentences, 1, line);
                labelled += reader.count_labelled(&sentence.ids);
                found.clear();
                reader.spans_into(&sentence.ids, &mut found);
                let mut row = Map::new();
                row.insert("document".into(), document.into());
                row.insert("sentence".into(), sentences.into());
                row.insert("line".into(), sentence.line(0).into());
                let spans: Vec<Value> = found.iter().map(|s| show(reader, &tokens, s)).collect();
                row.insert("tokens".into(), std::mem::take(&mut tokens).into());
                row.insert("spans".into(), spans.into());
                writeln!(out, "{}", Value::Object(row))?;
                sentence.clear();
                sentences += 1;
            }
            // A document without sentences is none, as in scoring.
            Event::Document => {
                document += u64::from(sentences > begun);
                begun = sentences;
            }
        }
    }
    if malformed.count > 0 && reader.reading() == Reading::Refuse {
        return Err(Error::Malformed {
            path: rows.path().to_owned(),
            scheme: reader.scheme(),
            violations: malformed,
        });
    }
    warnings.extend(violation_warning(
        rows.path(),
        reader.scheme(),
        &malformed,
        labelled,
        "is it in another scheme?",
    ));
    Ok(warnings)
}

/// Returns a span as an object.
fn show(reader: &Reader, tokens: &[String], span: &Span) -> Value {
    let text = tokens[span.start as usize..span.end as usize].join(" ");
    json!({
        "type": reader.type_name(span.ty),
        "start": span.start,
        "end": span.end,
        "text": text,
    })
}
