//! Sentences for taggers and parsers: CoNLL-U, CoNLL-X, and formats with less annotation.
//!
//! A file is read in two steps, so that several threads can work on it:
//!
//! 1. [`SyntaxChunks`] reads blocks of about 4 MiB that end at the end of a sentence, in memory
//!    that does not grow with the file, and [`SyntaxChunk::split`] cuts a block into parts of whole
//!    sentences, one for each thread.
//! 2. [`SyntaxReader`] reads the sentences of a part. Words are slices of the block: nothing is
//!    copied for a word.
//!
//! [`write_sentence`] writes a sentence in CoNLL-U again, with new tags and arcs and all else as it
//! was. Comments, multiword tokens and empty nodes are kept as the lines before a word or after the
//! last one; they are not words.
//!
//! | line of CoNLL-U | part of |
//! |---|---|
//! | `# text = don't` | [`SyntaxWord::before`] of the next word |
//! | `1-2<tab>don't...` | the same, and [`SyntaxSentence::multiwords`] |
//! | `1<tab>do...` | [`SyntaxSentence::words`] |
//! | `2.1<tab>x...` | [`SyntaxWord::before`] of the next word |
//! | a comment behind the last word | [`SyntaxSentence::after`] |
//! | a blank line | [`SyntaxSentence::end`], then [`SyntaxSentence::blank_before`] of the next one |
//!
//! Unlike [`crate::ColumnReader`], which is for tags, this reader checks that ids are in order.
//! Heads are checked to be numbers only when they are asked for ([`SyntaxReader::heads`]), since a
//! tagger does not need them; that they form a tree is checked by the jobs that need trees.

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
