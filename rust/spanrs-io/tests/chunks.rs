//! Chunks of column files contain the same tokens as the rows, and all bytes of the file.

use proptest::prelude::*;
use spanrs_io::{ColumnReader, Columns, Edits, Error, Event, LineReader, Select};

/// Lines from which test files are composed: tokens, comments, sentence ends, documents, and a line
/// with too many columns.
const LINES: [&str; 12] = [
    "EU B-ORG\n",
    "rejects\tO\n",
    "call O\r\n",
    "\u{e9}t\u{e9}  I-X \n",
    "# O\n",
    "\n",
    "\r\n",
    " \n",
    "# id = 1\n",
    "-DOCSTART- O\n",
    "# newdoc id = d\n",
    "a b c\n",
];

/// A token: text, tag, line number, whether the token begins a document, and whether it begins a
/// sentence.
type Row = (Vec<u8>, Vec<u8>, u64, bool, bool);

fn rows(text: &str, piece: usize) -> Result<ColumnReader, Error> {
    let source = Box::new(std::io::Cursor::new(text.to_owned()));
    let lines = LineReader::with_chunk("t.conll", source, Default::default(), piece)?;
    ColumnReader::new(lines, Columns::default())
}

/// Returns the tokens of whole sentences, read as events, and the error after them.
fn by_events(mut rows: ColumnReader) -> (Vec<Row>, Option<String>) {
    let (mut all, mut open) = (Vec::new(), Vec::new());
    let mut begins = false;
    loop {
        match rows.next_event() {
            Ok(Some(Event::Token)) => {
                let (token, tag) = (rows.token().to_vec(), rows.tag().to_vec());
                let document = std::mem::take(&mut begins);
                open.push((token, tag, rows.line(), document, open.is_empty()));
            }
            Ok(Some(Event::Sentence)) => all.append(&mut open),
            Ok(Some(Event::Document)) => begins = true,
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error.to_string())),
        }
    }
}

/// Same as [`by_events`], read in chunks that end after `most` tokens; also returns the bytes of
/// all chunks.
fn by_chunks(rows: ColumnReader, most: usize) -> (Vec<Row>, Option<String>, Vec<u8>) {
    let (mut all, mut bytes) = (Vec::new(), Vec::new());
    let mut chunks = rows.chunks_of(Select::TOKEN, most);
    loop {
        match chunks.next() {
            Ok(Some(chunk)) => {
                bytes.extend_from_slice(chunk.bytes());
                for sentence in chunk.sentences() {
                    for token in 0..sentence.len() {
                        let first = token == 0;
                        let document = first && sentence.document().is_some();
                        let (text, tag) = (sentence.token(token), sentence.tag(token));
                        let line = sentence.line(token);
                        all.push((text.to_vec(), tag.to_vec(), line, document, first));
                    }
                }
            }
            Ok(None) => return (all, None, bytes),
            Err(error) => return (all, Some(error.to_string()), bytes),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn chunks_hold_what_the_rows_hold(
        lines in prop::collection::vec(prop::sample::select(&LINES[..]), 1..60),
        mark in any::<bool>(),
        cut in any::<bool>(),
        piece in 4_usize..200,
        most in 1_usize..20,
    ) {
        let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
        text.extend(lines);
        if cut {
            text.pop();
        }
        let Ok(reader) = rows(&text, piece) else {
            // The layout is rejected before anything is read.
            return Ok(());
        };
        let (expected, error) = by_events(reader);
        let (found, found_error, bytes) = by_chunks(rows(&text, piece).unwrap(), most);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(&found_error, &error);
        if error.is_none() {
            prop_assert_eq!(bytes, text.as_bytes());
        }
    }

    #[test]
    fn only_the_replaced_tags_change(
        lines in prop::collection::vec(prop::sample::select(&LINES[..11]), 1..60),
        piece in 4_usize..200,
        most in 1_usize..20,
    ) {
        let text: String = lines.into_iter().collect();
        let Ok(reader) = rows(&text, piece) else {
            return Ok(());
        };
        let (tokens, error) = by_events(reader);
        if error.is_some() {
            return Ok(());
        }
        let mut chunks = rows(&text, piece).unwrap().chunks_of(Select::default(), most);
        let mut out = Vec::new();
        while let Some(chunk) = chunks.next().unwrap() {
            let mut edits = Edits::new(chunk.bytes(), &mut out);
            for sentence in chunk.sentences() {
                for token in 0..sentence.len() {
                    let tag = [b"<", sentence.tag(token), b">"].concat();
                    edits.replace(sentence.tag_range(token).unwrap(), &tag).unwrap();
                }
            }
            edits.finish().unwrap();
        }
        let changed = String::from_utf8(out).unwrap();
        prop_assert_eq!(changed.replace(['<', '>'], ""), text);
        prop_assert_eq!(changed.matches('<').count(), tokens.len());
    }
}
