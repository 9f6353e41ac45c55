//! Counting parts of a corpus in threads.

use std::ops::Range;

use spanrs_base::{Watch, Worker, Workers};
use spanrs_tags::Reader;

use crate::scorer::Scorer;

/// Counts parts of a corpus, each in its own thread, and adds them to `scorer` in order.
///
/// The result, including the reported error, is the same as with one thread, for any number of
/// parts.
///
/// - `scorer`: receives the counts. Its matcher, filter and limit of violations are copied for
///   every part.
/// - `reader`: the reader of all parts; tags must have been interned before, because threads share
///   the reader.
/// - `parts`: ranges of the units that `count` uses (sentences, rows, bytes), in order. A range
///   need not begin or end at a document boundary.
/// - `watch`: called in the calling thread; returns true to stop.
/// - `count`: adds everything in a range to the given scorer, and checks at intervals whether to
///   stop ([`Worker::check`]).
///
/// A single part is counted in the calling thread; several parts use the threads of
/// [`Workers::map`]. Every part keeps its own counts until all parts are finished.
///
/// # Errors
/// The error of the first part that fails, in the order of `parts`, not in time. Nothing is then
/// added to `scorer`.
///
/// # Examples
/// ```
/// use spanrs_eval::outcomes::{Measure, Prf};
/// use spanrs_eval::{Exact, Scorer, count_parts};
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let tags = reader.intern_all(["B-PER", "I-PER", "O"]).unwrap();
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 10);
/// count_parts(&mut scorer, &reader, &[0..2, 2..5], || false, |sentences, part, worker| {
///     sentences.for_each(|_| part.add(&reader, &tags, &tags, |_, _| 0));
///     worker.check()
/// })
/// .unwrap();
/// assert_eq!(scorer.position().0, 5);
/// assert_eq!(scorer.counts(&reader).measure(&Measure::Micro(Prf::f1(0))), 1.0);
/// ```
pub fn count_parts<E: Send>(
    scorer: &mut Scorer,
    reader: &Reader,
    parts: &[Range<usize>],
    watch: Watch,
    count: impl Fn(Range<usize>, &mut Scorer, &mut Worker<'_>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let Some((first, others)) = parts.split_first() else {
        return Ok(());
    };
    let mut empty = scorer.part(reader);
    let mut workers = Workers::watched(watch);
    if others.is_empty() {
        count(first.clone(), &mut empty, &mut workers.single())?;
        scorer.add_part(empty, reader);
        return Ok(());
    }
    let counted = workers.map(parts.iter().cloned(), |range, worker| {
        let mut part = empty.clone();
        count(range, &mut part, worker).map(|()| part)
    });
    for part in counted? {
        scorer.add_part(part, reader);
    }
    Ok(())
}
