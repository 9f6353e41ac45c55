use spanrs_base::Position;
use spanrs_eval::{Scorer, Side};
use spanrs_io::{ColumnReader, Event, Row};
use spanrs_tags::{Reader, Reading};

use crate::error::{Error, Result};
use crate::sentence::Sentence;
use crate::{PAUSE, Watch};

/// Where gold and pred come from.
pub enum Sides {
    /// Two files with the same tokens.
    Two {
        /// What is right.
        gold: ColumnReader,
        /// What is scored.
        pred: ColumnReader,
    },
    /// One file with two columns of tags: `tag` is gold, `second` is pred.
    One(ColumnReader),
}

/// Scores file against file, or column against column.
///
/// # Errors
/// What reading the files brings; [`Error::Misaligned`] where the tokens or the sentences differ;
/// [`Error::Malformed`] under [`Reading::Refuse`]; [`Error::Stopped`].
pub fn score(
    sides: Sides,
    reader: &mut Reader,
    scorer: &mut Scorer,
    watch: &mut Watch<'_>,
) -> Result<()> {
    let (gold_path, pred_path) = match sides {
        Sides::Two { gold, pred } => two(gold, pred, reader, scorer, watch)?,
        Sides::One(rows) => one(rows, reader, scorer, watch)?,
    };
    scorer.end_document();
    if reader.reading() == Reading::Refuse {
        for (side, path) in [(Side::Gold, gold_path), (Side::Pred, pred_path)] {
            let violations = scorer.violations(side);
            if violations.count > 0 {
                return Err(Error::Malformed {
                    path,
                    scheme: reader.scheme(),
                    violations: violations.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The two sides of the sentence that is being read.
#[derive(Default)]
struct Pair {
    gold: Sentence,
    pred: Sentence,
    sentences: u64,
}

impl Pair {
    /// Scores the sentence and begins the next; answers false now and then, when the watch should be
    /// asked.
    fn flush(&mut self, reader: &Reader, scorer: &mut Scorer) -> bool {
        scorer.add(reader, &self.gold.ids, &self.pred.ids, |side, token| match side {
            Side::Gold => self.gold.line(token),
            Side::Pred => self.pred.line(token),
        });
        self.gold.clear();
        self.pred.clear();
        self.sentences += 1;
        self.sentences % PAUSE != 0
    }
}

fn one(
    mut rows: ColumnReader,
    reader: &mut Reader,
    scorer: &mut Scorer,
    watch: &mut Watch<'_>,
) -> Result<(String, String)> {
    let mut pair = Pair::default();
    while let Some(event) = rows.next_event()? {
        match event {
            Event::Token(row) => {
                pair.gold.push(reader, &rows, row.tag)?;
                pair.pred.push(reader, &rows, row.second)?;
            }
            Event::Sentence => {
                if !pair.flush(reader, scorer) && !watch(rows.bytes_read()) {
                    return Err(Error::Stopped);
                }
            }
            Event::Document => scorer.end_document(),
        }
    }
    Ok((rows.path().to_owned(), rows.path().to_owned()))
}

fn two(
    mut gold: ColumnReader,
    mut pred: ColumnReader,
    reader: &mut Reader,
    scorer: &mut Scorer,
    watch: &mut Watch<'_>,
) -> Result<(String, String)> {
    let mut pair = Pair::default();
    loop {
        let g = loop {
            match gold.next_event()? {
                Some(Event::Document) => scorer.end_document(),
                event => break event,
            }
        };
        // Documents are those of gold: predictions often come without their borders.
        let p = loop {
            match pred.next_event()? {
                Some(Event::Document) => {}
                event => break event,
            }
        };
        match (g, p) {
            (Some(Event::Token(g)), Some(Event::Token(p))) => {
                if gold.bytes(g.token.clone()) != pred.bytes(p.token.clone()) {
                    return Err(differ(&gold, Some(&g), &pred, Some(&p)));
                }
                pair.gold.push(reader, &gold, g.tag)?;
                pair.pred.push(reader, &pred, p.tag)?;
            }
            (Some(Event::Sentence), Some(Event::Sentence)) => {
                let read = gold.bytes_read() + pred.bytes_read();
                if !pair.flush(reader, scorer) && !watch(read) {
                    return Err(Error::Stopped);
                }
            }
            (None, None) => break,
            (Some(Event::Token(g)), other) => {
                return Err(ends(&gold, &g, &pred, other.is_none(), true));
            }
            (other, Some(Event::Token(p))) => {
                return Err(ends(&pred, &p, &gold, other.is_none(), false));
            }
            _ => return Err(differ(&gold, None, &pred, None)),
        }
    }
    Ok((gold.path().to_owned(), pred.path().to_owned()))
}

fn place(rows: &ColumnReader) -> Position {
    Position::line(rows.path(), rows.line())
}

#[cold]
fn differ(gold: &ColumnReader, g: Option<&Row>, pred: &ColumnReader, p: Option<&Row>) -> Error {
    let token = |rows: &ColumnReader, row: Option<&Row>| {
        row.map_or("nothing".to_owned(), |row| {
            format!("token `{}`", rows.text(row.token.clone()))
        })
    };
    Error::Misaligned {
        gold: place(gold),
        pred: place(pred),
        message: format!(
            "gold has {}, but {} (pred) has {}; the files must hold the same tokens",
            token(gold, g),
            place(pred),
            token(pred, p)
        ),
    }
}

/// One side goes on with a token where the sentence or the file of the other has ended.
#[cold]
fn ends(
    on: &ColumnReader,
    row: &Row,
    ended: &ColumnReader,
    file_ended: bool,
    gold_goes_on: bool,
) -> Error {
    let (on_side, ended_side) = if gold_goes_on { ("gold", "pred") } else { ("pred", "gold") };
    let what = if file_ended { "file" } else { "sentence" };
    let token = on.text(row.token.clone());
    let (gold, pred) = if gold_goes_on { (on, ended) } else { (ended, on) };
    let message = if gold_goes_on {
        format!("gold goes on with token `{token}`, but the {what} ends at {} ({ended_side})", place(ended))
    } else {
        format!("the {what} of gold ends, but {} ({on_side}) goes on with token `{token}`", place(on))
    };
    Error::Misaligned {
        gold: place(gold),
        pred: place(pred),
        message: message + "; the files must hold the same sentences",
    }
}
