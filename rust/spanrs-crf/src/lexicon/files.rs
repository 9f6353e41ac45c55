//! Text files of lexicons.
//!
//! Files are UTF-8; a byte order mark at the beginning and blank lines are ignored. There are no
//! comments, because `#` begins tokens of many texts.

use std::collections::{HashMap, HashSet};

use spanrs_base::{Named, Position};

use super::clusters::two_clusters;
use super::gazetteer::{MAX_TOKENS, MAX_TYPES, fold};
use super::{Clusters, Gazetteer, LexiconError};

/// The column of the word in a file of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordColumn {
    /// The word comes first, then its cluster: `London 12`, as in files of word2vec and mkcls.
    First,
    /// The cluster comes first, then the word, and possibly its frequency: the `paths` of wcluster.
    Second,
}

impl Named for WordColumn {
    const WHAT: &'static str = "word column";
    const NAMES: &'static [(&'static str, Self)] =
        &[("first", Self::First), ("second", Self::Second)];
}

/// A line of a file: its number, from 1, and its text without the end.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

/// Names the file in errors.
#[derive(Clone, Copy)]
struct File<'a>(&'a str);

impl File<'_> {
    /// An error at a byte column, from 1; 0 for the whole line.
    fn error(self, line: usize, column: usize, message: String) -> LexiconError {
        LexiconError {
            position: Position {
                path: self.0.to_owned(),
                line: line as u64,
                column: column as u64,
            },
            code: "lexicon",
            message,
        }
    }

    /// The lines that are not blank.
    ///
    /// # Errors
    /// [`LexiconError`] at the first byte that is not UTF-8, or is NUL.
    fn lines(self, bytes: &[u8]) -> Result<Vec<Line<'_>>, LexiconError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let (wrong, valid) = match std::str::from_utf8(bytes) {
            Ok(text) => (text.find('\0'), text),
            Err(error) => (Some(error.valid_up_to()), ""),
        };
        if let Some(at) = wrong {
            let before = &bytes[..at];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let column = at
                - before
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .map_or(0, |end| end + 1);
            let is_utf16 =
                bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") || bytes[at] == 0;
            let message = match is_utf16 {
                true => "the file is UTF-16, or not text; convert it to UTF-8".to_owned(),
                false => format!(
                    "the byte {:#04x} is not UTF-8; convert the file to UTF-8, for instance with iconv",
                    bytes[at]
                ),
            };
            return Err(LexiconError {
                code: "encoding",
                ..self.error(line, column + 1, message)
            });
        }
        // Lines end as in files of any system.
        let end = match valid.contains('\n') {
            true => '\n',
            false => '\r',
        };
        let lines = valid.split(end).enumerate();
        let lines = lines.map(|(at, text)| Line {
            number: at + 1,
            text: text.strip_suffix('\r').unwrap_or(text),
        });
        Ok(lines.filter(|line| !line.text.trim().is_empty()).collect())
    }
}

impl Gazetteer {
    /// Reads a file with a phrase on each line, as tokens separated by spaces, or with a type, a tab
    /// and a phrase on each line. `path` is the name of the file in errors.
    ///
    /// # Errors
    /// [`LexiconError`] if the file is not UTF-8 or has no phrases, if some lines have a type and
    /// others have not, if a line has two tabs, and if a type contains a space or there are more
    /// than 256 types, because the columns are then probably in another order.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Gazetteer;
    /// let file = b"PER\tAda Lovelace\nLOC\tLondon\n";
    /// let gazetteer = Gazetteer::read(file, "names.tsv", false)?;
    /// let phrases: Vec<_> = gazetteer.phrases().collect();
    /// assert_eq!(phrases[0], (vec!["Ada", "Lovelace"], Some("PER")));
    /// let error = Gazetteer::read(b"Ada\ncaf\xE9", "names.txt", false).unwrap_err();
    /// assert!(error.to_string().starts_with("names.txt:2:4: the byte 0xe9 is not UTF-8"));
    /// # Ok::<(), spanrs_crf::LexiconError>(())
    /// ```
    pub fn read(bytes: &[u8], path: &str, ignore_case: bool) -> Result<Self, LexiconError> {
        let file = File(path);
        let lines = file.lines(bytes)?;
        let Some(first) = lines.first() else {
            return Err(file.error(0, 0, "the gazetteer has no phrases".to_owned()));
        };
        let is_typed = first.text.contains('\t');
        let mut types = HashSet::new();
        let mut phrases = Vec::with_capacity(lines.len());
        for line in &lines {
            let (kind, phrase) = match line.text.split_once('\t') {
                None => ("", line.text),
                Some((kind, phrase)) => (kind.trim(), phrase),
            };
            let wrong = if line.text.contains('\t') != is_typed {
                let has = |has| if has { "has a tab" } else { "has no tab" };
                Some(format!(
                    "this line {}, but line {} {}; write a phrase on each line, or a type, a tab and a phrase",
                    has(!is_typed),
                    first.number,
                    has(is_typed)
                ))
            } else if phrase.contains('\t') {
                Some("two tabs; write a type, one tab and a phrase".to_owned())
            } else if phrase.trim().is_empty() || is_typed && kind.is_empty() {
                Some("expected a type, a tab and a phrase".to_owned())
            } else if kind.contains(char::is_whitespace) {
                Some(format!(
                    "the type {kind:?} has a space; write the type before the tab and the phrase after it"
                ))
            } else {
                types.insert(kind);
                let is_many = types.len() > MAX_TYPES;
                is_many.then(|| {
                    format!("more than {MAX_TYPES} types; write the type before the tab and the phrase after it")
                })
            };
            if let Some(message) = wrong {
                return Err(file.error(line.number, 0, message));
            }
            let kind = (!kind.is_empty()).then_some(kind);
            // Other white space, such as no-break spaces, may be part of a token.
            let tokens = phrase.split([' ', '\t']).filter(|token| !token.is_empty());
            let tokens: Vec<&str> = tokens.collect();
            if tokens.len() > MAX_TOKENS {
                let len = tokens.len();
                let message = format!("a phrase of {len} tokens; the limit is {MAX_TOKENS}");
                return Err(file.error(line.number, 0, message));
            }
            phrases.push((tokens, kind));
        }
        if let Some(message) = doubt(&phrases, types.len()) {
            return Err(file.error(first.number, 0, message));
        }
        Self::new(phrases, ignore_case).map_err(|error| file.error(0, 0, error.to_string()))
    }
}

/// Why a file is probably no gazetteer; None if it may be one.
fn doubt(phrases: &[(Vec<&str>, Option<&str>)], types: usize) -> Option<String> {
    let is_tag = |token: &str| {
        let (prefix, kind) = token.split_once('-').unwrap_or((token, ""));
        token == "O" || "BIESLUMW".contains(prefix) && prefix.len() == 1 && !kind.is_empty()
    };
    let last = |(tokens, _): &(Vec<&str>, _)| tokens.last().is_some_and(|token| is_tag(token));
    if phrases.len() > 1 && phrases.iter().all(last) {
        return Some(
            "all phrases end with a tag; make the gazetteer of tagged sentences with Gazetteer.of"
                .to_owned(),
        );
    }
    let distinct: HashSet<&[&str]> = phrases.iter().map(|(tokens, _)| &tokens[..]).collect();
    (types > distinct.len()).then(|| {
        "the file has more types than phrases; write the type before the tab and the phrase after it"
            .to_owned()
    })
}

impl Clusters {
    /// Reads a file of clusters; `path` is the name of the file in errors. A word may be repeated
    /// with the same cluster.
    ///
    /// | line | written by |
    /// |---|---|
    /// | bits, word, frequency | wcluster (`paths`) |
    /// | word, cluster | word2vec, mkcls, and others |
    ///
    /// The fields are separated by tabs or, if the first line has none, by spaces. Without
    /// `word_column` the layout is recognised, or the file is refused.
    ///
    /// # Errors
    /// [`LexiconError`] if the file is not UTF-8 or has no words, if a line has another number of
    /// fields than the first one, if the layout is not clear, and for a word with two clusters.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Clusters;
    /// let clusters = Clusters::read(b"0110\tLondon\t7\n10\tthe\t99\n", "paths", None, false)?;
    /// assert_eq!(clusters.get("London"), Some("0110"));
    /// let clusters = Clusters::read(b"London 12\nthe 7\n", "classes.txt", None, false)?;
    /// assert_eq!(clusters.get("London"), Some("12"));
    /// # Ok::<(), spanrs_crf::LexiconError>(())
    /// ```
    pub fn read(
        bytes: &[u8],
        path: &str,
        word_column: Option<WordColumn>,
        ignore_case: bool,
    ) -> Result<Self, LexiconError> {
        let file = File(path);
        let lines = file.lines(bytes)?;
        let rows = rows(file, &lines)?;
        let Some((first, row)) = rows.first() else {
            return Err(file.error(0, 0, "the file has no clusters".to_owned()));
        };
        let (first, width) = (*first, row.len());
        let layout = word_column.or_else(|| recognise(&rows, width));
        let (word, cluster) = match (layout, width) {
            (Some(WordColumn::First), 2 | 3) => (0, 1),
            (Some(WordColumn::Second), 2 | 3) => (1, 0),
            (_, 2 | 3) => {
                let message =
                    "the words may be the first or the second field; say which with word_column";
                return Err(file.error(first, 0, message.to_owned()));
            }
            _ => {
                let message = format!(
                    "{width} fields; expected a word and its cluster, or bits, word and frequency"
                );
                return Err(file.error(first, 0, message));
            }
        };
        let advice = match (word_column, layout) {
            (None, Some(WordColumn::First)) => {
                "; if the words are the second field, set word_column to second"
            }
            _ => "",
        };
        let mut words = Vec::with_capacity(rows.len());
        let mut known: HashMap<String, (usize, &str)> = HashMap::with_capacity(rows.len());
        for (line, row) in &rows {
            let (word, cluster) = (row[word], row[cluster]);
            let before = known.entry(fold(word, ignore_case));
            let before = *before.or_insert((*line, cluster));
            if before.1 != cluster {
                let message = two_clusters(word, (before.1, cluster), ignore_case);
                let message = format!("{message} (line {}){advice}", before.0);
                return Err(file.error(*line, 0, message));
            }
            words.push((word, cluster));
        }
        Self::new(words, ignore_case).map_err(|error| file.error(0, 0, error.to_string()))
    }
}

/// The line number and the fields of a line.
type Row<'a> = (usize, Vec<&'a str>);

/// The fields of lines, separated by tabs or, if the first line has none, by spaces.
///
/// # Errors
/// [`LexiconError`] for an empty field, and for a line with another number of fields than the first.
fn rows<'a>(file: File<'_>, lines: &[Line<'a>]) -> Result<Vec<Row<'a>>, LexiconError> {
    let has_tabs = lines.first().is_some_and(|line| line.text.contains('\t'));
    let mut rows: Vec<Row<'a>> = Vec::with_capacity(lines.len());
    for line in lines {
        let row: Vec<&str> = match has_tabs {
            true => line
                .text
                .split('\t')
                .map(|field| field.trim_matches(' '))
                .collect(),
            false => line.text.split_ascii_whitespace().collect(),
        };
        if row.iter().any(|field| field.is_empty()) {
            return Err(file.error(line.number, 0, "an empty field".to_owned()));
        }
        if let Some((first, before)) = rows.first()
            && before.len() != row.len()
        {
            let (found, expected) = (row.len(), before.len());
            let message = format!("{found} fields, but line {first} has {expected}");
            return Err(file.error(line.number, 0, message));
        }
        rows.push((line.number, row));
    }
    Ok(rows)
}

/// The layout of a file of clusters; None if it is not clear.
fn recognise(rows: &[Row<'_>], width: usize) -> Option<WordColumn> {
    let all = |column: usize, is: fn(char) -> bool| {
        rows.iter().all(|(_, row)| row[column].chars().all(is))
    };
    let has_bits_first = all(0, |c| matches!(c, '0' | '1'));
    match width {
        3 if has_bits_first && all(2, |c| c.is_ascii_digit()) => Some(WordColumn::Second),
        2 if !has_bits_first => Some(WordColumn::First),
        _ => None,
    }
}
