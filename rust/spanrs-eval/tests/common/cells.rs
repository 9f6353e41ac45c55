//! Cells of counts by name, for comparing counts of matchers with counts of their drivers.

use spanrs_eval::outcomes::Counts;

/// Corpus outcomes that only drivers count: differences between the ends of both sides.
const OF_DRIVERS: [Option<&str>; 3] = [
    Some("equal_starts"),
    Some("ends_one_less"),
    Some("ends_one_more"),
];

/// Returns the names and the count of each cell of each document, without cells that only drivers
/// count.
pub(crate) fn of_matcher(counts: &Counts) -> Vec<(String, Vec<String>)> {
    let documents = counts.long().map(|(key, cells)| {
        let cells = cells.into_iter().filter(|(_, n)| *n > 0);
        let named = cells.map(|(id, n)| (counts.cell_names(id), n));
        let kept = named.filter(|(names, _)| !OF_DRIVERS.contains(&names[1]));
        let mut cells: Vec<String> = kept.map(|cell| format!("{cell:?}")).collect();
        cells.sort();
        (format!("{key:?}"), cells)
    });
    documents.collect()
}
