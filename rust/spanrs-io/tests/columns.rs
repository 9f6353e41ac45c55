//! Column files: input in pieces of any size, and malformed files.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::io::Read;

use proptest::prelude::*;
use spanrs_base::Limits;
use spanrs_io::{Code, Column, ColumnReader, Columns, Comments, Event, LineReader, Separator};

/// Returns one or a few bytes per read.
struct Trickle(Vec<u8>, usize, usize);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.2.min(buffer.len()).min(self.0.len() - self.1);
        buffer[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

/// Token, tag and line number.
type Token = (String, String, u64);

fn rows(text: &[u8], options: Columns) -> Result<Vec<Vec<Token>>, (Code, u64)> {
    let failed = |e: spanrs_io::Error| (e.code, e.position.line);
    let source = Trickle(text.to_vec(), 0, 3);
    let lines = LineReader::new("t", Box::new(source), Limits::default()).map_err(failed)?;
    let mut rows = ColumnReader::new(lines, options).map_err(failed)?;
    let (mut all, mut sentence) = (Vec::new(), Vec::new());
    while let Some(event) = rows.next_event().map_err(failed)? {
        match event {
            Event::Token => {
                let tag = String::from_utf8(rows.tag().to_vec()).unwrap();
                sentence.push((rows.token_text().to_owned(), tag, rows.line()));
            }
            Event::Sentence => all.push(std::mem::take(&mut sentence)),
            Event::Document => {}
        }
    }
    Ok(all)
}

fn simple(text: &str) -> Vec<Vec<Token>> {
    rows(text.as_bytes(), Columns::default()).unwrap()
}

fn row(token: &str, tag: &str, line: u64) -> Token {
    (token.into(), tag.into(), line)
}

#[test]
fn line_ends_marks_and_blanks_do_not_matter() {
    let expected = vec![
        vec![row("a", "O", 1), row("b", "B-X", 2)],
        vec![row("c", "O", 4)],
    ];
    for text in [
        "a O\nb B-X\n\nc O\n",
        "a\tO\r\nb\tB-X\r\n\r\nc\tO",
        "\u{FEFF}a O\nb B-X\n \t\nc O\n\n\n",
    ] {
        assert_eq!(simple(text), expected, "{text:?}");
    }
}

#[test]
fn the_only_token_may_be_in_a_last_line_without_line_end() {
    assert_eq!(simple("\na O"), [[row("a", "O", 2)]]);
    assert_eq!(simple("-DOCSTART- -X-\n\na O"), [[row("a", "O", 3)]]);
}

#[test]
fn tabs_keep_tokens_with_blanks() {
    assert_eq!(simple("New York\tB-X\n"), [[row("New York", "B-X", 1)]]);
}

#[test]
fn a_hash_is_a_comment_only_where_it_cannot_be_a_token() {
    let text = "# id = 1\n#\tO\nx\tO\n\n#tag\tB-X\n\n# text = one two three\ny\tO\n";
    assert_eq!(
        simple(text),
        [
            vec![row("#", "O", 2), row("x", "O", 3)],
            vec![row("#tag", "B-X", 5)],
            vec![row("y", "O", 8)]
        ]
    );
    let none = Columns {
        comments: Comments::None,
        ..Columns::default()
    };
    assert_eq!(rows(b"x O\n\n# a b\n", none), Err((Code::Ragged, 3)));
    let percent = Columns {
        comments: Comments::Prefix("%".into()),
        ..Columns::default()
    };
    assert_eq!(
        rows(b"%%\nx O\n% y z\n", percent).unwrap(),
        [[row("x", "O", 2)]]
    );
}

#[test]
fn separators_and_columns_can_be_named() {
    let options = Columns {
        separator: Separator::Byte(b','),
        token: Column::Index(1),
        tag: Column::Index(2),
        ..Columns::default()
    };
    assert_eq!(
        rows(b"1,a,O,\n2,,B,x\n", options).unwrap(),
        [[row("a", "O", 1), row("", "B", 2)]]
    );
    let far = Columns {
        tag: Column::Index(5),
        ..Columns::default()
    };
    assert_eq!(rows(b"\n\na O\n", far), Err((Code::NoColumn, 3)));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, code, line) in [
        (&b""[..], Code::Empty, 0),
        (b"\n\n", Code::Empty, 0),
        (b"# only a comment\n-DOCSTART- O\n", Code::Ragged, 0),
        (b"a O\nb\n", Code::Ragged, 2),
        (b"a O\nb O x\n", Code::Ragged, 2),
        (b"a O\nb \xFF\n", Code::Encoding, 2),
        (b"a O\nb O\n\xC3", Code::Encoding, 3),
        (b"a O\n\nb\0 O\n", Code::Nul, 3),
        (b"\xFF\xFEa\0", Code::Encoding, 1),
        (b"\x1F\x8Bnot gzip at all", Code::Compression, 0),
        (b"\x28\xB5\x2F\xFDnot zstd at all", Code::Compression, 0),
    ] {
        match rows(text, Columns::default()) {
            Err((found, at)) => {
                assert_eq!(found, code, "{text:?}");
                assert_eq!(at, line, "{text:?}");
            }
            // A file with a single comment-like line: the line is read as a token with four
            // columns.
            Ok(rows) => assert_eq!((code, line, rows.len()), (Code::Ragged, 0, 1), "{text:?}"),
        }
    }
}

#[test]
fn long_lines_are_refused_at_the_limit_and_not_before() {
    let limits = Limits {
        line_bytes: 10,
        ..Limits::default()
    };
    let read = |text: &str| {
        let source = Box::new(std::io::Cursor::new(text.to_owned().into_bytes()));
        let lines = LineReader::new("t", source, limits)?;
        let mut rows = ColumnReader::new(lines, Columns::default())?;
        while rows.next_event()?.is_some() {}
        Ok(())
    };
    let failure = |text| {
        read(text)
            .map_err(|e: spanrs_io::Error| (e.code, e.position.line))
            .err()
    };
    assert_eq!(failure("12345678 O\n"), None);
    assert_eq!(failure("a O\n123456789 O\n"), Some((Code::LineTooLong, 2)));
    assert_eq!(failure("a O\n123456789 O"), Some((Code::LineTooLong, 2)));
}

proptest! {
    #[test]
    fn following_gives_what_reading_gives(
        gold in proptest::collection::vec((0..3_usize, 0..3_usize, 0..4_usize), 1..60),
        changed in proptest::collection::vec(0..8_usize, 60),
        piece in 1..400_usize,
    ) {
        let line = |&(t, g, kind): &(usize, usize, usize)| match kind {
            0 => "\n".to_owned(),
            _ => format!("{} {}\n", ["a", "bb", "ccc"][t], ["O", "B-X", "I-Y"][g]),
        };
        let text: String = gold.iter().map(line).collect::<String>() + "end O\n";
        let other: String = gold
            .iter()
            .zip(&changed)
            .map(|(row, &c)| line(&(row.0, if c == 0 { (row.1 + 1) % 3 } else { row.1 }, row.2)))
            .collect::<String>() + "end O\n";
        let open = |text: &str, piece| {
            let source = Box::new(Trickle(text.as_bytes().to_vec(), 0, piece));
            let lines = LineReader::new("t", source, Limits::default()).unwrap();
            ColumnReader::new(lines, Columns::default()).unwrap()
        };
        let (mut leader, mut follower, mut plain) = (open(&text, 7), open(&other, piece), open(&other, 5));
        prop_assert!(follower.can_follow(&leader));
        loop {
            let event = leader.next_event().unwrap();
            let expected = plain.next_event().unwrap();
            let followed = event.is_some_and(|event| follower.follow(&leader, event));
            let (got, tag) = if followed {
                (event, leader.tag().to_vec())
            } else {
                let got = follower.next_event().unwrap();
                (got, follower.tag().to_vec())
            };
            prop_assert_eq!(got, expected);
            if got == Some(Event::Token) {
                prop_assert_eq!(tag, plain.tag());
                prop_assert_eq!(follower.line(), plain.line());
            }
            if got.is_none() {
                break;
            }
        }
    }
}

#[test]
fn tokens_of_conllu_may_be_values_of_a_key() {
    let word = |at: u32, misc: &str| format!("{at}\tx\t_\tNOUN\t_\t_\t0\troot\t_\t{misc}\n");
    let text = format!("{}{}", word(1, "NER=B-X|Translit=Ivan"), word(2, "NER=O"));
    let read = |key: &str| {
        let token = Column::Name(key.to_owned());
        let tag = Column::Name("NER".to_owned());
        rows(
            text.as_bytes(),
            Columns {
                token,
                tag,
                ..Columns::default()
            },
        )
    };
    let expected = [[row("Ivan", "B-X", 1), row("_", "O", 2)]];
    assert_eq!(read("Translit").unwrap(), expected);
    assert_eq!(read("FORM").unwrap()[0][1], row("x", "O", 2));
    assert_eq!(read("translit"), Err((Code::NoColumn, 0)));
}

#[test]
fn keys_of_conllu_are_columns_of_their_own() {
    let text = "1\tx\t_\tNOUN\t_\t_\t0\troot\t_\tNER=B-X|Pos=N\n";
    let has_second = |second: &str| {
        let column = |name: &str| Column::Name(name.to_owned());
        let options = Columns {
            tag: column("NER"),
            second: Some(column(second)),
            ..Columns::default()
        };
        let lines = LineReader::new("t", Box::new(text.as_bytes()), Limits::default()).unwrap();
        ColumnReader::new(lines, options).unwrap().has_second()
    };
    assert!(has_second("Pos"));
    assert!(has_second("UPOS"));
    assert!(!has_second("NER"));
}
