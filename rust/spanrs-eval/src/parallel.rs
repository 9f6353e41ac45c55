use std::ops::Range;

use spanrs_base::map_in_threads;
use spanrs_tags::Reader;

use crate::scorer::Scorer;

/// Counts parts of a corpus, each on a thread of its own, and adds them in order: the result, the error
/// included, is that of one thread.
///
/// Threads are those of [`map_in_threads`].
///
/// # Errors
/// The error of the first part that has one. Nothing is added then.
pub fn count_parts<E: Send>(
    scorer: &mut Scorer,
    reader: &Reader,
    parts: &[Range<usize>],
    count: impl Fn(Range<usize>, &mut Scorer) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let Some((first, others)) = parts.split_first() else {
        return Ok(());
    };
    let mut empty = scorer.part(reader);
    if others.is_empty() {
        count(first.clone(), &mut empty)?;
        scorer.add_part(empty, reader);
        return Ok(());
    }
    let counted = map_in_threads(parts.iter().cloned(), |range| {
        let mut part = empty.clone();
        count(range, &mut part).map(|()| part)
    });
    for part in counted.into_iter().collect::<Result<Vec<_>, _>>()? {
        scorer.add_part(part, reader);
    }
    Ok(())
}
