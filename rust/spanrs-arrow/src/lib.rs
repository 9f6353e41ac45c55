//! Gold and pred as Arrow list columns, one list of tags per sentence.
//!
//! Columns come from pyarrow, Polars, pandas and other libraries through the [Arrow C data
//! interface](https://arrow.apache.org/docs/format/CDataInterface.html) ([`import_array`],
//! [`import_stream`]), whose structures contain raw pointers. Reading through these pointers is
//! `unsafe`; apart from the binding, this is the only crate that may contain `unsafe` code.
//! [`Columns`] then converts both sides to ids and counts spans without a Python object or a copied
//! string per token.
//!
//! # From a column to counts
//!
//! 1. `import` checks the structures and lets arrow validate the contents; each chunk becomes an
//!    array.
//! 2. [`Columns::new`] cuts each chunk into lists (the sentences) and gives every tag a *key*:
//!    integers and dictionary indices are used without conversion, strings are interned
//!    (`strings`).
//! 3. [`Columns::count`] pairs the chunks of both sides, which may be cut differently, and passes
//!    runs of sentences to the scorer.
//!
//! All three steps are linear in the number of tokens and bytes. In addition to the columns
//! themselves, memory use is 8 bytes per sentence and side, and for string columns 1 byte per token
//! (4 bytes if there are nulls or more than 256 distinct tags). Integers and indices are not copied
//! unless there are nulls; the copy takes 8 bytes per token.
//!
//! # Types
//!
//! | lists | items | key of a tag |
//! |---|---|---|
//! | list, large list, list of fixed size | string, large string, string view | id of the string in the reader |
//! | | dictionary of strings, any type of index | the index |
//! | | integers of 8 to 64 bits | the integer, an id of the vocabulary |
//! | | null | none |
//!
//! The types of the two sides need not be the same. Structs, maps, run-end encoded arrays, list
//! views and lists of other items are rejected with [`ImportError::Type`] or
//! [`ImportError::Invalid`].
//!
//! # Nulls
//!
//! A token whose gold tag is null or whose gold id is the ignored id is skipped. A null in pred at
//! a token with a gold tag is an error, as is a null list.
//!
//! | gold | pred | |
//! |---|---|---|
//! | `["B-PER", null, "O"]` | `["B-PER", "O", "O"]` | two tokens are counted |
//! | `["B-PER", null, "O"]` | `["B-PER", null, "O"]` | two tokens are counted |
//! | `["B-PER", "O"]` | `["B-PER", null]` | an error: pred has no tag |
//! | `null` | `["O"]` | an error: the sentence is null |
//!
//! # Untrusted input
//!
//! The interface does not include buffer lengths, so the exporter must be trusted to provide
//! buffers as long as the lengths and offsets imply. Counts, pointers, offsets, indices, null
//! counts and the encoding of strings are checked before use (module `import`), so that a damaged
//! column raises an error. The checks run once, at the import; the counting loops trust the arrays.
//!
//! # Examples
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::builder::{ListBuilder, StringBuilder};
//! use spanrs_arrow::Columns;
//! use spanrs_eval::{Exact, Scorer};
//! use spanrs_tags::{Dialect, Reader, Reading, Scheme};
//!
//! let column = |sentences: &[&[&str]]| -> arrow_array::ArrayRef {
//!     let mut lists = ListBuilder::new(StringBuilder::new());
//!     for sentence in sentences {
//!         lists.append_value(sentence.iter().map(Some));
//!     }
//!     Arc::new(lists.finish())
//! };
//! let gold = [column(&[&["B-PER", "I-PER"], &["O", "B-LOC"]])];
//! let pred = [column(&[&["B-PER", "I-PER"], &["O", "O"]])];
//! let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
//! let columns = Columns::new((&gold, &pred), None, -100, &mut reader).unwrap();
//! let mut scorer = Scorer::new(Box::new(Exact::default()), 10);
//! columns.count(&reader, &mut scorer, (1, || false), None).unwrap();
//! assert_eq!(scorer.position(), (2, 2));
//! ```
//!
//! The second sentence of pred has one token fewer; the lengths are compared before anything is
//! counted:
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, ListArray, types::Int32Type};
//! use spanrs_arrow::{ColumnError, Columns};
//! use spanrs_eval::input::InputError;
//! use spanrs_tags::{Dialect, Reader, Reading, Scheme};
//!
//! let column = |sentences: [&[i32]; 2]| -> [ArrayRef; 1] {
//!     let sentences = sentences.map(|ids| Some(ids.iter().copied().map(Some)));
//!     [Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(sentences))]
//! };
//! let (gold, pred) = (column([&[0, 1], &[0, 0]]), column([&[0, 1], &[0]]));
//! let names = ["O", "B-LOC"].map(str::to_owned);
//! let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
//! let columns = Columns::new((&gold, &pred), Some(&names), -100, &mut reader);
//! let Err(ColumnError::Input(InputError::Shape { message, sentence })) = columns else {
//!     panic!("lengths differ");
//! };
//! assert_eq!(message, "sentence 1: gold has 2 tags, pred has 1");
//! assert_eq!(sentence, Some(1));
//! ```

#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod columns;
mod error;
mod import;
mod recent_tags;
mod sentence_types;
mod strings;
mod utf8;

pub use columns::Columns;
pub use error::{ColumnError, ImportError};
pub use import::{import_array, import_stream};
