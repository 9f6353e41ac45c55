//! Corpora in memory: integer ids, sentences, documents.

mod document_ends;
mod error;
mod id_batch;
mod ids;
mod sentences;

pub use document_ends::{DocumentEnds, Ends};
pub use error::InputError;
pub use id_batch::IdBatch;
pub use ids::{Id, NULL, bad_id, numbering};
pub use sentences::Sentences;
