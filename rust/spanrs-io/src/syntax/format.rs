//! Formats of sentences, and their recognition.

use spanrs_base::{Named, Position};

use crate::conllu::{Id, id};
use crate::error::{Code, Error, Result};
use crate::running_text::{Punctuation, has_unspaced_sentences, running_text};

/// File format of sentences with or without syntax.
///
/// | format | sentence | fields of a word |
/// |---|---|---|
/// | [`SyntaxFormat::Conllu`] | lines, then a blank line | all |
/// | [`SyntaxFormat::FourColumns`] | lines, then a blank line | form, tag, head, label |
/// | [`SyntaxFormat::WordTag`] | one line | form, tag |
/// | [`SyntaxFormat::Tokens`] | one line | form |
/// | [`SyntaxFormat::Raw`] | part of a paragraph | none |
///
/// ```
/// use spanrs_base::Named;
/// use spanrs_io::SyntaxFormat;
/// assert_eq!(SyntaxFormat::from_name("word-tag"), Ok(SyntaxFormat::WordTag));
/// assert!(SyntaxFormat::from_name("conll").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxFormat {
    /// Ten columns separated by tabs, one word per line: CoNLL-U and CoNLL-X, whose columns CPOSTAG
    /// and POSTAG are at the positions of UPOS and XPOS.
    Conllu,
    /// Form, tag, head and label separated by white space, one word per line: the input format of
    /// parser.py.
    FourColumns,
    /// One sentence per line, with the tag after the last slash of each word: `They/PRP 1/2/CD`.
    WordTag,
    /// One sentence per line, tokens separated by white space.
    Tokens,
    /// Text that is not divided into sentences and tokens. Paragraphs are separated by blank lines.
    Raw,
}

impl Named for SyntaxFormat {
    const WHAT: &'static str = "format";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("conllu", Self::Conllu),
        ("four-columns", Self::FourColumns),
        ("word-tag", Self::WordTag),
        ("tokens", Self::Tokens),
        ("raw", Self::Raw),
    ];
}

spanrs_base::serde_by_name!(SyntaxFormat);

impl SyntaxFormat {
    /// Recognises the format of a text from its first 20 lines that are not blank and do not begin
    /// with `#`.
    ///
    /// 1. No such line (an empty file): CoNLL-U.
    /// 2. Ten columns separated by tabs, the first with a CoNLL-U id: CoNLL-U.
    /// 3. Four columns on every line, with a tag without lower-case letters and a number as head,
    ///    and at least one head 0: four columns.
    /// 4. Other tabs, ten columns separated by spaces, JSON or XML, or two columns on each of at
    ///    least three lines: rejected.
    /// 5. All words are word/TAG: word/TAG. More than four fifths of the words are: rejected,
    ///    because the user must decide.
    /// 6. One word on each of at least three lines, lines that all end in a tag, or running text
    ///    ([`running_text`]): rejected, because a parser would treat each line as a sentence and
    ///    `anchovies.` as a word.
    /// 7. Otherwise: tokens.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for texts in none of these formats, with the first of the lines as
    /// position.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::SyntaxFormat;
    /// let recognise = |text| SyntaxFormat::recognise(text, "example");
    /// assert_eq!(recognise("They/PRP ate/VBD\n").unwrap(), SyntaxFormat::WordTag);
    /// assert_eq!(recognise("They ate and/or drank\n").unwrap(), SyntaxFormat::Tokens);
    /// assert!(recognise("{\"text\": \"They ate\"}\n").is_err());
    /// assert!(recognise("They ate the pizza with anchovies.\n").is_err());
    /// ```
    pub fn recognise(text: &str, path: &str) -> Result<Self> {
        Self::recognise_text(text, path, false)
    }

    /// Recognises the format of a text as [`SyntaxFormat::recognise`] does, and also raw text. Lines are raw text if a
    /// punctuation mark or a contraction is attached to a word, or if a sentence has no spaces; otherwise they are
    /// tokens if a full stop or a comma stands between spaces.
    ///
    /// # Errors
    /// Same as [`SyntaxFormat::recognise`], except for running text; [`Code::WrongFormat`] for lines that may be both:
    /// with no punctuation, or with other marks between spaces.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::SyntaxFormat;
    /// let recognise = |text| SyntaxFormat::recognise_or_raw(text, "example").unwrap();
    /// assert_eq!(recognise("They ate the pizza.\n"), SyntaxFormat::Raw);
    /// assert_eq!(recognise("They ate the pizza\n"), SyntaxFormat::Raw);
    /// assert_eq!(recognise("They ate the pizza .\n"), SyntaxFormat::Tokens);
    /// ```
    pub fn recognise_or_raw(text: &str, path: &str) -> Result<Self> {
        Self::recognise_text(text, path, true)
    }

    /// Recognises the format of a text, and with `raw` also raw text.
    fn recognise_text(text: &str, path: &str, raw: bool) -> Result<Self> {
        const LINES: usize = 20;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = (1..).zip(text.lines());
        let content =
            |&(_, line): &(usize, &str)| !line.trim().is_empty() && !line.starts_with('#');
        let lines: Vec<(usize, &str)> = lines.filter(content).take(LINES).collect();
        let Some(&(number, first)) = lines.first() else {
            return Ok(Self::Conllu);
        };
        let fields: Vec<&str> = first.split('\t').collect();
        if fields.len() == 10 && id(fields[0].as_bytes()) != Id::Invalid {
            return Ok(Self::Conllu);
        }
        if is_four_columns(&lines) {
            return Ok(Self::FourColumns);
        }
        let wrong = |number: usize, message| {
            let position = Position::line(path, number as u64);
            Error::new(Code::WrongFormat, position, message)
        };
        if let Some(message) = other_format(&lines) {
            return Err(wrong(number, message + if raw { RAW_HINT } else { "" }));
        }
        let words = || lines.iter().flat_map(|(_, line)| line.split_whitespace());
        let tagged = words().filter(|word| is_tagged(word)).count();
        let others = words().count() - tagged;
        if tagged > 0 && others == 0 {
            return Ok(Self::WordTag);
        }
        if tagged > 4 * others {
            let other = words().find(|word| !is_tagged(word)).unwrap_or_default();
            let message = format!(
                "most tokens are word/TAG, but not {other:?}; pass --format word-tag or --format tokens"
            );
            return Err(wrong(number, message));
        }
        if !raw {
            return match not_sentences(&lines).or_else(|| running(&lines)) {
                Some((number, message)) => Err(wrong(number, message)),
                None => Ok(Self::Tokens),
            };
        }
        match raw_or_tokens(&lines) {
            Ok(format) => Ok(format),
            Err((number, message)) => Err(wrong(number, message)),
        }
    }
}

/// How many times as frequent one kind of punctuation must be as the other to decide between raw text and tokens.
const MOST: usize = 10;

/// Decides between raw text and tokens; returns a line number and an error message if the lines may be both, or
/// neither.
fn raw_or_tokens(lines: &[(usize, &str)]) -> std::result::Result<SyntaxFormat, (usize, String)> {
    let content = || lines.iter().map(|(_, line)| *line);
    let punctuation = Punctuation::of(content());
    let Punctuation {
        attached, separate, ..
    } = punctuation;
    if has_unspaced_sentences(content()) || attached > MOST * separate {
        return Ok(SyntaxFormat::Raw);
    }
    if let Some((number, message)) = not_sentences(lines) {
        return Err((number, message + RAW_HINT));
    }
    if separate > MOST * attached {
        return Ok(SyntaxFormat::Tokens);
    }
    // A single line is the same sentence in both formats, unless it has marks between spaces.
    if attached > 0 || punctuation.is_spaced || lines.len() > 1 {
        let message = "this may be text, or one sentence of tokens on each line; pass --format raw or --format tokens";
        let number = lines.first().map_or(1, |(number, _)| *number);
        return Err((number, message.to_owned()));
    }
    Ok(SyntaxFormat::Raw)
}

/// End of messages about files that a model with a segmenter can read as text.
const RAW_HINT: &str = "; --format raw reads it as text";

/// Returns an error message if the lines are certainly neither tokens nor word/TAG.
fn other_format(lines: &[(usize, &str)]) -> Option<String> {
    let (_, first) = lines.first()?;
    let readable = "CoNLL-U or CoNLL-X (ten columns separated by tabs), word/TAG tokens, or tokens separated by spaces, \
                    one sentence on a line";
    let fields = first.split('\t').count();
    if fields > 1 {
        return Some(format!(
            "{fields} columns separated by tabs; expected {readable}"
        ));
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    if words.len() == 10 && words[0] == "1" {
        return Some("the columns are separated by spaces; CoNLL-U separates them by tabs".into());
    }
    if ["{", "<", "[{", "[\""]
        .iter()
        .any(|start| first.starts_with(start))
    {
        return Some(format!("this looks like JSON or XML; expected {readable}"));
    }
    let has_two_columns = |(_, line): &(usize, &str)| line.split_whitespace().count() == 2;
    (lines.len() > 2 && lines.iter().all(has_two_columns))
        .then(|| format!("every line has two columns; expected {readable}"))
}

/// Returns a line number and an error message if the lines are certainly not sentences.
fn not_sentences(lines: &[(usize, &str)]) -> Option<(usize, String)> {
    let (first, _) = *lines.first()?;
    if lines.len() > 2
        && lines
            .iter()
            .all(|(_, line)| line.split_whitespace().nth(1).is_none())
    {
        let message = "every line has one word; is this one token a line? Put each sentence on one line with spaces \
                       between its tokens, or write CoNLL-U; --format tokens takes each line as a sentence";
        return Some((first, message.into()));
    }
    if lines.len() > 1 && lines.iter().all(|(_, line)| ends_in_tag(line)) {
        let message = "every line ends in O or a tag such as B-PER; is this one token a line with columns? Put each \
                       sentence on one line with spaces between its tokens, or write CoNLL-U; --format tokens takes each \
                       line as a sentence";
        return Some((first, message.into()));
    }
    None
}

/// Returns a line number and an error message if the lines are running text.
fn running(lines: &[(usize, &str)]) -> Option<(usize, String)> {
    let (at, word) = running_text(lines.iter().map(|(_, line)| *line))?;
    let message = format!(
        "{word:?} is not one token; is this running text? Put each sentence on one line with spaces between its tokens, \
         as in \"anchovies .\" and \"do n't\"; --format tokens reads the words unchanged"
    );
    Some((lines[at].0, message))
}

/// Returns true for lines of column files such as `Rio B-LOC` and `lives VBZ O`.
fn ends_in_tag(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let last = words.next_back().unwrap_or_default();
    let is_tag = last == "O"
        || matches!(
            last.as_bytes(),
            [b'B' | b'I' | b'E' | b'S' | b'L' | b'U', b'-', _, ..]
        );
    is_tag && words.next().is_some()
}

/// Returns true for `ate/VBD` and `1/2/CD`, and false for `and/or` and `http://x`: tags have no
/// lower-case letters.
fn is_tagged(word: &str) -> bool {
    word.rsplit_once('/').is_some_and(|(word, tag)| {
        !word.is_empty() && !tag.is_empty() && !tag.contains(char::is_lowercase)
    })
}

/// Returns true if every line has a form, a tag without lower-case letters, a number as head and a
/// label, and at least one head is 0 (the root). At least two lines are required, because running
/// text may also have a number as third word.
///
/// ```text
/// They  PRP  2  nsubj
/// ate   VBD  0  root
/// ```
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
