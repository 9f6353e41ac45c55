//! Scoring under several readings in one pass.
//!
//! Reading and splitting the file costs more than counting, so scoring under several readings
//! together takes little longer than under one. The tags are numbered once, by the reader of the
//! first target; the other readers get the new tags in the same order, so that the ids are the
//! same.

use spanrs_eval::Scorer;
use spanrs_tags::Reader;

use crate::error::Result;
use crate::pair_reader::{OnMisaligned, Sides, read_pairs};
use crate::score_sink::ScoreSink;
use crate::{Progress, Rows};

/// Scores files under several readings in one pass.
///
/// Each of `targets` is a reader with its own reading, and the scorer for its counts. At the
/// beginning, all readers must have the same tags in the same order, usually none. The files must
/// have been scored before under another reading, so that misaligned tokens are not reported again.
///
/// # Errors
/// Same as [`crate::score()`], except [`crate::Error::Malformed`]: violations are only counted, in
/// the scorers.
///
/// # Examples
/// ```
/// use spanrs::eval::{Exact, Scorer, outcomes::Prf};
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::tags::{Reader, Reading, Scheme};
/// let rows = |text: &'static str| {
///     let source = Box::new(text.as_bytes());
///     let lines = LineReader::new("example", source, Default::default()).unwrap();
///     Box::new(ColumnReader::new(lines, Columns::default()).unwrap())
/// };
/// let sides = spanrs::Sides::Two { gold: rows("a B-X\nb O\n"), pred: rows("a I-X\nb O\n") };
/// let mut made = [Reading::Conlleval, Reading::Discard].map(|reading| {
///     let reader = Reader::new(Scheme::Bio, reading, Default::default()).unwrap();
///     (reader, Scorer::new(Box::new(Exact::default()), 0))
/// });
/// let mut targets: Vec<_> = made.iter_mut().map(|(reader, scorer)| (reader, scorer)).collect();
/// spanrs::score_readings(sides, &mut targets, spanrs::Rows::Documents, &mut |_| true)?;
/// let totals = made.map(|(reader, mut scorer)| {
///     let counts = scorer.counts(&reader);
///     counts.summary(&Prf::f1(0), &counts.all_totals()).all.totals
/// });
/// // I-X without a preceding B-X is a span under conlleval and O under discard.
/// assert_eq!(totals, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score_readings(
    sides: Sides,
    targets: &mut [(&mut Reader, &mut Scorer)],
    rows: Rows,
    progress: &mut Progress<'_>,
) -> Result<()> {
    let Some(((first, first_scorer), others)) = targets.split_first_mut() else {
        return Ok(());
    };
    let others = others
        .iter_mut()
        .map(|(reader, scorer)| (&mut **reader, &mut **scorer));
    let mut sink = ScoreSink::new((first, first_scorer), others.collect(), rows);
    let (_, [gold, _]) = read_pairs(sides, &mut sink, OnMisaligned::Ignore, progress)?;
    sink.finish(&gold)
}
