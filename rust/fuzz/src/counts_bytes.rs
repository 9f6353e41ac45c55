//! Fuzz target for stored counts of outcomes.

use spanrs_eval::outcomes::{Counts, CountsError};

use crate::schemas::SCHEMA;

/// Asserts that only bytes that the library would write can be read, that merging counts with themselves doubles them,
/// and that rows add up to the totals.
pub fn run(data: &[u8]) {
    // The header is prepended, so that the fuzzer need not discover it.
    let stored = [&b"spanrs counts\x01\x04test"[..], data].concat();
    let counts = match Counts::from_bytes(&stored, &SCHEMA) {
        Ok(counts) => counts,
        Err(CountsError::Damaged { at, .. }) => return assert!(at <= stored.len()),
        Err(CountsError::Overflow) => return,
        Err(error) => panic!("the header is valid: {error}"),
    };
    let written = counts.to_bytes().expect("no document is open");
    assert_eq!(written, stored);
    let mut twice = counts.clone();
    if twice.merge(&counts).is_ok() {
        assert_eq!(twice.rows().count(), 2 * counts.rows().count());
        for id in (0..).take(counts.cells().len()) {
            assert_eq!(twice.total(id), 2 * counts.total(id));
        }
        let again = twice.to_bytes().expect("no document is open");
        let loaded = Counts::from_bytes(&again, &SCHEMA).expect("written counts can be read");
        assert_eq!(loaded.to_bytes().expect("no document is open"), again);
    } else {
        assert_eq!(twice.to_bytes().expect("no document is open"), stored);
    }
    if counts.has_documents() {
        for id in (0..).take(counts.cells().len()) {
            let rows = counts.rows().flat_map(|row| row.cells.iter().zip(row.n));
            let sum: u64 = rows.filter(|(cell, _)| **cell == id).map(|(_, n)| n).sum();
            assert_eq!(sum, counts.total(id));
        }
    }
}
