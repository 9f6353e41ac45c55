//! The definition of what is counted: sets of spans, built and compared.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

use std::collections::BTreeSet;

use spanrs_eval::Counts;
use spanrs_tags::{Reader, SideReader};

/// Counts a sentence by the definition.
pub(crate) fn by_sets(counts: &mut Counts, reader: &Reader, gold: &[u32], pred: &[u32]) {
    let (g, p) = (reader.gold().spans(gold), reader.pred().spans(pred));
    // Equal tags of different schemes may mean different things, so types are compared.
    let meaning = |side: SideReader<'_>, id: u32| (side.is_outside(id), side.type_of(id));
    let same = |pair: &(&u32, &u32)| match reader.has_two_schemes() {
        true => meaning(reader.gold(), *pair.0) == meaning(reader.pred(), *pair.1),
        false => pair.0 == pair.1,
    };
    let correct = gold.iter().zip(pred).filter(same).count();
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
    counts.correct_tokens += correct as u64;
    let labelled = |side: SideReader<'_>, ids: &[u32]| {
        ids.iter().filter(|&&id| !side.is_outside(id)).count() as u64
    };
    counts.gold_labelled += labelled(reader.gold(), gold);
    counts.pred_labelled += labelled(reader.pred(), pred);
}
