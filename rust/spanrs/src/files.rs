//! Scoring two column files with one call.

use std::path::Path;

use spanrs_base::{Limits, Position};
use spanrs_eval::outcomes::{Counts, Prf, Summary};
use spanrs_eval::{Exact, Matcher, Scorer, Side, Violations};
use spanrs_io::{ColumnReader, Columns};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::{Alignment, OnMisaligned, Rows, Sides, column_warnings, detect, score};

/// Violations of each side that [`FileScore`] locates.
const LOCATED: usize = 10;

/// How [`score_files`] reads and scores column files.
pub struct ScoreOptions {
    /// The scheme of both files; None to detect that of gold.
    pub scheme: Option<Scheme>,
    /// How malformed tags become spans.
    pub reading: Reading,
    /// How a tag is split into prefix and type.
    pub dialect: Dialect,
    /// Where tokens and tags are in the files.
    pub columns: Columns,
    /// Which gold span a pred span answers.
    pub matcher: Box<dyn Matcher>,
    /// What to do if tokens differ.
    pub on_misaligned: OnMisaligned,
    /// Size limits of the files.
    pub limits: Limits,
}

impl Default for ScoreOptions {
    fn default() -> Self {
        Self {
            scheme: None,
            reading: Reading::default(),
            dialect: Dialect::default(),
            columns: Columns::default(),
            matcher: Box::new(Exact::default()),
            on_misaligned: OnMisaligned::default(),
            limits: Limits::default(),
        }
    }
}

/// The result of [`score_files`].
#[derive(Clone, Debug)]
pub struct FileScore {
    /// The scheme the tags were read in.
    pub scheme: Scheme,
    /// The outcome counts, without a row for each document.
    pub counts: Counts,
    /// Malformed tags of gold and of pred.
    pub violations: [Violations; 2],
    /// How the tokens of both files agree.
    pub alignment: Alignment,
    /// Warnings about the layout of the files.
    pub warnings: Vec<String>,
}

impl FileScore {
    /// Precision, recall and F1 of the matcher's first criterion: overall, averaged and per type.
    pub fn summary(&self) -> Summary {
        self.counts.summary(&Prf::f1(0), &self.counts.all_totals())
    }
}

/// Scores the tags of one column file against those of another with the same tokens.
///
/// Without a scheme in `options`, gold is read twice: once to detect its scheme.
///
/// # Errors
/// See [`detect`] and [`score`].
pub fn score_files(gold: &Path, pred: &Path, options: &ScoreOptions) -> Result<FileScore> {
    let open = |path| {
        let lines = spanrs_io::open(path, options.limits)?;
        ColumnReader::new(lines, options.columns.clone())
    };
    let progress = &mut |_| true;
    let scheme = match options.scheme {
        Some(scheme) => scheme,
        None => detect(open(gold)?, &options.dialect, progress)?.scheme,
    };
    let position = Position::file(&gold.display().to_string());
    let reader = Reader::new(scheme, options.reading, options.dialect.clone());
    let mut reader = reader.map_err(|error| Error::Tags {
        position: position.clone(),
        error,
    })?;
    let mut scorer = Scorer::new(options.matcher.boxed(), LOCATED);
    let (gold, pred) = (Box::new(open(gold)?), Box::new(open(pred)?));
    let mut warnings = column_warnings(&gold, None);
    warnings.extend(column_warnings(&pred, None));
    let alignment = score(
        Sides::Two { gold, pred },
        &mut reader,
        &mut scorer,
        options.on_misaligned,
        Rows::Documents,
        progress,
    )?;
    if let Some(error) = scorer.failure() {
        return Err(Error::Unmatched { position, error });
    }
    Ok(FileScore {
        scheme,
        counts: scorer.counts(&reader),
        violations: [Side::Gold, Side::Pred].map(|side| scorer.violations(side).clone()),
        alignment,
        warnings,
    })
}
