//! Fuzz target for JSON Lines of doccano and Prodigy.

use spanrs_io::document::{Format, Reader};

use crate::documents::{check_error, read, summaries};
use crate::input::Input;
use crate::json::rewritten;

/// Asserts that a file gives the documents of its lines in order, and that white space and escapes in a line do not
/// affect the result. The first byte chooses the format.
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
    match (result, refused) {
        (Ok(found), None) => assert_eq!(summaries(&found), summaries(&documents)),
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
