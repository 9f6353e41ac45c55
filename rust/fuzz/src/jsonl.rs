//! Fuzz target for JSON Lines of doccano and Prodigy.

use spanrs_io::Source;
use spanrs_io::document::{Document, Format, LayerChoice, Reader, TOKEN};

use crate::documents::{Summary, check_error, read, summaries};
use crate::input::Input;
use crate::json::rewritten;

/// Asserts that a file gives the documents of its lines in order, without the records that a later record of the same
/// annotator replaces, and that white space and escapes in a line do not affect the result. If all layers are read, the
/// documents have the annotations of all lines. The first byte chooses the format.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let format = input.pick(&[Format::Doccano, Format::Prodigy]);
    let bytes = input.rest();
    let result = read(format, bytes);
    if std::str::from_utf8(bytes).is_err() || bytes.starts_with("\u{FEFF}".as_bytes()) {
        return;
    }
    let reader = Reader::new(format);
    let mut documents = Vec::new();
    let mut refused = None;
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        match reader.read("input", line) {
            Ok(found) => {
                assert!(found.len() <= 1, "a line has at most one document");
                if let Some(text) = rewritten(line, false) {
                    let again = reader.read("input", &text);
                    let again = again.expect("a rewritten line can be read");
                    assert_eq!(summaries(&found), summaries(&again));
                }
                documents.extend(found);
            }
            Err(error) => {
                check_error(line, &error);
                refused = Some((number, error));
                break;
            }
        }
    }
    if let Err(error) = &result
        && (error.message.contains(" annotators (") || error.message.contains("the same input"))
    {
        // A single line cannot have this error: the same text occurs twice.
        return;
    }
    if refused.is_none() {
        check_layers(format, bytes);
    }
    match (result, refused) {
        (Ok(found), None) => {
            let (found, all) = (summaries(&found), summaries(&documents));
            let (_, replaced) = read_layers(format, bytes);
            assert!(
                all.len() - found.len() <= replaced,
                "{} of {}",
                found.len(),
                all.len()
            );
            assert!(is_subsequence(&found, &all), "{found:?} {all:?}");
        }
        (Err(error), Some((number, expected))) => {
            assert_eq!(
                (error.position.line, error.message),
                (number, expected.message)
            );
        }
        (Ok(_), Some((number, error))) => {
            panic!("line {number} is rejected only when read alone: {error}")
        }
        (Err(error), None) => panic!("the file is rejected, but none of its lines: {error}"),
    }
}

/// True if the documents occur among others, in the same order.
fn is_subsequence(documents: &[Summary], others: &[Summary]) -> bool {
    let mut others = others.iter();
    documents
        .iter()
        .all(|document| others.any(|other| other == document))
}

/// Reads all layers; returns the documents and the number of records that later records replace.
fn read_layers(format: Format, bytes: &[u8]) -> (Vec<Document>, usize) {
    let reader = Reader {
        layers: LayerChoice::All,
        ..Reader::new(format)
    };
    let source = Source::stream("input", Box::new(std::io::Cursor::new(bytes.to_vec())));
    let mut documents = reader
        .open(&source.keep())
        .expect("a file of readable lines can be read");
    let found = documents.by_ref().collect::<spanrs_io::Result<_>>();
    let notices = documents.notices();
    let replaced = notices
        .iter()
        .filter(|notice| notice.contains("annotated the same document again"))
        .map(|notice| {
            notice
                .split(' ')
                .next()
                .unwrap_or_default()
                .parse::<usize>()
        });
    let replaced = replaced
        .sum::<Result<usize, _>>()
        .expect("a notice begins with a number");
    (
        found.expect("a file of readable lines can be read"),
        replaced,
    )
}

/// Asserts that the documents of a file have the annotations of all its lines, unless later records replace some.
fn check_layers(format: Format, bytes: &[u8]) {
    let spans = |document: &Document| {
        let all = document.annotations.iter();
        all.filter(|a| document.type_of(a) != TOKEN).count() + document.left_out_count
    };
    let (documents, replaced) = read_layers(format, bytes);
    let lines = bytes.split(|&byte| byte == b'\n');
    let lines: Vec<Document> = lines.flat_map(|line| read_layers(format, line).0).collect();
    let count = |documents: &[Document]| documents.iter().map(spans).sum::<usize>();
    let (found, expected) = (count(&documents), count(&lines));
    assert!(
        if replaced == 0 {
            found == expected
        } else {
            found <= expected
        },
        "{found} of {expected} annotations, {replaced} records replaced"
    );
    assert!(documents.len() + replaced <= lines.len());
}
