//! Readers of annotated text: bytes to lines to rows, and bytes to documents.
//!
//! | files | reader | gives |
//! |---|---|---|
//! | columns (CoNLL 2000, 2002, 2003, WNUT, ...) and CoNLL-U | [`ColumnReader`] | tokens with tags, ends of sentences |
//! | span files (FairEval) | [`SpanFileReader`] | spans with bounds and tokens |
//! | MAT-JSON, inline XML, brat, doccano, Prodigy, Label Studio | [`document::Reader`] | texts with annotations |
//! | CoNLL-U, CoNLL-X, word/TAG, tokens for taggers and parsers | [`SyntaxChunks`], [`SyntaxReader`] | sentences |
//! | task.xml of MAT | [`read_tasks`] | declared types of annotations |
//!
//! Files of lines are read in chunks, never mapped into memory and never held whole, so that a
//! corpus may be larger than memory and a file that is truncated meanwhile is an error and not a
//! crash. Text is checked once, a chunk at a time: all bytes that [`LineReader`] hands out are
//! valid UTF-8 without NUL. Documents are held whole. Compression with gzip or zstd is recognised
//! by content.
//!
//! A reader belongs to one thread and reuses its buffers: what it hands out is borrowed until the
//! next call. For several threads a column file is cut into parts at blank lines
//! ([`sample_borders`], [`ColumnLayout::open_part`]), and a file of sentences into chunks
//! ([`SyntaxChunk::split`]). All readers are deterministic: what is read does not depend on the
//! sizes of the pieces in which the bytes arrive.
//!
//! [`align()`] finds the words that two files with different tokens of the same text share, and
//! [`align_text`] the characters that two copies of a text share.
//!
//! This crate knows no schemes: a tag is a string of bytes here, and `B-PER` is taken apart by the
//! crate of tags. Problems are reported as [`Error`]: the first one of a file, with its place.
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
//! What a reader accepts is bounded by `Limits` of the base crate, so that a hostile or mistaken
//! file costs an error message and not the machine's memory:
//!
//! | limit | checked by | error |
//! |---|---|---|
//! | `line_bytes` | [`LineReader`], and so by all readers of lines | [`Code::LineTooLong`] |
//! | `sentence_tokens` | [`ColumnReader`] | [`Code::SentenceTooLong`] |
//! | `document_bytes` | [`Source::contents`] | [`Code::DocumentTooLong`] |
//! | `expansion` | the same, for compressed files | [`Code::Expansion`] |
//! | `nesting` | inline XML | [`Code::TooDeep`] |
//!
//! # From bytes to rows
//!
//! A column file passes through these modules, which are private:
//!
//! | module | step |
//! |---|---|
//! | `source`, `compression` | open the file, again where that is needed; take off compression |
//! | `lines` | fills the buffer, checks the text, finds lines |
//! | `whitespace_index` | finds spaces, tabs and line ends of a chunk |
//! | `sniff`, `recognise`, `csv`, `conllu` | find separator and columns from the first lines, refuse other formats |
//! | `layers`, `running_numbers` | find what the user should be warned of |
//! | `columns` | classifies each line and splits it |

mod align;
mod align_text;
mod blanks;
mod borders;
mod chunks;
mod columns;
mod compression;
mod conllu;
mod csv;
pub mod document;
mod edits;
mod error;
mod layers;
mod layout;
mod lines;
mod recognise;
mod running_numbers;
mod running_text;
mod sniff;
mod source;
mod span_file;
mod syntax;
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
pub use recognise::{FileFormat, Recognised, recognise};
pub use running_text::running_text;
pub use source::Source;
pub use span_file::{SpanFileReader, SpanLine};
pub use syntax::{
    Annotation, ColumnSet, Multiword, SyntaxChunk, SyntaxChunks, SyntaxFormat, SyntaxReader,
    SyntaxSentence, SyntaxWord, WrittenColumns, write_sentence,
};
pub use task::{Alias, Category, Tag, Task, read_tasks};
