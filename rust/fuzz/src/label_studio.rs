//! Fuzz target for exports of Label Studio.

use serde_json::Value;
use spanrs_io::document::{Format, LayerChoice, Reader};

use crate::documents::{check_rewritten, read_with, summaries};
use crate::json::rewritten;

/// Asserts that white space and escapes do not affect the result, and that a list gives the documents of its tasks in
/// order, for one annotator and for all layers.
pub fn run(data: &[u8]) {
    for layers in [LayerChoice::Sole, LayerChoice::All] {
        let reader = Reader {
            layers,
            ..Reader::new(Format::LabelStudio)
        };
        check(&reader, data);
    }
}

fn check(reader: &Reader, data: &[u8]) {
    let Ok(documents) = read_with(reader, data) else {
        return;
    };
    check_rewritten(reader, data, &documents);
    let Some(Ok(Value::Array(tasks))) =
        rewritten(data, false).map(|text| serde_json::from_slice(&text))
    else {
        return;
    };
    let mut single = Vec::new();
    for task in &tasks {
        single.extend(
            reader
                .read("input", task.to_string().as_bytes())
                .expect("a single task can be read"),
        );
    }
    assert_eq!(summaries(&documents), summaries(&single));
}
