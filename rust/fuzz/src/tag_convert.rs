//! Spans written as tags, and tags of one scheme written as those of another.

use spanrs_base::Span;
use spanrs_tags::{Converter, Dialect, Error, Reader, Reading, Scheme, Writer};

use crate::input::Input;
use crate::tag_input::{reading, scheme, tag};

const NAMES: [&str; 3] = ["A", "B-b", "C"];

/// A span with the name of its type.
type Named = (String, u32, u32);

/// Spans are refused exactly where they overlap, do not fit, or the scheme cannot express them; what is
/// written is read as the same spans under every reading and has no violations; converting there and back
/// gives the same tags. The first bytes choose the schemes, the others spans and tags.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (source, target) = (scheme(&mut input), scheme(&mut input));
    let reading = reading(&mut input, source);
    let count = input.below(16);
    let loose = input.byte() & 1 == 1;
    let (mut spans, mut at) = (Vec::new(), 0_u32);
    for _ in 0..count {
        let byte = u32::from(input.byte());
        let (gap, length, ty) = (byte & 3, byte >> 2 & 3, (byte >> 4) % 3);
        // Loose spans may overlap and may be empty.
        let (start, length) = if loose {
            (gap * 2, length)
        } else {
            (at + gap, length + 1)
        };
        at = start + length;
        spans.push(Span { start, end: at, ty });
    }
    let length = at as usize + input.below(3);
    let length = if loose { 6 } else { length };
    written(source, &spans, length);
    if let Some(tags) = written(target, &spans, length) {
        converted(target, source, None, &tags);
    }
    let tags: Vec<String> = input
        .rest()
        .iter()
        .take(100)
        .map(|&byte| tag(byte, source))
        .collect();
    converted(source, target, Some(reading), &tags);
    converted(source, target, None, &tags);
}

/// Writes spans and asserts that they are refused, or read again.
fn written(scheme: Scheme, spans: &[Span], length: usize) -> Option<Vec<String>> {
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
    let expected: Vec<Named> = sorted
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

fn read(scheme: Scheme, reading: Reading, tags: &[String]) -> Option<(Vec<Named>, u64)> {
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

/// Converts tags and asserts that the result is well-formed and says the same.
fn converted(source: Scheme, target: Scheme, reading: Option<Reading>, tags: &[String]) {
    let mut converter = Converter::new(source, target, reading, Dialect::default())
        .expect("the reading is defined");
    let named = reading.unwrap_or(Reading::Refuse);
    let (spans, violations) = read(source, named, tags).expect("there are few tags");
    let result = converter.convert(tags.iter().map(String::as_str));
    let again = converter.convert(tags.iter().map(String::as_str));
    assert_eq!(result, again, "a converter has no memory");
    let made = match result {
        Ok(made) => made,
        Err(Error::Malformed {
            violations: told, ..
        }) => {
            assert!(named == Reading::Refuse && told.len() as u64 == violations && violations > 0);
            return;
        }
        Err(Error::NotExpressible { scheme, .. }) => {
            assert!(matches!(scheme, Scheme::Io | Scheme::Token) && scheme == target);
            return;
        }
        // Types that only some schemes can write, and spans of seqeval that overlap.
        Err(Error::BadType { .. }) => return,
        Err(Error::Overlap { .. }) if named == Reading::Seqeval => return,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(made.len(), tags.len());
    assert!(named != Reading::Refuse || violations == 0);
    let (found, wrong) = read(target, Reading::Conlleval, &made).expect("there are few tags");
    assert_eq!(
        (found, wrong),
        (spans, 0),
        "{source:?} {target:?} {tags:?} {made:?}"
    );
    // seqeval's readings do not find all spans of well-formed tags.
    if violations == 0 && !matches!(named, Reading::Seqeval | Reading::SeqevalStrict) {
        let mut back =
            Converter::new(target, source, None, Dialect::default()).expect("it needs no reading");
        let back = back
            .convert(made.iter().map(String::as_str))
            .expect("the spans came from there");
        let (spans, wrong) = read(source, Reading::Conlleval, tags).expect("there are few tags");
        assert_eq!(
            read(source, Reading::Conlleval, &back),
            Some((spans, wrong))
        );
    }
}
