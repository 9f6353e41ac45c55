//! Reading gold and pred side by side: two files, or two columns of tags in one file.
//!
//! A [`PairSink`] receives every token and every end of a sentence. Predictions usually equal gold
//! in nearly all lines. Two files are therefore read in three ways, the fastest first:
//!
//! 1. Runs of ordinary lines that are identical in both files are read only from gold
//!    ([`ColumnReader::follow_lines`]).
//! 2. A single line of pred that equals the line of gold is skipped without splitting
//!    ([`ColumnReader::follow`]).
//! 3. Lines that differ are split on both sides, and their tokens compared.
//!
//! The first two ways require files with the same layout.
//!
//! Document boundaries are taken from gold and ignored in pred, because predictions often have
//! none. Sentences must have the same lengths on both sides: a difference would shift all later
//! sentences.

use spanrs_base::{Named, Position};
use spanrs_io::{ColumnReader, Event};

use crate::error::{Error, Result};
use crate::{Progress, Reporter};

/// The sources of gold and pred.
pub enum Sides {
    /// Two files with the same tokens.
    Two {
        /// The gold file.
        gold: Box<ColumnReader>,
        /// The pred file.
        pred: Box<ColumnReader>,
    },
    /// One file with two columns of tags: the first is gold, the second is pred.
    One(Box<ColumnReader>),
}

/// Treatment of tokens of pred that differ from the tokens of gold. Sentences must have the same
/// lengths in any case.
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
    /// Count differing tokens and continue; [`Alignment`] contains their number.
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

spanrs_base::serde_by_name!(OnMisaligned);

/// Agreement of the tokens of two files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Whether one of the files has no tokens, so that only the lengths of sentences were compared.
    pub unaligned: bool,
    /// Number of tokens that differ, under [`OnMisaligned::Report`].
    pub differing: u64,
    /// The first 5 differing tokens, with their positions in both files.
    pub examples: Vec<String>,
    /// A key of MISC that occurs in gold but in no word of pred; all tags of pred were read as `O`.
    pub missing_key: Option<String>,
}

/// Number of differing tokens that are kept as examples.
pub(crate) const EXAMPLES: usize = 5;

/// A consumer of the tokens of gold and pred.
pub(crate) trait PairSink {
    /// Takes as many lines as possible that are identical in both files; returns their number.
    /// Called only after [`ColumnReader::can_follow`] returned true.
    ///
    /// # Errors
    /// Errors from the sink.
    fn follow(&mut self, gold: &mut ColumnReader, pred: &mut ColumnReader) -> Result<u64>;

    /// Takes a token whose line was the same in both files.
    ///
    /// # Errors
    /// Errors from the sink.
    fn same(&mut self, gold: &ColumnReader, pred: &ColumnReader) -> Result<()>;

    /// Takes a token with its tags in gold and pred. `gold` and `pred` are the same reader if both
    /// tags are in one file.
    ///
    /// # Errors
    /// Errors from the sink.
    fn token(&mut self, gold: &ColumnReader, pred: &ColumnReader, tags: [&[u8]; 2]) -> Result<()>;

    /// Ends the sentence.
    ///
    /// # Errors
    /// Errors from the sink.
    fn end_sentence(&mut self, gold: &ColumnReader) -> Result<()>;

    /// Begins a document of gold.
    fn begin_document(&mut self);
}

/// Reads both sides to the end; returns the agreement of their tokens, and both paths.
///
/// If gold and pred are CoNLL-U with tags under the same key of MISC, and no word of pred has the
/// key, pred has no spans: a system that finds nothing writes no keys.
///
/// # Errors
/// Errors from reading the files and from the sink; [`Error::Misaligned`] if the lengths of
/// sentences differ, or if tokens differ under [`OnMisaligned::Refuse`]; [`Error::Stopped`].
pub(crate) fn read_pairs(
    sides: Sides,
    sink: &mut impl PairSink,
    on_misaligned: OnMisaligned,
    progress: &mut Progress<'_>,
) -> Result<(Alignment, [String; 2])> {
    let (mut gold, mut pred) = match sides {
        Sides::One(rows) => return read_columns(*rows, sink, progress),
        Sides::Two { gold, pred } => (*gold, *pred),
    };
    let mut reporter = Reporter::new(progress);
    if gold.tag_key().is_some() && gold.tag_key() == pred.tag_key() {
        // If gold has the key, its absence in pred means that pred has no spans.
        pred.allow_missing_key();
    }
    let alike = pred.can_follow(&gold);
    let mut alignment = Alignment {
        unaligned: !(gold.has_tokens() && pred.has_tokens()),
        ..Alignment::default()
    };
    let compare = !alignment.unaligned && on_misaligned != OnMisaligned::Ignore;
    loop {
        reporter.line(|| gold.bytes_read() + pred.bytes_read())?;
        if alike {
            let lines = sink.follow(&mut gold, &mut pred)?;
            reporter.lines(lines, || gold.bytes_read() + pred.bytes_read())?;
        }
        let g = next_event(&mut gold, || sink.begin_document())?;
        if let Some(event) = g
            && alike
            && pred.follow(&gold, event)
        {
            match event {
                Event::Token => sink.same(&gold, &pred)?,
                _ => sink.end_sentence(&gold)?,
            }
            continue;
        }
        match (g, next_event(&mut pred, || ())?) {
            (Some(Event::Token), Some(Event::Token)) => {
                if compare && gold.token() != pred.token() {
                    alignment.add(&gold, &pred, on_misaligned)?;
                }
                sink.token(&gold, &pred, [gold.tag(), pred.tag()])?;
            }
            (Some(Event::Sentence), Some(Event::Sentence)) => sink.end_sentence(&gold)?,
            (None, None) => break,
            // One side has a token after the end of the sentence on the other side.
            (g, p) if g == Some(Event::Token) || p.is_none() => {
                return Err(ends(&gold, &pred, p.is_none(), true));
            }
            (g, _) => return Err(ends(&pred, &gold, g.is_none(), false)),
        }
    }
    alignment.missing_key = pred.missing_key().map(str::to_owned);
    Ok((alignment, [gold.path().to_owned(), pred.path().to_owned()]))
}

/// Reads one file with two columns of tags; see [`read_pairs`].
fn read_columns(
    mut rows: ColumnReader,
    sink: &mut impl PairSink,
    progress: &mut Progress<'_>,
) -> Result<(Alignment, [String; 2])> {
    let mut reporter = Reporter::new(progress);
    while let Some(event) = rows.next_event()? {
        reporter.line(|| rows.bytes_read())?;
        match event {
            Event::Token => sink.token(&rows, &rows, [rows.tag(), rows.second()])?,
            Event::Sentence => sink.end_sentence(&rows)?,
            Event::Document => sink.begin_document(),
        }
    }
    Ok((
        Alignment::default(),
        [(); 2].map(|()| rows.path().to_owned()),
    ))
}

/// Returns the next event except document boundaries, for which `begin_document` is called.
#[inline]
fn next_event(rows: &mut ColumnReader, mut begin_document: impl FnMut()) -> Result<Option<Event>> {
    loop {
        match rows.next_event()? {
            Some(Event::Document) => begin_document(),
            event => return Ok(event),
        }
    }
}

/// Returns the position of the last line read.
fn place(rows: &ColumnReader) -> Position {
    Position::line(rows.path(), rows.line())
}

impl Alignment {
    /// Counts a token that differs, and keeps the first ones as examples.
    ///
    /// # Errors
    /// [`Error::Misaligned`] under [`OnMisaligned::Refuse`].
    #[cold]
    fn add(
        &mut self,
        gold: &ColumnReader,
        pred: &ColumnReader,
        on_misaligned: OnMisaligned,
    ) -> Result<()> {
        if on_misaligned == OnMisaligned::Refuse {
            return Err(differ(gold, pred));
        }
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
        Ok(())
    }
}

/// Returns the error for a token that differs.
#[cold]
fn differ(gold: &ColumnReader, pred: &ColumnReader) -> Error {
    Error::Misaligned {
        gold: place(gold),
        pred: place(pred),
        message: format!(
            "gold has token `{}`, but {} (pred) has token `{}`; the files must have the same tokens, or pass --align report",
            gold.token_text(),
            place(pred),
            pred.token_text()
        ),
    }
}

/// Returns the error for a token on one side after the end of the sentence (of the file if `file`
/// is true) on the other side. `on` is the side with the token, and `ended` is the other side;
/// `gold_goes_on` is true if `on` is gold.
#[cold]
fn ends(on: &ColumnReader, ended: &ColumnReader, file: bool, gold_goes_on: bool) -> Error {
    let what = if file { "file" } else { "sentence" };
    let token = on.token_text();
    let (gold, pred) = if gold_goes_on {
        (on, ended)
    } else {
        (ended, on)
    };
    let message = if gold_goes_on {
        format!(
            "gold continues with token `{token}`, but the {what} ends at {} (pred)",
            place(pred)
        )
    } else {
        format!(
            "the {what} of gold ends, but {} (pred) continues with token `{token}`",
            place(pred)
        )
    };
    Error::Misaligned {
        gold: place(gold),
        pred: place(pred),
        message: message + "; the files must have the same sentences",
    }
}
