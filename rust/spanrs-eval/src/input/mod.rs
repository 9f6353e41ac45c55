//! Corpora in memory: integer ids of tags, lengths of sentences, documents.
//!
//! The ids are from the caller's own vocabulary (the labels of a model, the dictionary of an Arrow
//! column). [`numbering`] maps them to the ids of a [`Reader`](spanrs_tags::Reader) once; an
//! [`IdBatch`] then counts arrays without accessing strings.
//!
//! | item | content |
//! |---|---|
//! | [`Sentences`] | how a flat array is cut into sentences |
//! | [`DocumentEnds`] | how sentences are grouped into documents |
//! | [`Id`], [`IdSlice`] | the integer types of ids, and arrays of any such type |
//! | [`IdBatch`] | both sides of a corpus, counted on several threads |
//! | [`PairCounter`], [`PairIds`] | counts sentences whose tags are not ids yet, such as lists of
//! strings |
//! | [`InputError`] | errors in such corpora |
//!
//! # Examples
//!
//! ```
//! use spanrs_eval::input::{IdBatch, Sentences, numbering};
//! use spanrs_eval::{Exact, Scorer};
//! use spanrs_tags::{Dialect, Reader, Reading, Scheme};
//! let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
//! let numbers = numbering(&["O", "B-A", "I-A"].map(str::to_owned), &mut reader).unwrap();
//! let batch = IdBatch {
//!     gold: (&[1_i64, 2, 0, 1, -100]).into(),
//!     pred: (&[1_i32, 2, 0, 0, 0]).into(),
//!     cut: Sentences::Lengths(&[3, 2]),
//!     gold_numbers: &numbers,
//!     pred_numbers: &numbers,
//!     ignore: -100,
//!     first: 0,
//!     nulls: false,
//!     documents: None,
//!     watch: || false,
//! };
//! let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
//! batch.count(&reader, &mut scorer, 1).unwrap();
//! assert_eq!(scorer.position(), (2, 2));
//! ```

mod document_ends;
mod error;
mod id_batch;
mod ids;
mod narrow;
mod pair_counter;
mod sentences;

pub use document_ends::{DocumentEnds, Ends};
pub use error::InputError;
pub use id_batch::IdBatch;
pub use ids::{Id, IdSlice, NULL, bad_id, numbering};
pub use pair_counter::{PairCounter, PairIds};
pub use sentences::Sentences;
