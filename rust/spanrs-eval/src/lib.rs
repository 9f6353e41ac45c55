//! Counting what gold and pred have in common.
//!
//! Everything counted is an integer, so counts can be added in any order, stored, and added again.
//!
//! ```
//! use spanrs_eval::Scorer;
//! use spanrs_tags::{Dialect, Reader, Reading, Scheme};
//! let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
//! let gold = reader.intern_all(["B-PER", "I-PER", "O", "B-LOC"]).unwrap();
//! let pred = reader.intern_all(["B-PER", "I-PER", "O", "O"]).unwrap();
//! let mut scorer = Scorer::new(10);
//! scorer.add(&reader, &gold, &pred, |_, _| 0);
//! let total = scorer.counts(&reader).total();
//! assert_eq!((total.gold, total.pred, total.tp), (2, 1, 1));
//! ```

mod chunks;
mod conlleval;
mod counts;
mod exact;
pub mod fair;
pub mod mat;
pub mod outcomes;
mod overlaps;
mod parallel;
pub mod partial;
mod placed;
pub mod resample;
mod scorer;
mod tag_bigrams;
mod tag_block;

pub use chunks::{Outcomes, count_chunks, outcomes};
pub use conlleval::{Conlleval, NoType, Rules, Setting, TypeCounts};
pub use counts::{Counts, Tally};
pub use exact::Seen;
pub use parallel::count_parts;
pub use placed::Placed;
pub use scorer::{Located, Scorer, Side, Violations};
pub use tag_block::TagBlock;
