//! Tagging and dependency parsing: the compiled part of `spanrs.dep`.

mod evaluate;
mod model;
mod segmenter;
mod train;
mod treebank;

pub(crate) use evaluate::dep_evaluate;
pub(crate) use model::{DepModel, dep_document_name, dep_templates};
pub(crate) use segmenter::{Paragraphs, dep_train_segmenter};
pub(crate) use train::{
    dep_jackknife, dep_selection_passes, dep_train_morphology, dep_train_parser,
    dep_train_published, dep_train_tagger,
};
pub(crate) use treebank::{SyntaxFile, Treebank};
