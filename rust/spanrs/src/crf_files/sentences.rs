//! Tagged sentences of a column file.

use spanrs_base::{Interner, Jagged, Lines, Position};
use spanrs_crf::Columns as Values;
use spanrs_io::{Code, Column, ColumnReader, Columns, Select};

use super::{add_columns, push_sentence};
use crate::column_files::ColumnFile;
use crate::error::Result;
use crate::sentences::missing_tag;
use crate::{Progress, column_warnings, report};

/// The sentences of a column file: the input of a template, and the tags.
#[derive(Clone, Debug, Default)]
pub struct TaggedSentences {
    /// Tokens and extra columns.
    pub columns: Values,
    /// Tags of each sentence, as indices into `names`.
    tags: Jagged<u32>,
    /// Line numbers of all tokens.
    lines: Lines,
    /// The tags, in the order in which they first occur.
    pub names: Interner<str>,
    /// Whether the file is CoNLL-U.
    pub is_conllu: bool,
    /// Number of columns of the file.
    pub width: usize,
    /// Whether the tokens of the first lines are running numbers.
    pub tokens_are_numbers: bool,
    /// Whether there are several distinct tags and the tag of every token equals the token.
    pub tags_are_tokens: bool,
    /// Possible problems in the file.
    pub warnings: Vec<String>,
    /// The file and its columns.
    pub(super) origin: Origin,
}

/// Where sentences come from; part of a model that is trained on them.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// Name of the file.
    pub(super) path: String,
    /// Column of the tokens.
    pub(super) token: Column,
    /// Column of the tags.
    pub(super) tag: Column,
    /// The other columns that a template reads.
    pub(super) extra: Vec<Column>,
}

impl Default for Origin {
    fn default() -> Self {
        let Columns { token, tag, .. } = Columns::default();
        Self {
            path: String::new(),
            token,
            tag,
            extra: Vec::new(),
        }
    }
}

impl Origin {
    /// The origin of the rows of a file. Columns are numbered from the first column, because a file
    /// without tags has fewer columns; those of CoNLL-U are fixed.
    fn of(rows: &ColumnReader, columns: &Columns, extra: &[Column]) -> Self {
        let width = rows.columns() as i64;
        let from_first = |column: &Column| match column {
            Column::Index(at @ ..0) if !rows.is_conllu() => Column::Index(at + width),
            column => column.clone(),
        };
        Self {
            path: rows.path().to_owned(),
            token: columns.token.clone(),
            tag: columns.tag.clone(),
            extra: extra.iter().map(from_first).collect(),
        }
    }
}

impl TaggedSentences {
    /// Returns the number of sentences.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Returns the number of tokens.
    pub fn tokens(&self) -> usize {
        self.tags.values().len()
    }

    /// Returns true if there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Returns the line numbers, from 1, of the tokens of a sentence.
    ///
    /// # Panics
    /// If `sentence` is not below [`TaggedSentences::len`].
    pub fn lines(&self, sentence: usize) -> Vec<u64> {
        let tokens = self.tags.ends().range(sentence);
        tokens.map(|token| self.lines.of(token as u32)).collect()
    }

    /// Iterates over the tags of each sentence.
    pub fn labels(&self) -> impl Iterator<Item = Vec<&str>> + Clone {
        let name = |tag: &u32| self.names.name(*tag).unwrap_or_default();
        self.tags
            .rows()
            .map(move |tags| tags.iter().map(name).collect())
    }

    /// Iterates over the tags of each sentence, as indices into [`TaggedSentences::names`].
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.tags.rows()
    }
}

/// Reads a column file with tags, and the `extra` columns that a template reads in addition to the
/// tokens; if `extra` is None, all other columns of the file.
///
/// In CoNLL-U a word without the key of the tags has the tag `O`.
///
/// # Errors
/// Errors from reading the file; [`Code::NoColumn`] for a file with one column, for a column that
/// does not exist, for an empty tag, and for `_` in a column of CoNLL-U other than MISC;
/// [`crate::Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::io::Source;
/// use spanrs::{ColumnFile, crf_files::read_tagged};
/// let source = Source::stream("example", Box::new(&b"Ada B-PER\nwrote O\n\nit O\n"[..])).into();
/// let file = ColumnFile { source, columns: Default::default() };
/// let sentences = read_tagged(&file, Some(&[]), &mut |_| true)?;
/// assert_eq!(sentences.columns.columns(0), [["Ada", "wrote"]]);
/// assert_eq!(sentences.tags().collect::<Vec<_>>(), [&[0, 1][..], &[1]]);
/// assert_eq!(sentences.names.names().collect::<Vec<_>>(), ["B-PER", "O"]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn read_tagged(
    file: &ColumnFile,
    extra: Option<&[Column]>,
    progress: &mut Progress<'_>,
) -> Result<TaggedSentences> {
    let mut rows = file.open()?;
    let no_column = |place, message: &str| spanrs_io::Error::new(Code::NoColumn, place, message);
    let place = Position::file(rows.path());
    if rows.columns() == 1 {
        let message =
            "there is one column, so there are either tokens or tags; is this a file without tags?";
        return Err(no_column(place, message).into());
    }
    let others = || {
        let others = (0..rows.columns())
            .filter(|&at| Some(at) != rows.token_column() && at != rows.tag_column());
        others.map(|at| Column::Index(at as i64)).collect()
    };
    let extra = extra.map_or_else(others, <[Column]>::to_vec);
    add_columns(&mut rows, &extra)?;
    let mut sentences = TaggedSentences {
        is_conllu: rows.is_conllu(),
        width: rows.columns(),
        tokens_are_numbers: rows.tokens_are_numbers(),
        warnings: column_warnings(&rows, None),
        origin: Origin::of(&rows, &file.columns, &extra),
        ..TaggedSentences::default()
    };
    let column = rows.tag_column_name();
    let (path, is_conllu) = (rows.path().to_owned(), rows.is_conllu());
    let mut chunks = rows.chunks(Select::TOKEN);
    let mut all_equal = true;
    while let Some(chunk) = chunks.next()? {
        for sentence in chunk.sentences() {
            push_sentence(&mut sentences.columns, &sentence, extra.len());
            for token in 0..sentence.len() {
                let has_tag = sentence
                    .tag_range(token)
                    .is_some_and(|range| !range.is_empty());
                if !has_tag && let Some(message) = missing_tag(is_conllu, column) {
                    let place = Position::line(&path, sentence.line(token));
                    return Err(no_column(place, &message).into());
                }
                let tag = sentence.tag_text(token);
                all_equal &= tag == sentence.token_text(token);
                sentences
                    .lines
                    .push(sentences.tags.values().len(), sentence.line(token));
                let id = sentences.names.intern(tag);
                sentences.tags.values_mut().push(id);
            }
            sentences.tags.end();
        }
        report(progress, chunks.rows())?;
    }
    sentences.tags_are_tokens =
        all_equal && sentences.tags.values().len() > 1 && sentences.names.len() > 1;
    Ok(sentences)
}
