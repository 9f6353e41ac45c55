use spanrs_eval::outcomes::{Cell, Counts, Key};

use super::schemas::SCHEMA;

/// Returns counts of documents, each given as (found, missed, spurious) PER spans; the first
/// document also has a missed LOC.
pub(crate) fn spans(documents: &[[u64; 3]]) -> Counts {
    let mut counts = Counts::by_document(&SCHEMA);
    let ty = Some(counts.intern("PER"));
    let other = Some(counts.intern("LOC"));
    for (key, row) in (0..).zip(documents) {
        for (outcome, (gold, pred)) in (0..).zip([(ty, ty), (ty, None), (None, ty)]) {
            let cell = counts.cell(Cell::new(0, outcome, gold, pred));
            counts.add(cell, row[usize::from(outcome)]);
        }
        let cell = counts.cell(Cell::new(0, 1, other, None));
        counts.add(cell, u64::from(key == 0));
        counts.end_document(Key::Number(key));
    }
    counts
}
