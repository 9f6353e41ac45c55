//! Fuzz target for writing spans as tags and converting tags between schemes.

use spanrs_base::Span;
use spanrs_tags::{Converter, Dialect, Error, Reading, Scheme};

use crate::input::Input;
use crate::tag_input::{reading, scheme, tag};
use crate::tag_laws::{read, written};

/// Asserts that spans are rejected exactly if they overlap, do not fit into the sentence, or cannot be expressed in the
/// scheme; that written tags are read as the same spans under every reading, without violations; and that converting
/// back and forth gives the same tags. The first bytes choose the schemes, the other bytes spans and tags.
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

/// Converts tags and asserts that the result is well-formed and has the same spans.
fn converted(source: Scheme, target: Scheme, reading: Option<Reading>, tags: &[String]) {
    let mut converter = Converter::new(source, target, reading, Dialect::default())
        .expect("the reading is defined");
    let named = reading.unwrap_or(Reading::Refuse);
    let (spans, violations) = read(source, named, tags).expect("there are few tags");
    let result = converter.convert(tags.iter().map(String::as_str));
    let again = converter.convert(tags.iter().map(String::as_str));
    assert_eq!(
        result, again,
        "results must not depend on earlier sentences"
    );
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
        // Types that only some schemes can express, and overlapping spans of seqeval.
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
    // seqeval's readings do not find all spans in well-formed tags.
    if violations == 0 && !matches!(named, Reading::Seqeval | Reading::SeqevalStrict) {
        let mut back = Converter::new(target, source, None, Dialect::default())
            .expect("no reading is required");
        let back = back
            .convert(made.iter().map(String::as_str))
            .expect("the spans can be expressed in the source scheme");
        let (spans, wrong) = read(source, Reading::Conlleval, tags).expect("there are few tags");
        assert_eq!(
            read(source, Reading::Conlleval, &back),
            Some((spans, wrong))
        );
    }
}
