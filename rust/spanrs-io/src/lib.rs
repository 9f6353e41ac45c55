//! Bytes to lines to rows, and bytes to documents: reading the files that hold tags and annotations.
//!
//! Files are read in chunks, never mapped and never held whole; what is read is checked once, a chunk
//! at a time, so that everything downstream can take bytes as valid UTF-8 without NUL.
//!
//! ```
//! use spanrs_io::{ColumnReader, Columns, Event, LineReader};
//! let text = "EU B-ORG\nrejects O\n\n";
//! let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default()).unwrap();
//! let mut rows = ColumnReader::new(lines, Columns::default()).unwrap();
//! assert_eq!(rows.next_event().unwrap(), Some(Event::Token));
//! assert_eq!(rows.token(), b"EU");
//! assert_eq!(rows.tag(), b"B-ORG");
//! ```

mod borders;
mod columns;
mod conllu;
mod csv;
pub mod document;
mod error;
mod layers;
mod layout;
mod lines;
mod open;
mod recognise;
mod running_numbers;
mod span_file;
mod syntax;
mod task;
mod whitespace_index;

pub use borders::{SentenceBorder, find_border, sample_borders};
pub use columns::{ColumnLayout, ColumnReader, Event, LineKind};
pub use error::{Code, Error, Result};
pub use layout::{Column, Columns, Comments, Format, Separator, UnknownSeparator};
pub use lines::{LineReader, Source};
pub use open::open;
pub use span_file::{SpanFileReader, SpanLine};
pub use syntax::{
    Annotation, Multiword, SyntaxChunk, SyntaxChunks, SyntaxFormat, SyntaxPart, SyntaxReader,
    SyntaxSentence, SyntaxWord, write_sentence,
};
pub use task::{Alias, Category, Tag, Task, read_tasks};
