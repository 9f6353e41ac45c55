//! Validation of the tags of a column file.
//!
//! Violations break the scheme's rules for neighbouring tags, which are the same under every
//! reading; only the action that each violation reports depends on the reading.

use std::collections::BTreeMap;

use serde::Serialize;
use spanrs_eval::Violations;
use spanrs_io::{ColumnReader, Select};
use spanrs_tags::{Kind, Reader};

use crate::error::Result;
use crate::tag_ids::read_tag_ids;
use crate::{Progress, report};

/// The result of validation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Number of sentences read.
    pub sentences: u64,
    /// Number of tokens read.
    pub tokens: u64,
    /// The total number of violations, and the first violations with their lines.
    pub violations: Violations,
    /// Number of violations of each kind that occurs.
    pub kinds: BTreeMap<Kind, u64>,
}

/// Checks the tags of a file against the scheme of `reader`, and keeps the positions of the first
/// `keep` violations.
///
/// # Errors
/// Errors from reading the file; [`crate::Error::Tags`] for too many different tags;
/// [`crate::Error::Stopped`]. Violations are not errors.
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::tags::{Reader, Scheme};
/// let source = Box::new(&b"a O\nb I-X\nc I-X\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let mut reader = Reader::new(Scheme::Bio, Default::default(), Default::default()).unwrap();
/// let report = spanrs::validate(rows, &mut reader, 10, &mut |_| true)?;
/// assert_eq!((report.tokens, report.violations.count), (3, 1));
/// assert_eq!(report.violations.first[0].line, 2);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn validate(
    rows: ColumnReader,
    reader: &mut Reader,
    keep: usize,
    progress: &mut Progress<'_>,
) -> Result<Report> {
    let path = rows.path().to_owned();
    let mut chunks = rows.chunks(Select::default());
    let (mut found, mut ids) = (Report::default(), Vec::new());
    while let Some(chunk) = chunks.next()? {
        for sentence in chunk.sentences() {
            read_tag_ids(reader, &sentence, &path, &mut ids)?;
            reader.each_kind(&ids, |kind| {
                *found.kinds.entry(kind).or_default() += 1;
            });
            let line = |token: u32| sentence.line(token as usize);
            found
                .violations
                .add(reader.gold(), &ids, found.sentences, keep, line);
            found.sentences += 1;
            found.tokens += ids.len() as u64;
        }
        report(progress, chunks.rows())?;
    }
    Ok(found)
}
