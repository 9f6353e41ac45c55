//! Raw text of treebanks, from which segmenters are trained.
//!
//! The text is rebuilt as in the CoNLL 2018 shared task: words without `SpaceAfter=No` are followed by a space, also at
//! the end of a sentence, and a paragraph begins at each `# newpar` and `# newdoc`. In sentences without any
//! `SpaceAfter=No`, the comment `# text` says where spaces are.

use std::ops::Range;

use spanrs_base::Position;
use spanrs_dep::GoldParagraph;
use spanrs_io::{Code, Error as IoError, SyntaxChunks, SyntaxFormat, SyntaxReader, SyntaxSentence};

use crate::error::{Error, Result};

/// Appends the paragraphs of a CoNLL-U file, with their sentences, tokens and words.
///
/// Empty nodes are not part of the text. If a sentence has a comment `# text`, it must equal the
/// text of its tokens.
///
/// # Errors
/// Errors from the reader; [`Code::WrongFormat`] for formats other than CoNLL-U;
/// [`Code::BadDocument`] with the line of the first token that differs from `# text`;
/// [`Error::Stopped`]. Sentences before the error have been appended.
///
/// # Examples
/// ```
/// use spanrs::io::{Source, SyntaxChunks, SyntaxFormat};
/// let row = |id: &str, form: &str, misc: &str| format!("{id}\t{form}{}\t{misc}\n", "\t_".repeat(7));
/// let text = "# text = don't!\n".to_owned()
///     + &row("1-2", "don't", "SpaceAfter=No") + &row("1", "do", "_") + &row("2", "n't", "_")
///     + &row("3", "!", "_") + "\n";
/// let source = Source::stream("example", Box::new(std::io::Cursor::new(text)));
/// let mut chunks = SyntaxChunks::open(&source, Some(SyntaxFormat::Conllu))?;
/// let mut paragraphs = Vec::new();
/// spanrs::dep_files::read_paragraphs(&mut chunks, &mut paragraphs, || false)?;
/// assert_eq!(paragraphs[0].text, "don't! ");
/// assert_eq!(paragraphs[0].tokens[0].words, ["do", "n't"]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn read_paragraphs(
    chunks: &mut SyntaxChunks,
    paragraphs: &mut Vec<GoldParagraph>,
    mut stops: impl FnMut() -> bool,
) -> Result<()> {
    let (path, format) = (chunks.path().to_owned(), chunks.format());
    if format != SyntaxFormat::Conllu {
        let message = "the file has no text with spaces; train segmenters with CoNLL-U";
        return Err(IoError::new(Code::WrongFormat, Position::file(&path), message).into());
    }
    let mut paragraph = GoldParagraph::default();
    while let Some(chunk) = chunks.read()? {
        let mut reader = SyntaxReader::new(&chunk.text, format, &path, chunk.lines_before)?;
        let mut sentence = SyntaxSentence::default();
        while reader.read(&mut sentence)? {
            if stops() {
                return Err(Error::Stopped);
            }
            if starts_paragraph(&sentence) && !paragraph.is_empty() {
                paragraphs.push(std::mem::take(&mut paragraph));
            }
            push_sentence(&path, &sentence, &mut paragraph)?;
        }
    }
    if !paragraph.is_empty() {
        paragraphs.push(paragraph);
    }
    Ok(())
}

/// Returns the comments before the first word.
fn comments<'a>(sentence: &SyntaxSentence<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let before = sentence.words.first().map_or("", |word| word.before);
    before
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(str::trim_start)
}

/// Returns true if a comment announces a paragraph or a document.
fn starts_paragraph(sentence: &SyntaxSentence<'_>) -> bool {
    comments(sentence).any(|comment| {
        let key = comment.split([' ', '\t', '=']).next().unwrap_or_default();
        matches!(key, "newpar" | "newdoc")
    })
}

/// Returns the text of the comment `# text`.
fn text_comment<'a>(sentence: &SyntaxSentence<'a>) -> Option<&'a str> {
    comments(sentence).find_map(|comment| {
        let value = comment
            .strip_prefix("text")?
            .trim_start()
            .strip_prefix('=')?;
        Some(value.trim())
    })
}

/// Returns false if MISC says that no space follows.
fn has_space_after(misc: &str) -> bool {
    misc.split('|').all(|field| field != "SpaceAfter=No")
}

/// Returns MISC of the multiword token whose line is one of the lines before its first word.
fn multiword_misc(before: &str) -> &str {
    let row = before.lines().rev().find(|line| {
        let id = line.split('\t').next().unwrap_or_default();
        !id.starts_with('#') && id.contains('-')
    });
    row.and_then(|row| row.split('\t').nth(9)).unwrap_or("_")
}

/// A token of a sentence.
struct TokenRow<'a> {
    form: &'a str,
    /// The column MISC.
    misc: &'a str,
    /// Its words.
    words: Range<usize>,
    is_multiword: bool,
    /// The line of the first word.
    line: u64,
}

/// Returns the tokens of a sentence.
fn token_rows<'a>(sentence: &SyntaxSentence<'a>) -> Vec<TokenRow<'a>> {
    let mut multiwords = sentence.multiwords.iter().peekable();
    let (mut rows, mut at) = (Vec::new(), 0);
    while let Some(word) = sentence.words.get(at) {
        let multiword = multiwords.next_if(|multiword| multiword.start == at);
        let (form, misc, end) = match multiword {
            Some(multiword) => (multiword.form, multiword_misc(word.before), multiword.end),
            None => (word.form(), word.fields[9], at + 1),
        };
        rows.push(TokenRow {
            form,
            misc,
            words: at..end,
            is_multiword: multiword.is_some(),
            line: word.line,
        });
        at = end.max(at + 1);
    }
    rows
}

/// Appends a sentence, and compares its text with the comment `# text`. If no token has `SpaceAfter=No`, the spaces are
/// those of the comment: some treebanks have only the comment.
///
/// # Errors
/// [`Code::BadDocument`] with the line of the first token that differs.
fn push_sentence(
    path: &str,
    sentence: &SyntaxSentence<'_>,
    paragraph: &mut GoldParagraph,
) -> Result<()> {
    let rows = token_rows(sentence);
    let spaces_in_misc = rows.iter().any(|row| !has_space_after(row.misc));
    let mut rest = text_comment(sentence);
    for row in &rows {
        let words = &sentence.words[row.words.clone()];
        let mut is_spaced = has_space_after(row.misc);
        if let Some(text) = rest {
            let expected = spaces_in_misc.then_some(is_spaced);
            let after = after_token(text, row.form, expected);
            let (after, spaced) = after.ok_or_else(|| different(path, row, text))?;
            (rest, is_spaced) = (Some(after), spaced);
        }
        let forms: Vec<&str> = match row.is_multiword {
            true => words.iter().map(|word| word.form()).collect(),
            false => Vec::new(),
        };
        paragraph.push_token(row.form, &forms, is_spaced);
    }
    if let (Some(rest @ [_, ..]), Some(last)) = (rest.map(str::as_bytes), sentence.words.last()) {
        let rest: String = String::from_utf8_lossy(rest).chars().take(20).collect();
        let message = format!("# text continues with {rest:?} after the last token");
        return Err(
            IoError::new(Code::BadDocument, Position::line(path, last.line), message).into(),
        );
    }
    paragraph.end_sentence();
    Ok(())
}

/// Returns the error for a token that differs from the text, with the line of the token.
fn different(path: &str, token: &TokenRow<'_>, text: &str) -> IoError {
    let (form, found) = (token.form, text.chars().take(20).collect::<String>());
    let what = match text.starts_with(form) {
        true => format!("the space after {form:?} in MISC differs from # text"),
        false => format!("the token {form:?} is not in # text"),
    };
    let message = format!("{what}, which continues with {found:?}; correct one of the two");
    IoError::new(Code::BadDocument, Position::line(path, token.line), message)
}

/// Returns true for characters of Chinese and Japanese, which are written without spaces between sentences.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns the text after a token and after the white space that follows it, and whether there is white space; None if
/// the text does not begin with the token, or if white space differs from what is expected. At the end of the text,
/// white space is assumed if nothing is expected, except after Chinese and Japanese.
fn after_token<'a>(text: &'a str, form: &str, expected: Option<bool>) -> Option<(&'a str, bool)> {
    let rest = text.strip_prefix(form)?;
    let after = rest.trim_start();
    if after.is_empty() {
        let is_spaced = !rest.is_empty() || !form.ends_with(is_unspaced);
        return Some((after, expected.unwrap_or(is_spaced)));
    }
    let is_spaced = after.len() < rest.len();
    let is_expected = expected.is_none_or(|expected| expected == is_spaced);
    is_expected.then_some((after, is_spaced))
}

#[cfg(test)]
mod tests {
    use spanrs_io::Source;

    use super::*;

    fn read(text: &str) -> Result<Vec<GoldParagraph>> {
        let source = Source::stream("x.conllu", Box::new(std::io::Cursor::new(text.to_owned())));
        let mut chunks = SyntaxChunks::open(&source, Some(SyntaxFormat::Conllu))?;
        let mut paragraphs = Vec::new();
        read_paragraphs(&mut chunks, &mut paragraphs, || false)?;
        Ok(paragraphs)
    }

    fn row(id: &str, form: &str, misc: &str) -> String {
        format!("{id}\t{form}{}\t{misc}\n", "\t_".repeat(7))
    }

    #[test]
    fn paragraphs_begin_where_comments_say() {
        let sentence =
            |comment: &str, form: &str, misc: &str| format!("{comment}{}\n", row("1", form, misc));
        let text = sentence("# newdoc id = 1\n# newpar\n", "Hi", "_")
            + &sentence("# newparty = 3\n", "there", "SpaceAfter=No|Gloss=x")
            + &sentence("", "!", "_")
            + &sentence("# newpar id = 2\n", "Bye", "_");
        let paragraphs = read(&text).unwrap();
        let texts: Vec<&str> = paragraphs
            .iter()
            .map(|paragraph| paragraph.text.as_str())
            .collect();
        assert_eq!(texts, ["Hi there! ", "Bye "]);
        assert_eq!(paragraphs[0].sentences, [1, 2, 3]);
    }

    #[test]
    fn multiword_tokens_have_their_own_misc() {
        let text =
            row("1-2", "don't", "SpaceAfter=No") + &row("1", "do", "_") + &row("2", "n't", "_");
        let text = text + &row("2.1", "x", "SpaceAfter=No") + &row("3", "1 000", "_");
        let paragraphs = read(&("# text = don't1 000\n".to_owned() + &text)).unwrap();
        assert_eq!(paragraphs[0].text, "don't1 000 ");
        assert_eq!(paragraphs[0].tokens.len(), 2);
        assert_eq!(paragraphs[0].tokens[0].words, ["do", "n't"]);
    }

    #[test]
    fn spaces_are_those_of_the_text_if_misc_has_none() {
        let words = row("1", "a", "_") + &row("2", "b", "_") + &row("3", "!", "_");
        let with_text = |text: &str| read(&format!("# text = {text}\n{words}")).unwrap();
        assert_eq!(with_text("a b!")[0].text, "a b! ");
        assert_eq!(with_text("ab !")[0].text, "ab ! ");
        assert_eq!(read(&words).unwrap()[0].text, "a b ! ");
    }

    #[test]
    fn differences_from_the_text_are_located() {
        for (text, misc, line, message) in [
            (
                "a c",
                "_",
                3,
                "the token \"b\" is not in # text, which continues with \"c\"; correct one of the two",
            ),
            (
                "a b",
                "SpaceAfter=No",
                2,
                "the space after \"a\" in MISC differs from # text, which continues with \"a b\"; correct one of the \
                 two",
            ),
            (
                "a b c",
                "_",
                3,
                "# text continues with \"c\" after the last token",
            ),
        ] {
            let text = format!(
                "# text = {text}\n{}{}",
                row("1", "a", misc),
                row("2", "b", "_")
            );
            let error = read(&text).unwrap_err().to_string();
            assert_eq!(error, format!("x.conllu:{line}: {message}"));
        }
    }
}
