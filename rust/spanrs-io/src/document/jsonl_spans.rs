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

use crate::document::annotators::LayerChoice;
use crate::document::stream::Records;
use crate::error::Result as ReadResult;
use crate::source::Source;
use spanrs_base::Limits;

pub(in crate::document) fn open(
    _source: &Source,
    _layers: &LayerChoice,
    _limits: Limits,
) -> ReadResult<Box<dyn Records>> {
    unimplemented!()
}
