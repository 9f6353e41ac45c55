//! Sentences for taggers and parsers, in CoNLL-U, CoNLL-X and formats with fewer annotations.
//!
//! A file is read in two steps, so that several threads can be used:
//!
//! 1. [`SyntaxChunks`] reads blocks of about 4 MiB that end at the end of a sentence, with memory
//!    independent of the size of the file, and [`SyntaxChunk::split`] splits a block into parts of
//!    whole sentences, one per thread.
//! 2. [`SyntaxReader`] reads the sentences of a part. Words are slices of the block and are not
//!    copied.
//!
//! [`write_sentence`] writes a sentence in CoNLL-U, with new tags and arcs and everything else
//! unchanged. Comments, multiword tokens and empty nodes are not words; they are kept as the lines
//! before a word or after the last word.
//!
//! | CoNLL-U line | part of |
//! |---|---|
//! | `# text = don't` | [`SyntaxWord::before`] of the next word |
//! | `1-2<tab>don't...` | [`SyntaxWord::before`] of the next word, and [`SyntaxSentence::multiwords`] |
//! | `1<tab>do...` | [`SyntaxSentence::words`] |
//! | `2.1<tab>x...` | [`SyntaxWord::before`] of the next word |
//! | a comment after the last word | [`SyntaxSentence::after`] |
//! | a blank line | [`SyntaxSentence::end`]; further blank lines: [`SyntaxSentence::blank_before`] of the next sentence |
//!
//! Unlike [`crate::ColumnReader`], which reads tags, this reader checks that ids are in order.
//! Heads are parsed as numbers only on request ([`SyntaxReader::heads`]), because a tagger does not
//! need heads; jobs that need trees check that the heads form a tree.

mod chunks;
mod format;
mod predicted;
mod reader;
mod sentence;
mod write;

pub use chunks::{SyntaxChunk, SyntaxChunks};
pub use format::SyntaxFormat;
pub use predicted::ColumnSet;
pub use reader::SyntaxReader;
pub use sentence::{Multiword, SyntaxSentence, SyntaxWord};
pub use write::{Annotation, WrittenColumns, write_sentence};
