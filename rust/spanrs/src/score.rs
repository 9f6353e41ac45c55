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
    /// One file with two columns of tags: `tag` is gold, `second` is pred.
    One(Box<ColumnReader>),
}

/// What to do if a token of pred differs from that of gold. The lengths of sentences must agree in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMisaligned {
    /// Return an error.
    #[default]
    Refuse,
    /// Count it.
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

/// What a row of counts is, if the scorer keeps documents.
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
    /// The first of them, with their positions.
    pub examples: Vec<String>,
    /// A key of MISC that no word of pred has; all tags of pred were read as `O`.
    pub missing_key: Option<String>,
}

/// What was noticed in files besides counts, over all pairs of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The first tokens that differ, of the first pair of files that has such.
    pub examples: Vec<String>,
    /// Warnings, each once.
    pub warnings: Vec<String>,
}

impl Notes {
    /// Notes the agreement of a pair of files, and counts differing tokens and unaligned files.
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

    /// Adds warnings that are new.
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

/// Differing tokens that are kept as examples.
pub(crate) const EXAMPLES: usize = 5;

/// Scores a file against another, or a column against another.
///
/// # Errors
/// Errors of reading the files; [`Error::Misaligned`] if the lengths of sentences differ, or tokens under
/// [`OnMisaligned::Refuse`]; [`Error::Malformed`] under [`Reading::Refuse`]; [`Error::Stopped`].
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

/// Refuses violations under the reading [`Reading::Refuse`]. `paths` are what errors call gold and pred.
///
/// # Errors
/// [`Error::Malformed`] for the first side that has violations.
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

/// Both sides of the current sentence, and of the sentences not counted yet.
#[derive(Default)]
struct Pair {
    gold: Sentence,
    pred: Sentence,
    /// Sentences that have ended.
    block: TagBlock,
    /// Their first tokens.
    starts: Vec<u32>,
    rows: Rows,
}

impl Pair {
    /// Reads lines that are identical in both files; returns their number.
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

    /// Copies the tags of gold from token `first` on to pred, and stores the lines of both: the last ones before `line`
    /// of gold, and `lag` more for pred.
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

    /// Ends the sentence.
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

    /// Counts the sentences that have ended.
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

    /// Ends a document of gold.
    fn pass_document(&mut self, reader: &Reader, scorer: &mut Scorer) {
        if self.rows == Rows::Documents {
            self.end_document(reader, scorer);
        }
    }

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

    /// Ends the last document and counts what is left.
    fn finish(&mut self, reader: &Reader, scorer: &mut Scorer) {
        self.end_document(reader, scorer);
        self.count(reader, scorer);
    }
}

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

/// The next event of pred except document boundaries, which are taken from gold: predictions often lack them.
pub(crate) fn past_documents(pred: &mut ColumnReader) -> Result<Option<Event>> {
    loop {
        match pred.next_event()? {
            Some(Event::Document) => {}
            event => return Ok(event),
        }
    }
}

fn place(rows: &ColumnReader) -> Position {
    Position::line(rows.path(), rows.line())
}

impl Alignment {
    /// Counts a token that differs.
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

/// The error for a token after the end of the sentence or the file on the other side.
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
