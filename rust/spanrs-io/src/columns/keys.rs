//! CoNLL-U rows, whose tokens and tags may be values of keys in MISC.
//!
//! A key that no word has is an error at the end of the file, because such a key is usually
//! misspelt.

use spanrs_base::Position;

use super::{ColumnReader, LineKind};
use crate::conllu;
use crate::error::{Code, Error, Result};
use crate::sniff::no_tokens;

impl ColumnReader {
    /// Returns the key of MISC whose values are the tags; None if the tags are a whole column.
    pub fn tag_key(&self) -> Option<&str> {
        self.layout.conllu.as_ref()?.tag.as_deref()
    }

    /// Accepts a file in which no word has the key of the tag; all tags are then `O`.
    pub fn allow_missing_key(&mut self) {
        self.key_may_lack = true;
    }

    /// Returns the key of the tag if no word read so far has the key.
    pub fn missing_key(&self) -> Option<&str> {
        self.tag_key().filter(|_| !self.keys_found[0])
    }

    /// Returns the kind of a CoNLL-U line: words are tokens; multiword tokens and empty nodes are
    /// skipped like comments.
    pub(super) fn conllu_line(&mut self) -> Result<LineKind> {
        match conllu::id(self.field(0)) {
            conllu::Id::Word => {
                let Some(keys) = &self.layout.conllu else {
                    return Ok(LineKind::Token);
                };
                let columns = [
                    (self.layout.tag, &keys.tag),
                    (self.layout.second, &keys.second),
                    (self.layout.token, &keys.token),
                ];
                for (at, (column, key)) in columns.into_iter().enumerate() {
                    if key.is_none() {
                        continue;
                    }
                    let place = conllu::tag_place(self.field(column), key.as_deref());
                    self.keys_found[at] |= place.is_some();
                }
                Ok(LineKind::Token)
            }
            conllu::Id::NoWord => Ok(LineKind::Comment),
            conllu::Id::ShortRange => {
                let message = format!(
                    "the multiword token {} covers fewer than two words",
                    String::from_utf8_lossy(self.field(0))
                );
                Err(Error::new(
                    Code::WrongFormat,
                    self.lines.position(),
                    message,
                ))
            }
            conllu::Id::Invalid => {
                let message = format!(
                    "the first column is `{}`; words of CoNLL-U are numbered from 1",
                    String::from_utf8_lossy(self.field(0))
                );
                Err(Error::new(Code::Ragged, self.lines.position(), message))
            }
        }
    }

    /// Checks at the end of the file that the file has tokens and the requested keys.
    #[cold]
    pub(super) fn end(&self) -> Result<Option<LineKind>> {
        if self.any || self.tokens > 0 {
            let [tag, second, token] = self.keys_found;
            let found = [tag || self.key_may_lack, second, token];
            let keys = self.layout.conllu.iter();
            let mut keys = keys.flat_map(|keys| {
                let asked = [&keys.tag, &keys.second, &keys.token];
                asked.into_iter().zip(found)
            });
            return match keys.find_map(|(key, found)| key.as_ref().filter(|_| !found)) {
                None => Ok(None),
                Some(key) => Err(self.no_such_key(key)),
            };
        }
        Err(no_tokens(self.path()))
    }

    /// Returns the error for a key of MISC that no word in the file has.
    pub fn no_such_key(&self, key: &str) -> Error {
        let known = match self.misc_keys.as_slice() {
            [] => "MISC has no keys".to_owned(),
            keys => format!("keys of the first words: {}", keys.join(", ")),
        };
        let message = format!(
            "no word has the key {key} in MISC ({known}; case matters), and no column of CoNLL-U is called {key} ({})",
            conllu::NAMES.join(", ")
        );
        Error::new(Code::NoColumn, Position::file(self.path()), message)
    }
}
