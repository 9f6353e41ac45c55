//! UIE's structured extraction language.
//!
//! `<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>` is a bracket with a
//! mention in it; `<extra_id_5>` separates type and name. The readable form is
//! `((person: Anna))`.

use super::draft::Draft;
use super::query::Query;

const OPEN: &str = "<extra_id_0>";
const CLOSE: &str = "<extra_id_1>";
const SEPARATOR: &str = "<extra_id_5>";
/// Marks a name that is not in the text.
const NULL: &str = "<extra_id_6>";

#[derive(Clone, Copy, PartialEq)]
enum Token {
    Open,
    Close,
    Separator,
}

/// Reads structured extraction language; None if there is none.
///
/// Roles inside a mention, which have the same form, are skipped.
pub(super) fn read(text: &str, _: &Query) -> Option<Draft> {
    let trimmed = text.trim_start();
    let tokens = match trimmed {
        _ if text.contains(OPEN) => tokens(text, [OPEN, CLOSE, SEPARATOR]),
        _ if trimmed.starts_with("((") || trimmed == "()" => tokens(text, ["(", ")", ":"]),
        _ => return None,
    };
    let mut draft = Draft::new("sel");
    let mut depth = 0_usize;
    let mut is_separated = false;
    // The type and the name of the mention at depth 2.
    let mut ty = (0, 0);
    let mut name: Option<(usize, usize)> = None;
    let mut is_closed = false;
    for (index, (token, start, end)) in tokens.iter().copied().enumerate() {
        let next = tokens.get(index + 1).map_or(text.len(), |next| next.1);
        match token {
            Token::Open => {
                depth += 1;
                if depth == 2 {
                    (ty, name, is_separated) = ((end, next), None, false);
                }
            }
            Token::Separator if depth == 2 && !is_separated => {
                is_separated = true;
                name = Some((end, next));
            }
            Token::Separator => {
                if let Some(name) = name.as_mut().filter(|_| depth == 2) {
                    name.1 = next;
                }
            }
            Token::Close => {
                if depth == 2 {
                    add(&mut draft, text, ty, name, start);
                }
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    is_closed = true;
                    break;
                }
            }
        }
    }
    if !is_closed {
        draft.repair("truncated");
        let message = "the answer ends inside brackets; the last item may be missing";
        draft.fault("truncated", message, text.trim_end().len());
    }
    if draft.mentions.is_empty() && !draft.faults.is_empty() {
        draft.is_unreadable = true;
        draft.layout = "unreadable";
    }
    Some(draft)
}

fn add(draft: &mut Draft, text: &str, ty: (usize, usize), name: Option<(usize, usize)>, at: usize) {
    let Some((from, to)) = name else {
        return draft.fault("no_name", "the item has no separator of type and name", at);
    };
    let raw = &text[from..to];
    let name = raw.trim();
    let name_at = from + raw.len() - raw.trim_start().len();
    match name {
        NULL => draft.fault(
            "no_name",
            "the model states that the name is not in the text",
            name_at,
        ),
        _ => draft.name(Some(text[ty.0..ty.1].trim()), name, name_at),
    }
}

/// The markers of a text with their byte offsets.
fn tokens(text: &str, markers: [&str; 3]) -> Vec<(Token, usize, usize)> {
    let kinds = [Token::Open, Token::Close, Token::Separator];
    let mut found = Vec::new();
    for (marker, kind) in markers.into_iter().zip(kinds) {
        let at = memchr::memmem::find_iter(text.as_bytes(), marker);
        found.extend(at.map(|at| (kind, at, at + marker.len())));
    }
    found.sort_unstable_by_key(|(_, at, _)| *at);
    found
}
