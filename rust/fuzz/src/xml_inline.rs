//! XML in which elements are annotations.

use std::collections::HashSet;

use spanrs_base::Limits;
use spanrs_io::Code;
use spanrs_io::document::{Document, Elements, Format, Reader};

use crate::documents::{check, read, summaries, summary};

/// Choosing elements changes which annotations there are, never whether a file is read; a limit on nesting
/// refuses a file or changes nothing.
pub fn run(data: &[u8]) {
    let all = read(Format::XmlInline, data);
    let with = |declared: &[String], overlay: bool| {
        let declared: HashSet<String> = declared.iter().cloned().collect();
        let reader = Reader {
            elements: Elements {
                declared: Some(declared),
                overlay,
            },
            ..Reader::new(Format::XmlInline)
        };
        let result = reader.read("input", data);
        check(data, &result);
        result
    };
    let flat = Reader {
        limits: Limits {
            nesting: 3,
            ..Limits::default()
        },
        ..Reader::new(Format::XmlInline)
    };
    match (&all, flat.read("input", data)) {
        (Ok(all), Ok(flat)) => assert_eq!(summaries(all), summaries(&flat)),
        (_, Err(error)) if error.code == Code::TooDeep => {}
        (Err(_), Err(_)) => {}
        _ => panic!("a limit lets through what is refused without it"),
    }
    let Ok(documents) = all else {
        assert!(with(&[], false).is_err());
        assert!(with(&[], true).is_err());
        return;
    };
    let [document] = &documents[..] else {
        panic!("a file is one document");
    };
    nested(document);
    // Every second type.
    let some: Vec<String> = document.types().step_by(2).map(str::to_owned).collect();
    let chosen = with(&some, false).expect("choosing elements refuses nothing");
    assert_eq!(chosen[0].text, document.text);
    let mut expected = summary(document).rows;
    expected.retain(|row| some.contains(&row.ty));
    assert_eq!(summary(&chosen[0]).rows, expected);
    let overlay = with(&some, true).expect("an overlay refuses nothing");
    let types =
        |rows: &[crate::documents::Row]| rows.iter().map(|row| row.ty.clone()).collect::<Vec<_>>();
    assert_eq!(types(&summary(&overlay[0]).rows), types(&expected));
    assert!(overlay[0].text.len() >= document.text.len());
}

/// Elements are numbered in the order in which they begin, and they nest.
fn nested(document: &Document) {
    let rows = summary(document).rows;
    // An element by which MAT declares types is no annotation, even as the root.
    if document.rooted {
        assert!(rows.iter().all(|row| row.end <= rows[0].end));
    }
    assert!(rows.is_sorted_by_key(|row| row.start));
    for (at, outer) in rows.iter().enumerate() {
        for inner in &rows[at + 1..] {
            assert!(inner.start >= outer.end || inner.end <= outer.end);
        }
    }
}
