//! Readers of annotated text, from bytes to rows of tokens and from bytes to documents.
//!
//! | files | reader | yields |
//! |---|---|---|
//! | columns (CoNLL 2000, 2002, 2003, WNUT, ...) and CoNLL-U | [`ColumnReader`] | tokens with tags, sentence ends |
//! | span files (FairEval) | [`SpanFileReader`] | spans with boundaries and tokens |
//! | MAT-JSON, inline XML, brat, doccano, Prodigy, Label Studio | [`document::Reader`] | texts with annotations |
//! | CoNLL-U, CoNLL-X, word/TAG, tokens for taggers and parsers | [`SyntaxChunks`], [`SyntaxReader`] | sentences |
//! | MAT's task.xml | [`read_tasks`] | declared annotation types |
//!
//! Line-based files are read in chunks; they are never memory-mapped and never read into memory as
//! a whole, so that a corpus may be larger than memory and a file that is truncated during reading
//! causes an error and not a crash. Text is validated once, chunk by chunk: all bytes that
//! [`LineReader`] returns are valid UTF-8 without NUL. Documents are read into memory as a whole.
//! Compression with gzip or zstd is detected from the content.
//!
//! A reader is used by one thread and reuses its buffers: returned data is borrowed until the next
//! call. For several threads, a column file is split into parts at blank lines ([`sample_borders`],
//! [`ColumnLayout::open_part`]), and a file of sentences into chunks ([`SyntaxChunk::split`]). All
//! readers are deterministic: results do not depend on the sizes of the pieces in which the bytes
//! arrive.
//!
//! [`align()`] finds the common words of two tokenisations of the same text, and [`align_text`] the
//! common characters of two copies of a text. [`mod@ground`] finds extracted strings in their text.
//!
//! This crate does not interpret tag schemes: a tag is a byte string, and `B-PER` is split into
//! prefix and type by the crate `spanrs-tags`. The first problem in a file is reported as an
//! [`Error`] with its position.
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
//!
//! # Limits
//!
//! Inputs are bounded by `Limits` of the base crate, so that a hostile or mistaken file causes an
//! error message instead of exhausting memory:
//!
//! | limit | checked by | error |
//! |---|---|---|
//! | `line_bytes` | [`LineReader`], and therefore all line-based readers | [`Code::LineTooLong`] |
//! | `sentence_tokens` | [`ColumnReader`] | [`Code::SentenceTooLong`] |
//! | `document_bytes` | [`Source::contents`] | [`Code::DocumentTooLong`] |
//! | `expansion` | [`Source::contents`] and readers of documents, for compressed files | [`Code::Expansion`] |
//! | `nesting` | inline XML | [`Code::TooDeep`] |
//!
//! # From bytes to rows
//!
//! A column file is processed by these private modules:
//!
//! | module | step |
//! |---|---|
//! | `source`, `compression` | open the file, repeatedly if needed, and decompress it |
//! | `lines` | fills the buffer, validates the text, finds lines |
//! | `whitespace_index` | finds spaces, tabs and line ends in a chunk |
//! | `sniff`, `recognise`, `csv`, `conllu` | determine separator and columns from the first lines, reject other formats |
//! | `layers`, `running_numbers` | detect problems about which the user should be warned |
//! | `columns` | classifies each line and splits it |

mod align;
mod align_text;
mod binary_formats;
mod blanks;
mod borders;
mod chunks;
mod columns;
mod compression;
mod conllu;
mod csv;
#[cfg(feature = "documents")]
pub mod document;
mod edits;
mod error;
#[cfg(feature = "grounding")]
pub mod ground;
mod layers;
mod layout;
mod lines;
mod recognise;
mod running_numbers;
mod running_text;
mod sniff;
mod source;
mod span_file;
mod spool;
mod syntax;
#[cfg(feature = "documents")]
mod task;
mod whitespace_index;

pub use align::{TextWord, TooManyWords, align};
pub use align_text::{TextAlignment, TextsDiffer, align_text};
pub use borders::{SentenceBorder, find_border, sample_borders};
pub use chunks::{Chunk, ChunkSentence, ColumnChunks, Select};
pub use columns::{ColumnLayout, ColumnReader, Event, LineKind, SameLine, SameLines};
pub use compression::Input;
pub use edits::Edits;
pub use error::{Code, Error, Result};
pub use layout::{Column, Columns, Comments, Format, Separator, UnknownSeparator};
pub use lines::LineReader;
#[cfg(feature = "documents")]
pub use recognise::{FileFormat, Recognised, recognise};
pub use running_text::running_text;
pub use source::Source;
pub use span_file::{SpanFileReader, SpanLine};
pub use syntax::{
    Annotation, ColumnSet, Multiword, SyntaxChunk, SyntaxChunks, SyntaxFormat, SyntaxReader,
    SyntaxSentence, SyntaxWord, WrittenColumns, write_sentence,
};
#[cfg(feature = "documents")]
pub use task::{Alias, Category, Tag, Task, read_tasks};
