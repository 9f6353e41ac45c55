//! Placeholder.

use crate::document::annotated_text::Document;
use crate::document::losses::Losses;
use crate::document::write::WriteFormat;

#[derive(Default)]
pub(in crate::document) struct JsonWriter;

impl WriteFormat for JsonWriter {
    fn document(&mut self, _: &Document, _: &mut Vec<u8>, _: &mut Losses) -> Result<(), String> {
        Err("not written yet".to_owned())
    }
}

#[derive(Default)]
pub(in crate::document) struct MinWriter;

impl WriteFormat for MinWriter {
    fn document(&mut self, _: &Document, _: &mut Vec<u8>, _: &mut Losses) -> Result<(), String> {
        Err("not written yet".to_owned())
    }
}

#[derive(Default)]
pub(in crate::document) struct CsvWriter;

impl WriteFormat for CsvWriter {
    fn document(&mut self, _: &Document, _: &mut Vec<u8>, _: &mut Losses) -> Result<(), String> {
        Err("not written yet".to_owned())
    }
}
