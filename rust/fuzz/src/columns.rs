//! Fuzz target for column files.

use spanrs_io::{
    Code, Column, ColumnReader, Columns, Comments, Event, Format, LineKind, Separator,
};

use crate::input::{
    CHUNK, Input, chunk, depends_on_buffer, is_compressed, is_plain, lines, without_mark,
};

/// An event of [`ColumnReader::next_event`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Token, tag, second tag, line.
    Token(String, String, String, u64),
    /// The end of a sentence.
    Sentence,
    /// The beginning of a document.
    Document,
}

/// The events up to the first error, and the error with its line.
pub type Read = (Vec<Row>, Option<(Code, u64)>);

/// Options chosen by the next bytes.
pub fn options(input: &mut Input<'_>) -> Columns {
    let byte = Separator::Byte;
    let index = |column: Option<i64>| column.map(Column::Index);
    Columns {
        // CoNLL-U has a separate target.
        format: Format::Columns,
        separator: input.pick(&[
            Separator::Auto,
            Separator::Whitespace,
            byte(b'\t'),
            byte(b' '),
            byte(b','),
            byte(b'|'),
        ]),
        comments: match input.below(4) {
            0 => Comments::Auto,
            1 => Comments::None,
            2 => Comments::Prefix("#".to_owned()),
            _ => Comments::Prefix("%%".to_owned()),
        },
        token: Column::Index(input.pick(&[0, 1, -2])),
        tag: Column::Index(input.pick(&[-1, 1, 0])),
        second: index(input.pick(&[None, Some(1), Some(-2), Some(0)])),
        second_may_lack: input.byte() & 1 == 1,
        ..Columns::default()
    }
}

/// Asserts that reading equals splitting strings, regardless of buffer boundaries, and that the lines concatenated
/// equal the file. The first bytes choose the size of the buffer and the options.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let chunk = chunk(&mut input);
    let options = options(&mut input);
    let bytes = input.rest();
    let whole = read(bytes, CHUNK, &options);
    if !is_guessed(bytes, &options) {
        let pieces = read(bytes, chunk, &options);
        match whole.1 {
            Some((code, _)) if depends_on_buffer(code) => {
                assert!(pieces.1.is_some() && pieces.0.starts_with(&whole.0));
            }
            _ => assert_eq!(whole, pieces),
        }
        if is_plain(bytes) {
            assert_eq!(whole, by_splitting(bytes, &options));
        }
    }
    lines_are_the_file(bytes, chunk, &options);
    formats_are_recognised_or_make_no_difference(bytes, &options, &whole);
}

/// Asserts that format detection rejects a file, detects CoNLL-U, or does not affect the result.
fn formats_are_recognised_or_make_no_difference(bytes: &[u8], options: &Columns, whole: &Read) {
    let auto = Columns {
        format: Format::Auto,
        ..options.clone()
    };
    let rows = lines(bytes, CHUNK).and_then(|lines| ColumnReader::new(lines, auto.clone()));
    match rows {
        Ok(rows) if rows.is_conllu() => {}
        Ok(_) => assert_eq!(*whole, read(bytes, CHUNK, &auto)),
        Err(error) => assert!(
            // CoNLL-U without a tag column, or with a line with a different number of columns.
            matches!(
                error.code,
                Code::WrongFormat | Code::NoColumn | Code::Ragged
            ) || whole.1.is_some()
        ),
    }
}

/// True if the content of the first buffer decides whether lines are comments.
pub fn is_guessed(bytes: &[u8], options: &Columns) -> bool {
    let mut lines = without_mark(bytes).split(|&byte| byte == b'\n');
    options.comments == Comments::Auto && lines.any(|line| line.starts_with(b"#"))
}

/// Reads a file.
pub fn read(bytes: &[u8], chunk: usize, options: &Columns) -> Read {
    let mut found = Vec::new();
    let mut each = || -> spanrs_io::Result<()> {
        let mut rows = ColumnReader::new(lines(bytes, chunk)?, options.clone())?;
        let text = |field: &[u8]| {
            std::str::from_utf8(field)
                .map(str::to_owned)
                .expect("fields are UTF-8")
        };
        while let Some(event) = rows.next_event()? {
            found.push(match event {
                Event::Token => {
                    let second = match &options.second {
                        Some(_) => text(rows.second()),
                        None => String::new(),
                    };
                    assert_eq!(rows.token(), rows.token_text().as_bytes());
                    match rows.tag_place() {
                        Some(place) => assert_eq!(&rows.whole()[place], rows.tag()),
                        None => assert_eq!((rows.is_conllu(), rows.tag()), (true, &b"O"[..])),
                    }
                    Row::Token(text(rows.token()), text(rows.tag()), second, rows.line())
                }
                Event::Sentence => Row::Sentence,
                Event::Document => Row::Document,
            });
        }
        assert!(
            matches!(rows.next_event(), Ok(None)),
            "the reader remains at the end"
        );
        Ok(())
    };
    let refused = each().err().map(|error| {
        assert!(!error.message.contains('\n'), "{error}");
        (error.code, error.position.line)
    });
    (found, refused)
}

fn lines_are_the_file(bytes: &[u8], chunk: usize, options: &Columns) {
    let Ok(mut rows) =
        lines(bytes, chunk).and_then(|lines| ColumnReader::new(lines, options.clone()))
    else {
        return;
    };
    let (mut copy, mut count) = (Vec::new(), 0);
    let ended = loop {
        match rows.next_line() {
            Ok(Some(kind)) => {
                count += 1;
                assert_eq!(rows.line(), count);
                if kind == LineKind::Token {
                    assert!(
                        rows.tag_place()
                            .is_none_or(|place| place.end <= rows.whole().len())
                    );
                }
                copy.extend_from_slice(rows.whole());
            }
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    if ended && !is_compressed(bytes) {
        assert_eq!([rows.byte_order_mark(), &copy].concat(), bytes);
    }
}

/// How lines are split, detected from the first token line.
struct Layout {
    byte: Option<char>,
    columns: usize,
    token: Option<usize>,
    tag: usize,
    second: usize,
}

/// Reference implementation with strings, for files in which no line can be a CoNLL-U comment.
fn by_splitting(bytes: &[u8], options: &Columns) -> Read {
    let text = std::str::from_utf8(bytes).expect("plain bytes are UTF-8");
    let lines = || {
        text.split_inclusive('\n')
            .map(|line| line.strip_suffix('\n').unwrap_or(line))
    };
    let prefix = match &options.comments {
        Comments::Prefix(prefix) => Some(&**prefix),
        Comments::Auto | Comments::None => None,
    };
    let is_comment = |line: &str| prefix.is_some_and(|prefix| line.starts_with(prefix));
    let is_blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let first = (1..)
        .zip(lines())
        .find(|(_, line)| !is_comment(line) && !is_blank(line) && !line.starts_with("-DOCSTART-"));
    let Some((number, first)) = first else {
        return (Vec::new(), Some((Code::Empty, 0)));
    };
    let Some(layout) = layout(first, options) else {
        return (Vec::new(), Some((Code::NoColumn, number)));
    };
    let (mut rows, mut open) = (Vec::new(), false);
    for (number, line) in (1..).zip(lines()) {
        let fields = cut(line, layout.byte);
        let document = match is_comment(line) {
            true => line.starts_with("# newdoc"),
            false => line.starts_with('-') && fields[0] == "-DOCSTART-",
        };
        if is_comment(line) && !document {
            continue;
        }
        if is_blank(line) || document {
            if std::mem::take(&mut open) {
                rows.push(Row::Sentence);
            }
            if document {
                rows.push(Row::Document);
            }
            continue;
        }
        if fields.len() != layout.columns {
            return (rows, Some((Code::Ragged, number)));
        }
        open = true;
        let field = |at: usize| fields[at].to_owned();
        let second = options.second.as_ref();
        let second = second.map_or(String::new(), |_| field(layout.second));
        let token = layout.token.map_or(String::new(), field);
        rows.push(Row::Token(token, field(layout.tag), second, number));
    }
    if open {
        rows.push(Row::Sentence);
    }
    let any = rows.iter().any(|row| matches!(row, Row::Token(..)));
    (rows, (!any).then_some((Code::Empty, 0)))
}

fn cut(line: &str, byte: Option<char>) -> Vec<&str> {
    match byte {
        Some(byte) => line.split(byte).collect(),
        None => line
            .split([' ', '\t'])
            .filter(|field| !field.is_empty())
            .collect(),
    }
}

fn layout(first: &str, options: &Columns) -> Option<Layout> {
    let byte = match options.separator {
        Separator::Byte(byte) => Some(char::from(byte)),
        Separator::Auto => first.contains('\t').then_some('\t'),
        Separator::Whitespace => None,
    };
    let columns = cut(first, byte).len();
    let resolve = |column: &Column| {
        let column = match *column {
            Column::Index(column) if column < 0 => column + columns as i64,
            Column::Index(column) => column,
            Column::Name(_) => return None,
        };
        usize::try_from(column)
            .ok()
            .filter(|&column| column < columns)
    };
    let (token, tag) = (resolve(&options.token)?, resolve(&options.tag)?);
    let second = match &options.second {
        None => None,
        Some(second) if options.second_may_lack => Some(resolve(second).unwrap_or(tag)),
        Some(second) => Some(resolve(second)?),
    };
    if columns > 1 && (token == tag || Some(token) == second) {
        return None;
    }
    Some(Layout {
        byte,
        columns,
        token: (token != tag).then_some(token),
        tag,
        second: second.unwrap_or(0),
    })
}
