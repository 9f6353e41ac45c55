//! Fuzz target for MAT's JSON.

use serde_json::Value;
use spanrs_io::document::{Format, Reader};

use crate::documents::{check_rewritten, read, summaries};
use crate::json::rewritten;

/// Asserts that white space and escapes do not affect the result, nor does the fast path for rows of two numbers: a
/// third value of null does not add an attribute.
pub fn run(data: &[u8]) {
    let Ok(documents) = read(Format::MatJson, data) else {
        return;
    };
    assert_eq!(documents.len(), 1, "a file must be one document");
    check_rewritten(&Reader::new(Format::MatJson), data, &documents);
    if let Some(text) = rewritten(data, false).and_then(|text| with_nulls(&text)) {
        let again =
            read(Format::MatJson, &text).expect("a file with an additional null can be read");
        assert_eq!(summaries(&documents), summaries(&again));
    }
}

/// The file with a null appended to every row and a corresponding attribute, so that no row has two numbers; None if an
/// annotation set has no attribute list.
fn with_nulls(text: &[u8]) -> Option<Vec<u8>> {
    let mut file: Value = serde_json::from_slice(text).ok()?;
    for set in file.get_mut("asets")?.as_array_mut()? {
        let set = set.as_object_mut()?;
        let ids = usize::from(set.get("hasID").and_then(Value::as_bool).unwrap_or(false));
        let attributes = set
            .get("attrs")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        for row in set.get_mut("annots")?.as_array_mut()? {
            row.as_array_mut()?
                .resize(2 + ids + attributes + 1, Value::Null);
        }
        set.entry("attrs")
            .or_insert_with(|| Value::Array(Vec::new()))
            .as_array_mut()?
            .push(Value::String("further".to_owned()));
    }
    serde_json::to_vec(&file).ok()
}
