//! Detection of the layout of a column file from the options and the beginning of the file.

use spanrs_base::Position;

use crate::blanks::{is_space, split, trimmed};
use crate::conllu;
use crate::csv::{csv_separator, header, is_quoted_tag};
use crate::error::{Code, Error, Result};
use crate::layout::{Column, Columns, Comments, Format, Layout, Separator, is_conllu, place_of};
use crate::lines::LineReader;
use crate::recognise::other_format;

/// Returns the error for a file without token lines.
pub(crate) fn no_tokens(path: &str) -> Error {
    Error::new(Code::Empty, Position::file(path), "the file has no tokens")
}

/// Determines the layout from the lines in the buffer, in these steps:
///
/// 1. Find the first token line: neither blank, nor a comment, nor `-DOCSTART-`.
/// 2. With [`Format::Auto`], reject files that are certainly in another format (`recognise`).
/// 3. Decide whether the file is CoNLL-U: the format was requested, or the first token line looks
///    like CoNLL-U (`conllu::fits`).
/// 4. With [`Separator::Auto`] and [`Format::Auto`], reject commas and semicolons between columns.
/// 5. Use the requested separator; with [`Separator::Auto`], a tab if the first token line has one,
///    otherwise runs of spaces and tabs.
/// 6. Count the columns of the first token line. All token lines must have the same number.
/// 7. Resolve the columns of tokens, tags and second tags with this number of columns.
/// 8. With [`Format::Auto`], reject a header and quoted tags (`csv`).
///
/// Nothing is consumed. If the buffer contains no token line, the result is [`Code::Empty`], and
/// the caller reads more and tries again. Time is linear in the size of the buffer.
///
/// | first token line | options | layout |
/// |---|---|---|
/// | `EU NNP B-ORG` | default | white space, 3 columns, token 0, tag 2 |
/// | `New York<tab>B-LOC` | default | tab, 2 columns |
/// | `New York<tab>B-LOC` | `Separator::Whitespace` | white space, 3 columns |
/// | `B-ORG` | default | 1 column, only tags |
/// | `EU,B-ORG` | default | rejected: specify the separator |
/// | `EU,B-ORG` | `Separator::Byte(b',')` | comma, 2 columns |
/// | `EU NNP B-ORG` | token -1 | rejected: the same column for tokens and tags |
/// | `EU NNP B-ORG` | second 7 | rejected, unless the second column may be missing |
/// | `EU NNP "B-ORG"` | default | rejected: a tag in quotation marks |
///
/// # Errors
/// - [`Code::Empty`] if the buffer has no token line; the rest of the file may have one.
/// - [`Code::WrongFormat`] for another format, for CSV, and for a header.
/// - [`Code::NoColumn`] for a column that the first token line does not have, for a column name in
///   another format than CoNLL-U, and if tokens and a tag would be read from the same column
///   although there are several columns.
/// - [`Code::Ragged`] if the first word of a CoNLL-U file does not have ten columns.
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
            "the columns are separated by `{separator}`: specify the separator (--separator \"{separator}\")"
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
            // If no tags are read, the last column is checked, unless it contains the tokens.
            true if layout.token + 1 == fields.len() => 0,
            true => fields.len() - 1,
        };
        refuse_csv(lines.ahead(), &fields, (byte, judged))
            .map_err(|message| wrong(Code::WrongFormat, message))?;
    }
    Ok(layout)
}

/// Rejects formats that do not have one token per line.
///
/// # Errors
/// [`Code::WrongFormat`], with the recognised format.
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

/// Returns the layout of a file that is not CoNLL-U, according to the fields of the first token
/// line.
///
/// # Errors
/// A message for a column that the line does not have, and for a column that would contain both
/// tokens and tags.
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
        // A file that contains only tags has no tokens: a column that does not exist is read as
        // empty.
        token: if token == tag { usize::MAX } else { token },
        tag,
        second: second.unwrap_or(0),
        empty: (0..columns).filter(|&at| fields[at].is_empty()).collect(),
        conllu: None,
    })
}

/// Rejects quoted tags and a header, according to the fields of the first token line and the lines
/// in the buffer.
///
/// `separator` is the separator of the layout and `tag` the column of the tags. Rows with another
/// number of columns, `-DOCSTART-` lines and GermEval's headings are skipped.
///
/// # Errors
/// The error message; its position is the first token line.
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
    // A header may begin with `#`, and then looks like a comment.
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
/// number of columns can distinguish. The first such line is returned only if no other line
/// qualifies.
///
/// | lines | first token line |
/// |---|---|
/// | `# id = 1`, `a O` | `a O` |
/// | `# O`, `a O` | `a O`, although `#` is a token |
/// | `-DOCSTART- O`, blank, `# O` | `# O`, because there is no other |
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
