//! Tag schemes: reading tags into spans, writing spans as tags, validation, conversion and
//! detection.
//!
//! # From a tag to a span
//!
//! 1. A [`Dialect`] splits the string once into prefix and type (`B-PER` into `B` and `PER`).
//! 2. A [`Scheme`] defines what the prefix means: whether a span may begin or end at the token.
//! 3. A [`Reading`] defines how malformed sequences are interpreted.
//! 4. Scheme and reading are compiled into a [`Table`] of 256 bytes. A [`Reader`] walks the tags of
//!    a sentence with one table lookup per token, without strings and allocations.
//!
//! Every distinct tag is decoded once, when it is interned; afterwards a tag is a `u32` id.
//!
//! | tags | scheme | spans |
//! |---|---|---|
//! | `B-PER I-PER O I-LOC` | BIO, reading `conlleval` | PER [0, 2), LOC [3, 4) |
//! | `B-PER I-PER O I-LOC` | BIO, reading `strict` | PER [0, 2) |
//! | `I-PER I-PER B-PER` | IOB | PER [0, 2), PER [2, 3) |
//! | `B-PER E-PER S-LOC` | IOBES | PER [0, 2), LOC [2, 3) |
//!
//! # Writing, conversion and detection
//!
//! [`Writer`] writes spans as tags, [`Converter`] joins a reader and a writer, [`Evidence`] detects
//! the scheme of a corpus from counts of tag bigrams, [`legal`] gives the matrix of legal
//! transitions (for constrained decoding), and [`Violation`] describes a malformed tag.
//!
//! # Examples
//!
//! ```
//! use spanrs_tags::{Dialect, Reader, Reading, Scheme};
//! let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
//! let ids = reader.intern_all(["B-PER", "I-PER", "O", "I-LOC"]).unwrap();
//! let spans = reader.spans(&ids);
//! assert_eq!((spans[0].start, spans[0].end, reader.type_name(spans[0].ty)), (0, 2, "PER"));
//! assert_eq!((spans[1].start, spans[1].end, reader.type_name(spans[1].ty)), (3, 4, "LOC"));
//! assert_eq!(reader.violations(&ids)[0].to_string(), "Illegal Start at index 3: I-LOC after O");
//! ```

mod convert;
mod detect;
mod dialect;
mod error;
mod names;
mod options;
mod peers;
mod reader;
mod reading;
mod scheme;
mod step;
mod table;
mod transition;
mod violation;
mod write;

pub use convert::Converter;
pub use detect::{Detection, Evidence, are_many};
pub use dialect::Dialect;
pub use error::{Error, Result};
pub use options::{ConverterOptions, ReaderOptions};
pub use peers::seqeval_borders;
pub use reader::{Bigrams, Reader, SideReader};
pub use reading::Reading;
pub use scheme::{Edge, Prefix, Scheme};
pub use table::{CLOSE, OPEN, Table, VIOLATION, Walk, is_outside};
pub use transition::{legal, tags_of};
pub use violation::{Action, Kind, Violation};
pub use write::Writer;
