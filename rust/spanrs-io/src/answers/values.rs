//! JSON and Python values in an answer.
//!
//! Values that are separated only by white space and commas belong together (JSON Lines). Of several
//! such groups, separated by prose, the last one with mentions counts, because models explain the
//! layout and draft answers before they answer.

use super::draft::Draft;
use super::interpret::{Interpreter, Layout};
use super::json::Scanner;
use super::query::Query;

/// Reads the values of a text; None if it contains none.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut scanner = Scanner::new(text);
    let mut best: Option<(Layout, Draft)> = None;
    let mut group = Interpreter::new(text, query);
    let mut has_group = false;
    let mut number_of_groups = 0;
    let mut end = 0;
    let mut is_joined = true;
    let mut is_json = false;
    while let Some(value) = scanner.next_value() {
        let gap = &text[end.min(value.at)..value.at];
        if has_group && !(is_joined || is_separator(gap)) {
            let finished = std::mem::replace(&mut group, Interpreter::new(text, query));
            number_of_groups += usize::from(keep_better(&mut best, finished));
        }
        has_group = true;
        // After something unreadable, the next value is part of the same answer.
        is_joined = !value.is_complete;
        end = scanner.at;
        group.draft.append(std::mem::take(&mut scanner.draft));
        is_json |= !is_citation(text, value.at);
        group.value(&value, None);
    }
    group.draft.append(std::mem::take(&mut scanner.draft));
    if !has_group {
        return None;
    }
    number_of_groups += usize::from(keep_better(&mut best, group));
    let (_, mut draft) = best?;
    if number_of_groups > 1 {
        draft.repair("several");
    }
    draft.is_broken_json = is_json;
    Some(draft)
}

/// True for a bracket before a number, as in `[1]`.
fn is_citation(text: &str, at: usize) -> bool {
    let inner = text[at..].trim_start_matches(['[', '(']);
    inner.starts_with(|c: char| c.is_ascii_digit())
}

/// True if the text between two values is only punctuation.
fn is_separator(gap: &str) -> bool {
    gap.chars()
        .all(|c| c.is_whitespace() || ",;]})".contains(c))
}

/// Keeps the later of two groups unless it has less; returns whether it has mentions.
fn keep_better(best: &mut Option<(Layout, Draft)>, group: Interpreter<'_>) -> bool {
    let (layout, draft) = group.finish();
    let has_mentions = layout > Layout::Empty;
    if best
        .as_ref()
        .is_none_or(|(previous, _)| *previous <= layout)
    {
        *best = Some((layout, draft));
    }
    has_mentions
}
