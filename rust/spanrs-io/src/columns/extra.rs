//! Extra columns, which are read in addition to tokens and tags.

use spanrs_base::Position;

use super::ColumnReader;
use crate::conllu;
use crate::error::{Code, Error, Result};
use crate::layout::{Column, Place, place_of};

impl ColumnReader {
    /// Adds a column to be read with each token ([`crate::ChunkSentence::extra`]); returns its
    /// index among the extra columns.
    ///
    /// In CoNLL-U, -1 is MISC, and a name that is not a column name is a key of MISC.
    ///
    /// # Errors
    /// [`Code::NoColumn`] if the file has no such column.
    pub fn add_column(&mut self, column: &Column) -> Result<usize> {
        let place = match self.is_conllu() {
            true => conllu::extra_place(column),
            false => {
                place_of(column, self.layout.columns).map(|column| Place { column, key: None })
            }
        };
        let position = || Position::file(self.path());
        let place = place.map_err(|message| Error::new(Code::NoColumn, position(), message))?;
        self.extra.push(place);
        Ok(self.extra.len() - 1)
    }

    /// Returns the columns, and the keys of MISC, of the extra columns.
    pub(crate) fn extra_places(&self) -> &[Place] {
        &self.extra
    }

    /// Returns true if an extra column is the token column; in CoNLL-U also for the first two
    /// columns, which contain ids and forms.
    pub fn extra_is_token(&self, extra: usize) -> bool {
        let place = &self.extra[extra];
        match &self.layout.conllu {
            None => place.column == self.layout.token,
            Some(keys) => {
                place.column <= conllu::FORM
                    || place.column == self.layout.token && place.key == keys.token
            }
        }
    }

    /// Returns true if an extra column is the whole MISC column of CoNLL-U.
    pub fn extra_is_misc(&self, extra: usize) -> bool {
        let place = &self.extra[extra];
        self.is_conllu() && place.column == conllu::MISC && place.key.is_none()
    }

    /// Returns the position of an extra column, from 0.
    pub fn extra_column(&self, extra: usize) -> usize {
        self.extra[extra].column
    }

    /// Returns the key of MISC of an extra column; None for a whole column.
    pub fn extra_key(&self, extra: usize) -> Option<&str> {
        self.extra[extra].key.as_deref()
    }

    /// Returns the name of an extra column of CoNLL-U; None for a key of MISC, and for files in
    /// other formats.
    pub fn extra_column_name(&self, extra: usize) -> Option<&'static str> {
        let place = &self.extra[extra];
        match (self.is_conllu(), &place.key) {
            (true, None) => conllu::NAMES.get(place.column).copied(),
            _ => None,
        }
    }

    /// Returns the name of the CoNLL-U column that contains the tags; None if the tags are values
    /// of a key of MISC, and for files in other formats.
    pub fn tag_column_name(&self) -> Option<&'static str> {
        let keys = self.layout.conllu.as_ref()?;
        match keys.tag {
            None => conllu::NAMES.get(self.layout.tag).copied(),
            Some(_) => None,
        }
    }

    /// Returns the number of columns in each token line.
    pub fn columns(&self) -> usize {
        self.layout.columns
    }

    /// Returns the column separator; None for runs of spaces and tabs.
    pub fn separator(&self) -> Option<u8> {
        self.layout.byte
    }
}
