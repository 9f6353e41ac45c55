//! Texts with marks: `@@Anna##`, `[Anna](PER)`, `[PER: Anna]` and `[Anna | PER]`.

use memchr::memmem;

use super::draft::{Counter, Draft, Mentions};
use super::pieces::prefix;
use super::query::Query;
use super::vocabulary;
use super::{MAX_DEPTH, Mention};

/// Bytes within which a type in parentheses ends.
const MAX_TYPE: usize = 200;

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
    let mut mentions = Mentions::default();
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
        if !mentions.exceeds(name, query.ty(), at, &mut draft) {
            mentions.list.push(Mention {
                ty: query.ty().map(str::to_owned),
                text: name.to_owned(),
                start: Some(start),
                end: Some(plain.len() as u64),
                at,
            });
        }
        at = end + 2;
    }
    plain.push_str(&text[at..]);
    if mentions.list.is_empty() {
        return None;
    }
    finish(draft, plain, mentions)
}

/// Adds mentions whose offsets are bytes of the text without marks.
fn finish(mut draft: Draft, plain: String, mut mentions: Mentions) -> Option<Draft> {
    count_characters(&plain, &mut mentions.list);
    draft.extend(mentions);
    draft.text = Some(plain);
    Some(draft)
}

/// Reads marks in square brackets; None unless each is a mention.
fn brackets(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("bracket-marks");
    let mut plain = String::with_capacity(text.len());
    let mut mentions = Mentions::default();
    // Offsets of the content in the text and in the answer.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(offset) = memchr::memchr2(b'[', b']', &text.as_bytes()[at..]) {
        let here = at + offset;
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
        let name_range = start + lead..start + lead + name.len();
        keep_inner(&mut mentions.list, start, name_range, &mut draft);
        if !mentions.exceeds(&name, Some(&ty), source + lead, &mut draft) {
            mentions.list.push(Mention {
                ty: Some(ty),
                start: Some(start as u64),
                end: Some((start + name.len()) as u64),
                text: name,
                at: source + lead,
            });
        }
        at += skip;
    }
    if !open.is_empty() || mentions.list.is_empty() {
        return None;
    }
    plain.push_str(&text[at..]);
    finish(draft, plain, mentions)
}

/// Moves the mentions inside a mark whose content began at `start`, and of which only the name is
/// kept. Mentions outside of the name, as in its type, are ambiguous.
fn keep_inner(
    mentions: &mut Vec<Mention>,
    start: usize,
    name: std::ops::Range<usize>,
    draft: &mut Draft,
) {
    let is_inside = |mention: &Mention| mention.start >= Some(start as u64);
    let outer = mentions.len()
        - mentions
            .iter()
            .rev()
            .take_while(|mention| is_inside(mention))
            .count();
    let inner = mentions.split_off(outer);
    let by = (name.start - start) as u64;
    for mut mention in inner {
        let (from, to) = (mention.start.unwrap_or(0), mention.end.unwrap_or(0));
        if from < name.start as u64 || to > name.end as u64 {
            let message = "a mark inside the type of another mark is not read";
            draft.fault("ambiguous", message, mention.at);
        } else {
            (mention.start, mention.end) = (Some(from - by), Some(to - by));
            mentions.push(mention);
        }
    }
}

/// Splits the content of brackets into name and type; also returns the length of a type that
/// follows in parentheses.
fn split_mark<'a>(
    content: &'a str,
    after: &str,
    query: &Query,
) -> Option<(&'a str, String, usize)> {
    let can_be_type = |ty: &str| match query.has_no_types() {
        true => vocabulary::can_be_type(ty),
        false => query.is_type(ty),
    };
    let window = prefix(after, MAX_TYPE);
    if let Some(rest) = window.strip_prefix('(')
        && let Some((ty, _)) = rest.split_once(')')
        && can_be_type(ty)
        && !ty.contains(['/', '.'])
    {
        return Some((content.trim(), ty.trim().to_owned(), ty.len() + 2));
    }
    if let Some((name, types)) = content.split_once('|') {
        let ty = types.split('|').next()?.trim();
        return can_be_type(ty).then(|| (name.trim(), ty.to_owned(), 0));
    }
    let (ty, name) = content.split_once(':')?;
    query
        .is_usual(ty)
        .then(|| (name.trim(), ty.trim().to_owned(), 0))
}
