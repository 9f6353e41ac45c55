use spanrs_base::Position;
use spanrs_io::ColumnReader;
use spanrs_tags::Reader;

use crate::error::{Error, Result};

/// The tags of the sentence that is being read, with the lines they stand on.
#[derive(Default)]
pub(crate) struct Sentence {
    pub(crate) ids: Vec<u32>,
    lines: Lines,
}

/// The lines of tokens. They nearly always follow each other, so only the breaks are kept: token and
/// line where each run begins.
#[derive(Default)]
pub(crate) struct Lines {
    runs: Vec<(u32, u64)>,
    next: u64,
}

impl Lines {
    /// Notes the line of the next token, which is number `token`.
    #[inline(always)]
    pub(crate) fn push(&mut self, token: usize, line: u64) {
        if line != self.next {
            self.runs.push((token as u32, line));
        }
        self.next = line + 1;
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
            Err(error) => Err(Error::Tags {
                position: Position::line(rows.path(), rows.line()),
                error,
            }),
        }
    }

    /// As [`Sentence::push`], for a tag whose id is known.
    #[inline]
    pub(crate) fn push_id(&mut self, rows: &ColumnReader, id: u32) {
        self.lines.push(self.ids.len(), rows.line());
        self.ids.push(id);
    }

    /// The line of a token.
    pub(crate) fn line(&self, token: u32) -> u64 {
        self.lines.of(token)
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.lines.clear();
    }
}
