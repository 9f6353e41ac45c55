//! Tags: schemes as data, readings as tables, and everything done with them.
//!
//! The road of a tag is: a [`Dialect`] splits the string once into prefix and type, a [`Scheme`] says
//! what the prefix means, a [`Reading`] decides what malformed sequences mean, and a [`Reader`] walks
//! the tags of a sentence through the table made of these three.
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
mod peers;
mod reader;
mod reading;
mod scheme;
mod table;
mod transition;
mod violation;
mod write;

pub use convert::Converter;
pub use detect::{Detection, Evidence, are_many};
pub use dialect::{Bare, Dialect};
pub use error::{Error, Result};
pub use peers::seqeval_borders;
pub use reader::{Bigrams, Reader, SideReader};
pub use reading::Reading;
pub use scheme::{Edge, Prefix, Scheme};
pub use table::{CLOSE, OPEN, Table, VIOLATION, Walk, is_outside};
pub use transition::{legal, tags_of};
pub use violation::{Action, Kind, Violation};
pub use write::Writer;
