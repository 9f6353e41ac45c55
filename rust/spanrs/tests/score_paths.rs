//! Scoring the project's example files.

use std::path::{Path, PathBuf};

use spanrs::tags::Scheme;
use spanrs::{Error, FileScore, ScoreOptions, score_paths};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

fn scored(options: &ScoreOptions) -> Result<FileScore, Error> {
    score_paths(&example("gold.conll"), &example("pred.conll"), options)
}

#[test]
fn examples_have_the_recorded_scores() {
    let scored = scored(&ScoreOptions::default()).unwrap();
    assert_eq!(scored.scheme, Scheme::Bio);
    let summary = scored.summary();
    let types: Vec<_> = summary
        .types
        .iter()
        .map(|(ty, outcomes)| (scored.counts.type_name(*ty), outcomes.totals))
        .collect();
    let expected = [
        ("LOC", [3.0, 1.0, 0.0]),
        ("ORG", [0.0, 2.0, 2.0]),
        ("PER", [1.0, 0.0, 1.0]),
    ];
    assert_eq!(types, expected);
    assert_eq!(summary.all.totals, [4.0, 3.0, 3.0]);
}

#[test]
fn the_scheme_can_be_named() {
    let options = ScoreOptions {
        scheme: Some(Scheme::Bio),
        ..ScoreOptions::default()
    };
    let named = scored(&options).unwrap();
    let detected = scored(&ScoreOptions::default()).unwrap();
    assert_eq!(named.summary(), detected.summary());
}

#[test]
fn files_with_other_sentences_are_refused() {
    let (gold, pred) = (example("gold.conll"), example("crf/train.conll"));
    let error = score_paths(&gold, &pred, &ScoreOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Misaligned { .. }), "{error}");
}
