//! The tags and tokens of a sentence, and the line numbers of its tokens, for messages.

use std::borrow::Cow;

use spanrs_base::{Jagged, Lines, Position};
use spanrs_io::ColumnReader;
use spanrs_tags::Reader;

use crate::error::{Error, Result};

/// The tags of the current sentence, as ids of a reader, and the line numbers of its tokens.
///
/// Sentences of a block keep their line numbers until the block is counted ([`Sentence::next`],
/// [`Sentence::forget`]); other jobs remove the line numbers after each sentence
/// ([`Sentence::clear`]). Buffers are reused.
#[derive(Default)]
pub(crate) struct Sentence {
    /// Ids of the tags of the current sentence.
    pub(crate) ids: Vec<u32>,
    /// The line numbers of `before` tokens of earlier sentences, then of the tokens of the current
    /// sentence.
    pub(crate) lines: Lines,
    /// Number of tokens of earlier sentences whose line numbers are kept.
    before: usize,
}

/// Returns the error for too many different tags, at the last line that `rows` has read.
#[cold]
pub(crate) fn too_many(rows: &ColumnReader, error: spanrs_tags::Error) -> Error {
    Error::Tags {
        position: Position::line(rows.path(), rows.line()),
        error,
    }
}

impl Sentence {
    /// Adds a tag in the last line read and returns its id.
    ///
    /// # Errors
    /// [`Error::Tags`] with the line if the vocabulary of the reader is full.
    #[inline]
    pub(crate) fn push(
        &mut self,
        reader: &mut Reader,
        rows: &ColumnReader,
        tag: &[u8],
    ) -> Result<u32> {
        match reader.intern_bytes(tag) {
            Ok(id) => {
                self.push_id(rows, id);
                Ok(id)
            }
            Err(error) => Err(too_many(rows, error)),
        }
    }

    /// Adds a tag in the last line read, by id.
    #[inline]
    pub(crate) fn push_id(&mut self, rows: &ColumnReader, id: u32) {
        self.lines.push(self.before + self.ids.len(), rows.line());
        self.ids.push(id);
    }

    /// Stores the line numbers of the tokens from `first` on, whose ids were added: they are
    /// consecutive and begin with `line`.
    #[inline]
    pub(crate) fn note(&mut self, first: usize, line: u64) {
        let tokens = self.ids.len() - first;
        self.lines.push_run(self.before + first, line, tokens);
    }

    /// Returns the line of a token of the current sentence.
    pub(crate) fn line(&self, token: u32) -> u64 {
        self.lines.of(self.before as u32 + token)
    }

    /// Begins a new sentence and removes all line numbers.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.lines.clear();
        self.before = 0;
    }

    /// Ends the current sentence but keeps its line numbers; returns the index of the first token
    /// of this sentence among the tokens whose line numbers are kept.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        let start = self.before;
        self.before += self.ids.len();
        self.ids.clear();
        start as u32
    }

    /// Removes the line numbers of earlier sentences, unless a sentence has begun.
    pub(crate) fn forget(&mut self) {
        if self.ids.is_empty() {
            self.clear();
        }
    }
}

/// The tokens of the current sentence, in one buffer that is reused.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Tokens(Jagged<u8>);

impl Tokens {
    /// Adds a token.
    #[inline]
    pub(crate) fn push(&mut self, token: &[u8]) {
        self.0.values_mut().extend_from_slice(token);
        self.0.end();
    }

    /// Adds the token of the last line read, if the file has tokens.
    #[inline]
    pub(crate) fn push_token(&mut self, rows: &ColumnReader) {
        if rows.has_tokens() {
            self.push(rows.token());
        }
    }

    /// Returns the number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the token at an index, which must be below the number of tokens.
    pub(crate) fn get(&self, at: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(self.0.row(at))
    }

    /// Begins the next sentence.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
