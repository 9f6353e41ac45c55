//! Helpers shared by the JSON targets.

use serde_json::Value;

/// True if writing the value gives the same numbers: serde_json keeps 64-bit integers, and converts other numbers to
/// floating point.
pub fn has_whole_numbers(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_u64() || number.is_i64(),
        Value::Array(values) => values.iter().all(has_whole_numbers),
        Value::Object(fields) => fields.values().all(has_whole_numbers),
        _ => true,
    }
}

/// The file rewritten by serde_json, with different white space; None if it is not JSON, or has numbers that would
/// change.
pub fn rewritten(text: &[u8], pretty: bool) -> Option<Vec<u8>> {
    let value: Value = serde_json::from_slice(text).ok()?;
    if !has_whole_numbers(&value) {
        return None;
    }
    match pretty {
        true => serde_json::to_vec_pretty(&value).ok(),
        false => serde_json::to_vec(&value).ok(),
    }
}
