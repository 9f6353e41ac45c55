//! Raw text of treebanks, from which segmenters are trained.
//!
//! The text is rebuilt as in the CoNLL 2018 shared task: words without `SpaceAfter=No` are followed
//! by a space, also at the end of a sentence, and a paragraph begins at each `# newpar` and
//! `# newdoc`.

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

/// Appends a sentence, and compares its text with the comment `# text`.
///
/// # Errors
/// [`Code::BadDocument`] with the line of the first token that differs.
fn push_sentence(
    path: &str,
    sentence: &SyntaxSentence<'_>,
    paragraph: &mut GoldParagraph,
) -> Result<()> {
    let mut rest = text_comment(sentence);
    let mut multiwords = sentence.multiwords.iter().peekable();
    let mut at = 0;
    while let Some(word) = sentence.words.get(at) {
        let multiword = multiwords.next_if(|multiword| multiword.start == at);
        let (form, misc, end) = match multiword {
            Some(multiword) => (multiword.form, multiword_misc(word.before), multiword.end),
            None => (word.form(), word.fields[9], at + 1),
        };
        let words: Vec<&str> = match multiword {
            Some(_) => sentence.words[at..end]
                .iter()
                .map(|word| word.form())
                .collect(),
            None => Vec::new(),
        };
        let is_spaced = has_space_after(misc);
        rest = match rest {
            Some(text) => Some(after_token(text, form, is_spaced).ok_or_else(|| {
                let found: String = text.chars().take(20).collect();
                let message =
                    format!("the token {form:?} is not in # text, which continues with {found:?}");
                IoError::new(Code::BadDocument, Position::line(path, word.line), message)
            })?),
            None => None,
        };
        paragraph.push_token(form, &words, is_spaced);
        at = end;
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

/// Returns the text after a token, and after the white space that follows it; None if the text does
/// not begin with the token, or if white space follows although `is_spaced` is false, or the
/// reverse. No space is needed at the end of the text.
fn after_token<'a>(text: &'a str, form: &str, is_spaced: bool) -> Option<&'a str> {
    let rest = text.strip_prefix(form)?;
    let after = rest.trim_start();
    match after.is_empty() || is_spaced == (after.len() < rest.len()) {
        true => Some(after),
        false => None,
    }
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
    fn differences_from_the_text_are_located() {
        for (text, misc, line, message) in [
            (
                "a c",
                "_",
                3,
                "the token \"b\" is not in # text, which continues with \"c\"",
            ),
            (
                "ab",
                "_",
                2,
                "the token \"a\" is not in # text, which continues with \"ab\"",
            ),
            (
                "a b",
                "SpaceAfter=No",
                2,
                "the token \"a\" is not in # text, which continues with \"a b\"",
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
