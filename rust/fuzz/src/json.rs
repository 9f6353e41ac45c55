//! What the targets of JSON share.

use serde_json::Value;

/// True where writing the value again gives the same numbers: serde_json keeps whole numbers of 64 bits, and
/// makes others floating-point numbers.
pub fn has_whole_numbers(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_u64() || number.is_i64(),
        Value::Array(values) => values.iter().all(has_whole_numbers),
        Value::Object(fields) => fields.values().all(has_whole_numbers),
        _ => true,
    }
}

/// The file written again by serde_json, with other white space; None where it is no JSON, or has numbers
/// that cannot be written again.
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
