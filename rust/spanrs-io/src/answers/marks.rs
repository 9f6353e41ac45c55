//! Texts with marks: `@@Anna##`, `[Anna](PER)`, `[PER: Anna]` and `[Anna | PER]`.

use memchr::memmem;

use super::draft::{Counter, Draft};
use super::query::Query;
use super::vocabulary::{can_be_type, is_common_type};
use super::{MAX_DEPTH, Mention};

/// Converts offsets of mentions from bytes of the text to characters.
pub(super) fn count_characters(text: &str, mentions: &mut [Mention]) {
    let ends = mentions.iter_mut();
    let mut offsets: Vec<&mut u64> = ends
        .flat_map(|mention| [&mut mention.start, &mut mention.end])
        .flatten()
        .collect();
    offsets.sort_unstable_by_key(|offset| **offset);
    let mut counter = Counter::new(text);
    for offset in offsets {
        *offset = counter.characters(*offset as usize) as u64;
    }
}

/// Reads a text with marks; None if it has none.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    at_marks(text, query).or_else(|| brackets(text, query))
}

/// Reads GPT-NER's marks, which have the type of the query.
fn at_marks(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("at-marks");
    let mut plain = String::new();
    let mut mentions = Vec::new();
    let mut openings = memmem::find_iter(text.as_bytes(), "@@").peekable();
    let mut closings = memmem::find_iter(text.as_bytes(), "##").peekable();
    let mut at = 0;
    while let Some(open) = openings.next() {
        plain.push_str(&text[at..open]);
        at = open + 2;
        while closings.next_if(|close| *close < at).is_some() {}
        let next = openings.peek().copied().unwrap_or(text.len());
        let Some(end) = closings.next_if(|close| *close < next) else {
            draft.fault("unclosed", "@@ without ##; the name is not read", open);
            continue;
        };
        let start = plain.len() as u64;
        let name = &text[at..end];
        plain.push_str(name);
        mentions.push(Mention {
            ty: query.ty().map(str::to_owned),
            text: name.to_owned(),
            start: Some(start),
            end: Some(plain.len() as u64),
            at,
        });
        at = end + 2;
    }
    plain.push_str(&text[at..]);
    if mentions.is_empty() {
        return None;
    }
    finish(draft, plain, mentions)
}

fn finish(mut draft: Draft, plain: String, mut mentions: Vec<Mention>) -> Option<Draft> {
    count_characters(&plain, &mut mentions);
    for mention in mentions {
        draft.mention(mention);
    }
    draft.text = Some(plain);
    Some(draft)
}

/// Reads marks in square brackets; None unless each is a mention.
fn brackets(text: &str, query: &Query) -> Option<Draft> {
    let mut plain = String::with_capacity(text.len());
    let mut mentions: Vec<Mention> = Vec::new();
    // Offsets of the content in the text and in the answer.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'[', b']', &text.as_bytes()[at..]) {
        let here = at + found;
        plain.push_str(&text[at..here]);
        at = here + 1;
        if text.as_bytes()[here] == b'[' {
            if open.len() >= MAX_DEPTH {
                return None;
            }
            open.push((plain.len(), at));
            continue;
        }
        let (start, source) = open.pop()?;
        let content = &plain[start..];
        let (name, ty, skip) = split_mark(content, &text[at..], query)?;
        let lead = name.as_ptr() as usize - content.as_ptr() as usize;
        let name = name.to_owned();
        plain.replace_range(start.., &name);
        let (from, to) = (start as u64, (start + name.len()) as u64);
        let inner = mentions.iter_mut().rev();
        for mention in inner.take_while(|mention| mention.start >= Some(from)) {
            // A mention inside the type is not a mark of this form.
            let moved = |offset: Option<u64>| offset?.checked_sub(lead as u64);
            (mention.start, mention.end) = (moved(mention.start), moved(mention.end));
            if mention.start? < from || mention.end? > to {
                return None;
            }
        }
        mentions.push(Mention {
            ty: Some(ty),
            start: Some(start as u64),
            end: Some((start + name.len()) as u64),
            text: name,
            at: source + lead,
        });
        at += skip;
    }
    if !open.is_empty() || mentions.is_empty() {
        return None;
    }
    plain.push_str(&text[at..]);
    finish(Draft::new("bracket-marks"), plain, mentions)
}

/// Splits the content of brackets into name and type; also returns the length of a type that
/// follows in parentheses.
fn split_mark<'a>(
    content: &'a str,
    after: &str,
    query: &Query,
) -> Option<(&'a str, String, usize)> {
    let is_known = |ty: &str| match query.has_no_types() {
        true => can_be_type(ty),
        false => query.is_type(ty),
    };
    if let Some(rest) = after.strip_prefix('(')
        && let Some((ty, _)) = rest.split_once(')')
        && is_known(ty)
        && !ty.contains(['/', '.'])
    {
        return Some((content.trim(), ty.trim().to_owned(), ty.len() + 2));
    }
    if let Some((name, types)) = content.split_once('|') {
        let ty = types.split('|').next()?.trim();
        return is_known(ty).then(|| (name.trim(), ty.to_owned(), 0));
    }
    let (ty, name) = content.split_once(':')?;
    let is_type = match query.has_no_types() {
        true => is_common_type(ty),
        false => query.is_type(ty),
    };
    is_type.then(|| (name.trim(), ty.trim().to_owned(), 0))
}
