//! Types and utilities shared by the other crates of the workspace.
//!
//! This crate depends on no other crate of the workspace and reads no files. Its public items are:
//!
//! | item | purpose |
//! |---|---|
//! | [`Span`] | the one span type: (start, end, type), 0-based, end exclusive |
//! | [`Vocabulary`], [`Interner`], [`ShortKey`] | strings to dense `u32` ids, in order of first appearance |
//! | [`NameBatch`] | names that are looked up together |
//! | [`Jagged`], [`Ends`] | rows of different lengths in one vector |
//! | [`Task`], [`Tag`], [`Category`], [`Alias`] | annotation tasks: which types exist and which of them are scored |
//! | [`TensorWriter`], [`TensorFile`] | files of named arrays of numbers, the file format of models (safetensors) |
//! | [`Position`] | path, line and column, for error messages |
//! | [`Limits`] | upper bounds that readers check before allocating memory |
//! | [`Interval`], [`Clock`], [`Pace`], [`Watch`] | cooperative interruption of long loops |
//! | [`map_in_threads`], [`Workers`] | ordered parallel maps over scoped threads; the latter can be interrupted |
//! | [`Rng`] | SplitMix64, whose stream is stable across versions and machines |
//!
//! Everything here is deterministic: ids depend only on the order of insertion, and the random
//! stream depends only on the seed. Nothing in this crate reads environment variables or keeps
//! global state.
//!
//! # Examples
//!
//! Ids are assigned in the order of first appearance, and spans refer to types by these ids:
//!
//! ```
//! use spanrs_base::{Span, Vocabulary};
//! let mut types = Vocabulary::new(1000);
//! let (per, loc) = (types.intern("PER").unwrap(), types.intern("LOC").unwrap());
//! let mut spans = vec![
//!     Span { start: 4_u32, end: 5, ty: loc },
//!     Span { start: 0, end: 2, ty: per },
//! ];
//! spans.sort();
//! assert_eq!((spans[0].len(), types.name(spans[0].ty)), (2, "PER"));
//! ```

mod coded;
mod id_table;
mod interner;
mod interrupt;
mod jagged;
mod limits;
mod lines;
mod name_batch;
mod named;
mod position;
mod rng;
mod short_strings;
mod span;
mod task;
#[cfg(feature = "tensors")]
mod tensor_file;
mod vocabulary;
mod workers;

pub use coded::{Coded, ErrorClass};
pub use interner::{Internable, Interner, Names};
pub use interrupt::{Clock, Interrupted, Interval, Pace, Watch};
pub use jagged::{Ends, Jagged};
pub use limits::Limits;
pub use lines::Lines;
pub use name_batch::NameBatch;
pub use named::{Named, UnknownName};
pub use position::Position;
pub use rng::Rng;
#[doc(hidden)]
pub use serde;
pub use short_strings::ShortKey;
pub use span::Span;
pub use task::{Alias, Category, Tag, Task};
#[cfg(feature = "tensors")]
pub use tensor_file::{TensorError, TensorFile, TensorNumber, TensorWriter};
pub use vocabulary::{TooManyTags, Vocabulary};
pub use workers::{Worker, Workers, even_ranges, limit_threads, map_in_threads};
