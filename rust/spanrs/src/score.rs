//! Scoring of one column file against another, or of one column of a file against another.

use spanrs_eval::outcomes::{DIFFERING_TOKENS, UNALIGNED_FILES};
use spanrs_eval::{Scorer, Side};
use spanrs_tags::{Reader, Reading};

use crate::Progress;
use crate::error::{Error, Result};
use crate::errors::ErrorFinder;
use crate::pair_reader::{Alignment, OnMisaligned, Sides, read_pairs};
use crate::score_sink::{Rows, ScoreSink};

/// Examples and warnings from all pairs of files, in addition to the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The first differing tokens, with their positions, from the first pair of files that has any.
    pub examples: Vec<String>,
    /// Warnings, without duplicates.
    pub warnings: Vec<String>,
}

impl Notes {
    /// Records the alignment of a pair of files, and adds differing tokens and unaligned files to
    /// the scorer's corpus counts.
    pub fn add(&mut self, alignment: Alignment, scorer: &mut Scorer) {
        scorer.add_to_corpus(DIFFERING_TOKENS, alignment.differing);
        scorer.add_to_corpus(UNALIGNED_FILES, u64::from(alignment.unaligned));
        if self.examples.is_empty() {
            self.examples = alignment.examples;
        }
        self.warn(alignment.missing_key.map(|key| {
            format!("the key {key} occurs in gold but in no word of pred, so pred has no spans")
        }));
    }

    /// Adds the warnings that are new.
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

/// Scores one file against another, or one column of a file against another.
///
/// - `reader` numbers the tags of both sides and determines the schemes; it may already have tags.
/// - `scorer` adds the counts to its existing counts. The scorer must have been used only with this
///   reader.
/// - `rows` is the unit of the scorer's documents, if the scorer keeps documents.
///
/// # Errors
/// Errors from reading the files; [`Error::Misaligned`] if the lengths of sentences differ, or if
/// tokens differ under [`OnMisaligned::Refuse`]; [`Error::Tags`] for too many different tags;
/// [`Error::Malformed`] under [`Reading::Refuse`], for gold before pred, after all sentences have
/// been counted; [`Error::Stopped`]. A sentence that the matcher cannot match is not an error here;
/// see [`Scorer::failure`].
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
    let options = (on_misaligned, rows);
    score_and_list(sides, reader, scorer, None, options, progress)
}

/// Same as [`score`], and also finds errors if requested. Only types that the scorer counts are
/// included.
///
/// # Errors
/// Same as [`score`], and [`Error::Unmatched`] with the first line of the sentence in gold.
///
/// # Examples
/// ```
/// use spanrs::eval::{Exact, Scorer};
/// use spanrs::io::{Column, ColumnReader, Columns, LineReader};
/// use spanrs::{ErrorFinder, ErrorOptions, OnMisaligned, Rows, Sides, score_and_list, tags};
/// let source = Box::new(&b"Rome B-LOC B-ORG\nslept O O\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let (tag, second) = (Column::Index(1), Some(Column::Index(2)));
/// let rows = ColumnReader::new(lines, Columns { tag, second, ..Default::default() })?;
/// let (scheme, reading) = (tags::Scheme::Bio, tags::Reading::default());
/// let mut reader = tags::Reader::new(scheme, reading, Default::default()).unwrap();
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
/// // Missed, spurious and mistyped; mistyped is the outcome of a pair.
/// let (wrong, paired) = (vec![1, 2, 3], Some(3));
/// let options = ErrorOptions { criterion: 0, wrong, paired, context: 1, most: None };
/// let mut finder = ErrorFinder::new(Box::new(Exact::default()), options);
/// let (sides, options) = (Sides::One(Box::new(rows)), (OnMisaligned::Refuse, Rows::Documents));
/// let errors = Some(&mut finder);
/// score_and_list(sides, &mut reader, &mut scorer, errors, options, &mut |_| true)?;
/// let found = finder.finish();
/// let error = found.get(0).unwrap();
/// assert_eq!((found.len(), error.outcome, error.line), (1, "mistyped", Some(1)));
/// assert_eq!(error.tokens, ["Rome", "slept"]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score_and_list(
    sides: Sides,
    reader: &mut Reader,
    scorer: &mut Scorer,
    finder: Option<&mut ErrorFinder>,
    (on_misaligned, rows): (OnMisaligned, Rows),
    progress: &mut Progress<'_>,
) -> Result<Alignment> {
    let sink = ScoreSink::new((&mut *reader, &mut *scorer), Vec::new(), rows);
    let mut sink = sink.listing(finder);
    let (alignment, [gold, pred]) = read_pairs(sides, &mut sink, on_misaligned, progress)?;
    sink.finish(&gold)?;
    refuse_violations(reader, scorer, [&gold, &pred])?;
    Ok(alignment)
}

/// Refuses violations that were counted under [`Reading::Refuse`]; other readings are not checked.
/// `paths` are the names of gold and pred in errors.
///
/// # Errors
/// [`Error::Malformed`] for gold if it has violations, otherwise for pred if it has violations.
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
