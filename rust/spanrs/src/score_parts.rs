//! Scoring one file, or a pair of files, in several threads.
//!
//! Both files are cut at sentence borders with the same number (see [`SentenceBorder`]). Each part
//! is scored by a thread with its own reader and scorer, and the counts are added in the order of
//! the parts. Counts are integers and violations are kept in the order of the file, so the result
//! is the same as with one thread.
//!
//! It is assumed that borders of gold and pred with the same number are at the same position in the
//! corpus. If this is wrong, some part has too many or too few sentences, and the job is abandoned;
//! the caller then scores in one thread, which gives the result or the error with its position.
//!
//! | part | gold from | pred from |
//! |---|---|---|
//! | 0 | 0 | 0 |
//! | 1 | 4194312, border 161320 | 4201877, border 161320 |
//! | end | end of file | end of file |

use std::path::PathBuf;

use spanrs_base::Workers;
use spanrs_eval::Scorer;
use spanrs_io::{ColumnLayout, ColumnReader, SentenceBorder, find_border, sample_borders};
use spanrs_tags::Reader;

use crate::error::Result;
use crate::errors::ErrorFinder;
use crate::pair_reader::{Alignment, EXAMPLES, OnMisaligned, Sides};
use crate::score::score_and_list;
use crate::score_sink::Rows;

/// Number of bytes after the last cut that are sampled, because the parts of two files do not end
/// at the same offsets.
const SLACK: u64 = 2 << 20;
/// Minimum size in bytes of a part of a file that is given to a thread.
const LEAST: u64 = 4 << 20;

/// A file whose layout is known, so that its parts can be read independently.
pub struct SplitFile {
    /// The path of a file that can be opened repeatedly, not of a pipe.
    pub path: PathBuf,
    /// The layout, from a reader of the beginning of the file.
    pub layout: ColumnLayout,
}

/// Scores files in parts of whole sentences, each in its own thread; otherwise the same as
/// [`score`](crate::score()).
///
/// `pred` is None for one file with two columns. The tuple contains the treatment of differing
/// tokens, the unit of rows, and the number of threads, including the calling thread. Parts have
/// about 4 MiB or more, so fewer threads may be used.
///
/// Returns None if the files cannot be split: they are small, compressed or in CoNLL-U, gold and
/// pred do not have blank lines after the same sentences, each document has a row of counts, or a
/// part has an error, such as violations under [`Reading::Refuse`](spanrs_tags::Reading::Refuse).
/// The scorer then has no new counts, and [`score`](crate::score()) returns the result, or the
/// error with its position.
///
/// # Errors
/// [`crate::Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns};
/// use spanrs::{SplitFile, Rows, eval, score_in_threads, tags};
/// let path = std::env::temp_dir().join(format!("spanrs-threads-{}", std::process::id()));
/// std::fs::write(&path, "a B-X\nb O\n\n".repeat(1_000_000)).unwrap();
/// let lines = spanrs::io::Source::from(path.clone()).lines(Default::default())?;
/// let layout = ColumnReader::new(lines, Columns::default())?.layout();
/// let file = SplitFile { path, layout };
/// let (scheme, reading) = (tags::Scheme::Bio, tags::Reading::default());
/// let reader = tags::Reader::new(scheme, reading, Default::default()).unwrap();
/// let mut scorer = eval::Scorer::new(Box::new(eval::Exact::default()), 0);
/// let options = (Default::default(), Rows::Documents, 2);
/// let progress = &mut |_| true;
/// let found =
///     score_in_threads(&file, Some(&file), &reader, &mut scorer, None, options, progress)?;
/// assert_eq!(found.map(|alignment| alignment.differing), Some(0));
/// # std::fs::remove_file(&file.path).unwrap();
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score_in_threads(
    gold: &SplitFile,
    pred: Option<&SplitFile>,
    reader: &Reader,
    scorer: &mut Scorer,
    finder: Option<&mut ErrorFinder>,
    (on_misaligned, rows, threads): (OnMisaligned, Rows, usize),
    progress: &mut (dyn FnMut(u64) -> bool + Send),
) -> Result<Option<Alignment>> {
    let files: Vec<&SplitFile> = [Some(gold), pred].into_iter().flatten().collect();
    let whole_documents = scorer.has_documents() && rows == Rows::Documents;
    if threads < 2 || whole_documents || files.iter().any(|file| file.layout.is_conllu()) {
        return Ok(None);
    }
    let mut workers = Workers::new(progress);
    let Some(cuts) = cut(&files, threads, &mut workers) else {
        return match workers.are_interrupted() {
            true => Err(crate::Error::Stopped),
            false => Ok(None),
        };
    };
    let empty = scorer.part(reader);
    let empty_finder = finder.as_deref().map(ErrorFinder::empty);
    let parts = workers.map(0..cuts.len() - 1, |part, worker| {
        let sides = open_part(&files, &cuts[part..part + 2])?;
        let mut part = ScoredPart {
            alignment: Alignment::default(),
            reader: reader.clone(),
            scorer: empty.clone(),
            finder: empty_finder.as_ref().map(ErrorFinder::empty),
        };
        let mut before = 0;
        part.alignment = score_and_list(
            sides,
            &mut part.reader,
            &mut part.scorer,
            part.finder.as_mut(),
            (on_misaligned, rows),
            &mut |read| {
                let new = read.saturating_sub(before);
                before = read.max(before);
                worker.advance(new).is_ok()
            },
        )?;
        Ok::<_, crate::Error>(part)
    });
    if workers.are_interrupted() {
        return Err(crate::Error::Stopped);
    }
    match parts {
        Ok(parts) => Ok(add_parts(parts, reader, scorer, finder)),
        Err(crate::Error::Stopped) => Err(crate::Error::Stopped),
        // The caller then reads the whole files in one thread and reports the error with its
        // position.
        Err(_) => Ok(None),
    }
}

/// Result of one part.
struct ScoredPart {
    alignment: Alignment,
    reader: Reader,
    scorer: Scorer,
    finder: Option<ErrorFinder>,
}

/// Opens the part of each file between two consecutive rows of the result of [`cut`].
///
/// # Errors
/// Errors from opening the files.
fn open_part(files: &[&SplitFile], cuts: &[Vec<SentenceBorder>]) -> Result<Sides> {
    let open = |side: usize| -> Result<Box<ColumnReader>> {
        let SplitFile { path, layout } = files[side];
        let (start, end) = (cuts[0][side], cuts[1].get(side).copied());
        Ok(Box::new(layout.open_part(path, start, end)?))
    };
    Ok(match files.len() {
        1 => Sides::One(open(0)?),
        _ => Sides::Two {
            gold: open(0)?,
            pred: open(1)?,
        },
    })
}

/// Adds parts to the scorer and the finder, in order. Returns None and adds nothing if all parts
/// together have too many tags.
fn add_parts(
    parts: Vec<ScoredPart>,
    reader: &Reader,
    scorer: &mut Scorer,
    mut finder: Option<&mut ErrorFinder>,
) -> Option<Alignment> {
    let mut all = reader.clone();
    for part in &parts {
        for tag in part.reader.tags().names() {
            all.intern(tag).ok()?;
        }
    }
    let mut alignment = Alignment::default();
    scorer.change_reader(reader);
    for part in parts {
        if let (Some(finder), Some(errors)) = (&mut finder, part.finder) {
            finder.append(errors);
        }
        scorer.add_part(part.scorer, &part.reader);
        scorer.change_reader(&part.reader);
        alignment.differing += part.alignment.differing;
        alignment.unaligned |= part.alignment.unaligned;
        alignment.examples.extend(part.alignment.examples);
    }
    alignment.examples.truncate(EXAMPLES);
    Some(alignment)
}

/// Cuts files into parts of similar size, at most `threads` and each of about 4 MiB or more in the
/// first file.
///
/// Each row of the result contains the beginning of a part in every file, in the order of `files`;
/// the last row is empty, because the last part ends with the files. A cut is at the first sampled
/// border of the first file at or after an even share, so the cut depends only on the first file
/// and on `threads`. Borders of the other file are found by number, starting from the nearest
/// preceding sampled border.
///
/// None if there would be fewer than two parts, a file is compressed or cannot be read, or a border
/// does not exist in all files; also if `workers` report that the job was stopped.
fn cut(
    files: &[&SplitFile],
    threads: usize,
    workers: &mut Workers<impl FnMut(u64) -> bool>,
) -> Option<Vec<Vec<SentenceBorder>>> {
    let size = std::fs::metadata(&files[0].path).ok()?.len();
    let parts = (threads as u64).min(size / LEAST);
    if parts < 2 {
        return None;
    }
    let sampled = workers.map(files, |file, worker| {
        // There are no cuts in the last part. If the other file needs borders after the sampled
        // ones, they are searched for.
        let size = file.path.metadata().map_or(0, |metadata| metadata.len());
        let until = size / parts * (parts - 1) + SLACK;
        let borders = sample_borders(&file.path, until, || worker.check().is_ok());
        borders.ok().flatten().ok_or(())
    });
    let sampled: Vec<Vec<SentenceBorder>> = sampled.ok()?;
    let (own, others) = sampled.split_first()?;
    let mut cuts = vec![vec![SentenceBorder::default(); files.len()]];
    for part in 1..parts {
        let wanted = size / parts * part;
        let at = own.partition_point(|border| border.offset < wanted);
        let Some(&border) = own.get(at) else {
            break;
        };
        if cuts
            .last()
            .is_some_and(|before| before[0].offset >= border.offset)
        {
            continue;
        }
        let mut row = vec![border];
        for (file, sampled) in files[1..].iter().zip(others) {
            let after = sampled.partition_point(|known| known.number <= border.number);
            let from = *sampled.get(after.checked_sub(1)?)?;
            row.push(find_border(&file.path, from, border.number).ok()??);
        }
        cuts.push(row);
    }
    cuts.push(Vec::new());
    (cuts.len() > 2).then_some(cuts)
}
