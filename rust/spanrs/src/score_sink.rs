//! Counting the sentences of gold and pred.
//!
//! A sentence becomes two lists of tag ids. If the ids fit a byte, sentences are collected in a
//! [`TagBlock`] of a few thousand tokens and counted together by pairs of neighbouring tags;
//! otherwise they are counted one by one. Both ways give the same counts.

use spanrs_base::Position;
use spanrs_eval::{Scorer, Side, TagBlock, Unmatched};
use spanrs_io::{ColumnReader, SameLine, SameLines};
use spanrs_tags::Reader;

use crate::error::{Error, Result};
use crate::errors::{ErrorFinder, Listing};
use crate::pair_reader::PairSink;
use crate::sentence::Sentence;

/// Unit of a row of counts, if the scorer keeps documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A document of gold.
    #[default]
    Documents,
    /// A sentence.
    Sentences,
}

/// A reader of tags and the scorer that counts its tags.
pub(crate) type Target<'a> = (&'a mut Reader, &'a mut Scorer);

/// Counts sentences in one scorer, or in several scorers at once whose readers use different
/// readings.
///
/// While a block is filled, `gold` and `pred` keep the line numbers of all sentences of the block,
/// and `starts` contains the index of the first line number of each sentence. All three are cleared
/// when the block is counted.
pub(crate) struct ScoreSink<'a> {
    /// Numbers the tags of both sides.
    reader: &'a mut Reader,
    scorer: &'a mut Scorer,
    /// Further scorers. Their readers get the tags in the same order, so that the ids are the same.
    others: Vec<Target<'a>>,
    /// Tags of gold.
    gold: Sentence,
    /// Tags of pred.
    pred: Sentence,
    /// Sentences that have ended and are not counted yet.
    block: TagBlock,
    /// Index of the first token of each sentence of the block, among the tokens whose line numbers
    /// are kept.
    starts: Vec<u32>,
    /// Unit of the documents of the scorers.
    rows: Rows,
    /// Also lists errors, if set.
    listing: Option<Listing<'a>>,
}

/// The problem in a sentence, with the line in gold.
type Failure = (u64, Problem);

/// The reason why a sentence cannot be counted.
enum Problem {
    /// There are too many different tags.
    Tag(spanrs_tags::Error),
    /// The spans of the sentence cannot be matched, so its errors cannot be listed.
    Unmatched(Unmatched),
}

impl From<spanrs_tags::Error> for Problem {
    fn from(error: spanrs_tags::Error) -> Self {
        Self::Tag(error)
    }
}

/// Returns the error for a problem in a sentence.
#[cold]
fn error_at(gold: &ColumnReader, (line, problem): Failure) -> Error {
    let position = Position::line(gold.path(), line);
    match problem {
        Problem::Tag(error) => Error::Tags { position, error },
        Problem::Unmatched(Unmatched::Stopped) => Error::Stopped,
        Problem::Unmatched(error) => Error::Unmatched { position, error },
    }
}

impl PairSink for ScoreSink<'_> {
    /// The tags of the current sentence are numbered for gold first and copied to pred when the
    /// sentence or the run ends. Within the run, the line numbers of both files differ by a
    /// constant: `lag` is the number of lines by which pred is ahead of gold, modulo 2^64. It is
    /// not always 0, because only one of the files may have comments.
    #[inline]
    fn follow(&mut self, gold: &mut ColumnReader, pred: &mut ColumnReader) -> Result<u64> {
        match self.listing {
            None => self.follow_run::<false>(gold, pred),
            Some(_) => self.follow_run::<true>(gold, pred),
        }
    }

    #[inline]
    fn same(&mut self, gold: &ColumnReader, pred: &ColumnReader) -> Result<()> {
        let id = self.gold.push(self.reader, gold, gold.tag())?;
        self.pred.push_id(pred, id);
        if let Some(listing) = &mut self.listing {
            listing.tokens.push_token(gold);
        }
        Ok(())
    }

    #[inline]
    fn token(&mut self, gold: &ColumnReader, pred: &ColumnReader, tags: [&[u8]; 2]) -> Result<()> {
        let gold_id = self.gold.push(self.reader, gold, tags[0])?;
        let pred_id = self.pred.push(self.reader, pred, tags[1])?;
        if let Some(listing) = &mut self.listing {
            listing.differs |= gold_id != pred_id;
            listing.tokens.push_token(gold);
        }
        Ok(())
    }

    fn end_sentence(&mut self, gold: &ColumnReader) -> Result<()> {
        self.end().map_err(|failure| error_at(gold, failure))
    }

    fn begin_document(&mut self) {
        if self.rows == Rows::Documents {
            self.end_document();
        }
    }
}

/// A run of identical lines.
struct Run<'r, 'a, const LISTING: bool> {
    sink: &'r mut ScoreSink<'a>,
    /// Number of tokens of the sentence whose line numbers and pred tags are stored.
    known: usize,
    /// Number of lines by which pred is ahead of gold, modulo 2^64.
    lag: u64,
    /// The problem that ended the run.
    failure: Option<Failure>,
}

impl<const LISTING: bool> SameLines for Run<'_, '_, LISTING> {
    #[inline(always)]
    fn token(&mut self, line: SameLine<'_>, number: u64) -> bool {
        match self.sink.reader.intern_bytes(line.tag()) {
            Ok(id) => self.sink.gold.ids.push(id),
            Err(error) => {
                self.failure = Some((number, error.into()));
                return false;
            }
        }
        if LISTING && let Some(listing) = &mut self.sink.listing {
            listing.run.push(line.token_range());
        }
        true
    }

    #[inline(always)]
    fn end(&mut self, buffer: &[u8], number: u64) -> bool {
        self.sink.same_from(self.known, number, self.lag);
        if LISTING && let Some(listing) = &mut self.sink.listing {
            listing.end_run(|token| &buffer[token]);
        }
        self.known = 0;
        self.failure = self.sink.end().err();
        self.failure.is_none()
    }
}

impl<'a> ScoreSink<'a> {
    /// Creates a sink that counts in `first` and `others`. All readers must have the same tags.
    pub(crate) fn new(first: Target<'a>, others: Vec<Target<'a>>, rows: Rows) -> Self {
        Self {
            listing: None,
            reader: first.0,
            scorer: first.1,
            others,
            gold: Sentence::default(),
            pred: Sentence::default(),
            block: TagBlock::default(),
            starts: Vec::new(),
            rows,
        }
    }

    /// Also lists errors with a finder.
    pub(crate) fn listing(mut self, finder: Option<&'a mut ErrorFinder>) -> Self {
        let has_two_schemes = self.reader.has_two_schemes();
        self.listing = finder.map(|finder| Listing::new(finder, has_two_schemes));
        self
    }

    /// Ends the last document and counts the remaining sentences; `path` is the path of gold.
    ///
    /// # Errors
    /// [`Error::Tags`] if another reader cannot number a tag that the first reader could number.
    pub(crate) fn finish(mut self, path: &str) -> Result<()> {
        self.share_tags().map_err(|error| Error::Tags {
            position: Position::file(path),
            error,
        })?;
        self.end_document();
        self.count();
        Ok(())
    }

    /// Takes lines that are identical in both files.
    ///
    /// # Errors
    /// [`Error::Tags`] and [`Error::Unmatched`].
    #[inline]
    fn follow_run<const LISTING: bool>(
        &mut self,
        gold: &mut ColumnReader,
        pred: &mut ColumnReader,
    ) -> Result<u64> {
        let lag = pred.line().wrapping_sub(gold.line());
        let known = self.gold.ids.len();
        let mut run = Run::<LISTING> {
            sink: self,
            known,
            lag,
            failure: None,
        };
        let lines = pred.follow_lines(gold, &mut run);
        let Run { known, failure, .. } = run;
        if let Some(failure) = failure {
            return Err(error_at(gold, failure));
        }
        self.same_from(known, gold.line() + 1, lag);
        if LISTING && let Some(listing) = &mut self.listing {
            listing.keep_run(|token| gold.buffered(token));
        }
        Ok(lines)
    }

    /// Copies the tags of gold from token `first` on to pred and stores the line numbers of both:
    /// the numbers of gold end before `line`, and the numbers of pred are greater by `lag` (modulo
    /// 2^64, because pred may be behind).
    #[inline]
    fn same_from(&mut self, first: usize, line: u64, lag: u64) {
        let ids = &self.gold.ids[first..];
        if ids.is_empty() {
            return;
        }
        self.pred.ids.extend_from_slice(ids);
        let line = line - ids.len() as u64;
        self.gold.note(first, line);
        self.pred.note(first, line.wrapping_add(lag));
    }

    /// Adds the tags that are new in the first reader to the other readers.
    ///
    /// # Errors
    /// Errors from numbering a tag.
    #[inline]
    fn share_tags(&mut self) -> Result<(), spanrs_tags::Error> {
        for (reader, _) in &mut self.others {
            for tag in reader.tags().len()..self.reader.tags().len() {
                reader.intern_bytes(self.reader.tags().name(tag as u32).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns true if sentences may be added to all scorers in blocks.
    #[inline]
    fn takes_blocks(&mut self) -> bool {
        let others = self.others.iter_mut();
        self.scorer.prepare_blocks(self.reader)
            & others.fold(true, |all, (reader, scorer)| {
                all & scorer.prepare_blocks(reader)
            })
    }

    /// Ends the sentence: adds the sentence to the block, which is counted if it is full. If ids do
    /// not fit a byte or a scorer cannot use blocks, the sentence is counted individually.
    ///
    /// A block contains one byte for each tag. When the ids of the reader no longer fit, the
    /// sentences of the block are counted first.
    ///
    /// # Errors
    /// Errors from numbering a tag and from finding errors, with the first line of the sentence in
    /// gold.
    #[inline]
    fn end(&mut self) -> Result<(), Failure> {
        if !self.others.is_empty() {
            self.share_tags()
                .map_err(|error| (self.gold.line(0), error.into()))?;
        }
        if let Some(listing) = &mut self.listing {
            let sides = [&self.gold, &self.pred];
            let ended = listing.end(self.reader, self.scorer.filter(), sides);
            ended.map_err(|error| (self.gold.line(0), Problem::Unmatched(error)))?;
        }
        if self.reader.tags().len() > TagBlock::TAGS {
            // Sentences that have ended fit in a block; the current sentence may not.
            self.count();
        }
        if !self.takes_blocks() {
            // A scorer may have stopped taking blocks only now.
            self.count();
            self.count_sentence();
            return Ok(());
        }
        let tokens = self.gold.ids.len();
        let room = self.block.reserve(tokens);
        let ids = self.gold.ids.iter().zip(&self.pred.ids);
        for ((gold, pred), (g, p)) in room.0.iter_mut().zip(room.1).zip(ids) {
            (*gold, *pred) = (*g as u8, *p as u8);
        }
        self.block.end(tokens);
        self.starts.push(self.gold.next());
        self.pred.next();
        if self.rows == Rows::Sentences && self.scorer.has_documents() {
            self.block.end_document(None);
        }
        if self.block.is_full() {
            self.count();
        }
        Ok(())
    }

    /// Counts the current sentence individually.
    fn count_sentence(&mut self) {
        let (gold, pred) = (&self.gold, &self.pred);
        let add = |reader: &Reader, scorer: &mut Scorer| {
            scorer.add(reader, &gold.ids, &pred.ids, |side, token| match side {
                Side::Gold => gold.line(token),
                Side::Pred => pred.line(token),
            });
            if self.rows == Rows::Sentences {
                scorer.end_document(reader, None);
            }
        };
        add(self.reader, self.scorer);
        for (reader, scorer) in &mut self.others {
            add(reader, scorer);
        }
        self.gold.clear();
        self.pred.clear();
    }

    /// Counts the sentences that have ended, and removes their line numbers.
    fn count(&mut self) {
        if self.block.is_empty() {
            return;
        }
        let (gold, pred, starts) = (&self.gold, &self.pred, &self.starts);
        let line = |side, sentence: u64, token| {
            let start = starts.get(sentence as usize).copied().unwrap_or_default();
            match side {
                Side::Gold => gold.lines.of(start + token),
                Side::Pred => pred.lines.of(start + token),
            }
        };
        for (reader, scorer) in &mut self.others {
            scorer.add_block(reader, &mut self.block.clone(), line);
        }
        self.scorer.add_block(self.reader, &mut self.block, line);
        self.starts.clear();
        self.gold.forget();
        self.pred.forget();
    }

    /// Ends the current row: in the block, or in the scorers if the block is not used.
    fn end_document(&mut self) {
        if !self.scorer.has_documents() {
            return;
        }
        if self.takes_blocks() {
            self.block.end_document(None);
            return;
        }
        self.count();
        self.scorer.end_document(self.reader, None);
        for (reader, scorer) in &mut self.others {
            scorer.end_document(reader, None);
        }
    }
}
