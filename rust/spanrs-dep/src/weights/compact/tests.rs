//! Tests of the compact table against a list of rows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use spanrs_base::Rng;

use super::*;
use crate::averages::Averages;
use crate::weights::{CompactParts, Lookup, Weights};

type Rows = BTreeMap<u64, BTreeMap<u32, i32>>;

/// Returns rows with some classes of all classes, a few of them long.
fn rows(classes: u32, largest: usize) -> impl Strategy<Value = Rows> {
    let cells = proptest::collection::btree_map(0..classes, 1..5000_i32, 1..=largest);
    proptest::collection::btree_map(any::<u64>(), cells, 0..200)
}

fn table(rows: &Rows, classes: u32) -> Weights {
    let mut averages = Averages::default();
    for (feature, row) in rows {
        let signed = |(&class, &weight): (&u32, &i32)| match (class + weight as u32) % 3 {
            0 => (class, -f64::from(weight)),
            _ => (class, f64::from(weight)),
        };
        averages.push(*feature, row.iter().map(signed));
    }
    Weights::compact(&averages, classes as usize).unwrap()
}

proptest! {
    #[test]
    fn every_weight_is_found(
        (classes, rows) in prop::sample::select(vec![(2_u32, 2), (3, 3), (40, 20), (256, 100), (300, 8), (4096, 30)])
            .prop_flat_map(|(classes, largest)| (Just(classes), rows(classes, largest))),
    ) {
        let weights = table(&rows, classes);
        prop_assert_eq!(weights.len(), rows.len());
        let mut sums = vec![0; classes as usize];
        for (feature, row) in &rows {
            for class in 0..classes {
                let own = weights.get(*feature, class);
                let expected = row.get(&class).map_or(0.0, |&weight| f64::from(weight) * weights.scale());
                // Half of the distance of two levels: a ratio of 5000 in 126 steps is 7 %.
                prop_assert!((f64::from(own).abs() - expected).abs() <= 0.036 * expected + 0.5);
                sums[class as usize] += own;
            }
        }
        let mut lookup = Lookup { features: rows.keys().copied().collect(), ..Lookup::default() };
        weights.prefetch(&mut lookup);
        weights.find(&mut lookup);
        let mut scores = [7; MAX_CLASSES];
        prop_assert_eq!(weights.sums(&lookup, &mut scores), &sums[..]);
    }

    #[test]
    fn what_is_written_is_read(rows in rows(40, 20)) {
        let weights = table(&rows, 40);
        let parts = || weights.compact_table().unwrap().parts();
        let again = Weights::of_compact(parts(), 40, weights.scale()).unwrap();
        prop_assert_eq!(again.len(), rows.len());
        for class in 0..40 {
            for &feature in rows.keys() {
                prop_assert_eq!(again.get(feature, class), weights.get(feature, class));
            }
        }
        let written = again.compact_table().unwrap().parts();
        prop_assert_eq!(written.buckets, parts().buckets);
        prop_assert_eq!(written.dense, parts().dense);
    }
}

/// A table with 100,000 features of one to five classes.
fn large() -> (Weights, Vec<u64>) {
    let (mut rng, mut averages) = (Rng::new(1), Averages::default());
    let features: Vec<u64> = (0..100_000).map(|_| rng.draw()).collect();
    for &feature in &features {
        let len = 1 + rng.below(5) as u32;
        averages.push(feature, (0..len).map(|class| (class * 7, 1.0)));
    }
    (Weights::compact(&averages, 100).unwrap(), features)
}

#[test]
fn few_features_are_dropped_or_mistaken() {
    let (weights, features) = large();
    let found = |feature: &u64| weights.get(*feature, 0) != 0;
    assert!(weights.len() > 99_970);
    let present = features.iter().filter(|feature| found(feature)).count();
    assert!(present >= weights.len(), "{present} of {}", weights.len());
    let mut rng = Rng::new(2);
    let mistaken = (0..100_000).filter(|_| found(&rng.draw())).count();
    assert!(
        (1..40).contains(&mistaken),
        "expected about 14, not {mistaken}"
    );
}

#[test]
fn tables_are_small() {
    let (weights, features) = large();
    let table = weights.compact_table().unwrap();
    // Three weights of two bytes, and 3.4 bytes for a feature in a bucket of five.
    assert!(table.buckets.len() < features.len() * 95 / 10);
    assert!(table.starts.len() * 4 < features.len());
}

#[test]
fn wrong_parts_are_rejected() {
    let mut rows = Rows::new();
    for feature in 0..200 {
        let len = [1, 3, 10, 30][feature as usize % 4];
        rows.insert(feature << 40, (0..len).map(|class| (class, 7)).collect());
    }
    let weights = table(&rows, 40);
    let read = |change: &dyn Fn(&mut CompactParts)| {
        let mut parts = weights.compact_table().unwrap().parts();
        change(&mut parts);
        Weights::of_compact(parts, 40, 1.0).map(|_| ())
    };
    assert_eq!(read(&|_| ()), Ok(()));
    let invalid = |part: &str| Err(format!("{part} invalid"));
    assert_eq!(
        read(&|parts| parts.levels[3] = 0),
        invalid("the levels are")
    );
    assert_eq!(
        read(&|parts| parts.dense.truncate(63)),
        invalid("dense rows are")
    );
    assert_eq!(
        read(&|parts| parts.dense[63] = 1),
        invalid("dense rows are")
    );
    assert_eq!(read(&|parts| parts.long[0] += 1), invalid("long rows are"));
    assert_eq!(read(&|parts| parts.long[2] = 40), invalid("long rows are"));
    assert_eq!(
        read(&|parts| parts.buckets.clear()),
        Err("there are no buckets".to_owned())
    );
    assert_eq!(
        read(&|parts| parts.long.clear()),
        invalid("the buckets are")
    );
    assert_eq!(
        read(&|parts| parts.dense.clear()),
        invalid("the buckets are")
    );
    assert_eq!(
        read(&|parts| parts.hash = 8),
        Err("the hash function is unknown".to_owned())
    );
}
