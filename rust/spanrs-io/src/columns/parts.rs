//! Parts of a column file, read by several threads.
//!
//! The layout is found once, at the beginning of the file; readers of the parts are made with it,
//! so that all parts are read in the same way. A part begins at a [`SentenceBorder`], behind a
//! blank line.

use std::path::Path;

use spanrs_base::Limits;

use super::ColumnReader;
use crate::borders::{SentenceBorder, open_part};
use crate::error::Result;
use crate::layout::{Columns, Layout};
use crate::lines::LineShape;

/// The layout of a column file, from which readers of its parts are made. It can be shared between
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
    /// Shape of ordinary lines; None if there are none.
    ordinary: Option<LineShape>,
    /// Limits of the reader whose layout this is.
    limits: Limits,
    /// Options of the reader whose layout this is.
    options: Columns,
    /// Columns and separator.
    layout: Layout,
}

impl ColumnLayout {
    /// Returns true for CoNLL-U, of which parts cannot be read: whether a key of MISC occurs is
    /// known at the end of the file only.
    pub fn is_conllu(&self) -> bool {
        self.layout.conllu.is_some()
    }

    /// Opens the part of a file from `start` to `end`, or to the end of the file. Lines are
    /// numbered as in the whole file.
    ///
    /// Sentences and documents of a part are those of the whole file, as borders are between
    /// sentences. A part without tokens is [`crate::Code::Empty`] at its end, as a file is.
    ///
    /// # Errors
    /// [`crate::Code::Io`], and those of [`crate::LineReader::new`] for the first chunk of the
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
    /// Returns the layout that was found, for reading parts of the file.
    pub fn layout(&self) -> ColumnLayout {
        ColumnLayout {
            ordinary: self.ordinary,
            limits: self.lines.limits(),
            options: self.options.clone(),
            layout: self.layout.clone(),
        }
    }
}
