//! Parts of a column file, read by several threads.
//!
//! The layout is detected once, at the beginning of the file, and passed to the readers of all
//! parts, so that all parts are read in the same way. A part begins at a [`SentenceBorder`], after
//! a blank line.

use std::path::Path;

use spanrs_base::Limits;

use super::ColumnReader;
use crate::borders::{SentenceBorder, open_part};
use crate::error::Result;
use crate::layout::{Columns, Layout};
use crate::lines::LineShape;

/// The layout of a column file, used to open readers of its parts. A layout can be shared between
/// threads.
///
/// ```
/// use spanrs_io::{ColumnReader, Columns, LineReader, SentenceBorder};
/// let path = std::env::temp_dir().join(format!("spanrs-part-{}", std::process::id()));
/// std::fs::write(&path, "a O\n\nb B-X\n").unwrap();
/// let lines = spanrs_io::Source::from(path.clone()).lines(Default::default()).unwrap();
/// let layout = ColumnReader::new(lines, Columns::default()).unwrap().layout();
/// let start = SentenceBorder { offset: 5, line: 2, number: 1 };
/// let mut part = layout.open_part(&path, start, None).unwrap();
/// part.next_event().unwrap();
/// assert_eq!((part.token(), part.line()), (&b"b"[..], 3));
/// std::fs::remove_file(&path).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct ColumnLayout {
    /// Shape of ordinary lines; None if every line must be classified.
    ordinary: Option<LineShape>,
    /// Limits of the reader with this layout.
    limits: Limits,
    /// Options of the reader with this layout.
    options: Columns,
    /// Columns and separator.
    layout: Layout,
}

impl ColumnLayout {
    /// Returns true for CoNLL-U, which cannot be read in parts: whether a key of MISC occurs is
    /// known only at the end of the file.
    pub fn is_conllu(&self) -> bool {
        self.layout.conllu.is_some()
    }

    /// Opens the part of a file from `start` to `end`, or to the end of the file if `end` is None.
    /// Lines are numbered as in the whole file.
    ///
    /// A part has the same sentences and documents as the whole file, because borders are between
    /// sentences. A part without tokens causes [`crate::Code::Empty`] at its end, as a file does.
    ///
    /// # Errors
    /// [`crate::Code::Io`], and the errors of [`crate::LineReader::new`] for the first chunk of the
    /// part.
    pub fn open_part(
        &self,
        path: &Path,
        start: SentenceBorder,
        end: Option<SentenceBorder>,
    ) -> Result<ColumnReader> {
        Ok(ColumnReader {
            lines: open_part(path, start, end, self.limits)?,
            ordinary: self.ordinary,
            max_tokens: self.limits.sentence_tokens,
            options: self.options.clone(),
            extra: Vec::new(),
            layout: self.layout.clone(),
            whole: 0..0,
            fields: Vec::new(),
            tokens: 0,
            pending_document: false,
            any: false,
            unread_layers: Vec::new(),
            tokens_are_numbers: false,
            keys_found: [false; 3],
            key_may_lack: false,
            misc_keys: Vec::new(),
        })
    }
}

impl ColumnReader {
    /// Returns the detected layout, for reading parts of the file.
    pub fn layout(&self) -> ColumnLayout {
        ColumnLayout {
            ordinary: self.ordinary,
            limits: self.lines.limits(),
            options: self.options.clone(),
            layout: self.layout.clone(),
        }
    }
}
