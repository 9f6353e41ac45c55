use std::ops::Range;
use std::thread::{Builder, ScopedJoinHandle};

use spanrs_tags::Reader;

use crate::scorer::Scorer;

/// Counts parts of a corpus, each on a thread of its own, and adds them in order: the result, the error
/// included, is that of one thread.
///
/// The threads live as long as the call, so there is no pool that a fork could leave without its threads.
/// The first part is counted on the calling thread, and so are those for which the system gives none.
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
    let run = |range: &Range<usize>| {
        let mut part = empty.clone();
        count(range.clone(), &mut part).map(|()| part)
    };
    let counted = std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = others
            .iter()
            .map(|range| {
                let thread = Builder::new().spawn_scoped(scope, move || run(range));
                (range, thread)
            })
            .collect();
        let mut counted = vec![run(first)];
        for (range, thread) in threads {
            match thread.map(ScopedJoinHandle::join) {
                Ok(Ok(part)) => counted.push(part),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // The system gives no more threads; this one can do the work.
                Err(_) => counted.push(run(range)),
            }
        }
        counted
    });
    for part in counted.into_iter().collect::<Result<Vec<_>, _>>()? {
        scorer.add_part(part, reader);
    }
    Ok(())
}
