//! Segmentation of raw text: CoNLL-U with forms, for the components that predict the other columns.

use std::iter::{once, repeat};
use std::path::Path;

use spanrs_base::Position;
use spanrs_dep::{Segmentation, SegmentedToken, Segmenter, SegmenterBuffers, is_white};
use spanrs_io::{Code, Error as IoError, SyntaxChunk};

use crate::error::{Error, Result};

/// Segments a part of a file of raw text that ends at the end of a paragraph; returns CoNLL-U. If `lines` is true,
/// every line end ends a sentence.
///
/// The first sentence of a paragraph has a comment `# newpar`, and every sentence `# sent_id` and `# text`. Ids consist
/// of the name of the file, the line on which the paragraph begins and the number of the sentence in the paragraph:
/// they do not depend on how the file is divided. White space between tokens is written as one space; a token that no
/// white space follows has `SpaceAfter=No`.
///
/// # Errors
/// [`Code::Encoding`] with the line if the text is not UTF-8; [`Error::Stopped`] if `stops` returns true.
pub(super) fn segment(
    (segmenter, lines): (&Segmenter, bool),
    (path, document): (&str, Option<&str>),
    part: &SyntaxChunk<&[u8]>,
    stops: impl FnMut() -> bool,
) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(part.text).map_err(|error| {
        let before = &part.text[..error.valid_up_to()];
        let line = part.lines_before + line_ends(before) + 1;
        let message = "bytes that are not UTF-8; convert the file";
        IoError::new(Code::Encoding, Position::line(path, line), message)
    })?;
    let mut segmentation = Segmentation::default();
    let mut buffers = SegmenterBuffers::default();
    // The only error is an interruption.
    let segmented = match lines {
        true => segmenter.segment_lines(text, &mut buffers, &mut segmentation, stops),
        false => segmenter.segment(text, &mut buffers, &mut segmentation, stops),
    };
    segmented.map_err(|_| Error::Stopped)?;
    let name = document.map_or_else(|| document_name(path), str::to_owned);
    let mut out = String::with_capacity(text.len() * 6);
    // The line of the paragraph and its first byte, the number of the last sentence in it, and the end of that sentence.
    let (mut line, mut line_start) = (part.lines_before + 1, 0);
    let (mut number, mut counted) = (0, 0);
    // Sentences of a paragraph that continues in this block have ids of their own.
    let mut piece = match part.continues {
        0 => String::new(),
        continues => format!("part{}-", continues + 1),
    };
    for paragraph in segmentation.paragraphs.ranges() {
        for (at, is_first) in paragraph.zip(once(true).chain(repeat(false))) {
            let tokens = segmentation.sentence(at);
            if is_first {
                let start = tokens.first().map_or(counted, |token| token.bytes.start);
                let lines = line_ends(&part.text[counted..start]);
                // Long paragraphs are segmented in pieces, with less than a blank line between them.
                if number == 0 || lines > 1 {
                    line += line_ends(&part.text[line_start..start]);
                    (number, line_start) = (0, start);
                    if at > 0 || part.continues == 0 {
                        out.push_str("# newpar\n");
                        piece.clear();
                    }
                }
            }
            counted = tokens.last().map_or(counted, |token| token.bytes.end);
            number += 1;
            let id = format!("{name}-{line}-{piece}{number}");
            push_comment("sent_id", &id, &mut out);
            push_sentence(&segmentation, tokens, text, &mut out);
        }
    }
    Ok(out.into_bytes())
}

/// Number of line feeds in a text.
fn line_ends(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Returns the comment before the first sentence of a file.
pub(super) fn document_comment(path: &str, document: Option<&str>) -> String {
    let mut comment = String::new();
    let name = document.map_or_else(|| document_name(path), str::to_owned);
    push_comment("newdoc id", &name, &mut comment);
    comment
}

/// Returns the name of the document in a file of raw text: the name of the file without its folder and its extension,
/// with `_` for characters that ids cannot contain. Streams without a name are called `text`.
///
/// # Examples
/// ```
/// use spanrs::dep_files::document_name;
/// assert_eq!(document_name("mails/a b.txt.gz"), "a_b");
/// assert_eq!(document_name("<stdin>"), "text");
/// ```
pub fn document_name(path: &str) -> String {
    let is_stream = path == "-" || path.starts_with('<');
    let plain = [".gz", ".zst"]
        .iter()
        .find_map(|suffix| path.strip_suffix(suffix));
    let stem = Path::new(plain.unwrap_or(path)).file_stem();
    let stem = stem.and_then(|stem| stem.to_str()).filter(|_| !is_stream);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = stem.unwrap_or_default().chars();
    let name: String = name.map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.is_empty() {
        "text".to_owned()
    } else {
        name
    }
}

/// Appends a comment with a key and a value.
fn push_comment(key: &str, value: &str, out: &mut String) {
    for part in ["# ", key, " = ", value, "\n"] {
        out.push_str(part);
    }
}

/// Appends the text and the lines of a sentence, and a blank line.
fn push_sentence(
    segmentation: &Segmentation,
    tokens: &[SegmentedToken],
    text: &str,
    out: &mut String,
) {
    let spaced = |at: usize| {
        let next = tokens.get(at + 1).map(|next| next.bytes.start);
        match next {
            Some(next) => next > tokens[at].bytes.end,
            // At the end of a sentence: white space or the end of the text.
            None => text[tokens[at].bytes.end..]
                .chars()
                .next()
                .is_none_or(is_white),
        }
    };
    out.push_str("# text = ");
    for (at, token) in tokens.iter().enumerate() {
        push_form(&text[token.bytes.clone()], out);
        if at + 1 < tokens.len() && spaced(at) {
            out.push(' ');
        }
    }
    out.push('\n');
    let mut id = 1;
    for (at, token) in tokens.iter().enumerate() {
        let misc = if spaced(at) { "_" } else { "SpaceAfter=No" };
        let words = segmentation.token_words(token, text);
        if token.is_multiword() {
            let last = id + token.forms.len() - 1;
            push_line(
                &format!("{id}-{last}"),
                &text[token.bytes.clone()],
                misc,
                out,
            );
        }
        for word in words {
            let misc = if token.is_multiword() { "_" } else { misc };
            push_line(&id.to_string(), word, misc, out);
            id += 1;
        }
    }
    out.push('\n');
}

/// Appends a form, with a single space for each run of white space.
fn push_form(form: &str, out: &mut String) {
    for (at, part) in form
        .split(is_white)
        .filter(|part| !part.is_empty())
        .enumerate()
    {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(part);
    }
}

/// Appends the line of a word or of a multiword token.
fn push_line(id: &str, form: &str, misc: &str, out: &mut String) {
    out.push_str(id);
    out.push('\t');
    push_form(form, out);
    out.push_str("\t_\t_\t_\t_\t_\t_\t_\t");
    out.push_str(misc);
    out.push('\n');
}
