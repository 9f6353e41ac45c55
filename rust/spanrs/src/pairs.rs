use spanrs_io::{ColumnReader, Event};
use spanrs_tags::Reader;

use crate::error::Result;
use crate::score::{Sides, ends, past_documents};
use crate::sentence::Sentence;
use crate::{Progress, Reporter};

/// A sentence of gold and pred.
#[derive(Default)]
pub(crate) struct SentencePair {
    pub(crate) gold: Sentence,
    pub(crate) pred: Sentence,
    /// Tokens of gold; empty if gold has no tokens.
    pub(crate) tokens: Tokens,
    /// Number of the sentence, from 0.
    pub(crate) number: u64,
    /// True if a document of gold ended before the sentence.
    pub(crate) begins_document: bool,
}

/// Calls `each` for every sentence of files that were scored before; misaligned tokens are not reported again.
///
/// # Errors
/// Errors of reading the files; [`crate::Error::Misaligned`] if the lengths of sentences differ;
/// [`crate::Error::Stopped`]; those of `each`.
pub(crate) fn walk(
    sides: Sides,
    reader: &mut Reader,
    progress: &mut Progress<'_>,
    mut each: impl FnMut(&mut Reader, &SentencePair, &str) -> Result<()>,
) -> Result<()> {
    let mut pair = SentencePair::default();
    let mut reporter = Reporter::new(progress);
    match sides {
        Sides::Two { gold, pred } => {
            let (mut gold, mut pred) = (*gold, *pred);
            if gold.tag_key().is_some() && gold.tag_key() == pred.tag_key() {
                pred.allow_missing_key();
            }
            loop {
                reporter.line(|| gold.bytes_read() + pred.bytes_read())?;
                let g = loop {
                    match gold.next_event()? {
                        Some(Event::Document) => pair.begins_document = true,
                        event => break event,
                    }
                };
                match (g, past_documents(&mut pred)?) {
                    (Some(Event::Token), Some(Event::Token)) => {
                        pair.tokens.push(&gold);
                        pair.gold.push(reader, &gold, gold.tag())?;
                        pair.pred.push(reader, &pred, pred.tag())?;
                    }
                    (Some(Event::Sentence), Some(Event::Sentence)) => {
                        each(reader, &pair, gold.path())?;
                        pair.next();
                    }
                    (None, None) => return Ok(()),
                    (g, p) if g == Some(Event::Token) || p.is_none() => {
                        return Err(ends(&gold, &pred, p.is_none(), true));
                    }
                    (g, _) => return Err(ends(&pred, &gold, g.is_none(), false)),
                }
            }
        }
        Sides::One(mut rows) => {
            while let Some(event) = rows.next_event()? {
                reporter.line(|| rows.bytes_read())?;
                match event {
                    Event::Token => {
                        pair.tokens.push(&rows);
                        pair.gold.push(reader, &rows, rows.tag())?;
                        pair.pred.push(reader, &rows, rows.second())?;
                    }
                    Event::Sentence => {
                        each(reader, &pair, rows.path())?;
                        pair.next();
                    }
                    Event::Document => pair.begins_document = true,
                }
            }
            Ok(())
        }
    }
}

impl SentencePair {
    fn next(&mut self) {
        self.gold.clear();
        self.pred.clear();
        self.tokens.clear();
        self.number += 1;
        self.begins_document = false;
    }
}

/// The tokens of the current sentence, in one buffer.
#[derive(Default)]
pub(crate) struct Tokens {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Tokens {
    #[inline]
    fn push(&mut self, rows: &ColumnReader) {
        if rows.has_tokens() {
            self.bytes.extend_from_slice(rows.token());
            self.ends.push(self.bytes.len());
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// The tokens in a range, cut at the end of the sentence.
    pub(crate) fn texts(&self, range: std::ops::Range<usize>) -> Vec<String> {
        let range = range.start..range.end.min(self.ends.len());
        range
            .map(|at| {
                let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
                String::from_utf8_lossy(&self.bytes[start..self.ends[at]]).into_owned()
            })
            .collect()
    }
}
