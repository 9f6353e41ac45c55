//! Detection of the scheme of a column file.
//!
//! The evidence consists of the pairs of neighbouring tags in the file, which are collected in one
//! pass. The scheme with the fewest malformed pairs is then chosen without reading the file again.

use spanrs_base::Position;
use spanrs_io::{ColumnReader, Select};
use spanrs_tags::{Detection, Dialect, Evidence, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::tag_ids::read_tag_ids;
use crate::{Progress, report};

/// Collects the evidence for the scheme of a file from its first `most` tokens, rounded up to whole
/// sentences. Also returns whether these were all tokens of the file.
///
/// The tags are numbered by `reader`. Its scheme is not used, but the same reader must be used to
/// decide the evidence.
///
/// # Errors
/// Errors from reading the file; [`Error::Tags`] for too many different tags; [`Error::Stopped`].
pub fn gather(
    rows: ColumnReader,
    reader: &mut Reader,
    most: u64,
    progress: &mut Progress<'_>,
) -> Result<(Evidence, bool)> {
    let path = rows.path().to_owned();
    let mut chunks = rows.chunks(Select::default());
    let (mut evidence, mut ids, mut tokens) = (Evidence::default(), Vec::new(), 0);
    while let Some(chunk) = chunks.next()? {
        for sentence in chunk.sentences() {
            read_tag_ids(reader, &sentence, &path, &mut ids)?;
            evidence.add(&ids);
            tokens += ids.len() as u64;
            if tokens >= most {
                return Ok((evidence, false));
            }
        }
        report(progress, chunks.rows())?;
    }
    Ok((evidence, true))
}

/// Detects the scheme of a file by reading the whole file.
///
/// The result contains the number of violations under every scheme, so that the caller can judge
/// the certainty of the result; a file whose tags are all `O` is not evidence for any scheme.
///
/// # Errors
/// Errors from reading the file; [`Error::Tags`] if more than half of the tags other than `O` have
/// a prefix that no scheme has, or for too many different tags; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::tags::{Dialect, Scheme};
/// let source = Box::new(&b"Ada B-PER\nLovelace L-PER\nmet O\nBob U-PER\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let detection = spanrs::detect(rows, &Dialect::default(), &mut |_| true)?;
/// assert_eq!(detection.scheme, Scheme::Bilou);
/// # Ok::<(), spanrs::Error>(())
/// ```
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
