//! CRFsuite model files: round trips, a file written by CRFsuite, damaged files.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use std::collections::BTreeSet;

use proptest::prelude::*;
use spanrs_base::Rng;
use spanrs_compat::crfsuite::{
    CrfsuiteError, CrfsuiteModel, Place, State, Transition, count_boundary_features, is_crfsuite,
};

/// Written by `make_small.py` with python-crfsuite 0.9.12.
const SMALL: &[u8] = include_bytes!("small.crfsuite");

fn state(attribute: u32, label: u32, weight: f64) -> State {
    State {
        attribute,
        label,
        weight,
    }
}

fn transition(from: u32, to: u32, weight: f64) -> Transition {
    Transition { from, to, weight }
}

fn names(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
}

fn model(labels: &[&str], attributes: &[&str]) -> CrfsuiteModel {
    CrfsuiteModel {
        labels: names(labels),
        attributes: names(attributes),
        ..Default::default()
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> usize {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap()) as usize
}

/// `SMALL` with a 32-bit integer replaced.
fn patched(offset: usize, value: u32) -> Vec<u8> {
    let mut bytes = SMALL.to_vec();
    bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// Offset of the database of labels.
fn labels_of(bytes: &[u8]) -> usize {
    u32_at(bytes, 32)
}

fn message(bytes: &[u8]) -> String {
    CrfsuiteModel::from_bytes(bytes).unwrap_err().to_string()
}

/// Asserts that a file is rejected with an error at an offset.
fn assert_refused(bytes: &[u8], at: usize, text: &str) {
    assert_eq!(message(bytes), format!("byte {at}: {text}"));
}

/// Offsets of the chunks in `SMALL`.
fn features() -> usize {
    u32_at(SMALL, 28)
}
fn labels() -> usize {
    labels_of(SMALL)
}
fn attributes() -> usize {
    u32_at(SMALL, 36)
}
fn label_refs() -> usize {
    u32_at(SMALL, 40)
}
fn attribute_refs() -> usize {
    u32_at(SMALL, 44)
}

#[test]
fn file_of_crfsuite_is_read() {
    let got = CrfsuiteModel::from_bytes(SMALL).unwrap();
    let bits = f64::from_bits;
    let expected = CrfsuiteModel {
        labels: names(&["O", "B", "I-ü"]),
        attributes: names(&["w=the", "upper", "w=cat", "w=Zoë"]),
        states: vec![
            state(0, 0, bits(0x3ffa_2490_d815_5c21)),
            state(1, 0, bits(0x3fc5_4a96_22b0_9d58)),
            state(2, 1, bits(0x3ff6_feb0_e16e_29b1)),
            state(3, 2, bits(0x3ff3_d221_4bf2_e297)),
        ],
        transitions: vec![
            transition(0, 1, bits(0x3fea_d472_93ae_6826)),
            transition(1, 0, bits(0x3fec_c867_b28b_5077)),
            transition(1, 2, bits(0x3fe1_b59a_352d_74bf)),
        ],
    };
    assert_eq!(got, expected);
    assert!(is_crfsuite(SMALL));
    assert_eq!(count_boundary_features(SMALL), Ok(0));
}

#[test]
fn file_of_crfsuite_is_written_byte_for_byte() {
    let bytes = CrfsuiteModel::from_bytes(SMALL)
        .unwrap()
        .to_bytes()
        .unwrap();
    assert!(bytes == SMALL);
}

#[test]
fn bytes_after_the_file_are_ignored() {
    let longer = [SMALL, b"\n"].concat();
    assert_eq!(
        CrfsuiteModel::from_bytes(&longer),
        CrfsuiteModel::from_bytes(SMALL)
    );
}

#[test]
fn boundary_features_of_early_releases_are_ignored_and_counted() {
    // The last state feature and the last transition become transitions from the start and to the end of a sequence;
    // the lists of their sources become one entry shorter. Early releases listed them in entries L and L + 1 of LFRF.
    let mut bytes = SMALL.to_vec();
    let mut put = |offset: usize, value: u32| {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    };
    put(features() + 12 + 3 * 20, 2);
    put(features() + 12 + 6 * 20, 3);
    put(u32_at(SMALL, attribute_refs() + 12 + 3 * 4), 0);
    put(u32_at(SMALL, label_refs() + 12 + 4), 1);
    let got = CrfsuiteModel::from_bytes(&bytes).unwrap();
    assert_eq!((got.states.len(), got.transitions.len()), (3, 2));
    assert_eq!(count_boundary_features(&bytes), Ok(2));
}

/// A set of distinct names in random order.
fn distinct_names(max: usize) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let name = prop_oneof![
        prop::collection::vec(1..=255_u8, 0..3),
        prop::collection::vec(1..=255_u8, 0..40),
    ];
    prop::collection::btree_set(name, 0..=max)
        .prop_map(|set| set.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

/// Distinct pairs of ids with finite weights in random order.
fn features_of(sources: usize, labels: usize) -> impl Strategy<Value = Vec<((usize, usize), f64)>> {
    let weight = prop_oneof![
        any::<f64>().prop_filter("finite", |weight| weight.is_finite()),
        Just(0.0),
        Just(-0.0),
    ];
    let pair = (0..sources.max(1), 0..labels.max(1));
    let max = if sources * labels == 0 { 0 } else { 60 };
    prop::collection::hash_map(pair, weight, 0..=max)
        .prop_map(|map| map.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn models() -> impl Strategy<Value = CrfsuiteModel> {
    (distinct_names(6), distinct_names(40)).prop_flat_map(|(labels, attributes)| {
        (
            features_of(attributes.len(), labels.len()),
            features_of(labels.len(), labels.len()),
        )
            .prop_map(move |(states, transitions)| CrfsuiteModel {
                labels: labels.clone(),
                attributes: attributes.clone(),
                states: states
                    .into_iter()
                    .map(|((a, l), weight)| state(a as u32, l as u32, weight))
                    .collect(),
                transitions: transitions
                    .into_iter()
                    .map(|((a, b), weight)| transition(a as u32, b as u32, weight))
                    .collect(),
            })
    })
}

/// Bits of all weights; `==` does not distinguish 0.0 from -0.0.
fn weight_bits(model: &CrfsuiteModel) -> Vec<u64> {
    let states = model.states.iter().map(|f| f.weight.to_bits());
    states
        .chain(model.transitions.iter().map(|f| f.weight.to_bits()))
        .collect()
}

proptest! {
    #[test]
    fn written_models_are_read_equal(model in models()) {
        let bytes = model.to_bytes().unwrap();
        let got = CrfsuiteModel::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&got, &model);
        prop_assert_eq!(weight_bits(&got), weight_bits(&model));
        prop_assert_eq!(u32_at(&bytes, 4), bytes.len());
        prop_assert_eq!(model.clone().to_bytes().unwrap(), bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = CrfsuiteModel::from_bytes(&tail);
        let _ = CrfsuiteModel::from_bytes(&[&SMALL[..48], &tail].concat());
    }
}

#[test]
fn a_large_model_is_read_equal() {
    let model = CrfsuiteModel {
        labels: (0..50)
            .map(|id| format!("label {id}").into_bytes())
            .collect(),
        attributes: (0..20_000)
            .map(|id| format!("w[{}]={id}", id % 5).into_bytes())
            .collect(),
        states: (0..40_000)
            .map(|id| state(id % 20_000, id / 20_000 + id % 7, f64::from(id) * 0.1))
            .collect(),
        transitions: (0..2500)
            .map(|id| transition(id % 50, id / 50, -f64::from(id)))
            .collect(),
    };
    let bytes = model.to_bytes().unwrap();
    assert_eq!(CrfsuiteModel::from_bytes(&bytes).unwrap(), model);
}

#[test]
fn damaged_files_do_not_panic() {
    let mut rng = Rng::new(20_261_122);
    // Values that are invalid in most fields, and values that are valid in a different field.
    let values = [
        0,
        1,
        2,
        3,
        4,
        7,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        48,
        200,
        2072,
        4692,
    ];
    let mut accepted = BTreeSet::new();
    for case in 0..10_000 {
        let mut bytes = SMALL.to_vec();
        for _ in 0..=rng.below(3) {
            // Half of the mutations are in chunk headers and adjacent data.
            let near = match rng.below(2) {
                0 => 0..SMALL.len(),
                _ => {
                    let chunks = [0, features(), labels(), attributes(), label_refs()];
                    let start = chunks[rng.below(5) as usize].saturating_sub(100);
                    start..start + 200
                }
            };
            let at = near.start + rng.below(near.len() as u64) as usize;
            let at = at.min(SMALL.len() - 4);
            match rng.below(4) {
                0 => bytes[at] ^= 1 << rng.below(8),
                1 => bytes[at] = rng.draw() as u8,
                _ => {
                    let value: u32 = match rng.below(3) {
                        0 => rng.below(SMALL.len() as u64) as u32,
                        _ => values[rng.below(values.len() as u64) as usize],
                    };
                    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        if rng.below(5) == 0 {
            bytes.truncate(rng.below(bytes.len() as u64 + 1) as usize);
        }
        let _ = count_boundary_features(&bytes);
        // A file that can be read must contain a valid model.
        if let Ok(model) = CrfsuiteModel::from_bytes(&bytes) {
            let again = CrfsuiteModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(again, model);
            accepted.insert(case);
        }
    }
    // Changes in weights, padding, and header fields that CRFsuite does not use cannot be detected.
    assert!(accepted.len() < 2_500, "{}", accepted.len());
}

#[test]
fn every_truncation_is_refused() {
    for len in 0..SMALL.len() {
        assert!(CrfsuiteModel::from_bytes(&SMALL[..len]).is_err(), "{len}");
    }
}

#[test]
fn headers_are_checked() {
    assert_eq!(CrfsuiteModel::from_bytes(b""), Err(CrfsuiteError::Magic));
    let mut bytes = SMALL.to_vec();
    bytes[8..12].copy_from_slice(b"FOM\xff");
    let text = "model type \"FOM\\xff\" is not supported, only \"FOMC\"";
    assert_refused(&bytes, 8, text);
    let text = "format version 101 is not supported, only 100";
    assert_refused(&patched(12, 101), 12, text);
    let big_endian =
        "the file was written on a big-endian machine; only little-endian files are supported";
    assert_refused(&patched(12, 100_u32.swap_bytes()), 12, big_endian);
    let mark = labels() + 12;
    let swapped = (u32_at(SMALL, mark) as u32).swap_bytes();
    assert_refused(&patched(mark, swapped), mark, big_endian);
    let text = "file: 4692 bytes expected, but the data ends at byte 4000";
    assert_refused(&SMALL[..4000], 0, text);
    let text = "expected a \"FEAT\" chunk, found \"EAT\\x98\"";
    assert_refused(&patched(28, 49), 49, text);
}

#[test]
fn counts_are_checked_before_memory_is_allocated() {
    let most = u32::MAX;
    let ends = |what, size: u64, end| {
        let size = size * u64::from(most);
        format!("{what}: {size} bytes expected, but the data ends at byte {end}")
    };
    let text = ends("features", 20, 4692);
    assert_refused(&patched(features() + 8, most), 60, &text);
    let at = labels() + 16;
    let text = format!("number of names: expected {most}, found 3");
    assert_refused(&patched(20, most), at, &text);
    let mut bytes = patched(20, most);
    bytes[at..at + 4].copy_from_slice(&most.to_le_bytes());
    let array = labels() + u32_at(SMALL, labels() + 20);
    assert_refused(&bytes, array, &ends("string database", 4, attributes()));
    let at = attribute_refs() + 8;
    let text = "number of reference lists: expected 4, found 3";
    assert_refused(&patched(at, 3), at, text);
}

#[test]
fn features_are_checked() {
    let first = features() + 12;
    for (at, value, text) in [
        (first, 9, "unknown feature type 9"),
        (
            first + 4,
            4,
            "attribute id 4 is out of range: the model has 4",
        ),
        (first + 8, 3, "label id 3 is out of range: the model has 3"),
    ] {
        assert_refused(&patched(at, value), first, text);
    }
    for (weight, shown) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")] {
        let mut bytes = SMALL.to_vec();
        bytes[first + 12..first + 20].copy_from_slice(&weight.to_le_bytes());
        let text = format!("the weight is {shown}; weights must be finite");
        assert_refused(&bytes, first, &text);
    }
}

#[test]
fn reference_lists_are_checked() {
    // Label 1 has the transitions 5 (to 0) and 6 (to 2).
    let list = u32_at(SMALL, label_refs() + 12 + 4);
    let feature = features() + 12 + 6 * 20;
    for (offset, value, at, text) in [
        (
            list + 4,
            7,
            list + 4,
            "feature id 7 is out of range: the model has 7",
        ),
        (
            list + 8,
            5,
            list + 8,
            "a feature is in the reference lists twice",
        ),
        (
            list + 4,
            4,
            list + 4,
            "the reference list contains a feature of another label or attribute",
        ),
        (list, 1, feature, "the feature is not in any reference list"),
        (feature + 8, 0, feature, "the feature occurs twice"),
    ] {
        assert_refused(&patched(offset, value), at, text);
    }
}

#[test]
fn names_are_checked() {
    // Records of the labels: id, size of the name, name; "O" is first.
    let record = labels() + 24 + 256 * 8;
    assert_eq!(&SMALL[record + 8..record + 10], b"O\0");
    let mut bytes = SMALL.to_vec();
    for (value, at) in [(b'x', record + 9), (0, record + 8)] {
        bytes[at] = value;
        let text = "the name of label 0 does not end with its first NUL byte";
        assert_refused(&bytes, record + 8, text);
        bytes.copy_from_slice(SMALL);
    }
    bytes[record + 8] = b'P';
    assert!(
        message(&bytes).ends_with("label names: an entry of a hash table is wrong"),
        "{}",
        message(&bytes)
    );
    // The array of names: ids 0 and 1 exchanged.
    let array = labels() + u32_at(SMALL, labels() + 20);
    bytes.copy_from_slice(SMALL);
    bytes[array..array + 8].rotate_left(4);
    assert!(message(&bytes).ends_with("an entry of the array of names is wrong"));
    assert!(message(&patched(36, labels() as u32)).contains("number of names"));
}

#[test]
fn duplicate_names_are_refused() {
    assert_eq!(
        model(&["a", "b", "a"], &[]).to_bytes(),
        Err(CrfsuiteError::DuplicateName {
            what: "label",
            id: 2,
            name: b"a".to_vec()
        })
    );
    assert_eq!(
        model(&[], &["", ""]).to_bytes().unwrap_err().to_string(),
        "attribute 1: the name \"\" occurs twice"
    );
}

#[test]
fn duplicate_names_in_a_file_are_refused() {
    // A second label in the hash table of "a", which then has four slots.
    let found = (0..10_000).find_map(|id| {
        let bytes = model(&["aaaa", &format!("{id:04}")], &[])
            .to_bytes()
            .unwrap();
        let tables = labels_of(&bytes) + 24;
        (0..256)
            .map(|table| tables + 8 * table)
            .find(|&at| u32_at(&bytes, at + 4) == 4)
            .map(|at| (bytes, at))
    });
    let (mut bytes, table) = found.unwrap();
    let start = labels_of(&bytes);
    let array = start + u32_at(&bytes, start + 20);
    let records = [u32_at(&bytes, array), u32_at(&bytes, array + 4)];
    let slots = start + u32_at(&bytes, table);
    let slot = (0..4)
        .map(|slot| slots + 8 * slot)
        .find(|&at| u32_at(&bytes, at + 4) == records[0])
        .unwrap();
    // Name, hash and slots as CRFsuite would write them for two labels "aaaa".
    let hash: [u8; 4] = bytes[slot..slot + 4].try_into().unwrap();
    let first = (u32::from_le_bytes(hash) >> 8) as usize % 4;
    bytes[slots..slots + 32].fill(0);
    for (id, record) in records.into_iter().enumerate() {
        let at = slots + 8 * ((first + id) % 4);
        bytes[at..at + 4].copy_from_slice(&hash);
        bytes[at + 4..at + 8].copy_from_slice(&(record as u32).to_le_bytes());
        bytes[start + record + 8..][..4].copy_from_slice(b"aaaa");
    }
    assert_eq!(message(&bytes), "label 1: the name \"aaaa\" occurs twice");
}

#[test]
fn overlapping_databases_are_refused() {
    let bytes = model(&["a", "b"], &["c", "d"]).to_bytes().unwrap();
    let mut overlapping = bytes.clone();
    overlapping.copy_within(32..36, 36);
    let text = "attribute names: the databases of the names overlap";
    assert_refused(&overlapping, u32_at(&bytes, 32), text);
}

#[test]
fn models_that_cannot_be_stored_are_refused() {
    let good = CrfsuiteModel {
        states: vec![state(0, 0, 1.0), state(0, 1, 1.0)],
        transitions: vec![transition(0, 1, 1.0), transition(1, 1, 1.0)],
        ..model(&["a", "b"], &["c"])
    };
    assert!(good.to_bytes().is_ok());
    let error = |change: &dyn Fn(&mut CrfsuiteModel)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad.to_bytes().unwrap_err()
    };
    assert_eq!(
        error(&|m| m.labels[1] = b"b\0".to_vec()).to_string(),
        "label 1: the name \"b\\x00\" contains a NUL byte, which CRFsuite's format cannot store"
    );
    assert_eq!(
        error(&|m| m.states[1].attribute = 1).to_string(),
        "state feature 1: attribute id 1 is out of range: the model has 1"
    );
    assert_eq!(
        error(&|m| m.transitions[0].to = 2).to_string(),
        "transition feature 0: label id 2 is out of range: the model has 2"
    );
    assert_eq!(
        error(&|m| m.transitions[1].weight = f64::INFINITY).to_string(),
        "transition feature 1: the weight is inf; weights must be finite"
    );
    assert_eq!(
        error(&|m| m.states[1].label = 0),
        CrfsuiteError::DuplicateFeature {
            at: Place::State(1)
        }
    );
    assert_eq!(
        error(&|m| m.transitions[1] = transition(0, 1, 2.0)),
        CrfsuiteError::DuplicateFeature {
            at: Place::Transition(1)
        }
    );
}
