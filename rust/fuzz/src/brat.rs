//! Fuzz target for brat's pairs of files.

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;

use spanrs_io::Result;
use spanrs_io::document::{Document, Format, Reader};

use crate::documents::{Summary, check_document, summary};
use crate::input::split_at_byte;

thread_local! {
    static FOLDER: OnceCell<Folder> = const { OnceCell::new() };
}

/// A temporary directory, removed when its thread ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!(
            "spanrs-fuzz-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        );
        // Uses a file system in memory, if available.
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        let folder = parent.join(name);
        fs::create_dir_all(&folder).expect("the temporary directory is writable");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A directory that cannot be removed is harmless.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Bytes before the first NUL are the annotations, bytes after it the text. Asserts that notes and normalisations only
/// affect attributes and reports, that every `T` line is an annotation, and that fragments are sorted and never
/// separated only by white space.
pub fn run(data: &[u8]) {
    let (annotations, text) = split_at_byte(data, 0);
    let result = open(annotations, text);
    let document = match &result {
        Ok(document) => document,
        Err(error) => {
            let shown = error.to_string();
            assert!(
                !error.message.is_empty() && !error.message.contains('\n'),
                "{shown:?}"
            );
            return;
        }
    };
    check_document(document);
    assert_eq!(document.text.as_bytes(), text, "the text is unchanged");
    let body = annotations
        .strip_prefix("\u{FEFF}".as_bytes())
        .unwrap_or(annotations);
    let lines = || body.split(|&byte| byte == b'\n');
    let bounds = lines().filter(|line| line.first() == Some(&b'T')).count();
    assert_eq!(document.annotations.len(), bounds);
    let characters: Vec<char> = document.text.chars().collect();
    for annotation in &document.annotations {
        for pair in document.pieces(annotation).windows(2) {
            let between = &characters[pair[0].1 as usize..pair[1].0 as usize];
            assert!(
                between.iter().any(|c| !c.is_whitespace()),
                "only white space separates two fragments"
            );
        }
    }
    let kept: Vec<&[u8]> = lines()
        .filter(|line| !matches!(line.first(), Some(b'N' | b'#')))
        .collect();
    let again = open(&kept.join(&b'\n'), text)
        .expect("a file without notes and normalisations can be read");
    assert_eq!(without_attributes(document), without_attributes(&again));
}

/// The summary of a document without attributes and reports.
fn without_attributes(document: &Document) -> Summary {
    let mut summary = summary(document);
    for row in &mut summary.rows {
        row.attributes.clear();
    }
    Summary {
        left_out: Vec::new(),
        left_out_count: 0,
        relations_left_out: Vec::new(),
        ..summary
    }
}

/// Reads annotations and their text from files.
///
/// # Errors
/// Same as [`Reader::open`].
pub fn open(annotations: &[u8], text: &[u8]) -> Result<Document> {
    FOLDER.with(|folder| {
        let Folder(folder) = folder.get_or_init(Folder::new);
        let (ann, txt) = (folder.join("input.ann"), folder.join("input.txt"));
        fs::write(&ann, annotations).expect("the annotations are written");
        fs::write(&txt, text).expect("the text is written");
        let reader = Reader::new(Format::Brat);
        let path = if annotations.len().is_multiple_of(2) {
            ann
        } else {
            txt
        };
        let documents = reader.open(&path.clone().into())?;
        let mut documents: Vec<Document> = documents.collect::<Result<_>>()?;
        assert_eq!(documents.len(), 1, "a pair of files is one document");
        Ok(documents.remove(0))
    })
}
