//! Scoring column files that are opened twice: once to detect their schemes, once to count.

use std::cell::RefCell;

use spanrs_eval::input::InputError;
use spanrs_eval::{AutoSchemeScorer, Side};
use spanrs_io::{ColumnReader, Columns, LineReader};

use crate::error::Error;
use crate::score::{Alignment, Notes, OnMisaligned, Rows, Sides, score};
use crate::score_parts::{SplitFile, score_in_threads};
use crate::{column_warnings, gather};

/// Opens the column files of gold and pred, or one file with the tags of both sides.
pub trait ColumnSource {
    /// The error of opening and of scoring files.
    type Error: From<Error> + From<InputError>;

    /// Returns true if pred is in a file of its own.
    fn has_pred(&self) -> bool;

    /// Opens a file at its start, and returns its lines and the layout of its columns.
    ///
    /// # Errors
    /// If the file cannot be opened.
    fn open(&self, side: Side) -> Result<(LineReader, Columns), Self::Error>;
}

/// Opens one side on its own.
fn one_side<S: ColumnSource>(source: &S, side: Side) -> Result<ColumnReader, S::Error> {
    let own_file = side == Side::Pred && source.has_pred();
    let file = if own_file { Side::Pred } else { Side::Gold };
    let (lines, mut columns) = source.open(file)?;
    let second = columns.second.take();
    if side == Side::Pred && !own_file {
        columns.tag = second.unwrap_or(columns.tag);
    }
    let mut rows = ColumnReader::new(lines, columns).map_err(Error::from)?;
    if own_file {
        // A missing key column is reported when both sides are read together.
        rows.allow_missing_key();
    }
    Ok(rows)
}

/// Opens both sides, and returns warnings about their columns as well.
///
/// # Errors
/// If a file cannot be opened or its columns do not exist.
pub fn open_sides<S: ColumnSource>(source: &S) -> Result<(Sides, Vec<String>), S::Error> {
    let open = |side| {
        let (lines, columns) = source.open(side)?;
        Ok::<_, S::Error>(ColumnReader::new(lines, columns).map_err(Error::from)?)
    };
    let first = open(Side::Gold)?;
    if !source.has_pred() {
        let warnings = column_warnings(&first, None);
        return Ok((Sides::One(Box::new(first)), warnings));
    }
    let second = open(Side::Pred)?;
    let same_file = (second.path() == first.path()).then_some(&second);
    let warnings = column_warnings(&first, same_file.map(ColumnReader::tag_column));
    let sides = Sides::Two {
        gold: Box::new(first),
        pred: Box::new(second),
    };
    Ok((sides, warnings))
}

/// Gold, and pred if it is another file, to be read by several threads.
type SplitFiles = (SplitFile, Option<SplitFile>);

/// Returns the files to be read by several threads; None unless all are regular files.
///
/// The open readers tell, and the source is not asked: a source that is a stream may rewind it for
/// each question.
fn split_files(sides: &Sides) -> Option<SplitFiles> {
    let split = |rows: &ColumnReader| {
        let path = rows.regular_file()?.to_owned();
        let layout = rows.layout();
        Some(SplitFile { path, layout })
    };
    match sides {
        Sides::One(rows) => Some((split(rows)?, None)),
        Sides::Two { gold, pred } => Some((split(gold)?, Some(split(pred)?))),
    }
}

/// Scores files in the schemes of a scorer; undecided schemes are detected first. With several threads,
/// regular files are read in parts. Warnings and misaligned sentences are added to `notes`.
///
/// # Errors
/// If a file cannot be opened, and the errors of [`score`] and [`AutoSchemeScorer::run`]. The scorer has
/// counted nothing then.
///
/// ```
/// use spanrs::eval::{AutoSchemeScorer, Exact, PredScheme, Scorer, Side, input::InputError};
/// use spanrs::io::{Columns, LineReader};
/// use spanrs::tags::{Dialect, Reader, Reading, Scheme};
/// use spanrs::{ColumnSource, Notes, OnMisaligned, Rows, score_source};
///
/// struct Example;
///
/// #[derive(Debug)]
/// enum Failed { Job(spanrs::Error), Input(InputError) }
/// impl From<spanrs::Error> for Failed { fn from(error: spanrs::Error) -> Self { Self::Job(error) } }
/// impl From<InputError> for Failed { fn from(error: InputError) -> Self { Self::Input(error) } }
///
/// impl ColumnSource for Example {
///     type Error = Failed;
///     fn has_pred(&self) -> bool { false }
///     fn open(&self, _: Side) -> Result<(LineReader, Columns), Failed> {
///         let text = "Ada B-PER B-PER\nwrote O O\nit O B-PER\n".as_bytes();
///         let lines = LineReader::new("example", Box::new(text), Default::default());
///         let mut columns = Columns::default();
///         columns.tag = spanrs::io::Column::Index(1);
///         columns.second = Some(spanrs::io::Column::Index(2));
///         Ok((lines.map_err(spanrs::Error::from)?, columns))
///     }
/// }
///
/// let reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let scorer = Scorer::new(Box::new(Exact::default()), 0);
/// let mut auto = AutoSchemeScorer::new(reader, scorer, false, PredScheme::Undetected);
/// let options = (OnMisaligned::Refuse, Rows::Documents, 1);
/// score_source(&mut auto, &Example, options, &mut Notes::default(), &mut |_| true).unwrap();
/// assert_eq!(auto.scorer.counts(&auto.reader).tag_totals().types, [[1, 2, 1]]);
/// ```
pub fn score_source<S: ColumnSource>(
    auto: &mut AutoSchemeScorer,
    source: &S,
    options: (OnMisaligned, Rows, usize),
    notes: &mut Notes,
    progress: &mut (dyn FnMut(u64) -> bool + Send),
) -> Result<(), S::Error> {
    let (on_misaligned, rows, threads) = options;
    let (mut alignment, mut warnings) = (Alignment::default(), Vec::new());
    let progress = RefCell::new(progress);
    auto.run::<S::Error>(
        |reader, side, most| {
            let rows = one_side(source, side)?;
            Ok(gather(rows, reader, most, &mut **progress.borrow_mut())?)
        },
        |reader, scorer| {
            let (sides, found) = open_sides(source)?;
            warnings = found;
            let tell = &mut **progress.borrow_mut();
            if threads > 1
                && let Some((gold, pred)) = split_files(&sides)
            {
                let found = score_in_threads(&gold, pred.as_ref(), reader, scorer, options, tell)?;
                if let Some(found) = found {
                    alignment = found;
                    return Ok(());
                }
            }
            alignment = score(sides, reader, scorer, on_misaligned, rows, tell)?;
            Ok(())
        },
    )?;
    notes.warn(warnings);
    notes.add(alignment, &mut auto.scorer);
    Ok(())
}
