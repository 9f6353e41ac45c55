//! Runs the test cases shared by Rust and Python: tests/cases/spans.toml.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    scheme: String,
    tags: String,
    violations: Vec<String>,
    #[serde(flatten)]
    readings: BTreeMap<String, Vec<String>>,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/spans.toml");
    let text = std::fs::read_to_string(path).expect("the cases are part of the repository");
    toml::from_str::<File>(&text)
        .expect("the cases are valid TOML")
        .case
}

#[test]
fn every_case_reads_as_written() {
    let mut checked = 0;
    for case in cases() {
        let scheme = Scheme::from_name(&case.scheme).unwrap();
        for (reading, expected) in &case.readings {
            let reading = Reading::from_name(reading).unwrap();
            let mut reader = Reader::new(scheme, reading, Dialect::default()).unwrap();
            let ids = reader.intern_all(case.tags.split_whitespace()).unwrap();
            let spans: Vec<_> = reader
                .spans(&ids)
                .iter()
                .map(|s| format!("{} {} {}", reader.type_name(s.ty), s.start, s.end))
                .collect();
            assert_eq!(&spans, expected, "{} ({reading})", case.name);
            checked += 1;
        }
    }
    assert!(checked > 50);
}

#[test]
fn every_case_is_violated_as_written() {
    for case in cases() {
        let scheme = Scheme::from_name(&case.scheme).unwrap();
        let mut reader = Reader::new(scheme, Reading::Conlleval, Dialect::default()).unwrap();
        let ids = reader.intern_all(case.tags.split_whitespace()).unwrap();
        let found: Vec<_> = reader
            .violations(&ids)
            .iter()
            .map(|v| format!("{} {}", v.index, v.kind))
            .collect();
        assert_eq!(found, case.violations, "{}", case.name);
    }
}
