//! Scoring of one column file against another, or of one column against another.
//!
//! Predictions usually equal gold in nearly all lines. The two files are therefore read in three
//! ways, the fastest first:
//!
//! 1. Runs of ordinary lines that are identical in both files are taken from gold alone
//!    ([`ColumnReader::follow_lines`]).
//! 2. A single line of pred that equals that of gold is passed over without splitting it
//!    ([`ColumnReader::follow`]).
//! 3. Lines that differ are split on both sides, and their tokens compared.
//!
//! The first two need files with the same layout. Either way a sentence becomes two lists of tag
//! ids. If the ids fit a byte, sentences are collected in a [`TagBlock`] of some thousand tokens
//! and counted together by pairs of neighbouring tags; otherwise they are counted one by one. All
//! ways give the same counts.
//!
//! Document boundaries are those of gold; those of pred are passed over, as predictions often lack
//! them. The lengths of sentences must agree: a difference there would shift all sentences behind
//! it.

use spanrs_base::{Named, Position};
use spanrs_eval::outcomes::{DIFFERING_TOKENS, UNALIGNED_FILES};
use spanrs_eval::{Scorer, Side, TagBlock};
use spanrs_io::{ColumnReader, Event};
use spanrs_tags::{Reader, Reading};

use crate::error::{Error, Result};
use crate::sentence::{Sentence, too_many};
use crate::{Progress, Reporter};

/// The sources of gold and pred.
pub enum Sides {
    /// Two files with the same tokens.
    Two {
        /// The reference.
        gold: Box<ColumnReader>,
        /// The predictions.
        pred: Box<ColumnReader>,
    },
    /// One file with two columns of tags: the tag is gold, the second tag is pred.
    One(Box<ColumnReader>),
}

/// What to do if a token of pred differs from that of gold. The lengths of sentences must agree in
/// any case.
///
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::{OnMisaligned, Rows, Sides, eval, score, tags};
/// let rows = |text: &'static str| {
///     let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default())?;
///     ColumnReader::new(lines, Columns::default()).map(Box::new)
/// };
/// let sides = Sides::Two { gold: rows("don't O\n")?, pred: rows("dont O\n")? };
/// let (scheme, reading) = (tags::Scheme::Bio, tags::Reading::default());
/// let mut reader = tags::Reader::new(scheme, reading, Default::default()).unwrap();
/// let mut scorer = eval::Scorer::new(Box::new(eval::Exact::default()), 0);
/// let (report, rows) = (OnMisaligned::Report, Rows::Documents);
/// let alignment = score(sides, &mut reader, &mut scorer, report, rows, &mut |_| true)?;
/// assert_eq!(alignment.examples, ["example:1: `don't`, example:1: `dont`"]);
/// # Ok::<(), spanrs::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMisaligned {
    /// Return [`Error::Misaligned`] at the first difference.
    #[default]
    Refuse,
    /// Count differing tokens and go on; [`Alignment`] tells how many there are.
    Report,
    /// Do not compare tokens.
    Ignore,
}

impl Named for OnMisaligned {
    const WHAT: &'static str = "on_misaligned";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("refuse", Self::Refuse),
        ("report", Self::Report),
        ("ignore", Self::Ignore),
    ];
}

/// Unit of a row of counts, if the scorer keeps documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A document of gold.
    #[default]
    Documents,
    /// A sentence.
    Sentences,
}

/// Agreement of the tokens of two files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// A file has no tokens, so only the lengths of sentences were compared.
    pub unaligned: bool,
    /// Number of tokens that differ, under [`OnMisaligned::Report`].
    pub differing: u64,
    /// The first 5 of them, with their positions in both files.
    pub examples: Vec<String>,
    /// A key of MISC that gold has and no word of pred; all tags of pred were read as `O`.
    pub missing_key: Option<String>,
}

/// What was noticed in files besides counts, over all pairs of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The first tokens that differ, with their positions, of the first pair of files that has any.
    pub examples: Vec<String>,
    /// Warnings, each once.
    pub warnings: Vec<String>,
}

impl Notes {
    /// Notes the agreement of a pair of files, and adds differing tokens and unaligned files to the
    /// counts of the scorer for the corpus.
    pub fn add(&mut self, alignment: Alignment, scorer: &mut Scorer) {
        scorer.add_to_corpus(DIFFERING_TOKENS, alignment.differing);
        scorer.add_to_corpus(UNALIGNED_FILES, u64::from(alignment.unaligned));
        if self.examples.is_empty() {
            self.examples = alignment.examples;
        }
        self.warn(alignment.missing_key.map(|key| {
            format!("no word of pred has the key {key}, which gold has; pred has no spans then")
        }));
    }

    /// Adds those warnings that are new.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut notes = spanrs::Notes::default();
    /// notes.warn(["a".to_owned(), "a".to_owned()]);
    /// assert_eq!(notes.warnings, ["a"]);
    /// ```
    pub fn warn(&mut self, warnings: impl IntoIterator<Item = String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// Number of differing tokens that are kept as examples.
pub(crate) const EXAMPLES: usize = 5;

/// Scores a file against another, or a column against another.
///
/// - `reader` numbers the tags of both sides and knows the schemes; it may know tags from before.
/// - `scorer` gets the counts, in addition to those it has. It must have been used with this reader
///   only.
/// - `rows` is the unit of its documents, if it keeps any.
///
/// # Errors
/// Those of reading the files; [`Error::Misaligned`] if the lengths of sentences differ, or tokens
/// under [`OnMisaligned::Refuse`]; [`Error::Tags`] for too many different tags;
/// [`Error::Malformed`] under [`Reading::Refuse`], for gold before pred, after all was counted;
/// [`Error::Stopped`]. A sentence that the matcher cannot match is no error here:
/// [`Scorer::failure`] tells.
///
/// # Examples
/// ```
/// use spanrs::eval::{Exact, Scorer, outcomes::Prf};
/// use spanrs::io::{Column, ColumnReader, Columns, LineReader};
/// use spanrs::{OnMisaligned, Rows, Sides, tags};
/// let source = Box::new(&b"a B-X B-X\nb O B-X\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let (tag, second) = (Column::Index(1), Some(Column::Index(2)));
/// let rows = ColumnReader::new(lines, Columns { tag, second, ..Default::default() })?;
/// let (scheme, reading) = (tags::Scheme::Bio, tags::Reading::default());
/// let mut reader = tags::Reader::new(scheme, reading, Default::default()).unwrap();
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
/// let (sides, refuse) = (Sides::One(Box::new(rows)), OnMisaligned::Refuse);
/// spanrs::score(sides, &mut reader, &mut scorer, refuse, Rows::Documents, &mut |_| true)?;
/// let counts = scorer.counts(&reader);
/// assert_eq!(counts.summary(&Prf::f1(0), &counts.all_totals()).all.totals, [1.0, 1.0, 0.0]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score(
    sides: Sides,
    reader: &mut Reader,
    scorer: &mut Scorer,
    on_misaligned: OnMisaligned,
    rows: Rows,
    progress: &mut Progress<'_>,
) -> Result<Alignment> {
    let mut alignment = Alignment::default();
    let pair = Pair {
        rows,
        ..Pair::default()
    };
    let (gold_path, pred_path) = match sides {
        Sides::Two { gold, pred } => {
            let both = (*gold, *pred);
            two(
                pair,
                both,
                reader,
                scorer,
                (on_misaligned, &mut alignment),
                progress,
            )?
        }
        Sides::One(rows) => one(pair, *rows, reader, scorer, progress)?,
    };
    refuse_violations(reader, scorer, [&gold_path, &pred_path])?;
    Ok(alignment)
}

/// Refuses violations that were counted under [`Reading::Refuse`]; other readings are not checked.
/// `paths` are what errors call gold and pred.
///
/// # Errors
/// [`Error::Malformed`] for gold if it has violations, otherwise for pred if that has.
pub fn refuse_violations(reader: &Reader, scorer: &Scorer, paths: [&str; 2]) -> Result<()> {
    if reader.reading() != Reading::Refuse {
        return Ok(());
    }
    for (side, path) in [Side::Gold, Side::Pred].into_iter().zip(paths) {
        let violations = scorer.violations(side);
        if violations.count > 0 {
            return Err(Error::Malformed {
                path: path.to_owned(),
                scheme: match side {
                    Side::Gold => reader.scheme(),
                    Side::Pred => reader.pred_scheme(),
                },
                violations: violations.clone(),
            });
        }
    }
    Ok(())
}

/// Both sides of the current sentence, and of the sentences that have ended and are not counted
/// yet.
///
/// While a block is filled, `gold` and `pred` keep the lines of all its sentences, and `starts`
/// tells where those of a sentence begin. Cleared whenever a block is counted.
#[derive(Default)]
struct Pair {
    /// Tags of gold.
    gold: Sentence,
    /// Tags of pred.
    pred: Sentence,
    /// Sentences that have ended and are not counted yet.
    block: TagBlock,
    /// Number of the first token of each sentence of the block, among the tokens whose lines are
    /// kept.
    starts: Vec<u32>,
    /// Unit of the documents of the scorer.
    rows: Rows,
}

impl Pair {
    /// Reads lines that are identical in both files; returns their number.
    ///
    /// The tags of the current sentence are numbered in gold first and copied to pred when the
    /// sentence or the run ends. The lines of both files differ by a constant within the run: `lag`
    /// is the number of lines by which pred is ahead of gold, modulo 2^64, since comments may stand
    /// in one file only.
    ///
    /// # Errors
    /// [`Error::Tags`] at the line of gold for a tag too many.
    #[inline]
    fn follow(
        &mut self,
        reader: &mut Reader,
        scorer: &mut Scorer,
        gold: &mut ColumnReader,
        pred: &mut ColumnReader,
    ) -> Result<u64> {
        let lag = pred.line().wrapping_sub(gold.line());
        // Number of tokens of the sentence whose lines and pred tags are stored.
        let mut known = self.gold.ids.len();
        let lines = pred.follow_lines(gold, |tag, line| {
            if let Some(tag) = tag {
                self.gold.ids.push(reader.intern_bytes(tag)?);
            } else {
                self.same_from(known, line, lag);
                self.end(reader, scorer);
                known = 0;
            }
            Ok(())
        });
        let lines = lines.map_err(|error| too_many(gold, error))?;
        self.same_from(known, gold.line() + 1, lag);
        Ok(lines)
    }

    /// Copies the tags of gold from token `first` on to pred and stores the lines of both: the
    /// lines of gold end before `line`, and those of pred are `lag` higher (modulo 2^64, as pred
    /// may be behind).
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

    /// Ends the sentence: adds it to the block, which is counted if it is full, or counts it by
    /// itself if ids do not fit a byte or the scorer cannot use blocks.
    ///
    /// A block holds one byte for each tag. When the reader gets to know more tags than that, the
    /// sentences of the block, whose ids still fit, are counted first.
    #[inline]
    fn end(&mut self, reader: &Reader, scorer: &mut Scorer) {
        if reader.tags().len() > TagBlock::TAGS {
            // The ended sentences fit in a block; this one may not.
            self.count(reader, scorer);
        }
        if !scorer.prepare_blocks(reader) {
            let (gold, pred) = (&self.gold, &self.pred);
            scorer.add(reader, &gold.ids, &pred.ids, |side, token| match side {
                Side::Gold => gold.line(token),
                Side::Pred => pred.line(token),
            });
            self.gold.clear();
            self.pred.clear();
            if self.rows == Rows::Sentences {
                scorer.end_document(reader, None);
            }
            return;
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
        if self.rows == Rows::Sentences && scorer.has_documents() {
            self.block.end_document(None);
        }
        if self.block.is_full() {
            self.count(reader, scorer);
        }
    }

    /// Counts the sentences that have ended, and forgets their lines.
    fn count(&mut self, reader: &Reader, scorer: &mut Scorer) {
        if self.block.is_empty() {
            return;
        }
        let (gold, pred, starts) = (&self.gold, &self.pred, &self.starts);
        scorer.add_block(reader, &mut self.block, |side, sentence, token| {
            let start = starts.get(sentence as usize).copied().unwrap_or_default();
            match side {
                Side::Gold => gold.lines.of(start + token),
                Side::Pred => pred.lines.of(start + token),
            }
        });
        self.starts.clear();
        self.gold.forget();
        self.pred.forget();
    }

    /// Ends a document of gold, if these are the rows.
    fn pass_document(&mut self, reader: &Reader, scorer: &mut Scorer) {
        if self.rows == Rows::Documents {
            self.end_document(reader, scorer);
        }
    }

    /// Ends the current row, in the block or after it was counted.
    fn end_document(&mut self, reader: &Reader, scorer: &mut Scorer) {
        if !scorer.has_documents() {
            return;
        }
        if scorer.prepare_blocks(reader) {
            self.block.end_document(None);
        } else {
            self.count(reader, scorer);
            scorer.end_document(reader, None);
        }
    }

    /// Ends the last document and counts the rest.
    fn finish(&mut self, reader: &Reader, scorer: &mut Scorer) {
        self.end_document(reader, scorer);
        self.count(reader, scorer);
    }
}

/// Scores the second column of a file against the first; returns the path for both sides.
fn one(
    mut pair: Pair,
    mut rows: ColumnReader,
    reader: &mut Reader,
    scorer: &mut Scorer,
    progress: &mut Progress<'_>,
) -> Result<(String, String)> {
    let mut reporter = Reporter::new(progress);
    while let Some(event) = rows.next_event()? {
        reporter.line(|| rows.bytes_read())?;
        match event {
            Event::Token => {
                pair.gold.push(reader, &rows, rows.tag())?;
                pair.pred.push(reader, &rows, rows.second())?;
            }
            Event::Sentence => {
                pair.end(reader, scorer);
            }
            Event::Document => pair.pass_document(reader, scorer),
        }
    }
    pair.finish(reader, scorer);
    Ok((rows.path().to_owned(), rows.path().to_owned()))
}

/// Scores a file against another; returns both paths.
///
/// If gold and pred are CoNLL-U with tags under the same key, and no word of pred has it, pred has
/// no spans: a system that finds nothing writes no keys.
fn two(
    mut pair: Pair,
    (mut gold, mut pred): (ColumnReader, ColumnReader),
    reader: &mut Reader,
    scorer: &mut Scorer,
    (on_misaligned, alignment): (OnMisaligned, &mut Alignment),
    progress: &mut Progress<'_>,
) -> Result<(String, String)> {
    let mut reporter = Reporter::new(progress);
    if gold.tag_key().is_some() && gold.tag_key() == pred.tag_key() {
        // If gold has the key, its absence in pred means that pred has no spans.
        pred.allow_missing_key();
    }
    let alike = pred.can_follow(&gold);
    alignment.unaligned = !(gold.has_tokens() && pred.has_tokens());
    let compare = !alignment.unaligned && on_misaligned != OnMisaligned::Ignore;
    loop {
        reporter.line(|| gold.bytes_read() + pred.bytes_read())?;
        if alike {
            let lines = pair.follow(reader, scorer, &mut gold, &mut pred)?;
            reporter.lines(lines, || gold.bytes_read() + pred.bytes_read())?;
        }
        let g = loop {
            match gold.next_event()? {
                Some(Event::Document) => pair.pass_document(reader, scorer),
                event => break event,
            }
        };
        if let Some(event) = g
            && alike
            && pred.follow(&gold, event)
        {
            if event == Event::Token {
                let id = pair.gold.push(reader, &gold, gold.tag())?;
                pair.pred.push_id(&pred, id);
            } else {
                pair.end(reader, scorer);
            }
            continue;
        }
        match (g, past_documents(&mut pred)?) {
            (Some(Event::Token), Some(Event::Token)) => {
                if compare && gold.token() != pred.token() {
                    if on_misaligned == OnMisaligned::Refuse {
                        return Err(differ(&gold, &pred));
                    }
                    alignment.add(&gold, &pred);
                }
                pair.gold.push(reader, &gold, gold.tag())?;
                pair.pred.push(reader, &pred, pred.tag())?;
            }
            (Some(Event::Sentence), Some(Event::Sentence)) => {
                pair.end(reader, scorer);
            }
            (None, None) => break,
            // One side has a token after the end of the sentence on the other.
            (g, p) if g == Some(Event::Token) || p.is_none() => {
                return Err(ends(&gold, &pred, p.is_none(), true));
            }
            (g, _) => return Err(ends(&pred, &gold, g.is_none(), false)),
        }
    }
    pair.finish(reader, scorer);
    alignment.missing_key = pred.missing_key().map(str::to_owned);
    Ok((gold.path().to_owned(), pred.path().to_owned()))
}

/// Returns the next event of pred except document boundaries, which are taken from gold.
pub(crate) fn past_documents(pred: &mut ColumnReader) -> Result<Option<Event>> {
    loop {
        match pred.next_event()? {
            Some(Event::Document) => {}
            event => return Ok(event),
        }
    }
}

/// Returns the place of the line that was read last.
fn place(rows: &ColumnReader) -> Position {
    Position::line(rows.path(), rows.line())
}

impl Alignment {
    /// Counts a token that differs, and keeps the first ones as examples.
    #[cold]
    fn add(&mut self, gold: &ColumnReader, pred: &ColumnReader) {
        self.differing += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(format!(
                "{}: `{}`, {}: `{}`",
                place(gold),
                gold.token_text(),
                place(pred),
                pred.token_text()
            ));
        }
    }
}

/// The error for a token that differs.
#[cold]
fn differ(gold: &ColumnReader, pred: &ColumnReader) -> Error {
    Error::Misaligned {
        gold: place(gold),
        pred: place(pred),
        message: format!(
            "gold has token `{}`, but {} (pred) has token `{}`; the files must hold the same tokens, or name --on-misaligned report",
            gold.token_text(),
            place(pred),
            pred.token_text()
        ),
    }
}

/// The error for a token after the end of the sentence, or of the file if `file` is true, on the
/// other side. `on` is the side with the token and `ended` the other one; `gold_goes_on` tells that
/// `on` is gold.
#[cold]
pub(crate) fn ends(
    on: &ColumnReader,
    ended: &ColumnReader,
    file: bool,
    gold_goes_on: bool,
) -> Error {
    let what = if file { "file" } else { "sentence" };
    let token = on.token_text();
    let (gold, pred) = if gold_goes_on {
        (on, ended)
    } else {
        (ended, on)
    };
    let message = if gold_goes_on {
        format!(
            "gold goes on with token `{token}`, but the {what} ends at {} (pred)",
            place(pred)
        )
    } else {
        format!(
            "the {what} of gold ends, but {} (pred) goes on with token `{token}`",
            place(pred)
        )
    };
    Error::Misaligned {
        gold: place(gold),
        pred: place(pred),
        message: message + "; the files must hold the same sentences",
    }
}
