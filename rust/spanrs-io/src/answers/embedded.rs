//! JSON in strings, such as the arguments of a tool call.

use super::draft::Draft;
use super::fields::is_json;
use super::interpret::Layout;
use super::json_strings::{Text, scan};
use super::query::Query;
use super::values::read_values;

/// Maximum nesting of JSON in strings.
const MAX_EMBEDDED: usize = 2;

/// Reads an answer that is a single string with JSON in it; None if it is not.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let at = text.len() - text.trim_start().len();
    let string = scan(text, at, false)?;
    if !text[string.after..].trim().is_empty() {
        return None;
    }
    let (_, draft) = read_string(text, string.text, query, None, 0)?;
    (!draft.is_unreadable).then_some(draft)
}

/// Reads the JSON in a string, with positions in the source; None if it contains none.
///
/// `ty` is the type of mentions without a type, and `depth` the number of enclosing strings.
pub(super) fn read_string(
    source: &str,
    text: Text,
    query: &Query,
    ty: Option<&str>,
    depth: usize,
) -> Option<(Layout, Draft)> {
    let decoded = text.decode(source);
    if depth >= MAX_EMBEDDED || !is_json(&decoded) {
        return None;
    }
    let (layout, mut draft) = read_values(&decoded, query, ty, depth + 1)?;
    let escapes = text.escapes(source);
    draft.move_positions(|at| {
        let next = escapes.partition_point(|escape| escape.0 <= at);
        let (decoded, raw) = match next.checked_sub(1) {
            Some(last) => escapes[last],
            None => (0, text.start),
        };
        (raw + at - decoded).min(text.end)
    });
    Some((layout, draft))
}
