//! Laws of reading and writing tags, checked with a second reader that follows the definitions.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::collections::BTreeSet;

use spanrs_base::Span;
use spanrs_tags::{Dialect, Edge, Prefix, Reader, Reading, Scheme, Writer, legal};

/// A span with the name of its type.
type Named = (String, usize, usize);

/// A written span with the name of its type.
pub(crate) type Written = (String, u32, u32);

/// Types of the spans that are written.
pub(crate) const NAMES: [&str; 3] = ["A", "B-b", "C"];

/// Asserts that the spans are the spans that the reading defines, in order and within the sentence; that tags without
/// violations give the same spans under every reading; that tags have no violations if and only if writing the spans
/// gives the same tags, and if and only if all transitions are legal; and that the violations between neighbours add up
/// to the violations of the sentence.
pub(crate) fn check_reading(scheme: Scheme, reading: Reading, dialect: &Dialect, tags: &[String]) {
    let reader = Reader::new(scheme, reading, dialect.clone()).expect("the reading is defined");
    let (_, found) = check(reader, tags);
    if *dialect == Dialect::default() {
        assert_eq!(
            found,
            by_definition(scheme, reading, tags),
            "{scheme:?} {reading} {tags:?}"
        );
    }
    let conlleval = |dialect| {
        let reader = Reader::new(scheme, Reading::Conlleval, dialect);
        check(reader.expect("defined for all schemes"), tags)
    };
    let is_seqeval = matches!(reading, Reading::Seqeval | Reading::SeqevalStrict);
    let (violations, expected) = conlleval(dialect.clone());
    // Tags with unknown prefixes are not violations if they are read as outside.
    if violations == 0 && !is_seqeval && !dialect.unknown_is_outside {
        assert_eq!(found, expected, "{scheme:?} {reading} {dialect:?} {tags:?}");
    }
    let (violations, found) = conlleval(Dialect::default());
    if tags.iter().all(|tag| is_canonical(scheme, tag)) {
        let again = write(scheme, &found, tags.len());
        assert_eq!(
            violations == 0,
            again.as_deref() == Some(tags),
            "{scheme:?} {tags:?} {again:?}"
        );
        assert_eq!(
            violations == 0,
            is_legal(scheme, tags),
            "{scheme:?} {tags:?}"
        );
        if violations == 0 && !is_seqeval {
            assert_eq!(
                found,
                by_definition(scheme, reading, tags),
                "{scheme:?} {reading} {tags:?}"
            );
        }
    }
}

/// Asserts properties that hold for every reader; returns the number of violations and the spans.
fn check(mut reader: Reader, tags: &[String]) -> (u64, Vec<Named>) {
    let ids = reader
        .intern_all(tags.iter().map(String::as_str))
        .expect("there are few tags");
    let spans = reader.spans(&ids);
    for span in &spans {
        assert!(span.start < span.end && span.end as usize <= tags.len());
    }
    assert!(spans.is_sorted_by_key(|span| span.end));
    if reader.reading() != Reading::Seqeval {
        assert!(
            spans.windows(2).all(|pair| pair[0].end <= pair[1].start),
            "{spans:?}"
        );
    }
    let mut again = Vec::new();
    let doubtful = reader.spans_into(&ids, &mut again);
    assert_eq!(again, spans);
    let violations = reader.violations(&ids);
    assert!(doubtful || violations.is_empty(), "{violations:?}");
    assert_eq!(violations.len() as u64, reader.count_violations(&ids));
    assert_eq!(reader.check(&ids).is_ok(), violations.is_empty());
    assert!(violations.is_sorted_by_key(|violation| (violation.index, violation.kind)));
    if !ids.is_empty() {
        let border = [None].into_iter();
        let known = || ids.iter().map(|&id| Some(id));
        let (before, here) = (border.clone().chain(known()), known().chain(border));
        let between = |(before, here)| u64::from(reader.gold().violations_between(before, here));
        let sum: u64 = before.zip(here).map(between).sum();
        assert_eq!(sum, violations.len() as u64);
    }
    let named = |span: &Span| {
        let name = reader.type_name(span.ty).to_owned();
        (name, span.start as usize, span.end as usize)
    };
    (violations.len() as u64, spans.iter().map(named).collect())
}

/// True if a tag is spelt as the writer of the scheme spells it.
fn is_canonical(scheme: Scheme, tag: &str) -> bool {
    if tag == "O" || scheme == Scheme::Token {
        return tag == "O" || !tag.is_empty() && tag != "_";
    }
    let letters = || scheme.prefixes().iter().map(|prefix| prefix.letter);
    match tag.split_once('-') {
        Some((letter, ty)) => letters().any(|known| known == letter) && !ty.is_empty() && ty != "_",
        None => letters().any(|known| known == tag),
    }
}

/// Returns the spans as tags; None if the scheme cannot express them.
fn write(scheme: Scheme, spans: &[Named], length: usize) -> Option<Vec<String>> {
    let names: BTreeSet<&str> = spans.iter().map(|(ty, ..)| &**ty).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let spans: Vec<Span> = spans
        .iter()
        .map(|(ty, start, end)| Span {
            start: *start as u32,
            end: *end as u32,
            ty: names.iter().position(|name| name == ty).unwrap_or(0) as u32,
        })
        .collect();
    Writer::new(scheme, Dialect::default())
        .write(&spans, &names, length)
        .ok()
}

/// Returns whether all transitions are legal according to the transition matrix.
fn is_legal(scheme: Scheme, tags: &[String]) -> bool {
    let names: BTreeSet<&str> = tags.iter().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let n = names.len();
    let may = legal(scheme, &names, &Dialect::default()).expect("the scheme knows the tags");
    let place = |tag: &String| names.iter().position(|name| name == tag).unwrap_or(n);
    let (Some(first), Some(last)) = (tags.first(), tags.last()) else {
        return true;
    };
    let inner = tags
        .windows(2)
        .all(|pair| may[place(&pair[0]) * (n + 1) + place(&pair[1])]);
    inner && may[n * (n + 1) + place(first)] && may[place(last) * (n + 1) + n]
}

/// A tag: its prefix, None if the tag is outside, and its type.
type Part<'a> = (Option<Prefix>, &'a str);

fn part(scheme: Scheme, tag: &str) -> Part<'_> {
    if scheme == Scheme::Token {
        let prefix = scheme.prefixes()[0];
        return if tag == "O" {
            (None, "_")
        } else {
            (Some(prefix), tag)
        };
    }
    let (letter, ty) = tag.split_once('-').unwrap_or((tag, ""));
    let prefix = scheme
        .prefixes()
        .iter()
        .find(|prefix| prefix.letter == letter);
    (prefix.copied(), if ty.is_empty() { "_" } else { ty })
}

/// The spans according to the documentation of each reading.
fn by_definition(scheme: Scheme, reading: Reading, tags: &[String]) -> Vec<Named> {
    let parts: Vec<Part<'_>> = tags.iter().map(|tag| part(scheme, tag)).collect();
    match reading {
        Reading::Conlleval | Reading::Refuse => conlleval(&parts),
        Reading::Strict => strict(&parts),
        Reading::Discard => discard(&parts),
        Reading::Ncrfpp if scheme == Scheme::Bio => ncrfpp_bio(&parts),
        Reading::Ncrfpp => ncrfpp(&parts),
        Reading::Seqeval => seqeval(tags, scheme),
        // This reading is defined by its own table of patterns.
        Reading::SeqevalStrict => spans_of(scheme, reading, tags),
    }
}

fn spans_of(scheme: Scheme, reading: Reading, tags: &[String]) -> Vec<Named> {
    let reader = Reader::new(scheme, reading, Dialect::default()).expect("the reading is defined");
    check(reader, tags).1
}

/// True if a token may belong to the same span as the previous token.
fn joins(before: Part<'_>, here: Part<'_>) -> bool {
    let ((Some(p), before), (Some(q), here)) = (before, here) else {
        return false;
    };
    before == here
        && matches!(p.ends, Edge::Never | Edge::Auto)
        && matches!(q.begins, Edge::Never | Edge::Auto)
}

/// Every tag with a prefix is in a span; a span ends where a tag does not join the previous tag.
fn conlleval(parts: &[Part<'_>]) -> Vec<Named> {
    let mut found = Vec::new();
    for (start, part) in parts.iter().enumerate() {
        let begins = start == 0 || !joins(parts[start - 1], *part);
        if part.0.is_none() || !begins {
            continue;
        }
        let mut end = start + 1;
        while end < parts.len() && joins(parts[end - 1], parts[end]) {
            end += 1;
        }
        found.push((part.1.to_owned(), start, end));
    }
    found
}

/// True if both tokens have prefixes and the same type.
fn touch(before: Option<&Part<'_>>, here: Option<&Part<'_>>) -> bool {
    matches!((before, here), (Some((Some(_), before)), Some((Some(_), here))) if before == here)
}

/// Spans whose first token may begin a span and whose last token may end a span. A token does not join a token outside
/// spans.
fn strict(parts: &[Part<'_>]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let before = at.checked_sub(1).map(|at| &parts[at]);
        let begins = parts[at].0.is_some_and(|prefix| match prefix.begins {
            Edge::Always | Edge::Auto => true,
            Edge::Never => false,
            Edge::Contact => touch(before, Some(&parts[at])),
        });
        let start = at;
        at += 1;
        if !begins {
            continue;
        }
        while at < parts.len() && joins(parts[at - 1], parts[at]) {
            at += 1;
        }
        let ends = parts[at - 1].0.is_some_and(|prefix| match prefix.ends {
            Edge::Always | Edge::Auto => true,
            Edge::Never => false,
            Edge::Contact => touch(Some(&parts[at - 1]), parts.get(at)),
        });
        if ends {
            found.push((parts[start].1.to_owned(), start, at));
        }
    }
    found
}

/// Same as `conlleval`, except that two kinds of tokens are read as `O`: tokens that would continue a span where there
/// is none, and tokens whose prefix requires a touching span that does not exist.
fn discard(parts: &[Part<'_>]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let start = at;
        let before = at.checked_sub(1).map(|at| &parts[at]);
        let begins = parts[at].0.is_some_and(|prefix| match prefix.begins {
            Edge::Always | Edge::Auto => true,
            Edge::Never => false,
            Edge::Contact => touch(before, Some(&parts[at])),
        });
        at += 1;
        if !begins {
            continue;
        }
        while at < parts.len() && joins(parts[at - 1], parts[at]) {
            at += 1;
        }
        found.push((parts[start].1.to_owned(), start, at));
    }
    found
}

/// A span is a first token and the tokens of its type that may join it.
fn ncrfpp_bio(parts: &[Part<'_>]) -> Vec<Named> {
    let is_first = |part: &Part<'_>| part.0.is_some_and(|prefix| prefix.letter == "B");
    let starts = (0..parts.len()).filter(|&at| is_first(&parts[at]));
    let span = |start: usize| {
        let goes_on = |at: &usize| {
            let (prefix, ty) = parts[*at];
            prefix.is_some_and(|prefix| prefix.letter == "I") && ty == parts[start].1
        };
        let end = start + 1 + (start + 1..parts.len()).take_while(goes_on).count();
        (parts[start].1.to_owned(), start, end)
    };
    starts.map(span).collect()
}

/// A span extends from a first or single token to the next token that ends a span, begins a span, or ends the sentence.
fn ncrfpp(parts: &[Part<'_>]) -> Vec<Named> {
    let begins = |part: &Part<'_>| part.0.is_some_and(|prefix| prefix.begins == Edge::Always);
    let ends = |part: &Part<'_>| part.0.is_some_and(|prefix| prefix.ends == Edge::Always);
    let starts = (0..parts.len()).filter(|&at| begins(&parts[at]));
    let span = |start: usize| {
        let mut end = start + 1;
        while !ends(&parts[end - 1]) && end < parts.len() && !begins(&parts[end]) {
            end += 1;
        }
        (parts[start].1.to_owned(), start, end)
    };
    starts.map(span).collect()
}

/// seqeval 1.2.2, `get_entities`, for tags spelt `letter-type`.
fn seqeval(tags: &[String], scheme: Scheme) -> Vec<Named> {
    let letters = ["B", "I", "E", "S", "."];
    let split = |tag: &String| {
        if scheme == Scheme::Token {
            // Tags have no prefixes in TOKEN.
            return if tag == "O" {
                ("O".to_owned(), "_".to_owned())
            } else {
                ("B".to_owned(), tag.clone())
            };
        }
        let (letter, ty) = tag.split_once('-').unwrap_or((tag, ""));
        let ty = if ty.is_empty() { "_" } else { ty };
        let known = letters.contains(&letter) || letter == "O" && !tag.contains('-');
        (if known { letter } else { "?" }.to_owned(), ty.to_owned())
    };
    let end_of_chunk = |p: &str, q: &str, same: bool| {
        matches!((p, q), ("E" | "S", _) | ("B" | "I", "B" | "S" | "O"))
            || !matches!(p, "O" | ".") && !same
    };
    let start_of_chunk = |p: &str, q: &str, same: bool| {
        matches!((p, q), (_, "B" | "S") | ("E" | "S" | "O", "E" | "I"))
            || !matches!(q, "O" | ".") && !same
    };
    let (mut found, mut begin) = (Vec::new(), 0);
    let mut before = ("O".to_owned(), "_".to_owned());
    let outside = ["O".to_owned()];
    for (at, tag) in tags.iter().chain(&outside).enumerate() {
        let here = split(tag);
        let same = before.1 == here.1;
        if end_of_chunk(&before.0, &here.0, same) {
            found.push((before.1.clone(), begin, at));
        }
        if start_of_chunk(&before.0, &here.0, same) {
            begin = at;
        }
        before = here;
    }
    found
}

/// Writes spans and asserts that they are either refused or read back.
pub(crate) fn written(scheme: Scheme, spans: &[Span], length: usize) -> Option<Vec<String>> {
    let result = Writer::new(scheme, Dialect::default()).write(spans, &NAMES, length);
    let mut sorted = spans.to_vec();
    sorted.sort();
    let fits = sorted
        .iter()
        .all(|span| !span.is_empty() && span.end as usize <= length);
    let flat = sorted.windows(2).all(|pair| pair[0].end <= pair[1].start);
    let apart = |pair: &[Span]| pair[0].end < pair[1].start || pair[0].ty != pair[1].ty;
    let expressible = match scheme {
        Scheme::Io => sorted.windows(2).all(apart),
        Scheme::Token => sorted.iter().all(|span| span.len() == 1),
        _ => true,
    };
    let tags = match result {
        Ok(tags) => tags,
        Err(error) => {
            assert!(!(fits && flat && expressible), "{error}");
            return None;
        }
    };
    assert!(fits && flat && expressible, "{scheme:?} {spans:?} {tags:?}");
    assert_eq!(tags.len(), length);
    let expected: Vec<Written> = sorted
        .iter()
        .map(|span| (NAMES[span.ty as usize].to_owned(), span.start, span.end))
        .collect();
    for reading in Reading::all() {
        if matches!(reading, Reading::Seqeval | Reading::SeqevalStrict) {
            continue;
        }
        if let Some((found, violations)) = read(scheme, reading, &tags) {
            assert_eq!(
                (found, violations),
                (expected.clone(), 0),
                "{scheme:?} {reading} {tags:?}"
            );
        }
    }
    Some(tags)
}

/// Returns the spans, sorted, and the number of violations.
pub(crate) fn read(
    scheme: Scheme,
    reading: Reading,
    tags: &[String],
) -> Option<(Vec<Written>, u64)> {
    let mut reader = Reader::new(scheme, reading, Dialect::default()).ok()?;
    let ids = reader.intern_all(tags.iter().map(String::as_str)).ok()?;
    let mut spans = reader.spans(&ids);
    spans.sort();
    let named = |span: &Span| (reader.type_name(span.ty).to_owned(), span.start, span.end);
    Some((
        spans.iter().map(named).collect(),
        reader.count_violations(&ids),
    ))
}
