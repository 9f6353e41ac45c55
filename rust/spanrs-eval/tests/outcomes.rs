//! Counts of outcomes: merging in any order and storing lose nothing.

use std::collections::BTreeMap;

#[path = "common/rows.rs"]
mod rows;
#[path = "common/schemas.rs"]
mod schemas;

use proptest::prelude::*;
use spanrs_eval::EXACT;
use spanrs_eval::outcomes::{
    Axis, Cell, Counts, CountsError, Evaluator, Key, Measure, Part, Prf, Ratio, Schema,
};

use rows::spans;
use schemas::SCHEMA;

static OTHER: Schema = Schema {
    name: "other",
    criteria: SCHEMA.criteria,
};

/// (criterion, outcome, gold type, pred type, count)
type Event = (u8, u8, Option<u8>, Option<u8>, u64);
/// The key of a document, and its events.
type Document = (Key, Vec<Event>);
/// The key of a document, and its events in two layers of annotations.
type Layers = (Key, Vec<Event>, Vec<Event>);

fn counted(documents: &[Document], by_document: bool) -> Counts {
    let mut counts = match by_document {
        true => Counts::by_document(&SCHEMA),
        false => Counts::new(&SCHEMA),
    };
    for (key, events) in documents {
        for &(criterion, outcome, gold, pred, n) in events {
            let mut ty = |ty: Option<u8>| ty.map(|ty| counts.intern(&format!("type {ty}")));
            let (gold, pred) = (ty(gold), ty(pred));
            let cell = counts.cell(Cell {
                criterion,
                outcome,
                gold,
                pred,
            });
            counts.add(cell, n);
        }
        counts.end_document(key.clone());
    }
    counts
}

/// Returns the total of every cell, keyed by the names of its types.
fn totals(counts: &Counts) -> BTreeMap<(u8, u8, String, String), u64> {
    let mut found = BTreeMap::new();
    for (id, cell) in (0..).zip(counts.cells()) {
        let name = |ty: Option<u32>| ty.map_or(String::new(), |ty| counts.type_name(ty).to_owned());
        if counts.total(id) > 0 {
            let key = (
                cell.criterion,
                cell.outcome,
                name(cell.gold),
                name(cell.pred),
            );
            found.insert(key, counts.total(id));
        }
    }
    found
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        (0..4_u64).prop_map(Key::Number),
        "[a-c\u{e9}]{0,2}".prop_map(|name| Key::Name(name.into())),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let ty = || prop::option::of(0..4_u8);
    prop::collection::vec((0..2_u8, 0..2_u8, ty(), ty(), 0..300_u64), 0..6)
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    prop::collection::vec((key(), events()), 0..8)
}

proptest! {
    #[test]
    fn shards_merge_in_any_order(
        documents in documents(), by_document: bool, cuts in prop::collection::vec(0..3_usize, 8), seed: u64,
    ) {
        let whole = counted(&documents, by_document);
        let mut shards: Vec<Vec<Document>> = vec![Vec::new(); 3];
        for (document, shard) in documents.iter().zip(&cuts) {
            shards[*shard].push(document.clone());
        }
        shards.rotate_left(seed as usize % 3);
        let mut merged = counted(&shards[0], by_document);
        for shard in &shards[1..] {
            let stored = counted(shard, by_document).to_bytes().unwrap();
            merged.merge(&Counts::from_bytes(&stored, &SCHEMA).unwrap()).unwrap();
        }
        prop_assert_eq!(merged.to_bytes().unwrap(), whole.to_bytes().unwrap());
        prop_assert_eq!(totals(&merged), totals(&whole));
    }

    #[test]
    fn layers_join_document_by_document(
        layers in prop::collection::vec((key(), events(), events()), 0..8), by_document: bool,
    ) {
        let layer = |events: fn(&Layers) -> Vec<Event>| {
            let documents = layers.iter().map(|layers| (layers.0.clone(), events(layers)));
            counted(&documents.collect::<Vec<_>>(), by_document)
        };
        let (first, second) = (layer(|of| of.1.clone()), layer(|of| of.2.clone()));
        let mut all = first.clone();
        all.join(&second, |_| true).unwrap();
        let both = layer(|of| [&of.1[..], &of.2].concat());
        prop_assert_eq!(all.to_bytes().unwrap(), both.to_bytes().unwrap());
        let mut some = first.clone();
        some.join(&second, |cell| cell.criterion == 0).unwrap();
        let both = layer(|of| {
            let wanted = of.2.iter().filter(|event| event.0 == 0);
            of.1.iter().chain(wanted).copied().collect()
        });
        prop_assert_eq!(some.to_bytes().unwrap(), both.to_bytes().unwrap());
        if by_document {
            let keys: Vec<&Key> = some.rows().map(|row| row.key).collect();
            prop_assert_eq!(keys, layers.iter().map(|(key, ..)| key).collect::<Vec<_>>());
            let mut more = layers.clone();
            more.push((Key::Number(0), Vec::new(), Vec::new()));
            let more: Vec<Document> = more.into_iter().map(|(key, events, _)| (key, events)).collect();
            let refused = first.clone().join(&counted(&more, true), |_| true);
            prop_assert!(matches!(refused, Err(CountsError::Documents(_))));
        }
    }

    #[test]
    fn counts_become_documents_of_others(documents in documents()) {
        let mut counts = Counts::by_document(&SCHEMA);
        for document in &documents {
            let one = counted(std::slice::from_ref(document), false);
            counts.add_document(document.0.clone(), &one).unwrap();
        }
        prop_assert_eq!(counts.to_bytes().unwrap(), counted(&documents, true).to_bytes().unwrap());
    }

    #[test]
    fn renaming_keeps_totals_and_rows_together_whatever_was_loaded(
        documents in documents(), by_document: bool, names in prop::collection::vec(prop::option::of(0..3_u8), 4),
    ) {
        // The matcher never counts mistyped pairs that were neither missed nor spurious, but such counts may be loaded.
        let mut counts = match by_document {
            true => Counts::by_document(&EXACT),
            false => Counts::new(&EXACT),
        };
        for (key, events) in &documents {
            for &(more, outcome, gold, pred, n) in events {
                let mut ty = |ty: Option<u8>| ty.map(|ty| counts.intern(&ty.to_string()));
                let cell = Cell { criterion: 0, outcome: outcome + 2 * more, gold: ty(gold), pred: ty(pred) };
                let cell = counts.cell(cell);
                counts.add(cell, n);
            }
            counts.end_document(key.clone());
        }
        let counts = Counts::from_bytes(&counts.to_bytes().unwrap(), &EXACT).unwrap();
        let rename = |name: &str| Some(names[name.parse::<usize>().unwrap()]?.to_string());
        let renamed = counts.renamed(rename).unwrap();
        if by_document {
            let mut sums = vec![0; renamed.cells().len()];
            for row in renamed.rows() {
                row.cells.iter().zip(row.n).for_each(|(cell, n)| sums[*cell as usize] += n);
            }
            let all: Vec<u64> = (0..).take(sums.len()).map(|id| renamed.total(id)).collect();
            prop_assert_eq!(sums, all);
        }
        let stored = renamed.to_bytes().unwrap();
        prop_assert_eq!(Counts::from_bytes(&stored, &EXACT).unwrap().to_bytes().unwrap(), stored);
    }

    #[test]
    fn totals_are_the_events_and_the_sums_of_the_rows(documents in documents()) {
        let counts = counted(&documents, true);
        let mut expected = BTreeMap::new();
        for (criterion, outcome, gold, pred, n) in documents.iter().flat_map(|(_, events)| events) {
            let name = |ty: &Option<u8>| ty.map_or(String::new(), |ty| format!("type {ty}"));
            *expected.entry((*criterion, *outcome, name(gold), name(pred))).or_insert(0) += n;
        }
        expected.retain(|_, n| *n > 0);
        prop_assert_eq!(totals(&counts), expected);
        let mut sums = vec![0; counts.cells().len()];
        for row in counts.rows() {
            for (cell, n) in row.cells.iter().zip(row.n) {
                prop_assert!(*n > 0);
                sums[*cell as usize] += n;
            }
        }
        let all: Vec<u64> = (0..).take(sums.len()).map(|id| counts.total(id)).collect();
        prop_assert_eq!(sums, all);
        prop_assert_eq!(counts.rows().count(), documents.len());
        let keys: Vec<&Key> = counts.rows().map(|row| row.key).collect();
        prop_assert_eq!(keys, documents.iter().map(|(key, _)| key).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_loaded_is_what_was_stored(documents in documents(), by_document: bool) {
        let counts = counted(&documents, by_document);
        let stored = counts.to_bytes().unwrap();
        let loaded = Counts::from_bytes(&stored, &SCHEMA).unwrap();
        prop_assert_eq!(totals(&loaded), totals(&counts));
        prop_assert_eq!(loaded.to_bytes().unwrap(), stored);
    }

    #[test]
    fn changed_bytes_are_refused_or_are_other_counts(
        documents in documents(), by_document: bool, at: prop::sample::Index, byte: u8, cut: bool,
    ) {
        let mut bytes = counted(&documents, by_document).to_bytes().unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        if let Ok(counts) = Counts::from_bytes(&bytes, &SCHEMA) {
            prop_assert_eq!(counts.to_bytes().unwrap(), bytes);
        }
    }
}

fn one(n: u64, by_document: bool) -> Counts {
    counted(
        &[(Key::Number(0), vec![(0, 0, Some(1), None, n)])],
        by_document,
    )
}

#[test]
fn what_does_not_belong_together_is_refused_and_changes_nothing() {
    let mut counts = one(1, true);
    let before = counts.to_bytes().unwrap();
    let refused = |found: Result<(), CountsError>| match found {
        Err(CountsError::Documents(message)) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(counts.merge(&one(1, false))),
        "counts by document do not merge with counts without documents"
    );
    assert_eq!(
        refused(counts.add_document(Key::Number(1), &one(1, true))),
        "counts that have documents cannot be added as one document"
    );
    let mut two = one(1, true);
    two.merge(&one(1, true)).unwrap();
    assert_eq!(
        refused(counts.join(&two, |_| true)),
        "layers of annotations need the same number of documents"
    );
    let other = Counts::by_document(&OTHER);
    let message = counts.merge(&other).unwrap_err().to_string();
    assert_eq!(
        message,
        "these are counts of the matcher other, not of test"
    );
    let stored = other.to_bytes().unwrap();
    assert!(matches!(
        Counts::from_bytes(&stored, &SCHEMA),
        Err(CountsError::Schema { .. })
    ));
    assert_eq!(
        counts.merge(&one(1 << 62, true)),
        Err(CountsError::Overflow)
    );
    assert_eq!(counts.to_bytes().unwrap(), before);
}

#[test]
fn an_open_document_is_neither_merged_nor_stored() {
    let mut counts = one(1, true);
    counts.add(0, 1);
    assert_eq!(counts.to_bytes(), Err(CountsError::OpenDocument));
    assert_eq!(one(1, true).merge(&counts), Err(CountsError::OpenDocument));
    assert_eq!(counts.merge(&one(1, true)), Err(CountsError::OpenDocument));
    counts.end_document(Key::Name("b".into()));
    assert_eq!(counts.total(0), 2);
    counts.to_bytes().unwrap();
}

#[test]
fn bytes_that_would_be_large_are_refused_at_their_place() {
    let mut bytes = b"spanrs counts\x01\x04test".to_vec();
    bytes.extend([0xFF, 0xFF, 0xFF, 0xFF, 0x7F]);
    let error = Counts::from_bytes(&bytes, &SCHEMA).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the counts are damaged at byte 24: more items than bytes"
    );
    assert_eq!(
        Counts::from_bytes(b"spanrs counts\x02", &SCHEMA).unwrap_err(),
        CountsError::Version
    );
    let huge = one(1, false).to_bytes().unwrap();
    let mut huge = huge[..huge.len() - 1].to_vec();
    huge.extend([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]);
    assert_eq!(
        Counts::from_bytes(&huge, &SCHEMA).unwrap_err(),
        CountsError::Overflow
    );
}

#[test]
fn memory_follows_what_occurs() {
    let mut counts = Counts::by_document(&SCHEMA);
    for document in 0..20_000 {
        let ty = Some(counts.intern(&format!("type {document}")));
        let cell = counts.cell(Cell {
            criterion: 0,
            outcome: 0,
            gold: ty,
            pred: ty,
        });
        counts.add(cell, 1);
        counts.end_document(Key::Number(document));
    }
    // A dense table of documents by types would have 400 million numbers.
    assert!(counts.to_bytes().unwrap().len() < 1_000_000);
    assert!(counts.rows().all(|row| row.n == [1]));
}

fn evaluated(counts: &Counts, measures: &[Measure]) -> Vec<f64> {
    let mut values = Vec::new();
    Evaluator::new(counts, measures).evaluate(&counts.all_totals(), &mut values);
    values
}

/// Asserts that values are equal, treating NaN as equal to NaN.
fn agree(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        let same = a.is_nan() && b.is_nan() || (a - b).abs() < 1e-12;
        assert!(same, "{found:?} {expected:?}");
    }
}

#[test]
fn measures_are_those_of_the_sums() {
    let counts = spans(&[[2, 1, 1], [1, 0, 2]]);
    let part = |part| Prf { part, ..Prf::f1(0) };
    let half_missed = vec![
        (vec![0], [1.0, 0.0, 0.0]),
        (vec![1], [0.0, 0.0, 0.5]),
        (vec![2], [0.0, 1.0, 0.0]),
    ];
    let measures = [
        Measure::Micro(part(Part::Precision)),
        Measure::Micro(part(Part::Recall)),
        Measure::Micro(part(Part::F)),
        Measure::OfType(part(Part::Recall), 0),
        Measure::OfType(part(Part::Recall), 9),
        Measure::Macro(part(Part::Recall)),
        Measure::Micro(Prf {
            terms: Some(half_missed),
            ..part(Part::Recall)
        }),
        Measure::Micro(Prf {
            beta: 2.0,
            ..part(Part::F)
        }),
    ];
    // There are 3 matches, 1 missed PER, 1 missed LOC and 3 spurious spans. Type 9 does not exist.
    let none = f64::NAN;
    let expected = [0.5, 0.6, 6.0 / 11.0, 0.75, none, 0.375, 0.75, 15.0 / 26.0];
    agree(&evaluated(&counts, &measures), &expected);
    let nothing = evaluated(&Counts::by_document(&SCHEMA), &measures[..1]);
    assert_eq!(nothing, [0.0]);
}

#[test]
fn types_count_as_often_as_they_have_gold_spans_or_as_they_are_asked_for() {
    let mut counts = spans(&[[2, 1, 1], [1, 0, 2]]);
    let [per, loc] = ["PER", "LOC"].map(|ty| Some(counts.intern(ty)));
    // One more match, between different types.
    let mixed = counts.cell(Cell {
        criterion: 0,
        outcome: 0,
        gold: loc,
        pred: per,
    });
    counts.add(mixed, 1);
    let recall = |axis| Prf {
        part: Part::Recall,
        axis,
        ..Prf::f1(0)
    };
    let precision = |axis| Prf {
        part: Part::Precision,
        ..recall(axis)
    };
    let ratio = |complement| Ratio {
        criterion: 0,
        above: vec![1.0, 0.5],
        below: vec![1.0, 1.0, 2.0],
        complement,
    };
    // PER: 3 matches, 1 missed, 3 spurious. LOC: 1 missed. Between gold's LOC and pred's PER: 1 match.
    let by_hand = [
        (Measure::OfType(recall(None), 0), 0.75),
        (Measure::OfType(recall(None), 1), 0.5),
        (
            Measure::Weighted(recall(None)),
            (4.0 * 0.75 + 2.0 * 0.5) / 6.0,
        ),
        (Measure::Macro(recall(None)), 0.625),
        (Measure::OfType(recall(Some(Axis::Pred)), 0), 0.8),
        (Measure::OfType(recall(Some(Axis::Pred)), 1), 0.0),
        (Measure::OfType(precision(Some(Axis::Pred)), 0), 4.0 / 7.0),
        (Measure::OfType(precision(Some(Axis::Gold)), 0), 0.5),
        (Measure::OfType(precision(Some(Axis::Gold)), 1), 1.0),
        (Measure::Micro(recall(Some(Axis::Pred))), 4.0 / 6.0),
        (Measure::Ratio(ratio(false)), 5.0 / 12.0),
        (Measure::Ratio(ratio(true)), 7.0 / 12.0),
        (Measure::RatioOfType(ratio(false), 0), 3.5 / 10.0),
        (Measure::RatioOfType(ratio(true), 1), 0.25),
        (Measure::RatioOfType(ratio(false), 9), f64::NAN),
        // Nothing was counted for the second criterion.
        (Measure::OfType(Prf::f1(1), 0), f64::NAN),
        (Measure::Weighted(Prf::f1(1)), 0.0),
        (Measure::Macro(Prf::f1(1)), 0.0),
    ];
    let (measures, expected): (Vec<Measure>, Vec<f64>) = by_hand.into_iter().unzip();
    agree(&evaluated(&counts, &measures), &expected);
    let alone: Vec<f64> = measures.iter().map(|one| counts.measure(one)).collect();
    agree(&alone, &expected);
}
