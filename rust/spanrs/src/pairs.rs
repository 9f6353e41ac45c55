//! A walk over the sentences of both sides, for jobs after scoring.
//!
//! Simpler than the loop of [`score`](crate::score()): every line is split on both sides, and the
//! tokens of gold are kept for the job to show. Lists of errors and scores under several readings
//! are made in this way. Documents are those of gold, sentences must have the same lengths, and
//! differences between tokens were reported when the files were scored.

use spanrs_io::{ColumnReader, Event};
use spanrs_tags::Reader;

use crate::error::Result;
use crate::score::{Sides, ends, past_documents};
use crate::sentence::Sentence;
use crate::{Progress, Reporter};

/// A sentence of gold and pred. It is reused for all sentences.
#[derive(Default)]
pub(crate) struct SentencePair {
    /// Tags of gold.
    pub(crate) gold: Sentence,
    /// Tags of pred; as many as of gold.
    pub(crate) pred: Sentence,
    /// Tokens of gold; empty if gold has no tokens.
    pub(crate) tokens: Tokens,
    /// Number of the sentence in the file, from 0.
    pub(crate) number: u64,
    /// A document boundary of gold came before the sentence.
    pub(crate) begins_document: bool,
}

/// Calls `each` for every sentence of files that were scored before; misaligned tokens are not
/// reported again.
///
/// `each` gets the reader, which numbers the tags of both sides, the sentence, and the path of
/// gold.
///
/// # Errors
/// Those of reading the files; [`crate::Error::Misaligned`] if the lengths of sentences differ;
/// [`crate::Error::Tags`]; [`crate::Error::Stopped`]; those of `each`.
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
    /// Begins the next sentence.
    fn next(&mut self) {
        self.gold.clear();
        self.pred.clear();
        self.tokens.clear();
        self.number += 1;
        self.begins_document = false;
    }
}

/// The tokens of the current sentence, in one buffer that is reused.
#[derive(Default)]
pub(crate) struct Tokens {
    /// The tokens without separators.
    bytes: Vec<u8>,
    /// End of each token in `bytes`.
    ends: Vec<usize>,
}

impl Tokens {
    /// Adds the token of the line that was read last, if the file has tokens.
    #[inline]
    fn push(&mut self, rows: &ColumnReader) {
        if rows.has_tokens() {
            self.bytes.extend_from_slice(rows.token());
            self.ends.push(self.bytes.len());
        }
    }

    /// Begins the next sentence.
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Returns the tokens in a range of indices, cut at the end of the sentence; none for files
    /// without tokens.
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
