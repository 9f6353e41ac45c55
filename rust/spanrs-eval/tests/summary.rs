//! A summary equals the measures evaluated one by one.

#[path = "common/schemas.rs"]
mod schemas;

use proptest::prelude::*;
use spanrs_eval::outcomes::{Cell, Counts, Key, Measure, Part, Prf, Score};

use schemas::SCHEMA;

/// (criterion, outcome, gold type, pred type, count)
type Event = (u8, u8, Option<u8>, Option<u8>, u64);

fn counted(documents: &[Vec<Event>]) -> Counts {
    let mut counts = Counts::by_document(&SCHEMA);
    for (key, events) in (0..).zip(documents) {
        for &(criterion, outcome, gold, pred, n) in events {
            let mut ty = |ty: Option<u8>| ty.map(|ty| counts.intern(&format!("type {ty}")));
            let (gold, pred) = (ty(gold), ty(pred));
            let cell = counts.cell(Cell::new(criterion, outcome, gold, pred));
            counts.add(cell, n);
        }
        counts.end_document(Key::Number(key));
    }
    counts
}

fn documents() -> impl Strategy<Value = Vec<Vec<Event>>> {
    let ty = || prop::option::of(0..4_u8);
    let event = (0..2_u8, 0..2_u8, ty(), ty(), 0..300_u64);
    prop::collection::vec(prop::collection::vec(event, 0..8), 0..6)
}

/// Returns precision, recall and F of a criterion, each evaluated separately.
fn values(counts: &Counts, criterion: u8, measure: impl Fn(Prf) -> Measure) -> [f64; 3] {
    [Part::Precision, Part::Recall, Part::F].map(|part| {
        let prf = Prf::f1(criterion);
        counts.measure(&measure(Prf { part, ..prf }))
    })
}

#[test]
fn documents_count_as_often_as_their_weights_say() {
    let event = |n| (0, 0, Some(0), Some(0), n);
    let counts = counted(&[vec![event(3)], vec![event(5)]]);
    assert_eq!(counts.weighted_totals(&[1.0, 1.0]), Ok(counts.all_totals()));
    assert_eq!(counts.weighted_totals(&[0.5, 2.0]), Ok(vec![11.5]));
    assert!(counts.weighted_totals(&[1.0]).is_err());
}

proptest! {
    #[test]
    fn measures_are_those_that_are_asked_for_one_by_one(documents in documents(), criterion in 0..2_u8) {
        let counts = counted(&documents);
        let found = counts.summary(&Prf::f1(criterion), &counts.all_totals());
        let is = |score: &Score, measure: fn(Prf) -> Measure| score.values == values(&counts, criterion, measure);
        prop_assert!(is(&found.all.score, Measure::Micro));
        prop_assert!(is(&found.macro_mean, Measure::Macro));
        prop_assert!(is(&found.weighted_mean, Measure::Weighted));
        for (ty, one) in &found.types {
            prop_assert_eq!(one.score.values, values(&counts, criterion, |prf| Measure::OfType(prf, *ty)));
        }
        let names: Vec<&str> = found.types.iter().map(|(ty, _)| counts.type_name(*ty)).collect();
        prop_assert!(names.is_sorted());
    }

    #[test]
    fn documents_add_up_and_weigh_as_their_copies(documents in documents(), criterion in 0..2_u8) {
        let counts = counted(&documents);
        let prf = Prf::f1(criterion);
        let all = counts.summary(&prf, &counts.all_totals()).all;
        let mut sums = vec![0.0; all.counts.len()];
        for (_, document) in counts.document_outcomes(&prf) {
            for (sum, n) in sums.iter_mut().zip(document.counts) {
                *sum += n;
            }
        }
        prop_assert_eq!(&sums, &all.counts);
        let twice: Vec<f64> = counts.all_totals().iter().map(|n| 2.0 * n).collect();
        let doubled = documents.iter().chain(&documents).cloned().collect::<Vec<_>>();
        let doubled = counted(&doubled);
        let whole = doubled.summary(&prf, &doubled.all_totals()).all;
        prop_assert_eq!(counts.summary(&prf, &twice).all, whole);
    }

    #[test]
    fn confusion_has_every_cell_that_has_a_type(documents in documents(), criterion in 0..2_u8) {
        let counts = counted(&documents);
        let all: f64 = (0..)
            .zip(counts.cells())
            .filter(|(_, cell)| cell.criterion == criterion && (cell.gold, cell.pred) != (None, None))
            .map(|(id, _)| counts.total(id) as f64)
            .sum();
        let confusion = counts.confusion(criterion, &[], None, &counts.all_totals());
        prop_assert_eq!(confusion.values().sum::<f64>(), all);
        prop_assert!(counts.confusion(criterion, &[0, 1], None, &counts.all_totals()).is_empty());
        // A mistyped pair is also counted as missed and spurious; the confusion matrix subtracts
        // both.
        let rows = counts.confusion(criterion, &[1], Some(0), &counts.all_totals());
        for ty in 0..counts.types() as u32 {
            let of_type = rows.iter().filter(|((gold, _), _)| *gold == Some(ty));
            prop_assert_eq!(of_type.map(|(_, n)| n).sum::<f64>(), 0.0);
        }
    }
}

#[test]
fn means_are_rounded_once() {
    // Ten types have recall 1/3: the sum of ten thirds, rounded at each step, is a different
    // number.
    let events: Vec<Event> = (0..10)
        .flat_map(|ty| [(0, 0, Some(ty), Some(ty), 1), (0, 1, Some(ty), None, 2)])
        .collect();
    let counts = counted(&[events]);
    let recall = Prf {
        part: Part::Recall,
        ..Prf::f1(0)
    };
    assert_eq!(counts.measure(&Measure::Macro(recall)), 1.0 / 3.0);
}
