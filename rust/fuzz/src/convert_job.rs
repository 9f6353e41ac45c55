//! Fuzz target for converting column files from one scheme to another.

use spanrs::{Error, Report, convert, detect, spans, validate};
use spanrs_io::{ColumnReader, Columns, Comments, LineKind};
use spanrs_tags::{Converter, Dialect, Reader, Reading, Scheme};

use crate::columns::{is_guessed, options};
use crate::input::{CHUNK, Input, lines, without_mark};
use crate::tag_input::{reading, scheme};

/// Number of violations kept.
const KEEP: usize = 3;

/// Asserts that converting changes only tags, that the result is well-formed in the target scheme, and that converting
/// the result of a well-formed file back and forth gives the same result. Validating, listing spans and detecting the
/// scheme must accept and reject the same files. The first bytes choose options, schemes and reading.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let columns = Columns {
        second: None,
        ..options(&mut input)
    };
    let (source, target) = (scheme(&mut input), scheme(&mut input));
    let reading = reading(&mut input, source);
    let bytes = input.rest();
    let Some(tags) = tags(bytes, &columns) else {
        if let Some(rows) = rows(bytes, &columns) {
            assert!(validate(rows, &mut reader(source, reading), KEEP, &mut |_| true).is_err());
        }
        return;
    };
    let report = check(bytes, &columns, (source, reading));
    assert_eq!(report.tokens, tags.len() as u64);
    assert_eq!(report.kinds.values().sum::<u64>(), report.violations.count);
    let kept = report.violations.count.min(KEEP as u64);
    assert_eq!(report.violations.first.len() as u64, kept);
    check_other_jobs(bytes, &columns, (source, reading), &report);

    let strict = converted(bytes, &columns, (source, target, None));
    assert!(strict.is_none() || report.violations.count == 0);
    let is_seqeval = matches!(reading, Reading::Seqeval | Reading::SeqevalStrict);
    let Some(out) = converted(bytes, &columns, (source, target, Some(reading))) else {
        assert!(strict.is_none() || is_seqeval);
        return;
    };
    if !is_seqeval && let Some(strict) = &strict {
        assert_eq!(strict, &out);
    }
    if keeps_all_but_tags(bytes, &out, &columns, tags.len()) {
        let checked = check(&out, &columns, (target, Reading::Conlleval));
        assert_eq!(checked.violations.count, 0);
        if let Some(strict) = strict {
            let back = converted(&strict, &columns, (target, source, None));
            let back = back.expect("the spans can be expressed in the source scheme");
            let again = converted(&back, &columns, (source, target, None));
            assert_eq!(again, Some(strict));
        }
    }
}

fn reader(scheme: Scheme, reading: Reading) -> Reader {
    Reader::new(scheme, reading, Dialect::default()).expect("the reading is defined")
}

/// Validates a file that can be read.
fn check(bytes: &[u8], columns: &Columns, (scheme, reading): (Scheme, Reading)) -> Report {
    let rows = readable(bytes, columns);
    let report = validate(rows, &mut reader(scheme, reading), KEEP, &mut |_| true);
    report.expect("the file can be read")
}

/// Asserts that detecting the scheme and listing spans agree with the validation.
fn check_other_jobs(
    bytes: &[u8],
    columns: &Columns,
    (scheme, reading): (Scheme, Reading),
    report: &Report,
) {
    let rows = readable(bytes, columns);
    match detect(rows, &Dialect::default(), &mut |_| true) {
        // Most tags may not belong to any scheme.
        Ok(_) | Err(Error::Tags { .. }) => {}
        Err(error) => panic!("the file can be read: {error}"),
    }
    let (rows, mut listed) = (readable(bytes, columns), Vec::new());
    let listing = spans(rows, &mut reader(scheme, reading), &mut listed, &mut |_| {
        true
    });
    let is_refused = reading == Reading::Refuse && report.violations.count > 0;
    assert_eq!(listing.is_err(), is_refused);
    let sentences = listed.iter().filter(|&&byte| byte == b'\n').count() as u64;
    assert_eq!(sentences, report.sentences);
}

/// The file converted to another scheme; None if it is rejected.
fn converted(
    bytes: &[u8],
    columns: &Columns,
    (from, to, reading): (Scheme, Scheme, Option<Reading>),
) -> Option<Vec<u8>> {
    let converter = Converter::new(from, to, reading, Dialect::default());
    let mut converter = converter.expect("the reading is defined");
    let (rows, mut out) = (readable(bytes, columns), Vec::new());
    convert(rows, &mut converter, &mut out, &mut |_| true).ok()?;
    Some(out)
}

/// Asserts that the converted file has the same number of `tokens` and the same bytes except for tags, and returns
/// true. Returns false if a tag is also part of a byte order mark, a comment or the start of a document.
fn keeps_all_but_tags(bytes: &[u8], out: &[u8], columns: &Columns, tokens: usize) -> bool {
    let mark = "\u{FEFF}".as_bytes();
    if out.starts_with(mark) && !bytes.starts_with(mark) {
        // The type U+FEFF, written as the first tag of a file that contains only tags, is a byte order mark.
        return false;
    }
    // A converted tag may turn a line into a comment or a comment into a token line.
    let comment = match &columns.comments {
        Comments::Prefix(prefix) => [bytes, out]
            .into_iter()
            .flat_map(|file| without_mark(file).split(|&byte| byte == b'\n'))
            .any(|line| line.starts_with(prefix.as_bytes())),
        _ => is_guessed(bytes, columns),
    };
    // The same holds for a tag that is `-DOCSTART-` before or after conversion.
    let document = bytes.windows(10).any(|piece| piece == b"-DOCSTART-");
    let Some(tags) = tags(out, columns) else {
        // The first line that is neither a comment nor a document boundary determines the layout.
        assert!(document || comment, "the converted file cannot be read");
        return false;
    };
    let [before, after] = [bytes, out].map(|file| without_tags(file, columns));
    let is_same = tags.len() == tokens && before == after;
    assert!(is_same || comment || document);
    is_same
}

fn rows(bytes: &[u8], columns: &Columns) -> Option<ColumnReader> {
    ColumnReader::new(lines(bytes, CHUNK).ok()?, columns.clone()).ok()
}

fn readable(bytes: &[u8], columns: &Columns) -> ColumnReader {
    rows(bytes, columns).expect("the file can be read")
}

/// The tags of a file; None if the file is rejected.
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
                let place = rows.tag_place().expect("every token line has a tag");
                rest.extend_from_slice(&line[..place.start]);
                rest.extend_from_slice(&line[place.end..]);
            }
            _ => rest.extend_from_slice(line),
        }
    }
    rest
}
