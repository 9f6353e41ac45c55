//! Counting beside the definition: sets of spans, built and compared.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

mod common;

use common::{Table, by_sets, documents, sum, totals};
use proptest::prelude::*;
use spanrs_eval::{Exact, Scorer, Side};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

fn tags() -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..NAMES.len(), 0..NAMES.len()), 0..20)
}

const NAMES: [&str; 14] = [
    "O", "O", "O", "B-A", "I-A", "E-A", "S-A", "B-C", "I-C", "M-A", "U-C", "X", "I", "E-C",
];

/// As tags, with the two sides equal in most places, as real ones are.
fn sides(picks: &[(usize, usize)], alike: usize) -> (Vec<&'static str>, Vec<&'static str>) {
    picks
        .iter()
        .enumerate()
        .map(|(at, &(g, p))| {
            (
                NAMES[g],
                if (at + g + p) % 5 < alike {
                    NAMES[g]
                } else {
                    NAMES[p]
                },
            )
        })
        .unzip()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn counts_are_those_of_the_definition(
        sentences in proptest::collection::vec((tags(), 0..6_usize), 1..5),
        wide in any::<bool>(),
        // Pred is in the scheme of gold, or in one of the others.
        other in 0..20_usize,
    ) {
        for scheme in Scheme::all() {
            for reading in Reading::all() {
                let Ok(mut reader) = Reader::new(scheme, reading, Dialect::default()) else { continue };
                if let Some(pred_scheme) = Scheme::all().nth(other) {
                    let Ok(mixed) = reader.with_pred_scheme(pred_scheme) else { continue };
                    reader = mixed;
                }
                if wide {
                    // So many tags that counting falls back to walking both sides.
                    for n in 0..200 {
                        reader.intern(&format!("B-{n}")).unwrap();
                    }
                }
                let mut scorer = Scorer::new(Box::new(Exact::default()), 3);
                let mut expected = Table::new();
                let (mut gold_wrong, mut pred_wrong) = (0, 0);
                for (picks, alike) in &sentences {
                    let (gold, pred) = sides(picks, *alike);
                    let gold = reader.intern_all(gold).unwrap();
                    let pred = reader.intern_all(pred).unwrap();
                    scorer.add(&reader, &gold, &pred, |_, _| 0);
                    by_sets(&mut expected, &reader, &gold, &pred);
                    gold_wrong += reader.count_violations(&gold);
                    pred_wrong += reader.pred().count_violations(&pred);
                }
                let counts = totals(&scorer.counts(&reader));
                let both = (scheme.name(), reader.pred_scheme().name());
                prop_assert_eq!(counts, expected, "{:?} {}", both, reading);
                prop_assert_eq!(scorer.violations(Side::Gold).count, gold_wrong);
                prop_assert_eq!(scorer.violations(Side::Pred).count, pred_wrong);
            }
        }
    }

    #[test]
    fn documents_add_up_to_the_whole(sentences in proptest::collection::vec(tags(), 1..8)) {
        let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
        let mut whole = Scorer::new(Box::new(Exact::default()), 0);
        let mut parts = Scorer::new(Box::new(Exact::default()), 0).by_document();
        for picks in &sentences {
            let (gold, pred) = sides(picks, 3);
            let gold = reader.intern_all(gold).unwrap();
            let pred = reader.intern_all(pred).unwrap();
            whole.add(&reader, &gold, &pred, |_, _| 0);
            parts.add(&reader, &gold, &pred, |_, _| 0);
            parts.end_document(&reader, None);
        }
        let parts = parts.counts(&reader);
        let rows = documents(&parts);
        prop_assert_eq!(rows.len(), sentences.len());
        let (forwards, backwards) = (sum(&rows), sum(rows.iter().rev()));
        prop_assert_eq!(&forwards, &backwards);
        prop_assert_eq!(&totals(&parts), &forwards);
        prop_assert_eq!(totals(&whole.counts(&reader)), forwards);
    }
}
