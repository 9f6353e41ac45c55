//! Confidence of the tables of scores.

use spanrs_eval::mat::{DocumentCounts, MEASURES, Measures, Row, TABLES};
use spanrs_eval::resample::{Counted, Spread, resample};

/// Spreads of the measures of a table: of each label, None for those that do not occur, and of all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spreads {
    /// By label.
    pub labels: Vec<Option<[Spread; MEASURES]>>,
    /// Of all labels together.
    pub all: [Spread; MEASURES],
}

/// Numbers of a row: its five counts, or the elements of the document in the first.
const NUMBERS: usize = 5;

/// Draws samples of documents and gives, by table, the spread of the measures. All tables share the samples.
/// None where `stop` says so.
pub fn spreads(
    documents: &[DocumentCounts],
    labels: usize,
    samples: u64,
    seed: u64,
    threads: usize,
    stop: impl Fn() -> bool,
) -> Option<[Spreads; TABLES]> {
    // Rows of a table: its labels, then the elements.
    let width = labels + 1;
    let counted: Vec<Counted<NUMBERS>> = documents.iter().map(|d| rows(d, width)).collect();
    let measure = |sums: &[Option<[u64; NUMBERS]>]| {
        let mut values = Vec::with_capacity(sums.len());
        for table in sums.chunks_exact(width) {
            let elements = table[labels].map_or(0, |sum| sum[0]);
            let mut all = None;
            for sum in &table[..labels] {
                values.push(sum.map(|sum| {
                    let row = row(sum);
                    *all.get_or_insert_with(Row::default) += row;
                    Measures::of(&row, elements).all
                }));
            }
            values.push(all.map(|row| Measures::of(&row, elements).all));
        }
        values
    };
    let found = resample(
        &counted,
        TABLES * width,
        samples,
        seed,
        threads,
        measure,
        stop,
    )?;
    Some(std::array::from_fn(|table| {
        let rows = found
            .get(table * width..(table + 1) * width)
            .unwrap_or_default();
        let seen = |spread: &[Spread; MEASURES]| (spread[0].samples > 0).then_some(*spread);
        Spreads {
            labels: rows.iter().take(labels).map(seen).collect(),
            all: rows.last().copied().unwrap_or_default(),
        }
    }))
}

fn rows(document: &DocumentCounts, width: usize) -> Counted<NUMBERS> {
    let mut rows = Vec::new();
    for (table, counted) in document.rows.iter().enumerate() {
        let first = (table * width) as u32;
        rows.extend(
            counted
                .iter()
                .map(|&(label, row)| (first + label, numbers(&row))),
        );
        if let Some(unit) = table.checked_sub(1) {
            let elements = [document.elements[unit], 0, 0, 0, 0];
            rows.push((first + width as u32 - 1, elements));
        }
    }
    rows
}

fn numbers(row: &Row) -> [u64; NUMBERS] {
    [
        row.matched,
        row.ref_clash,
        row.missing,
        row.hyp_clash,
        row.spurious,
    ]
}

fn row([matched, ref_clash, missing, hyp_clash, spurious]: [u64; NUMBERS]) -> Row {
    Row {
        matched,
        ref_clash,
        missing,
        hyp_clash,
        spurious,
    }
}
