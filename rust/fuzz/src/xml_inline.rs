//! Fuzz target for XML in which elements are annotations.

use std::collections::HashSet;

use spanrs_base::Limits;
use spanrs_io::Code;
use spanrs_io::document::{Elements, Format, Reader};

use crate::documents::{Row, Summary, check, check_nesting, read, summaries, summary};

/// Asserts that selecting elements changes the annotations but never whether a file is accepted, and that a limit on
/// nesting rejects a file or does not affect the result.
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
        _ => panic!("a file is accepted with a limit but rejected without"),
    }
    let Ok(documents) = all else {
        assert!(with(&[], false).is_err());
        assert!(with(&[], true).is_err());
        return;
    };
    let [document] = &documents[..] else {
        panic!("a file must be one document");
    };
    let rows = summary(document).rows;
    check_nesting(&rows);
    if document.rooted {
        // An element in which MAT declares types is not an annotation, even as the root.
        assert!(rows.iter().all(|row| row.end <= rows[0].end));
        let written = write(&summary(document));
        let again =
            read(Format::XmlInline, written.as_bytes()).expect("a written document can be read");
        assert_eq!(summaries(&documents), summaries(&again), "{written:?}");
    }
    // Selects every second type.
    let some: Vec<String> = document.types().step_by(2).map(str::to_owned).collect();
    let chosen = with(&some, false).expect("selecting elements does not reject files");
    assert_eq!(chosen[0].text, document.text);
    let mut expected = rows;
    expected.retain(|row| some.contains(&row.ty));
    assert_eq!(summary(&chosen[0]).rows, expected);
    let overlay = with(&some, true).expect("an overlay does not reject files");
    let types = |rows: &[Row]| rows.iter().map(|row| row.ty.clone()).collect::<Vec<_>>();
    assert_eq!(types(&summary(&overlay[0]).rows), types(&expected));
    assert!(overlay[0].text.len() >= document.text.len());
}

/// The document as XML. Elements at the same position without text may be nested differently than in the original.
fn write(document: &Summary) -> String {
    let escape = |c: char| match c {
        '&' | '<' | '>' | '"' | '\'' | '\t' | '\n' | '\r' => format!("&#{};", u32::from(c)),
        c => c.to_string(),
    };
    let characters: Vec<char> = document.text.chars().collect();
    let (mut xml, mut at) = (String::new(), 0);
    let mut text = |xml: &mut String, to: u32| {
        xml.extend(characters[at..to as usize].iter().copied().map(escape));
        at = to as usize;
    };
    let mut open: Vec<&Row> = Vec::new();
    for row in &document.rows {
        // The root remains open until the end.
        while open.len() > 1
            && open
                .last()
                .is_some_and(|last| last.end < row.end || last.end == row.start)
        {
            if let Some(last) = open.pop() {
                text(&mut xml, last.end);
                xml.push_str(&format!("</{}>", last.ty));
            }
        }
        text(&mut xml, row.start);
        xml.push_str(&format!("<{}", row.ty));
        for (name, value) in &row.attributes {
            let value: String = value.chars().map(escape).collect();
            xml.push_str(&format!(" {name}=\"{value}\""));
        }
        xml.push('>');
        open.push(row);
    }
    while let Some(last) = open.pop() {
        text(&mut xml, last.end);
        xml.push_str(&format!("</{}>", last.ty));
    }
    xml
}
