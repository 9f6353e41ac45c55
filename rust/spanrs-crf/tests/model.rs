//! Models: files, pruning, constrained decoding.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use proptest::prelude::*;
use spanrs_base::{Interner, Rng};
use spanrs_crf::{Constraint, Decoder, Error, Features, Model, Sequences};

const LABELS: usize = 4;

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Interner<str> {
    let mut all = Interner::default();
    for name in names {
        all.intern(name);
    }
    all
}

fn model(weights: Vec<f64>) -> Model {
    let states: Vec<(u32, u32)> = (0..5)
        .flat_map(|at| [(at, at % 4), (at, (at + 1) % 4)])
        .collect();
    let pairs: Vec<(u32, u32)> = (0..4)
        .flat_map(|from| (0..4).map(move |to| (from, to)))
        .collect();
    let (features, _) = Features::listed(LABELS, 5, &states, &pairs).unwrap();
    assert_eq!(features.len(), 26);
    let labels = names(["O", "B-x", "I-x", "B-é"]);
    let attributes = names(["a", "", "w=\u{10348}", "b", "c"]);
    let metadata = "{\"template\":\"U:%x[0,0]\\n\",\"n\":1}".to_string();
    Model::new(labels, attributes, features, weights, metadata).unwrap()
}

fn parts(model: &Model) -> (Vec<String>, Vec<String>, Vec<f64>, Features, String) {
    let all = |names: &Interner<str>| names.names().map(str::to_string).collect();
    (
        all(model.labels()),
        all(model.attributes()),
        model.weights().to_vec(),
        model.features().clone(),
        model.metadata().to_string(),
    )
}

proptest! {
    #[test]
    fn a_model_file_gives_the_model_back(weights in prop::collection::vec(-9.0..9.0, 26)) {
        let model = model(weights);
        let bytes = model.to_bytes().unwrap();
        let again = Model::from_bytes(&bytes).unwrap();
        prop_assert_eq!(parts(&again), parts(&model));
        prop_assert_eq!(again.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn pruned_models_decode_the_same(weights in prop::collection::vec(-2..3_i8, 26), items in prop::collection::vec(0..5_u32, 1..6)) {
        let model = model(weights.iter().map(|&weight| f64::from(weight)).collect());
        let pruned = model.clone().pruned().unwrap();
        let marginals = [&model, &pruned].map(|model| {
            let mut sequences = Sequences::new(model.attributes().len());
            for &item in &items {
                let name = ["a", "", "w=\u{10348}", "b", "c"][item as usize];
                let known = model.attributes().get(name);
                sequences.token(known.map(|id| (id, 1.0))).unwrap();
            }
            sequences.end();
            let mut decoder = Decoder::new(model);
            decoder.read(&sequences, 0);
            (decoder.best().unwrap(), decoder.marginals().unwrap())
        });
        prop_assert_eq!(&marginals[0], &marginals[1]);
        prop_assert!(pruned.weights().iter().all(|weight| *weight != 0.0));
    }

    #[test]
    fn constrained_labels_are_legal_and_the_best_of_the_legal(
        weights in prop::collection::vec(-3.0..3.0, 26),
        items in prop::collection::vec(0..5_u32, 1..5),
        flags in prop::collection::vec(any::<bool>(), 24),
        open in prop::collection::vec(prop::option::of(0..4_usize), 5),
    ) {
        let model = model(weights);
        let mut sequences = Sequences::new(5);
        for &item in &items {
            sequences.token([(item, 1.0)]).unwrap();
        }
        sequences.end();
        let constraint = Constraint::new(flags[..4].to_vec(), flags[4..20].to_vec(), flags[20..].to_vec()).unwrap();
        let given = &open[..items.len()];
        let allowed: Vec<bool> = given.iter().flat_map(|label| (0..4).map(move |at| label.is_none_or(|known| known == at))).collect();
        let mut free = Decoder::new(&model);
        free.read(&sequences, 0);
        let legal = |labels: &[usize]| {
            flags[labels[0]]
                && flags[20 + labels[labels.len() - 1]]
                && labels.windows(2).all(|two| flags[4 + two[0] * 4 + two[1]])
                && labels.iter().zip(given).all(|(label, known)| known.is_none_or(|known| known == *label))
        };
        let all = free.n_best(4_usize.pow(items.len() as u32)).unwrap();
        let best = all.iter().find(|(labels, _)| legal(labels));
        let constrained = model.clone().constrained(constraint).unwrap();
        let mut decoder = Decoder::new(&constrained);
        decoder.read(&sequences, 0);
        decoder.allow(&allowed).unwrap();
        match best {
            None => prop_assert_eq!(decoder.best(), Err(Error::NoPath)),
            Some((labels, _)) => prop_assert_eq!(&decoder.best().unwrap(), labels),
        }
    }
}

#[test]
fn damaged_files_are_errors_or_equal_models() {
    let model = model((0..26).map(|n| f64::from(n) - 13.5).collect());
    let bytes = model.to_bytes().unwrap();
    let mut rng = Rng::new(1);
    let mut refused = 0;
    for _ in 0..10_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(damaged.len() as u64) as usize;
            match rng.below(4) {
                0 => damaged.truncate(at.max(1)),
                1 => damaged[at] ^= 1 << rng.below(8),
                2 => damaged[at] = rng.draw() as u8,
                _ => damaged.insert(at, rng.draw() as u8),
            }
        }
        match Model::from_bytes(&damaged) {
            // Changed weights and names give a different model, which must be valid.
            Ok(model) => assert!(model.to_bytes().is_ok()),
            Err(Error::File { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(refused > 2_000, "{refused}");
    for (bytes, message) in [
        (&b"lCRF"[..], "a text file, not a model"),
        (&[][..], "not a spanrs model"),
        (&[255; 64][..], "not a spanrs model"),
    ] {
        let error = Model::from_bytes(bytes).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
