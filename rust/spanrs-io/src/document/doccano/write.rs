//! Placeholder.

use crate::document::annotated_text::Document;
use crate::document::losses::Losses;
use crate::document::write::WriteFormat;

#[derive(Default)]
pub(in crate::document) struct Writer;

impl WriteFormat for Writer {
    fn document(&mut self, _: &Document, _: &mut Vec<u8>, _: &mut Losses) -> Result<(), String> {
        Err("not written yet".to_owned())
    }
}
