//! Bootstrap, jackknife and randomisation compared with their definitions.

#[path = "common/rows.rs"]
mod rows;
#[path = "common/schemas.rs"]
mod schemas;

use proptest::prelude::*;
use spanrs_eval::outcomes::{Cell, Counts, CountsError, Measure, Omission, Prf, Systems};

use rows::spans;
use schemas::SCHEMA;

fn systems(counts: &[&Counts]) -> Result<Systems, CountsError> {
    Systems::new(
        counts
            .iter()
            .map(|counts| Counts::clone(counts).into())
            .collect(),
    )
}

fn bootstrap(
    counts: &Counts,
    measures: &[Measure],
    samples: u64,
    seed: u64,
    threads: usize,
) -> Option<Vec<f64>> {
    let aligned = systems(&[counts]).ok()?;
    aligned.bootstrap(measures, samples, seed, threads, |_| false)
}

fn f1() -> [Measure; 2] {
    [Measure::Micro(Prf::f1(0)), Measure::Macro(Prf::f1(0))]
}

/// Returns, for each measure, the share of all exchanges of documents whose absolute difference is
/// at least as large as the observed difference.
fn exact_p(a: &[[u64; 3]], b: &[[u64; 3]], measures: &[Measure]) -> Vec<f64> {
    let differences = |exchanged: u32| -> Vec<f64> {
        let choose = |keep: bool| -> Vec<[u64; 3]> {
            let pairs = (0..).zip(a.iter().zip(b));
            pairs
                .map(|(at, (a, b))| {
                    if (exchanged >> at & 1 == 0) == keep {
                        *a
                    } else {
                        *b
                    }
                })
                .collect()
        };
        let (first, second) = (spans(&choose(true)), spans(&choose(false)));
        let measures = measures.iter();
        measures
            .map(|one| (first.measure(one) - second.measure(one)).abs())
            .collect()
    };
    let observed = differences(0);
    let mut as_large = vec![0.0; measures.len()];
    let all = 1_u32 << a.len();
    for exchanged in 0..all {
        for ((n, found), observed) in as_large
            .iter_mut()
            .zip(differences(exchanged))
            .zip(&observed)
        {
            *n += f64::from(u8::from(found >= observed - 1e-12));
        }
    }
    as_large.iter().map(|n| n / f64::from(all)).collect()
}

fn documents() -> impl Strategy<Value = Vec<([u64; 3], [u64; 3])>> {
    let row = (0..4_u64, 0..4_u64, 0..4_u64, 0..2_u64, 0..2_u64);
    let pair = row.prop_map(|(gold, a, b, more_a, more_b)| {
        let system = |found: u64, more| [found.min(gold), gold - found.min(gold), more];
        (system(a, more_a), system(b, more_b))
    });
    prop::collection::vec(pair, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn randomisation_approaches_all_exchanges(documents in documents(), seed in 0..100_u64) {
        let (a, b): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
        let exact = exact_p(&a, &b, &f1());
        let (first, second) = (spans(&a), spans(&b));
        let aligned = systems(&[&first, &second]).unwrap();
        let samples = 20_000;
        let found = aligned.randomise([0, 1], &f1(), samples, seed, 1, |_| false).unwrap();
        for (n, exact) in found.into_iter().zip(exact) {
            let p = n as f64 / samples as f64;
            let error = (exact * (1.0 - exact) / samples as f64).sqrt();
            prop_assert!((p - exact).abs() <= 5.0 * error + 1e-9, "{} beside {}", p, exact);
        }
    }

    #[test]
    fn the_jackknife_leaves_out_each_document(documents in documents()) {
        let (rows, _): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
        let counts = spans(&rows);
        let omissions = systems(&[&counts]).unwrap().jackknife(&f1(), || false).unwrap();
        let mut found: Vec<Vec<f64>> = Vec::new();
        for Omission { documents, values } in omissions {
            found.extend((0..documents).map(|_| values.clone()));
        }
        let mut expected: Vec<Vec<f64>> = (0..rows.len())
            .map(|left_out| {
                let mut counts = Counts::by_document(&SCHEMA);
                for row in spans(&rows).rows().enumerate().filter(|(at, _)| *at != left_out) {
                    let whole = spans(&rows);
                    for (&cell, &n) in row.1.cells.iter().zip(row.1.n) {
                        let cell = whole.cells()[cell as usize];
                        let name = |ty: Option<u32>| ty.map(|ty| whole.type_name(ty).to_owned());
                        let mut own = |ty| name(ty).map(|name| counts.intern(&name));
                        let (gold, pred) = (own(cell.gold), own(cell.pred));
                        let id = counts.cell(Cell::new(0, cell.outcome, gold, pred));
                        counts.add(id, n);
                    }
                }
                f1().iter().map(|measure| counts.measure(measure)).collect()
            })
            .collect();
        let order = |a: &Vec<f64>, b: &Vec<f64>| a.partial_cmp(b).unwrap();
        found.sort_by(order);
        expected.sort_by(order);
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn randomisation_does_not_depend_on_threads() {
    let a: Vec<[u64; 3]> = (0..50).map(|n| [n % 4, n % 3, n % 2]).collect();
    let b: Vec<[u64; 3]> = (0..50)
        .map(|n| {
            let gold = n % 4 + n % 3;
            let found = (n % 5).min(gold);
            [found, gold - found, 1 - n % 2]
        })
        .collect();
    let (a, b) = (spans(&a), spans(&b));
    let aligned = systems(&[&a, &b]).unwrap();
    let draw = |pair, seed, threads| {
        aligned
            .randomise(pair, &f1(), 3_000, seed, threads, |_| false)
            .unwrap()
    };
    let one = draw([0, 1], 1, 1);
    assert_eq!(one, draw([0, 1], 1, 2));
    assert_eq!(one, draw([0, 1], 1, 7));
    assert_eq!(draw([0, 0], 1, 1), [3_000, 3_000]);
    assert_eq!(aligned.randomise([0, 1], &f1(), 500, 1, 1, |_| true), None);
}

#[test]
fn systems_are_resampled_together() {
    let rows: Vec<[u64; 3]> = (0..40).map(|n| [n % 4, n % 3, n % 2]).collect();
    let counts = spans(&rows);
    let both = systems(&[&counts, &counts]).unwrap();
    let values = both.bootstrap(&f1(), 100, 3, 1, |_| false).unwrap();
    for row in values.chunks_exact(4) {
        assert_eq!(row[..2], row[2..]);
    }
    // A single system is resampled in the same way as together with others.
    let alone = bootstrap(&counts, &f1(), 100, 3, 1).unwrap();
    let first: Vec<f64> = values
        .chunks_exact(4)
        .flat_map(|row| row[..2].to_vec())
        .collect();
    assert_eq!(alone, first);
}

#[test]
fn documents_that_do_not_align_are_refused() {
    let (a, b) = (spans(&[[1, 0, 0]; 3]), spans(&[[1, 0, 0]; 2]));
    let refused = |a: &Counts, b: &Counts| systems(&[a, b]).err().unwrap();
    let lacks = |system| CountsError::Unpaired {
        document: "2".to_owned(),
        system: format!("system {system}"),
    };
    assert_eq!(refused(&a, &b), lacks(1));
    assert_eq!(refused(&b, &a), lacks(0));
    let mut twice = a.clone();
    twice.merge(&b).unwrap();
    assert_eq!(
        refused(&twice, &a),
        CountsError::Repeated {
            document: "0".to_owned(),
            system: "system 0".to_owned(),
        }
    );
    let message = refused(&a, &Counts::new(&SCHEMA)).to_string();
    assert_eq!(message, "resampling needs counts by document");
    let (one, other) = (
        spans(&[[1, 0, 0], [2, 1, 0]]),
        spans(&[[1, 1, 0], [2, 0, 3]]),
    );
    let differs = CountsError::Gold {
        first: "system 0".to_owned(),
        document: "0".to_owned(),
        system: "system 1".to_owned(),
    };
    assert_eq!(refused(&one, &other), differs);
    let alone = systems(&[&twice]).unwrap();
    assert_eq!(alone.check_size(1 << 20, 128), Ok(()));
    let error = alone.check_size(1 << 20, 129).unwrap_err();
    let message = "1048576 samples of 129 measures are 135266304 values; the limit is 134217728";
    assert_eq!(error.to_string(), message);
    assert!(Systems::named(vec![], &["a".to_owned()]).is_err());
}

#[test]
fn the_bootstrap_is_that_of_all_samples() {
    let documents = [[2, 1, 1], [1, 0, 2], [0, 3, 0]];
    let measure = [Measure::Micro(Prf::f1(0))];
    // All 27 samples, by brute force; the keys are the numbers of the drawn documents.
    let all = (0..27_usize).map(|n| {
        let drawn = [n % 3, n / 3 % 3, n / 9];
        let mut sums = [0_u64; 4];
        for at in drawn {
            let row = documents[at];
            sums = [
                sums[0] + row[0],
                sums[1] + row[1],
                sums[2] + row[2],
                sums[3] + u64::from(at == 0),
            ];
        }
        let [tp, missed, fp, other] = sums.map(|n| n as f64);
        let below = 2.0 * tp + fp + missed + other;
        if below == 0.0 { 0.0 } else { 2.0 * tp / below }
    });
    let all: Vec<f64> = all.collect();
    let mean = all.iter().sum::<f64>() / 27.0;
    let variance = all.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / 27.0;
    let counts = spans(&documents);
    let found = bootstrap(&counts, &measure, 20_000, 7, 1).unwrap();
    let sampled = found.iter().sum::<f64>() / 20_000.0;
    assert!((sampled - mean).abs() < 5.0 * (variance / 20_000.0).sqrt());
    assert!(
        found
            .iter()
            .all(|f| all.iter().any(|known| (f - known).abs() < 1e-12))
    );
}

#[test]
fn samples_depend_on_the_seed_alone() {
    let documents: Vec<[u64; 3]> = (0..50).map(|n| [n % 4, n % 3, n % 2]).collect();
    let counts = spans(&documents);
    let measures = [Measure::Micro(Prf::f1(0)), Measure::Macro(Prf::f1(0))];
    let draw =
        |counts: &Counts, seed, threads| bootstrap(counts, &measures, 500, seed, threads).unwrap();
    let one = draw(&counts, 1, 1);
    assert_eq!(one.len(), 500 * measures.len());
    assert_eq!(one, draw(&counts, 1, 2));
    assert_eq!(one, draw(&counts, 1, 7));
    assert_ne!(one, draw(&counts, 2, 1));
    let stored = counts.to_bytes().unwrap();
    assert_eq!(
        one,
        draw(&Counts::from_bytes(&stored, &SCHEMA).unwrap(), 1, 1)
    );
    let aligned = systems(&[&counts]).unwrap();
    assert_eq!(aligned.bootstrap(&measures, 500, 1, 1, |_| true), None);
    assert_eq!(bootstrap(&spans(&[]), &measures, 500, 1, 1), None);
}

#[test]
fn many_documents_are_drawn_by_group_the_same_for_any_threads() {
    let documents: Vec<[u64; 3]> = (0..20_000)
        // Frequent and rare groups.
        .map(|n| [n % 4, n % 3, if n % 50 == 0 { n / 50 } else { 0 }])
        .collect();
    let counts = spans(&documents);
    let measures = [Measure::Micro(Prf::f1(0)), Measure::Macro(Prf::f1(0))];
    let draw =
        |counts: &Counts, seed, threads| bootstrap(counts, &measures, 500, seed, threads).unwrap();
    let one = draw(&counts, 1, 1);
    for threads in [2, 3, 64] {
        assert_eq!(one, draw(&counts, 1, threads));
    }
    assert_ne!(one, draw(&counts, 2, 1));
    let loaded = Counts::from_bytes(&counts.to_bytes().unwrap(), &SCHEMA).unwrap();
    assert_eq!(one, draw(&loaded, 1, 1));
    let mut done = Vec::new();
    let aligned = systems(&[&counts]).unwrap();
    let stopped = aligned.bootstrap(&measures, 500, 1, 1, |n| {
        done.push(n);
        n > 200
    });
    assert_eq!((stopped, done), (None, vec![0, 128, 256]));
}
