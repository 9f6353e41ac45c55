//! The definition of what is counted: sets of spans, built and compared.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

use std::collections::BTreeSet;

use spanrs_eval::Counts;
use spanrs_tags::Reader;

/// Counts a sentence by the definition.
pub(crate) fn by_sets(counts: &mut Counts, reader: &Reader, gold: &[u32], pred: &[u32]) {
    let (g, p) = (reader.spans(gold), reader.spans(pred));
    let g: BTreeSet<_> = g.into_iter().collect();
    let p: BTreeSet<_> = p.into_iter().collect();
    let types = reader.types().len();
    counts
        .types
        .resize(types.max(counts.types.len()), Default::default());
    for span in &g {
        counts.types[span.ty as usize].gold += 1;
        counts.types[span.ty as usize].tp += u64::from(p.contains(span));
        for other in &p {
            if other.start == span.start && other.end == span.end && other.ty != span.ty {
                *counts.confused.entry((span.ty, other.ty)).or_default() += 1;
            }
        }
    }
    for span in &p {
        counts.types[span.ty as usize].pred += 1;
    }
    counts.sentences += 1;
    counts.tokens += gold.len() as u64;
    counts.correct_tokens += gold.iter().zip(pred).filter(|(g, p)| g == p).count() as u64;
}
