//! Replays all inputs in `seeds/` and `regressions/`, without libFuzzer.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use spanrs_fuzz::TARGETS;

fn inputs(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found
}

#[test]
fn seeds_and_regressions_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut failed = Vec::new();
    for (name, run) in TARGETS {
        let seeds = inputs(&root.join("seeds").join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let regressions = inputs(&root.join("regressions").join(name));
        for path in seeds.iter().chain(&regressions) {
            let bytes = fs::read(path).unwrap();
            if catch_unwind(AssertUnwindSafe(|| run(&bytes))).is_err() {
                failed.push(path.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn every_folder_belongs_to_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["seeds", "regressions"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(
                TARGETS.iter().any(|(target, _)| *target == name),
                "{}",
                path.display()
            );
        }
    }
}
