//! Fuzz target for CoNLL-U.

use spanrs_io::{Code, Column, Columns, Comments, Format};

use crate::columns::{Read, Row, read};
use crate::input::{CHUNK, Input, chunk, depends_on_buffer, is_plain};

/// Asserts that reading equals splitting strings, and that multiword ranges, empty nodes, comments and buffer
/// boundaries do not affect the result. The first bytes choose the size of the buffer and the tag column.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let chunk = chunk(&mut input);
    let name = input.pick(&["NER", "upos", "MISC", "Deps", "Entity"]);
    let columns = Columns {
        format: Format::Conllu,
        comments: if input.byte() & 1 == 0 {
            Comments::Auto
        } else {
            Comments::None
        },
        tag: Column::Name(name.to_owned()),
        ..Columns::default()
    };
    let bytes = input.rest();
    let whole = read(bytes, CHUNK, &columns);
    let pieces = read(bytes, chunk, &columns);
    match whole.1 {
        // If a file has several errors, the error in the first buffer with an error is reported.
        Some((code, _)) if depends_on_buffer(code) => assert!(pieces.1.is_some()),
        _ => assert_eq!(whole, pieces),
    }
    other_columns_have_the_same_words(bytes, &columns, &whole);
    if is_plain(bytes) && columns.comments == Comments::None {
        let expected = by_splitting(bytes, name);
        match whole.1 {
            None => assert_eq!(Some(&whole.0), expected.as_ref()),
            Some((Code::NoColumn, _)) => {
                let outside = |row: &Row| !matches!(row, Row::Token(_, tag, ..) if tag != "O");
                assert!(expected.is_none_or(|rows| rows.iter().all(outside)));
            }
            Some((code, _)) => assert!(expected.is_none() || code == Code::Empty),
        }
    }
    // A file detected as CoNLL-U is read as CoNLL-U; the first buffer may decide about comments.
    let auto = Columns {
        format: Format::Auto,
        ..columns
    };
    let recognised = read(bytes, CHUNK, &auto);
    if whole.1.is_none() && recognised.1.is_none() && !recognised.0.is_empty() {
        assert!(
            recognised == whole || !matches!(auto.tag, Column::Name(_)),
            "other formats reject a column name"
        );
    }
}

fn other_columns_have_the_same_words(bytes: &[u8], columns: &Columns, whole: &Read) {
    let other = Columns {
        tag: Column::Name("LEMMA".to_owned()),
        ..columns.clone()
    };
    let words = |rows: &[Row]| -> Vec<String> {
        let token = |row: &Row| match row {
            Row::Token(token, ..) => Some(token.clone()),
            _ => None,
        };
        rows.iter().filter_map(token).collect()
    };
    let others = read(bytes, CHUNK, &other);
    // A key that does not occur at any word is an error at the end of the file.
    let refused = whole
        .1
        .filter(|(code, _)| *code != Code::NoColumn || others.1.is_some());
    assert_eq!((words(&whole.0), refused), (words(&others.0), others.1));
}

/// Reference implementation with strings, without comments; None for rejected files.
fn by_splitting(bytes: &[u8], name: &str) -> Option<Vec<Row>> {
    const NAMES: [&str; 10] = [
        "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC",
    ];
    let text = std::str::from_utf8(bytes).expect("plain bytes are UTF-8");
    let (mut rows, mut open) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.trim_matches([' ', '\t']).is_empty()
            || line.split('\t').next() == Some("-DOCSTART-")
        {
            if std::mem::take(&mut open) {
                rows.push(Row::Sentence);
            }
            if line.starts_with("-DOCSTART-") {
                rows.push(Row::Document);
            }
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        if fields.len() != NAMES.len() {
            return None;
        }
        if !is_word(fields[0])? {
            continue;
        }
        let column = NAMES
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name));
        let tag = column.map_or_else(
            || {
                let mut parts = fields[9].split('|').filter_map(|part| part.split_once('='));
                let value = parts.find(|(key, _)| *key == name);
                value.map_or("O", |(_, value)| value)
            },
            |column| fields[column],
        );
        let tag = if matches!(tag, "" | "_") { "O" } else { tag };
        open = true;
        rows.push(Row::Token(
            fields[1].to_owned(),
            tag.to_owned(),
            String::new(),
            number,
        ));
    }
    if open {
        rows.push(Row::Sentence);
    }
    Some(rows)
}

/// True for the id of a word, false for the id of a range or an empty node; None for rejected ids.
fn is_word(id: &str) -> Option<bool> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some((first, second)) = id.split_once(['-', '.']) else {
        return is_number(id).then_some(true);
    };
    let number = |text: &str| text.trim_start_matches('0').to_owned();
    let key = |text: &str| (number(text).len(), number(text));
    let is_ascending = !id.contains('-') || key(first) < key(second);
    (is_number(first) && is_number(second) && is_ascending).then_some(false)
}
