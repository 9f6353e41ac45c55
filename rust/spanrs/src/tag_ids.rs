//! Ids of the tags of a sentence.

use spanrs_base::Position;
use spanrs_io::ChunkSentence;
use spanrs_tags::Reader;

use crate::error::{Error, Result};

/// Replaces `ids` by the ids of the tags of a sentence in `reader`; `path` is the name of the file.
///
/// # Errors
/// [`Error::Tags`] with the line if the vocabulary of the reader is full.
#[inline]
pub(crate) fn read_tag_ids(
    reader: &mut Reader,
    sentence: &ChunkSentence<'_>,
    path: &str,
    ids: &mut Vec<u32>,
) -> Result<()> {
    ids.clear();
    for token in 0..sentence.len() {
        match reader.intern_bytes(sentence.tag(token)) {
            Ok(id) => ids.push(id),
            Err(error) => return Err(too_many_tags(path, sentence.line(token), error)),
        }
    }
    Ok(())
}

/// Returns the error for too many different tags.
#[cold]
fn too_many_tags(path: &str, line: u64, error: spanrs_tags::Error) -> Error {
    let position = Position::line(path, line);
    Error::Tags { position, error }
}
