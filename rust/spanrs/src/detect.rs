use spanrs_base::Position;
use spanrs_io::{ColumnReader, Event};
use spanrs_tags::{Detection, Dialect, Evidence, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::sentence::Sentence;
use crate::{Progress, Reporter};

/// Collects the evidence for scheme detection from the first `most` tokens of a file; also returns whether that was the
/// whole file. The tags are numbered by `reader`, of any scheme.
///
/// # Errors
/// Errors of reading the file; [`Error::Stopped`].
pub fn gather(
    mut rows: ColumnReader,
    reader: &mut Reader,
    most: u64,
    progress: &mut Progress<'_>,
) -> Result<(Evidence, bool)> {
    let mut evidence = Evidence::default();
    let mut sentence = Sentence::default();
    let mut tokens = 0;
    let mut reporter = Reporter::new(progress);
    while let Some(event) = rows.next_event()? {
        reporter.line(|| rows.bytes_read())?;
        match event {
            Event::Token => {
                sentence.push(reader, &rows, rows.tag())?;
            }
            Event::Sentence => {
                evidence.add(&sentence.ids);
                tokens += sentence.ids.len() as u64;
                sentence.clear();
                if tokens >= most {
                    return Ok((evidence, false));
                }
            }
            Event::Document => {}
        }
    }
    Ok((evidence, true))
}

/// Finds the scheme of a file by reading it once.
///
/// # Errors
/// Errors of reading the file; [`Error::Stopped`].
pub fn detect(
    rows: ColumnReader,
    dialect: &Dialect,
    progress: &mut Progress<'_>,
) -> Result<Detection> {
    let position = Position::file(rows.path());
    let failed = |error| Error::Tags {
        position: position.clone(),
        error,
    };
    let mut reader =
        Reader::new(Scheme::Token, Reading::Conlleval, dialect.clone()).map_err(failed)?;
    let (evidence, _) = gather(rows, &mut reader, u64::MAX, progress)?;
    evidence.decide(reader.tags(), dialect).map_err(failed)
}
