//! Layout of a column file, found from the options and from the beginning of the file.

use spanrs_base::Position;

use crate::blanks::{is_space, split, trimmed};
use crate::conllu;
use crate::csv::{csv_separator, header, is_quoted_tag};
use crate::error::{Code, Error, Result};
use crate::layout::{Column, Columns, Comments, Format, Layout, Separator, is_conllu, place_of};
use crate::lines::LineReader;
use crate::recognise::other_format;

/// The error for a file without token lines.
pub(crate) fn no_tokens(path: &str) -> Error {
    Error::new(Code::Empty, Position::file(path), "the file has no tokens")
}

/// Finds the layout from the lines that are in the buffer, in this order:
///
/// 1. Find the first token line: neither blank, nor a comment, nor `-DOCSTART-`.
/// 2. With [`Format::Auto`], refuse files that are certainly in another format (`recognise`).
/// 3. Decide whether the file is CoNLL-U: asked for, or the first token line looks like it
///    (`conllu::fits`).
/// 4. With separator and format [`Separator::Auto`] and [`Format::Auto`], refuse commas and
///    semicolons between columns.
/// 5. Take the separator asked for; automatically a tab if the first token line has one, else runs
///    of spaces and tabs.
/// 6. Count the columns of the first token line. All token lines must have as many.
/// 7. Resolve the columns of tokens, tags and second tags against that number.
/// 8. With [`Format::Auto`], refuse a header and quoted tags (`csv`).
///
/// Nothing is consumed. If the buffer holds no token line the answer is [`Code::Empty`], and the
/// caller reads on and asks again. Time is linear in the size of the buffer.
///
/// | first token line | options | layout |
/// |---|---|---|
/// | `EU NNP B-ORG` | default | white space, 3 columns, token 0, tag 2 |
/// | `New York<tab>B-LOC` | default | tab, 2 columns |
/// | `New York<tab>B-LOC` | `Separator::Whitespace` | white space, 3 columns |
/// | `B-ORG` | default | 1 column, tags alone |
/// | `EU,B-ORG` | default | refused: name the separator |
/// | `EU,B-ORG` | `Separator::Byte(b',')` | comma, 2 columns |
/// | `EU NNP B-ORG` | token -1 | refused: one column for tokens and tags |
/// | `EU NNP B-ORG` | second 7 | refused, unless it may lack |
/// | `EU NNP "B-ORG"` | default | refused: a tag in quotation marks |
///
/// # Errors
/// - [`Code::Empty`] if the buffer has no token line; more of the file may have one.
/// - [`Code::WrongFormat`] for another format, for CSV, and for a header.
/// - [`Code::NoColumn`] for a column that the first token line does not have, for a name outside of
///   CoNLL-U, and where the tokens would stand in the column of a tag although there are several
///   columns.
/// - [`Code::Ragged`] for CoNLL-U whose first word does not have ten columns.
pub(crate) fn sniff(lines: &LineReader, options: &Columns) -> Result<Layout> {
    let Some((at, line)) = first_token_line(lines, options) else {
        return Err(no_tokens(lines.path()));
    };
    if options.format == Format::Auto {
        refuse_other_format(lines)?;
    }
    let wrong = |code, message| {
        let place = Position::line(lines.path(), at as u64 + 1);
        Error::new(code, place, message)
    };
    let plain = options.separator == Separator::Auto && options.format == Format::Auto;
    if options.format == Format::Conllu || plain && conllu::fits(lines.ahead()) {
        return conllu::layout(lines, options, at, line);
    }
    if plain && let Some(separator) = csv_separator(lines.ahead()) {
        let message = format!(
            "the columns are separated by `{separator}`; specify the separator (--separator \"{separator}\")"
        );
        return Err(wrong(Code::WrongFormat, message));
    }
    let byte = match options.separator {
        Separator::Byte(byte) => Some(byte),
        Separator::Auto if line.contains(&b'\t') => Some(b'\t'),
        Separator::Auto | Separator::Whitespace => None,
    };
    let fields = split(line, byte);
    let layout = layout_of(&fields, byte, options).map_err(|m| wrong(Code::NoColumn, m))?;
    if options.format == Format::Auto {
        let judged = match options.untagged {
            false => layout.tag,
            // Without tags the last column is judged, unless that holds the tokens.
            true if layout.token + 1 == fields.len() => 0,
            true => fields.len() - 1,
        };
        refuse_csv(lines.ahead(), &fields, (byte, judged))
            .map_err(|message| wrong(Code::WrongFormat, message))?;
    }
    Ok(layout)
}

/// Refuses formats that do not have one token a line.
///
/// # Errors
/// [`Code::WrongFormat`], with the format that was recognised.
fn refuse_other_format(lines: &LineReader) -> Result<()> {
    let Some((format, advice)) = other_format(lines.ahead(), lines.is_whole()) else {
        return Ok(());
    };
    let message = format!(
        "this is {format}, not a file with one token per line; {advice}, or pass --format columns"
    );
    let file = Position::file(lines.path());
    Err(Error::new(Code::WrongFormat, file, message))
}

/// Returns the layout of lines that are no CoNLL-U, by the fields of the first token line.
///
/// # Errors
/// A message for a column that the line does not have, and for one that would hold both tokens and
/// tags.
fn layout_of(
    fields: &[&[u8]],
    byte: Option<u8>,
    options: &Columns,
) -> std::result::Result<Layout, String> {
    let columns = fields.len();
    let resolve = |column: &Column| place_of(column, columns);
    let token = resolve(&options.token)?;
    let tag = match options.untagged {
        true => usize::MAX,
        false => resolve(&options.tag)?,
    };
    let second = match options.second.as_ref().map(resolve) {
        Some(Err(_)) if options.second_may_lack => Some(tag),
        second => second.transpose()?,
    };
    if columns > 1 && (token == tag || Some(token) == second) {
        return Err(format!(
            "of {columns} columns, column {token} would hold both tokens and {}; specify the columns of tokens and \
             tags (--token-column, --column). One file with gold and pred has three columns or more",
            if token == tag {
                "tags"
            } else {
                "the tags of pred, or parts of speech (--pos-column)"
            },
        ));
    }
    Ok(Layout {
        byte,
        columns,
        // A file of tags alone has no tokens: a column that no line has is empty.
        token: if token == tag { usize::MAX } else { token },
        tag,
        second: second.unwrap_or(0),
        empty: (0..columns).filter(|&at| fields[at].is_empty()).collect(),
        conllu: None,
    })
}

/// Refuses quoted tags and a header, judged by the fields of the first token line and the lines in
/// the buffer.
///
/// `separator` is that of the layout and `tag` the column of the tags. Rows with another number of
/// columns, `-DOCSTART-` and GermEval's headings are not looked at.
///
/// # Errors
/// The message of the error, for the place of the first token line.
fn refuse_csv(
    ahead: &[u8],
    first: &[&[u8]],
    (separator, tag): (Option<u8>, usize),
) -> Result<(), String> {
    if is_quoted_tag(first[tag]) {
        return Err(format!(
            "the tag {} has quotation marks: quoted cells of CSV are not supported; write the file without \
             quotation marks, with tabs between columns",
            String::from_utf8_lossy(first[tag])
        ));
    }
    let lines = ahead.split(|&b| b == b'\n').map(trimmed);
    let mut rows = lines.map(|line| split(line, separator)).filter(|fields| {
        // Headings of GermEval begin with `#` and have an empty field.
        let heading = fields.first() == Some(&&b"#"[..]) && fields.iter().any(|f| f.is_empty());
        fields.len() == first.len() && fields[0] != b"-DOCSTART-" && !heading
    });
    // A header may begin with `#`, and looks like a comment then.
    let Some(top) = rows.next() else {
        return Ok(());
    };
    match header(&top, tag, rows.map(|fields| fields[tag])) {
        None => Ok(()),
        Some(names) => Err(format!(
            "the first line looks like a header ({names}), not like a token with its tag; remove the line, or pass \
             --format columns"
        )),
    }
}

/// Returns the first line in the buffer that is neither blank nor a comment nor a document line,
/// without its line end, and the number of lines before it.
///
/// With [`Comments::Auto`] a line that begins with `#` may be a token or a comment, which only the
/// number of columns would tell. The first such line is returned only if no other line qualifies.
///
/// | lines | first token line |
/// |---|---|
/// | `# id = 1`, `a O` | `a O` |
/// | `# O`, `a O` | `a O`, although `#` is a token |
/// | `-DOCSTART- O`, blank, `# O` | `# O`, as there is no other |
/// | `# id = 1` | none |
fn first_token_line<'a>(lines: &'a LineReader, options: &Columns) -> Option<(usize, &'a [u8])> {
    let mut fallback = None;
    for (at, line) in lines.ahead().split(|&b| b == b'\n').enumerate() {
        let line = trimmed(line);
        let marked = match &options.comments {
            Comments::Prefix(prefix) => line.starts_with(prefix.as_bytes()),
            Comments::Auto | Comments::None => false,
        };
        let blank = line.iter().all(|&b| is_space(b));
        if marked || blank || line.starts_with(b"-DOCSTART-") {
            continue;
        }
        if !line.starts_with(b"#") || options.comments != Comments::Auto {
            return Some((at, line));
        }
        // Word lines of CoNLL-U never begin with `#`.
        if !is_conllu(line) && options.format != Format::Conllu {
            fallback.get_or_insert((at, line));
        }
    }
    fallback
}
