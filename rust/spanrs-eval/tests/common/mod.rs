//! The definition of the counts: sets of spans are built and compared.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::collections::{BTreeMap, BTreeSet};

use spanrs_base::Span;
use spanrs_eval::outcomes::{CellId, Counts};
use spanrs_tags::{Reader, SideReader};

/// A cell: criterion, outcome, and the types of gold and pred, all by name.
pub(crate) type CellName = (&'static str, &'static str, Option<String>, Option<String>);

/// The count of each cell; cells that were never counted are omitted.
pub(crate) type Table = BTreeMap<CellName, u64>;

/// Adds `n` to a cell.
pub(crate) fn add(table: &mut Table, cell: CellName, n: u64) {
    if n > 0 {
        *table.entry(cell).or_default() += n;
    }
}

/// Returns the sum of tables.
pub(crate) fn sum<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Table {
    let mut sum = Table::new();
    for (cell, n) in tables.into_iter().flatten() {
        add(&mut sum, cell.clone(), *n);
    }
    sum
}

/// Returns the counts of some cells by name.
fn named<'a>(counts: &Counts, numbers: impl IntoIterator<Item = (CellId, &'a u64)>) -> Table {
    let mut table = Table::new();
    let ty = |ty: Option<u32>| ty.map(|ty| counts.type_name(ty).to_owned());
    for (id, n) in numbers {
        let cell = counts.cells()[id as usize];
        let criterion = &counts.schema().criteria[usize::from(cell.criterion)];
        let outcome = criterion.outcomes[usize::from(cell.outcome)].name;
        let cell = (criterion.name, outcome, ty(cell.gold), ty(cell.pred));
        add(&mut table, cell, *n);
    }
    table
}

/// Returns all counts.
pub(crate) fn totals(counts: &Counts) -> Table {
    let ids = 0..counts.cells().len() as CellId;
    let totals: Vec<u64> = ids.clone().map(|id| counts.total(id)).collect();
    named(counts, ids.zip(&totals))
}

/// Returns the counts of each document.
pub(crate) fn documents(counts: &Counts) -> Vec<Table> {
    let cells =
        |row: spanrs_eval::outcomes::Row<'_>| named(counts, row.cells.iter().copied().zip(row.n));
    counts.rows().map(cells).collect()
}

/// Counts a sentence by the definition.
pub(crate) fn by_sets(table: &mut Table, reader: &Reader, gold: &[u32], pred: &[u32]) {
    let set = |side: SideReader<'_>, ids: &[u32]| -> BTreeSet<Span> {
        side.spans(ids).into_iter().collect()
    };
    let (g, p) = (set(reader.gold(), gold), set(reader.pred(), pred));
    let name = |span: &Span| Some(reader.type_name(span.ty).to_owned());
    for span in &g {
        let cell = match p.contains(span) {
            true => ("span", "match", name(span), name(span)),
            false => ("span", "missed", name(span), None),
        };
        add(table, cell, 1);
        for other in &p {
            if other.start == span.start && other.end == span.end && other.ty != span.ty {
                add(table, ("span", "mistyped", name(span), name(other)), 1);
            }
        }
    }
    for span in p.difference(&g) {
        add(table, ("span", "spurious", None, name(span)), 1);
    }
    corpus_cells(table, reader, gold, pred);
}

/// Counts the tokens of a sentence and the violations in its tags.
pub(crate) fn corpus_cells(table: &mut Table, reader: &Reader, gold: &[u32], pred: &[u32]) {
    // Equal tags of different schemes may mean different things, so types are compared.
    let meaning = |side: SideReader<'_>, id: u32| (side.is_outside(id), side.type_of(id));
    let same = |pair: &(&u32, &u32)| match reader.has_two_schemes() {
        true => meaning(reader.gold(), *pair.0) == meaning(reader.pred(), *pair.1),
        false => pair.0 == pair.1,
    };
    let correct = gold.iter().zip(pred).filter(same).count() as u64;
    let labelled = |side: SideReader<'_>, ids: &[u32]| {
        ids.iter().filter(|&&id| !side.is_outside(id)).count() as u64
    };
    for (outcome, n) in [
        ("sentences", 1),
        ("tokens", gold.len() as u64),
        ("correct_tokens", correct),
        ("gold_labelled", labelled(reader.gold(), gold)),
        ("pred_labelled", labelled(reader.pred(), pred)),
        ("gold_violations", reader.gold().count_violations(gold)),
        ("pred_violations", reader.pred().count_violations(pred)),
    ] {
        add(table, ("corpus", outcome, None, None), n);
    }
}
