//! Column files that are opened twice: once to detect their schemes, once to count.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use spanrs_eval::{AutoSchemeScorer, Side};
use spanrs_io::{ColumnReader, Columns, Source};

use crate::error::Result;
use crate::errors::ErrorFinder;
use crate::pair_reader::{Alignment, OnMisaligned, Sides};
use crate::score::{Notes, score_and_list};
use crate::score_parts::{SplitFile, score_in_threads};
use crate::score_sink::Rows;
use crate::{column_warnings, gather};

/// A column file and its layout.
pub struct ColumnFile {
    /// The source of the bytes.
    pub source: Arc<Source>,
    /// The layout of the columns.
    pub columns: Columns,
}

impl From<&Path> for ColumnFile {
    /// A file in the default layout, without opening it.
    fn from(path: &Path) -> Self {
        Self {
            source: Source::from(path.to_owned()).into(),
            columns: Columns::default(),
        }
    }
}

impl ColumnFile {
    /// Opens the file at its beginning.
    ///
    /// # Errors
    /// Same as [`Source::lines`] and [`ColumnReader::new`].
    pub fn open(&self) -> Result<ColumnReader> {
        self.open_as(self.columns.clone())
    }

    /// Opens the file with another layout.
    pub(crate) fn open_as(&self, columns: Columns) -> Result<ColumnReader> {
        Ok(ColumnReader::new(
            self.source.lines(columns.limits())?,
            columns,
        )?)
    }
}

/// Gold and pred, or one file with the tags of both sides.
pub struct ColumnFiles {
    /// The file of gold. Without `pred`, the second column of tags of this file is pred.
    pub gold: ColumnFile,
    /// The file of pred.
    pub pred: Option<ColumnFile>,
}

impl ColumnFiles {
    /// Opens both sides, and returns warnings about their columns as well.
    ///
    /// # Errors
    /// Same as [`ColumnFile::open`].
    pub fn open(&self) -> Result<(Sides, Vec<String>)> {
        let gold = self.gold.open()?;
        let Some(pred) = &self.pred else {
            let warnings = column_warnings(&gold, None);
            return Ok((Sides::One(Box::new(gold)), warnings));
        };
        let pred = pred.open()?;
        let same_file = (pred.path() == gold.path()).then_some(&pred);
        let warnings = column_warnings(&gold, same_file.map(ColumnReader::tag_column));
        let sides = Sides::Two {
            gold: Box::new(gold),
            pred: Box::new(pred),
        };
        Ok((sides, warnings))
    }

    /// Opens one side separately.
    fn open_side(&self, side: Side) -> Result<ColumnReader> {
        match (side, &self.pred) {
            (Side::Pred, Some(pred)) => {
                let mut rows = pred.open()?;
                // A missing key is reported when both sides are read together.
                rows.allow_missing_key();
                Ok(rows)
            }
            (side, _) => {
                let mut columns = self.gold.columns.clone();
                let second = columns.second.take();
                if side == Side::Pred {
                    columns.tag = second.unwrap_or(columns.tag);
                }
                self.gold.open_as(columns)
            }
        }
    }

    /// Returns the files for reading in several threads, with the layouts found by `sides`; None
    /// unless all are regular files.
    fn split(&self, sides: &Sides) -> Option<(SplitFile, Option<SplitFile>)> {
        let split = |file: &ColumnFile, rows: &ColumnReader| {
            let path = file.source.regular_file()?.to_owned();
            let layout = rows.layout();
            Some(SplitFile { path, layout })
        };
        match (sides, &self.pred) {
            (Sides::Two { gold, pred }, Some(file)) => {
                Some((split(&self.gold, gold)?, Some(split(file, pred)?)))
            }
            (Sides::One(rows) | Sides::Two { gold: rows, .. }, _) => {
                Some((split(&self.gold, rows)?, None))
            }
        }
    }
}

/// Scores files in the schemes of a scorer; undecided schemes are detected first, which opens the
/// sources more than once. With several threads, regular files are read in parts. Warnings and
/// differing tokens are added to `notes`.
///
/// # Errors
/// An error if a file cannot be opened, and the errors of [`score`](crate::score()) and
/// [`AutoSchemeScorer::run`]. The scorer then has no new counts.
///
/// # Examples
/// ```
/// use spanrs::eval::{AutoSchemeScorer, Exact, PredScheme, Scorer};
/// use spanrs::io::{Column, Columns, Source};
/// use spanrs::tags::{Dialect, Reader, Reading, Scheme};
/// use spanrs::{ColumnFile, ColumnFiles, Notes, OnMisaligned, Rows, score_column_files};
///
/// let text = "Ada B-PER B-PER\nwrote O O\nit O B-PER\n".as_bytes();
/// let source = Source::stream("example", Box::new(text)).keep().into();
/// let (tag, second) = (Column::Index(1), Some(Column::Index(2)));
/// let columns = Columns { tag, second, ..Default::default() };
/// let gold = ColumnFile { source, columns };
/// let files = ColumnFiles { gold, pred: None };
///
/// let reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let scorer = Scorer::new(Box::new(Exact::default()), 0);
/// let mut auto = AutoSchemeScorer::new(reader, scorer, false, PredScheme::Undetected);
/// let options = (OnMisaligned::Refuse, Rows::Documents, 1);
/// score_column_files(&mut auto, &files, None, options, &mut Notes::default(), &mut |_| true)?;
/// assert_eq!(auto.scorer.counts(&auto.reader).tag_totals().types, [[1, 2, 1]]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score_column_files(
    auto: &mut AutoSchemeScorer,
    files: &ColumnFiles,
    finder: Option<&mut ErrorFinder>,
    options: (OnMisaligned, Rows, usize),
    notes: &mut Notes,
    progress: &mut (dyn FnMut(u64) -> bool + Send),
) -> Result<()> {
    let (on_misaligned, rows, threads) = options;
    let mut errors = None;
    let (mut alignment, mut warnings) = (Alignment::default(), Vec::new());
    let progress = RefCell::new(progress);
    auto.run::<crate::Error>(
        |reader, side, most| {
            let rows = files.open_side(side)?;
            gather(rows, reader, most, &mut **progress.borrow_mut())
        },
        |reader, scorer| {
            let (sides, found) = files.open()?;
            warnings = found;
            let tell = &mut **progress.borrow_mut();
            errors = finder.as_deref().map(ErrorFinder::empty);
            if threads > 1
                && let Some((gold, pred)) = files.split(&sides)
            {
                let (pred, finder) = (pred.as_ref(), errors.as_mut());
                let found = score_in_threads(&gold, pred, reader, scorer, finder, options, tell)?;
                if let Some(found) = found {
                    alignment = found;
                    return Ok(());
                }
            }
            // A part that was not read to its end may have added errors.
            errors = finder.as_deref().map(ErrorFinder::empty);
            let finder = errors.as_mut();
            alignment = score_and_list(sides, reader, scorer, finder, (on_misaligned, rows), tell)?;
            Ok(())
        },
    )?;
    if let (Some(finder), Some(errors)) = (finder, errors) {
        finder.append(errors);
    }
    notes.warn(warnings);
    notes.add(alignment, &mut auto.scorer);
    Ok(())
}
