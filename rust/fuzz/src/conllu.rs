//! CoNLL-U.

use spanrs_io::{Code, Column, Columns, Comments, Format};

use crate::columns::{Row, read};
use crate::input::{CHUNK, Input, chunk, depends_on_buffer, is_plain};

/// Words are read as by splitting strings; ranges, empty nodes and comments make no difference, nor does where a
/// buffer ends. The first bytes choose the size of the buffer and the column of the tags.
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
        // Of several things that are wrong with a file the first buffer that has one tells.
        Some((code, _)) if depends_on_buffer(code) => assert!(pieces.1.is_some()),
        _ => assert_eq!(whole, pieces),
    }
    // Other columns are the same words.
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
    // A key that no word has is an error at the end.
    let refused = whole
        .1
        .filter(|(code, _)| *code != Code::NoColumn || others.1.is_some());
    assert_eq!((words(&whole.0), refused), (words(&others.0), others.1));
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
    // What is found out to be CoNLL-U is read as CoNLL-U; lines may be told apart by the first buffer.
    let found = Columns {
        format: Format::Auto,
        ..columns
    };
    let auto = read(bytes, CHUNK, &found);
    if whole.1.is_none() && auto.1.is_none() && !auto.0.is_empty() {
        let same = auto == whole;
        assert!(
            same || !matches!(found.tag, Column::Name(_)),
            "a name is refused elsewhere"
        );
    }
}

/// The definition with strings, without comments; None for what is refused.
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
        let number_of = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match fields[0].split_once(['-', '.']) {
            Some((first, second)) if number_of(first) && number_of(second) => {
                let is_range = fields[0].contains('-');
                let number = |text: &str| text.trim_start_matches('0').to_owned();
                let (first, second) = (number(first), number(second));
                if is_range && (first.len(), &first) >= (second.len(), &second) {
                    return None;
                }
                continue;
            }
            None if number_of(fields[0]) => {}
            _ => return None,
        }
        let tag = match NAMES
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))
        {
            Some(column) => fields[column],
            None => {
                let mut parts = fields[9].split('|').filter_map(|part| part.split_once('='));
                parts
                    .find(|(key, _)| *key == name)
                    .map_or("O", |(_, value)| value)
            }
        };
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
