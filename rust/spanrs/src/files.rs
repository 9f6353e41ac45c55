//! Scoring two column files with one call.
//!
//! [`score_paths`] opens the files, detects the scheme if it is not given, and scores. Callers that
//! need rows for documents, two columns of one file, progress or threads use
//! [`score`](crate::score()) and related functions.

use std::path::Path;

use spanrs_base::{Limits, Position};
use spanrs_eval::outcomes::{Counts, Prf, Summary};
use spanrs_eval::{Exact, Matcher, Scorer, Side, Violations};
use spanrs_io::{ColumnReader, Columns, Source};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::{Alignment, OnMisaligned, Rows, Sides, column_warnings, detect, score};

/// Number of violations on each side that [`FileScore`] keeps with their lines.
const LOCATED: usize = 10;

/// Options of [`score_paths`]. By default, the scheme is detected, malformed tags are read as
/// conlleval does, and spans are matched exactly.
///
/// ```
/// use spanrs::tags::{Reading, Scheme};
/// let options = spanrs::ScoreOptions {
///     scheme: Some(Scheme::Bio),
///     reading: Reading::Refuse,
///     ..Default::default()
/// };
/// assert!(options.limits.line_bytes > 1_000_000);
/// ```
pub struct ScoreOptions {
    /// The scheme of both files; None to detect the scheme from gold.
    pub scheme: Option<Scheme>,
    /// How malformed tags become spans.
    pub reading: Reading,
    /// How a tag is split into prefix and type.
    pub dialect: Dialect,
    /// The columns of tokens and tags, in both files. A second column of tags is not read.
    pub columns: Columns,
    /// Decides which gold span matches which pred span. The matcher is copied, so that options can
    /// be used repeatedly.
    pub matcher: Box<dyn Matcher>,
    /// Treatment of tokens that differ between the files.
    pub on_misaligned: OnMisaligned,
    /// Limits on the sizes of lines and sentences; files that exceed them are refused.
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

/// The result of [`score_paths`].
#[derive(Clone, Debug)]
pub struct FileScore {
    /// The scheme in which the tags were read.
    pub scheme: Scheme,
    /// The outcome counts, without a row for each document.
    pub counts: Counts,
    /// Malformed tags of gold and of pred: their number, and the first 10 of each with their lines.
    pub violations: [Violations; 2],
    /// The agreement of the tokens of both files.
    pub alignment: Alignment,
    /// Warnings about the columns of the files, gold first.
    pub warnings: Vec<String>,
}

impl FileScore {
    /// Computes precision, recall and F1 of the matcher's first criterion: overall, averaged and
    /// for each type.
    pub fn summary(&self) -> Summary {
        self.counts.summary(&Prf::f1(0), &self.counts.all_totals())
    }
}

/// Scores the tags of one column file against the tags of another file with the same tokens.
///
/// Without a scheme in `options`, gold is read twice: the first time to detect its scheme.
///
/// # Errors
/// Same as [`detect()`] and [`score()`]; [`Error::Unmatched`] with the position in gold if the
/// matcher could not match a sentence.
///
/// # Examples
/// ```
/// let folder = std::env::temp_dir();
/// let [gold, pred] = [("gold", "a B-X\nb O\n"), ("pred", "a B-X\nb B-X\n")].map(|(name, text)| {
///     let path = folder.join(format!("spanrs-{}-{name}.conll", std::process::id()));
///     std::fs::write(&path, text).unwrap();
///     path
/// });
/// let scored = spanrs::score_paths(&gold, &pred, &Default::default())?;
/// // True positives, false positives, false negatives.
/// assert_eq!(scored.summary().all.totals, [1.0, 1.0, 0.0]);
/// # [gold, pred].iter().for_each(|path| std::fs::remove_file(path).unwrap());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score_paths(gold: &Path, pred: &Path, options: &ScoreOptions) -> Result<FileScore> {
    let open = |path: &Path| {
        let lines = Source::from(path.to_owned()).lines(options.limits)?;
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
