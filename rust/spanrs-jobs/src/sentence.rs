use spanrs_base::Position;
use spanrs_io::ColumnReader;
use spanrs_tags::Reader;

use crate::error::{Error, Result};

/// The tags of the sentence that is being read, with the lines they stand on.
#[derive(Default)]
pub(crate) struct Sentence {
    pub(crate) ids: Vec<u32>,
    lines: Vec<u64>,
}

impl Sentence {
    /// Adds the tag in `field` of the line that was read last.
    #[inline]
    pub(crate) fn push(
        &mut self,
        reader: &mut Reader,
        rows: &ColumnReader,
        field: spanrs_io::Field,
    ) -> Result<()> {
        let id = reader
            .intern_bytes(rows.bytes(field))
            .map_err(|error| Error::Tags {
                position: Position::line(rows.path(), rows.line()),
                error,
            })?;
        self.ids.push(id);
        self.lines.push(rows.line());
        Ok(())
    }

    /// The line of a token.
    pub(crate) fn line(&self, token: u32) -> u64 {
        self.lines.get(token as usize).copied().unwrap_or_default()
    }

    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.lines.clear();
    }
}
