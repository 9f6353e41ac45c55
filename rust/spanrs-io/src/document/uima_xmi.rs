//! Placeholder.

use super::annotated_text::Document;
use super::losses::Losses;
use super::write::WriteFormat;

#[derive(Default)]
pub(super) struct Writer;

impl WriteFormat for Writer {
    fn document(&mut self, _: &Document, _: &mut Vec<u8>, _: &mut Losses) -> Result<(), String> {
        Err("not written yet".to_owned())
    }
}

use super::annotators::LayerChoice;
use crate::error::Result as ReadResult;
use spanrs_base::Limits;
pub(super) fn open(
    _source: &crate::source::Source,
    _types: Option<&crate::source::Source>,
    _layer: Option<&str>,
    _limits: Limits,
) -> ReadResult<Document> {
    unimplemented!()
}
