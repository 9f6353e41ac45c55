use spanrs_base::{Named, Position};

use crate::conllu::{Id, id};
use crate::error::{Code, Error, Result};

/// How sentences with or without syntax are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxFormat {
    /// Ten columns that are separated by tabs, a word on a line: CoNLL-U, and CoNLL-X, whose columns CPOSTAG and POSTAG
    /// stand where CoNLL-U has UPOS and XPOS.
    Conllu,
    /// Form, tag, head and label, separated by white space, a word on a line: what parser.py reads.
    FourColumns,
    /// A sentence on a line, words with their tags after the last slash: `They/PRP ate/VBD`.
    WordTag,
    /// A sentence on a line, tokens separated by white space.
    Tokens,
}

impl Named for SyntaxFormat {
    const WHAT: &'static str = "format";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("conllu", Self::Conllu),
        ("four-columns", Self::FourColumns),
        ("word-tag", Self::WordTag),
        ("tokens", Self::Tokens),
    ];
}

impl SyntaxFormat {
    /// Recognises the format of a text by its first lines.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for texts that are in no such format.
    pub fn recognise(text: &str, path: &str) -> Result<Self> {
        const LINES: usize = 20;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = (1..).zip(text.lines());
        let content =
            |&(_, line): &(usize, &str)| !line.trim().is_empty() && !line.starts_with('#');
        let lines: Vec<(usize, &str)> = lines.filter(content).take(LINES).collect();
        let Some(&(number, first)) = lines.first() else {
            return Ok(Self::Conllu);
        };
        let wrong = |message: String| {
            let position = Position::line(path, number as u64);
            Err(Error::new(Code::WrongFormat, position, message))
        };
        let fields = first.split('\t').count();
        let known = "CoNLL-U or CoNLL-X (ten columns separated by tabs), word/TAG tokens, or tokens separated by spaces, \
                     one sentence on a line";
        if fields == 10
            && id(first.split('\t').next().unwrap_or_default().as_bytes()) != Id::Invalid
        {
            return Ok(Self::Conllu);
        }
        let words: Vec<&str> = first.split_whitespace().collect();
        if is_four_columns(&lines) {
            return Ok(Self::FourColumns);
        }
        if fields > 1 {
            return wrong(format!(
                "{fields} columns separated by tabs; expected {known}"
            ));
        }
        if words.len() == 10 && words[0] == "1" {
            return wrong(
                "the columns are separated by spaces; CoNLL-U separates them by tabs".into(),
            );
        }
        if first.starts_with(['{', '<']) || first.starts_with("[{") || first.starts_with("[\"") {
            return wrong(format!("this looks like JSON or XML; expected {known}"));
        }
        if lines.len() > 2
            && lines
                .iter()
                .all(|(_, line)| line.split_whitespace().count() == 2)
        {
            return wrong(format!("every line has two columns; expected {known}"));
        }
        let words = || lines.iter().flat_map(|(_, line)| line.split_whitespace());
        let tagged = words().filter(|word| is_tagged(word)).count();
        let others = words().count() - tagged;
        match (tagged, others) {
            (1.., 0) => Ok(Self::WordTag),
            _ if tagged > 4 * others => {
                let other = words().find(|word| !is_tagged(word)).unwrap_or_default();
                wrong(format!(
                    "most tokens are word/TAG, but not {other:?}; say --format word-tag or --format tokens"
                ))
            }
            _ => Ok(Self::Tokens),
        }
    }
}

/// True for `ate/VBD`, and false for `and/or`: tags have no lower-case letters.
fn is_tagged(word: &str) -> bool {
    word.rsplit_once('/').is_some_and(|(word, tag)| {
        !word.is_empty() && !tag.is_empty() && !tag.contains(char::is_lowercase)
    })
}

/// True where every line has a form, a tag without lower-case letters, a head and a label, and a head is the root: running
/// text has numbers in third place, too.
fn is_four_columns(lines: &[(usize, &str)]) -> bool {
    let mut has_root = false;
    lines.iter().all(|(_, line)| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        has_root |= fields.get(2) == Some(&"0");
        fields.len() == 4
            && !fields[1].contains(char::is_lowercase)
            && fields[2].bytes().all(|b| b.is_ascii_digit())
    }) && has_root
        && lines.len() > 1
}
