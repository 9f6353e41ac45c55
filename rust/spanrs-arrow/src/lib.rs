//! Gold and pred as Arrow list columns, one list of tags per sentence.
//!
//! Columns come from pyarrow, Polars, pandas and other libraries through the [Arrow C data
//! interface](https://arrow.apache.org/docs/format/CDataInterface.html) ([`import_array`],
//! [`import_stream`]), whose structures are pointers. Reading them is `unsafe`; beside the binding
//! this is the only crate that may contain it. [`Columns`] then turns both sides into ids and
//! counts them without a Python object or a copied string per token.
//!
//! # From a column to counts
//!
//! 1. `import` checks the structures and lets arrow validate the contents; each chunk becomes an
//!    array.
//! 2. [`Columns::new`] cuts each chunk into lists (the sentences) and gives every tag a *key*:
//!    integers and dictionaries are used as they are, strings are interned once per side
//!    (`strings`).
//! 3. [`Columns::count`] pairs the chunks of both sides, which may be cut differently, and hands
//!    runs of sentences to the scorer.
//!
//! All three are linear in the number of tokens and bytes. Beside the columns themselves, memory is
//! 8 bytes per sentence and side, and 1 byte (4 if there are more than 256 different tags or nulls)
//! per token of strings. Integers and indices are not copied unless there are nulls; then they take
//! 8 bytes each.
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
//! views and lists of other items are refused with [`ImportError::Type`] or
//! [`ImportError::Invalid`].
//!
//! # Nulls
//!
//! A token whose gold tag is null is left out, as is one whose gold id is the ignored one. A null
//! in pred beside a gold tag is an error, as is a list that is null itself.
//!
//! | gold | pred | |
//! |---|---|---|
//! | `["B-PER", null, "O"]` | `["B-PER", "O", "O"]` | two tokens are counted |
//! | `["B-PER", null, "O"]` | `["B-PER", null, "O"]` | the same |
//! | `["B-PER", "O"]` | `["B-PER", null]` | an error: pred has no tag |
//! | `null` | `["O"]` | an error: the sentence is null |
//!
//! # Untrusted input
//!
//! The interface cannot tell how long a buffer is, so an exporter has to be trusted to back its
//! lengths and offsets with memory. Counts, pointers, offsets, indices, numbers of nulls and the
//! encoding of strings are checked before they are relied upon (module `import`), so that a damaged
//! column is an error. Checks happen once, at the import; the loops that count trust the arrays.
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
//! The second sentence of pred lacks a token; the sides are compared before anything is counted:
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
