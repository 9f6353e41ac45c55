//! Fuzz targets of the formats of annotation tools: reading, and writing what was read.

use std::io::Cursor;

use spanrs_io::document::{
    Companion, Document, DocumentReader, DocumentWriter, Format, LayerChoice, Reader,
};
use spanrs_io::{Error, Result, Source};

use crate::documents::{check_document, check_error, summaries};
use crate::input::split_at_byte;

/// Reads a file of a format and asserts the invariants of documents. If the file can be read, writes the documents and
/// asserts that the written file is read as documents that are written as the same file, without losses. For a format
/// with a companion file, a NUL separates the two files.
fn run(format: Format, data: &[u8]) {
    let (file, companion) = match format {
        Format::UimaXmi | Format::Brat => split_at_byte(data, 0),
        _ => (data, &data[..0]),
    };
    let documents = match read(format, file, Some(companion)) {
        Ok(documents) => documents,
        Err(error) => {
            if error.position.path == "input" {
                check_error(file, &error);
            }
            return;
        }
    };
    documents.iter().for_each(check_document);
    let Some((first, _)) = write(format, &documents) else {
        return;
    };
    let again = read_all(format, &first);
    let (second, losses) = write(format, &again).expect("documents that were read can be written");
    assert_eq!(
        losses,
        Vec::<String>::new(),
        "nothing is lost the second time"
    );
    let once_more = read_all(format, &second);
    assert_eq!(summaries(&again), summaries(&once_more));
    for ((one, two), at) in first.iter().zip(&second).zip(0..) {
        assert_eq!(
            String::from_utf8_lossy(&one.0),
            String::from_utf8_lossy(&two.0),
            "file {at}"
        );
    }
    assert_eq!(first.len(), second.len());
}

fn source(name: &str, bytes: &[u8]) -> Source {
    Source::stream(name, Box::new(Cursor::new(bytes.to_vec()))).keep()
}

/// Reads all layers of a file.
fn read(format: Format, file: &[u8], companion: Option<&[u8]>) -> Result<Vec<Document>, Error> {
    let reader = Reader {
        layers: LayerChoice::All,
        ..Reader::new(format)
    };
    let companion = companion.map(|bytes| source("companion", bytes));
    let mut documents: DocumentReader =
        reader.open_with(&source("input", file), companion.as_ref())?;
    let found = documents.by_ref().collect();
    for notice in documents.notices() {
        assert!(!notice.contains('\n'), "a notice is one line: {notice:?}");
    }
    found
}

/// Files with their companions.
type Files = Vec<(Vec<u8>, Option<Companion>)>;

/// Reads written files.
fn read_all(format: Format, files: &Files) -> Vec<Document> {
    let mut documents = Vec::new();
    for (file, companion) in files {
        let companion = companion.as_ref().map(|companion| &*companion.bytes);
        let found = read(format, file, companion);
        documents
            .extend(found.unwrap_or_else(|error| panic!("a written file is rejected: {error}")));
    }
    documents
}

/// Writes documents; returns the files and the losses, or None if a document cannot be written.
fn write(format: Format, documents: &[Document]) -> Option<(Files, Vec<String>)> {
    let mut writer = DocumentWriter::new(format);
    let mut files = Files::new();
    let mut file = Vec::new();
    for document in documents {
        writer.write(document, &mut file).ok()?;
        if format.suffix().is_some() {
            files.push((std::mem::take(&mut file), writer.companion()));
        }
    }
    writer.finish(&mut file);
    match (format.suffix(), writer.companion()) {
        (None, _) => files.push((file, None)),
        (_, Some(shared)) => files
            .iter_mut()
            .for_each(|file| file.1 = Some(shared.clone())),
        _ => {}
    }
    let losses = writer.losses().list().iter().map(|loss| loss.kind.clone());
    Some((files, losses.collect()))
}

macro_rules! targets {
    ($($name:ident $format:ident)*) => {
        $(
            #[doc = concat!("Fuzz target of [`Format::", stringify!($format), "`].")]
            pub fn $name(data: &[u8]) {
                run(Format::$format, data);
            }
        )*
    };
}

targets! {
    written_mat_json MatJson
    written_xml_inline XmlInline
    written_brat Brat
    written_doccano Doccano
    written_prodigy Prodigy
    written_label_studio LabelStudio
    label_studio_min LabelStudioMin
    label_studio_csv LabelStudioCsv
    webanno_tsv WebannoTsv
    uima_xmi UimaXmi
    gate_xml GateXml
    bioc_xml BiocXml
    bioc_json BiocJson
    pubtator Pubtator
    jsonl_spans JsonlSpans
    csv_spans CsvSpans
}
