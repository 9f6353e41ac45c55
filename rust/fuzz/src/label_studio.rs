//! Fuzz target for exports of Label Studio.

use serde_json::Value;
use spanrs_io::document::{Format, Reader};

use crate::documents::{check_rewritten, read, summaries};
use crate::json::rewritten;

/// Asserts that white space and escapes do not affect the result, and that a list gives the documents of its tasks in
/// order.
pub fn run(data: &[u8]) {
    let result = read(Format::LabelStudio, data);
    let reader = Reader::new(Format::LabelStudio);
    let Ok(documents) = result else {
        return;
    };
    check_rewritten(&reader, data, &documents);
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
