use spanrs_base::Position;
use spanrs_io::ColumnReader;
use spanrs_tags::Reader;

use crate::error::{Error, Result};

/// The tags of the current sentence, with their lines.
#[derive(Default)]
pub(crate) struct Sentence {
    pub(crate) ids: Vec<u32>,
    /// The lines of `before` tokens of earlier sentences, then those of this one.
    pub(crate) lines: Lines,
    before: usize,
}

/// The lines of tokens. They are nearly always consecutive, so only the first token and line of each run are stored.
#[derive(Default)]
pub(crate) struct Lines {
    runs: Vec<(u32, u64)>,
    next: u64,
}

impl Lines {
    /// Stores the line of the next token, number `token`.
    #[inline(always)]
    pub(crate) fn push(&mut self, token: usize, line: u64) {
        if line != self.next {
            self.runs.push((token as u32, line));
        }
        self.next = line + 1;
    }

    /// Stores the lines of the next tokens, which are consecutive.
    #[inline(always)]
    pub(crate) fn push_run(&mut self, token: usize, line: u64, tokens: usize) {
        self.push(token, line);
        self.next = line + tokens as u64;
    }

    /// The line of a token.
    pub(crate) fn of(&self, token: u32) -> u64 {
        let runs = self.runs.partition_point(|(first, _)| *first <= token);
        let run = runs.checked_sub(1).and_then(|at| self.runs.get(at));
        run.map_or(0, |(first, line)| line + u64::from(token - first))
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
        self.next = 0;
    }
}

/// The line that was read last has a tag too many.
#[cold]
pub(crate) fn too_many(rows: &ColumnReader, error: spanrs_tags::Error) -> Error {
    Error::Tags {
        position: Position::line(rows.path(), rows.line()),
        error,
    }
}

impl Sentence {
    /// Adds a tag of the line that was read last; gives its id.
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

    /// As [`Sentence::push`], for a tag whose id is known.
    #[inline]
    pub(crate) fn push_id(&mut self, rows: &ColumnReader, id: u32) {
        self.lines.push(self.before + self.ids.len(), rows.line());
        self.ids.push(id);
    }

    /// Notes the lines of the tokens from `first` on, whose ids were added: they begin at `line`.
    #[inline]
    pub(crate) fn note(&mut self, first: usize, line: u64) {
        let tokens = self.ids.len() - first;
        self.lines.push_run(self.before + first, line, tokens);
    }

    /// The line of a token.
    pub(crate) fn line(&self, token: u32) -> u64 {
        self.lines.of(self.before as u32 + token)
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.lines.clear();
        self.before = 0;
    }

    /// Begins the next sentence, but keeps the lines of this one; gives where they begin.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        let start = self.before;
        self.before += self.ids.len();
        self.ids.clear();
        start as u32
    }

    /// Forgets the lines that were kept.
    pub(crate) fn forget(&mut self) {
        if self.ids.is_empty() {
            self.clear();
        }
    }
}
