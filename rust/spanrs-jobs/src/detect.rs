use spanrs_io::{ColumnReader, Event};
use spanrs_tags::{Detection, Dialect, Evidence, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::sentence::Sentence;
use crate::{PAUSE, Watch};

/// Finds the scheme of a file by reading it once.
///
/// # Errors
/// What reading the file brings; [`Error::Stopped`].
pub fn detect(mut rows: ColumnReader, dialect: &Dialect, watch: &mut Watch<'_>) -> Result<Detection> {
    // Any scheme does for numbering tags.
    let mut reader = Reader::new(Scheme::Token, Reading::Conlleval, dialect.clone())
        .map_err(|error| Error::Tags {
            position: spanrs_base::Position::file(rows.path()),
            error,
        })?;
    let mut evidence = Evidence::default();
    let mut sentence = Sentence::default();
    let mut sentences = 0;
    while let Some(event) = rows.next_event()? {
        match event {
            Event::Token(row) => sentence.push(&mut reader, &rows, row.tag)?,
            Event::Sentence => {
                evidence.add(&sentence.ids);
                sentence.clear();
                sentences += 1;
                if sentences % PAUSE == 0 && !watch(rows.bytes_read()) {
                    return Err(Error::Stopped);
                }
            }
            Event::Document => {}
        }
    }
    Ok(evidence.decide(reader.tags(), dialect))
}
