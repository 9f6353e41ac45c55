//! Validation of the tags of a column file.
//!
//! Violations are those of the scheme's rules for neighbouring tags, which are the same under every
//! reading; only what becomes of the tags, as each violation reports it, depends on the reading.

use std::collections::BTreeMap;

use spanrs_eval::Violations;
use spanrs_io::{ColumnReader, Event};
use spanrs_tags::{Kind, Reader};

use crate::error::Result;
use crate::sentence::Sentence;
use crate::{Progress, Reporter};

/// What validation found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of sentences read.
    pub sentences: u64,
    /// Number of tokens read.
    pub tokens: u64,
    /// Number of all violations, and the first ones with their lines.
    pub violations: Violations,
    /// Number of violations of each kind that occurs.
    pub kinds: BTreeMap<Kind, u64>,
}

/// Checks the tags of a file against the scheme of `reader`, and keeps the places of the first
/// `keep` violations.
///
/// # Errors
/// Those of reading the file; [`crate::Error::Tags`] for too many different tags;
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
    mut rows: ColumnReader,
    reader: &mut Reader,
    keep: usize,
    progress: &mut Progress<'_>,
) -> Result<Report> {
    let mut report = Report::default();
    let mut sentence = Sentence::default();
    let mut reporter = Reporter::new(progress);
    while let Some(event) = rows.next_event()? {
        reporter.line(|| rows.bytes_read())?;
        match event {
            Event::Token => {
                sentence.push(reader, &rows, rows.tag())?;
            }
            Event::Sentence => {
                reader.each_kind(&sentence.ids, |kind| {
                    *report.kinds.entry(kind).or_default() += 1;
                });
                let at = report.sentences;
                let line = |token| sentence.line(token);
                report
                    .violations
                    .add(reader.gold(), &sentence.ids, at, keep, line);
                report.sentences += 1;
                report.tokens += sentence.ids.len() as u64;
                sentence.clear();
            }
            Event::Document => {}
        }
    }
    Ok(report)
}
