//! Invariants of documents in all formats. The targets of the formats add further invariants.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use spanrs_io::document::{Document, Format, Layer, Reader};
use spanrs_io::{Code, Error, Result, Source};

use crate::json::rewritten;

/// A stream that returns one byte, then two bytes, and so on up to seven, then one byte again.
struct Pieces(Cursor<Vec<u8>>, u64);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 % 7 + 1;
        self.0.by_ref().take(self.1).read(buffer)
    }
}

/// All properties of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Name within the file.
    pub id: Option<String>,
    /// Name for users.
    pub name: Option<String>,
    /// Further facts, as JSON.
    pub metadata: String,
    /// Text.
    pub text: String,
    /// Annotations.
    pub rows: Vec<Row>,
    /// Types and arguments of the relations.
    pub relations: Vec<(String, u32, u32)>,
    /// Reports of skipped relations.
    pub relations_left_out: Vec<String>,
    /// Layers.
    pub layers: Vec<Layer>,
    /// Reports of skipped annotations.
    pub left_out: Vec<String>,
    /// Number of skipped annotations.
    pub left_out_count: usize,
    /// Types of skipped annotations.
    pub left_out_types: BTreeSet<String>,
    /// Whether the first annotation is the root element.
    pub rooted: bool,
}

/// An annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Type.
    pub ty: String,
    /// First character.
    pub start: u32,
    /// One past the last character.
    pub end: u32,
    /// Names and values of the attributes.
    pub attributes: Vec<(String, String)>,
    /// Fragments of a discontinuous annotation.
    pub pieces: Vec<(u32, u32)>,
}

/// The summary of a document.
pub fn summary(document: &Document) -> Summary {
    let types: Vec<&str> = document.types().collect();
    let row = |annotation| {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Row {
            ty: document.type_of(annotation).to_owned(),
            start: annotation.start,
            end: annotation.end,
            attributes: document.attributes(annotation).map(owned).collect(),
            pieces: document.pieces(annotation).to_vec(),
        }
    };
    let named = |ty: &u32| types[*ty as usize].to_owned();
    Summary {
        id: document.id.clone(),
        name: document.name.clone(),
        metadata: format!("{:?}", document.metadata),
        text: document.text.clone(),
        rows: document.annotations.iter().map(row).collect(),
        relations: document
            .relations
            .iter()
            .map(|r| (document.type_of_relation(r).to_owned(), r.from, r.to))
            .collect(),
        layers: document.layers.clone(),
        relations_left_out: document.relations_left_out.clone(),
        left_out: document.left_out.clone(),
        left_out_count: document.left_out_count,
        left_out_types: document.left_out_types.iter().map(named).collect(),
        rooted: document.rooted,
    }
}

/// The summaries of all documents.
pub fn summaries(documents: &[Document]) -> Vec<Summary> {
    documents.iter().map(summary).collect()
}

/// Reads a file in a format and asserts the invariants of all formats.
pub fn read(format: Format, bytes: &[u8]) -> Result<Vec<Document>> {
    read_with(&Reader::new(format), bytes)
}

/// Reads a file with a reader and asserts the invariants of all formats.
pub fn read_with(reader: &Reader, bytes: &[u8]) -> Result<Vec<Document>> {
    let result = reader.read("input", bytes);
    check(bytes, &result);
    let again = reader.read("input", bytes);
    match (&result, &again) {
        (Ok(first), Ok(second)) => assert_eq!(summaries(first), summaries(second)),
        (Err(first), Err(second)) => assert_eq!(first.to_string(), second.to_string()),
        _ => panic!("a file is accepted once and rejected once"),
    }
    let pieces = Source::stream("input", Box::new(Pieces(Cursor::new(bytes.to_vec()), 0)));
    let again = reader.open(&pieces).and_then(Iterator::collect);
    match (&result, &again) {
        (Ok(whole), Ok(pieces)) => {
            let pieces: &Vec<Document> = pieces;
            assert_eq!(summaries(whole), summaries(pieces));
        }
        (Err(whole), Err(pieces)) => assert_eq!(whole.to_string(), pieces.to_string()),
        _ => panic!("reading in pieces gives a different result"),
    }
    let mark = "\u{FEFF}".as_bytes();
    if !bytes.starts_with(mark)
        && !bytes.starts_with(&[0xFF, 0xFE])
        && !bytes.starts_with(&[0xFE, 0xFF])
    {
        let marked = reader.read("input", &[mark, bytes].concat());
        match (&result, &marked) {
            (Ok(plain), Ok(marked)) => assert_eq!(summaries(plain), summaries(marked)),
            (Err(plain), Err(marked)) => assert_eq!(plain.code, marked.code),
            _ => panic!("a byte order mark changes the result"),
        }
    }
    result
}

/// Asserts that elements are sorted by their beginning and properly nested.
pub fn check_nesting(rows: &[Row]) {
    assert!(rows.is_sorted_by_key(|row| row.start));
    for (at, outer) in rows.iter().enumerate() {
        for inner in &rows[at + 1..] {
            assert!(inner.start >= outer.end || inner.end <= outer.end);
        }
    }
}

/// Asserts that white space and escapes in JSON do not affect the result.
pub fn check_rewritten(reader: &Reader, bytes: &[u8], documents: &[Document]) {
    for pretty in [false, true] {
        if let Some(text) = rewritten(bytes, pretty) {
            let again = reader.read("input", &text);
            let again = again.expect("a rewritten file can be read");
            assert_eq!(summaries(documents), summaries(&again));
        }
    }
}

/// Asserts the invariants of the result of reading a file.
pub fn check(bytes: &[u8], result: &Result<Vec<Document>>) {
    match result {
        Ok(documents) => documents.iter().for_each(check_document),
        Err(error) => check_error(bytes, error),
    }
}

/// Asserts the invariants of a document.
pub fn check_document(document: &Document) {
    let characters = document.text.chars().count();
    let known: Vec<&str> = document.types().collect();
    let distinct: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(known.len(), distinct.len(), "each type has one number");
    for annotation in &document.annotations {
        assert!((annotation.ty as usize) < known.len());
        assert!(annotation.start <= annotation.end && annotation.end as usize <= characters);
        let pieces = document.pieces(annotation);
        assert_ne!(
            pieces.len(),
            1,
            "an annotation with one fragment is not discontinuous"
        );
        for &(start, end) in pieces {
            assert!(annotation.start <= start && start <= end && end <= annotation.end);
        }
    }
    let annotations = document.annotations.len() as u32;
    for relation in &document.relations {
        assert!(relation.from < annotations && relation.to < annotations);
    }
    let layers = document.layers.len().max(1) as u32;
    assert!(document.annotations.iter().all(|a| a.layer < layers));
    // The limit on reports is a constant of the reader.
    assert_eq!(document.left_out.len(), document.left_out_count.min(5));
    for report in &document.left_out {
        assert!(!report.contains('\n'), "a report is one line: {report:?}");
    }
    assert!(document.left_out_types.len() <= document.left_out_count);
    assert_eq!(
        summary(document),
        summary(&document.clone().close()),
        "closing a document again must not change it"
    );
}

/// Asserts the invariants of an error for these bytes.
pub fn check_error(bytes: &[u8], error: &Error) {
    let shown = error.to_string();
    assert!(shown.starts_with("input"), "{shown:?}");
    assert!(
        !error.message.is_empty() && !error.message.contains('\n'),
        "{shown:?}"
    );
    assert_ne!(error.code, Code::Io);
    let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
    assert!(error.position.line <= lines, "{shown:?} of {lines} lines");
    if error.position.column > 0 {
        assert!(error.position.line > 0, "{shown:?}");
        let line = bytes
            .split(|&byte| byte == b'\n')
            .nth(error.position.line as usize - 1)
            .unwrap_or_default();
        assert!(error.position.column <= line.len() as u64 + 1, "{shown:?}");
    }
}
