//! Types shared by the other crates: vocabularies, spans, annotation tasks, positions in files, limits, interrupts,
//! threads, random numbers.
//!
//! This crate depends on no other crate of the workspace.

mod coded;
mod interner;
mod interrupt;
mod limits;
mod named;
mod position;
mod rng;
mod short_strings;
mod span;
mod task;
mod threads;
mod vocabulary;

pub use coded::{Coded, ErrorClass};
pub use interner::{Internable, Interner};
pub use interrupt::{Clock, Interrupted, Interval, Pace, Watch};
pub use limits::Limits;
pub use named::{Named, UnknownName};
pub use position::Position;
pub use rng::Rng;
pub use short_strings::ShortKey;
pub use span::Span;
pub use task::{Alias, Category, Tag, Task};
pub use threads::map_in_threads;
pub use vocabulary::{TooManyTags, Vocabulary};
