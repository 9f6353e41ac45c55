//! Malformed and hostile files of annotations, with the messages that users see.
//!
//! `tests/hostile/annotations/FORMAT.toml` has the files of a format:
//!
//! ```toml
//! [[case]]
//! name = "an offset beyond the text"     # what is wrong
//! file = "..."                           # the file, or `hex` for bytes
//! companion = "..."                      # the file that belongs to it, if there is one
//! error = "x:2:7: ..."                   # the message; x is the name of the file, y of its companion
//! documents = 1                          # instead of an error: number of documents,
//! left_out = ["..."]                     # what was not read,
//! notices = ["..."]                      # and what users are told
//! ```

use std::io::Cursor;
use std::path::PathBuf;

use serde::Deserialize;
use spanrs_base::Named;
use spanrs_io::Source;
use spanrs_io::document::{Document, Format, LayerChoice, Reader};

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    hex: String,
    companion: Option<String>,
    error: Option<String>,
    #[serde(default)]
    documents: usize,
    #[serde(default)]
    left_out: Vec<String>,
    #[serde(default)]
    notices: Vec<String>,
}

fn source(name: &str, bytes: Vec<u8>) -> Source {
    Source::stream(name, Box::new(Cursor::new(bytes))).keep()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex
        .chars()
        .filter_map(|c| c.to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

#[test]
fn hostile_files_give_their_messages() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile/annotations");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in files {
        let format = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let cases: Cases = toml::from_str(&std::fs::read_to_string(&file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for case in cases.case {
            let reader = Reader {
                layers: LayerChoice::All,
                ..Reader::new(Format::from_name(&format).unwrap())
            };
            let main = match case.hex.as_str() {
                "" => source("x", case.file.clone().into_bytes()),
                hex => source("x", bytes(hex)),
            };
            let companion = case.companion.clone();
            let companion = companion.map(|text| source("y", text.into_bytes()));
            let found = reader
                .open_with(&main, companion.as_ref())
                .and_then(|mut documents| {
                    let read: Vec<Document> = documents.by_ref().collect::<Result<_, _>>()?;
                    Ok((read, documents.notices()))
                });
            let (found, expected) = match (found, &case.error) {
                (Err(error), Some(expected)) => (error.to_string(), expected.clone()),
                (Err(error), None) => (error.to_string(), "no error".to_owned()),
                (Ok((read, _)), Some(expected)) => {
                    (format!("{} documents", read.len()), expected.clone())
                }
                (Ok((read, notices)), None) => {
                    let left_out: Vec<&String> = read
                        .iter()
                        .flat_map(|d| d.left_out.iter().chain(&d.relations_left_out))
                        .collect();
                    (
                        format!("{} {left_out:?} {notices:?}", read.len()),
                        format!("{} {:?} {:?}", case.documents, case.left_out, case.notices),
                    )
                }
            };
            if found != expected {
                wrong.push(format!(
                    "{format}, {}:\n  {found}\nexpected\n  {expected}",
                    case.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
