use std::path::Path;

use spanrs_base::Limits;

use super::ColumnReader;
use crate::borders::{SentenceBorder, open_part};
use crate::error::Result;
use crate::layout::{Columns, Layout};
use crate::lines::LineShape;

/// The layout of a column file, with which readers of its parts are made.
#[derive(Clone, Debug)]
pub struct ColumnLayout {
    ordinary: Option<LineShape>,
    limits: Limits,
    options: Columns,
    layout: Layout,
}

impl ColumnLayout {
    /// True for CoNLL-U, of which parts cannot be read.
    pub fn is_conllu(&self) -> bool {
        self.layout.conllu.is_some()
    }

    /// Rows of a part of a file.
    ///
    /// # Errors
    /// As [`open_part`].
    pub fn open_part(
        &self,
        path: &Path,
        start: SentenceBorder,
        end: Option<SentenceBorder>,
    ) -> Result<ColumnReader> {
        Ok(ColumnReader {
            lines: open_part(path, start, end, self.limits)?,
            ordinary: self.ordinary,
            most: self.limits.sentence_tokens,
            options: self.options.clone(),
            layout: self.layout.clone(),
            whole: 0..0,
            fields: Vec::new(),
            tokens: 0,
            pending_document: false,
            any: false,
            unread_layers: Vec::new(),
            tokens_are_numbers: false,
            keys_found: [false; 2],
            key_may_lack: false,
            misc_keys: Vec::new(),
        })
    }
}

impl ColumnReader {
    /// The layout that was found, for parts of the file.
    pub fn layout(&self) -> ColumnLayout {
        ColumnLayout {
            ordinary: self.ordinary,
            limits: self.lines.limits(),
            options: self.options.clone(),
            layout: self.layout.clone(),
        }
    }
}
