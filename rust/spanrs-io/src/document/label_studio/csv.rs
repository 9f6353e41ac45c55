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
