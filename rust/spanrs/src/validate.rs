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
    /// Sentences read.
    pub sentences: u64,
    /// Tokens read.
    pub tokens: u64,
    /// All violations counted, the first ones located.
    pub violations: Violations,
    /// How many of each kind.
    pub kinds: BTreeMap<Kind, u64>,
}

/// Checks the tags of a file; keeps the first `keep` violations.
///
/// # Errors
/// What reading the file brings; [`crate::Error::Stopped`].
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
