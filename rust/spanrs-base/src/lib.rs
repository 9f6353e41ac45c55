//! The words every other crate speaks: vocabulary, span, position in a file, limits, interrupts,
//! threads, random numbers.
//!
//! This crate depends on no other crate of the workspace and knows no file format, no tagging scheme
//! and no Python.

mod interner;
mod interrupt;
mod limits;
mod position;
mod rng;
mod short_strings;
mod span;
mod threads;
mod vocabulary;

pub use interner::{Internable, Interner};
pub use interrupt::{Clock, Interrupted, Interval, Pace, Watch};
pub use limits::Limits;
pub use position::Position;
pub use rng::Rng;
pub use short_strings::ShortKey;
pub use span::Span;
pub use threads::map_in_threads;
pub use vocabulary::{TooManyTags, Vocabulary};
