//! Gold and pred as Arrow list columns, one list of tags a sentence.
//!
//! Columns come from pyarrow, Polars, pandas and others through the C data interface ([`import_array`],
//! [`import_stream`]), whose structures are pointers. Reading them is `unsafe`; beside the binding this is the only
//! crate that may hold it.
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
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod columns;
mod error;
mod import;
mod strings;
mod utf8;

pub use columns::Columns;
pub use error::{ColumnError, ImportError};
pub use import::{import_array, import_stream};
