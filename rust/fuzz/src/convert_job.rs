//! Column files converted from one scheme to another.

use spanrs::{Error, convert, detect, spans, validate};
use spanrs_io::{ColumnReader, Columns, Comments, LineKind};
use spanrs_tags::{Converter, Dialect, Reader, Reading};

use crate::columns::{is_guessed, options};
use crate::input::{CHUNK, Input, lines, without_mark};
use crate::tag_input::{reading, scheme};

/// Violations kept.
const KEEP: usize = 3;

/// Converting changes tags and nothing else, the result is well-formed in the target scheme, and converting
/// it back gives the tags of the first file again where they were well-formed. Validating, listing spans and
/// finding the scheme read or refuse the same files. The first bytes choose options, schemes and reading.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let columns = Columns {
        second: None,
        ..options(&mut input)
    };
    let (source, target) = (scheme(&mut input), scheme(&mut input));
    let reading = reading(&mut input, source);
    let bytes = input.rest();
    let reader =
        |reading| Reader::new(source, reading, Dialect::default()).expect("the reading is defined");
    let Some(tags) = tags(bytes, &columns) else {
        assert!(rows(bytes, &columns).is_none_or(|rows| {
            validate(rows, &mut reader(reading), KEEP, &mut |_| true).is_err()
        }));
        return;
    };
    let report = validate(
        readable(bytes, &columns),
        &mut reader(reading),
        KEEP,
        &mut |_| true,
    );
    let report = report.expect("the file is read");
    assert_eq!(report.tokens, tags.len() as u64);
    assert_eq!(report.kinds.values().sum::<u64>(), report.violations.count);
    assert_eq!(
        report.violations.first.len() as u64,
        report.violations.count.min(KEEP as u64)
    );
    let detected = detect(readable(bytes, &columns), &Dialect::default(), &mut |_| {
        true
    });
    match detected {
        // Most tags may be in no scheme.
        Ok(_) | Err(Error::Tags { .. }) => {}
        Err(error) => panic!("the file is read: {error}"),
    }
    let mut listed = Vec::new();
    let listing = spans(
        readable(bytes, &columns),
        &mut reader(reading),
        &mut listed,
        &mut |_| true,
    );
    assert_eq!(
        listing.is_ok(),
        reading != Reading::Refuse || report.violations.count == 0
    );
    let sentences = listed.iter().filter(|&&byte| byte == b'\n').count() as u64;
    assert_eq!(sentences, report.sentences);
    let make = |from, to, reading| {
        Converter::new(from, to, reading, Dialect::default()).expect("the reading is defined")
    };
    let mut strict = Vec::new();
    let result = convert(
        readable(bytes, &columns),
        &mut make(source, target, None),
        &mut strict,
        &mut |_| true,
    );
    assert!(result.is_err() || report.violations.count == 0);
    let mut out = Vec::new();
    let mut converter = make(source, target, Some(reading));
    if convert(
        readable(bytes, &columns),
        &mut converter,
        &mut out,
        &mut |_| true,
    )
    .is_err()
    {
        assert!(result.is_err() || matches!(reading, Reading::Seqeval | Reading::SeqevalStrict));
        return;
    }
    if result.is_ok() && !matches!(reading, Reading::Seqeval | Reading::SeqevalStrict) {
        assert_eq!(strict, out);
    }
    let mark = "\u{FEFF}".as_bytes();
    if out.starts_with(mark) && !bytes.starts_with(mark) {
        // A type that is U+FEFF, written as the first tag of a file of tags alone, is a byte order mark.
        return;
    }
    // A tag that is converted may become a comment, or cease to look like one.
    let comment = match &columns.comments {
        Comments::Prefix(prefix) => [bytes, &out]
            .into_iter()
            .flat_map(|file| without_mark(file).split(|&byte| byte == b'\n'))
            .any(|line| line.starts_with(prefix.as_bytes())),
        _ => is_guessed(bytes, &columns),
    };
    // So may one that becomes `-DOCSTART-`, or was it.
    let document = bytes.windows(10).any(|piece| piece == b"-DOCSTART-");
    let Some(made) = self::tags(&out, &columns) else {
        // The layout is found out from the first line that is no comment and no document.
        assert!(document || comment, "what was converted cannot be read");
        return;
    };
    let others = [bytes, &out].map(|file| without_tags(file, &columns));
    let same_lines = made.len() == tags.len() && others[0] == others[1];
    if (comment || document) && !same_lines {
        return;
    }
    assert_eq!((made.len(), &others[0]), (tags.len(), &others[1]));
    let mut target_reader =
        Reader::new(target, Reading::Conlleval, Dialect::default()).expect("defined for all");
    let checked = validate(
        readable(&out, &columns),
        &mut target_reader,
        KEEP,
        &mut |_| true,
    );
    assert_eq!(checked.expect("the file is read").violations.count, 0);
    if report.violations.count == 0 && result.is_ok() {
        let mut back = Vec::new();
        convert(
            readable(&strict, &columns),
            &mut make(target, source, None),
            &mut back,
            &mut |_| true,
        )
        .expect("the spans came from this scheme");
        let mut again = Vec::new();
        convert(
            readable(&back, &columns),
            &mut make(source, target, None),
            &mut again,
            &mut |_| true,
        )
        .expect("the file was converted before");
        assert_eq!(again, strict);
    }
}

fn rows(bytes: &[u8], columns: &Columns) -> Option<ColumnReader> {
    ColumnReader::new(lines(bytes, CHUNK).ok()?, columns.clone()).ok()
}

fn readable(bytes: &[u8], columns: &Columns) -> ColumnReader {
    rows(bytes, columns).expect("the file is read")
}

/// The tags of a file; None where it is refused.
fn tags(bytes: &[u8], columns: &Columns) -> Option<Vec<String>> {
    let mut rows = rows(bytes, columns)?;
    let mut tags = Vec::new();
    while let Some(kind) = rows.next_line().ok()? {
        if kind == LineKind::Token {
            tags.push(String::from_utf8_lossy(rows.tag()).into_owned());
        }
    }
    Some(tags)
}

/// The file without its tags.
fn without_tags(bytes: &[u8], columns: &Columns) -> Vec<u8> {
    let mut rows = readable(bytes, columns);
    let mut rest = Vec::new();
    while let Ok(Some(kind)) = rows.next_line() {
        let line = rows.whole();
        match kind {
            LineKind::Token => {
                let place = rows
                    .tag_place()
                    .expect("columns have a place for every tag");
                rest.extend_from_slice(&line[..place.start]);
                rest.extend_from_slice(&line[place.end..]);
            }
            _ => rest.extend_from_slice(line),
        }
    }
    rest
}
