//! Sentences for taggers and parsers: CoNLL-U, CoNLL-X, and formats with less annotation.

mod chunks;
mod format;
mod reader;
mod sentence;
mod write;

pub use chunks::{SyntaxChunk, SyntaxChunks, SyntaxPart};
pub use format::SyntaxFormat;
pub use reader::SyntaxReader;
pub use sentence::{Multiword, SyntaxSentence, SyntaxWord};
pub use write::{Annotation, write_sentence};
