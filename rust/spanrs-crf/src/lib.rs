//! Linear-chain conditional random fields (Lafferty, McCallum and Pereira 2001).
//!
//! A sequence of tokens gets a score for each label of each token ([`Lattice`]) and for each pair of neighbouring labels
//! ([`Transitions`]); the probability of a labelling is proportional to the exponential of the sum of its scores.
//!
//! ```
//! use spanrs_crf::{Lattice, Transitions};
//! let transitions = Transitions::new(2, vec![0.0, 0.0, f64::NEG_INFINITY, 0.0]).unwrap();
//! let mut lattice = Lattice::default();
//! lattice.reset(2, 2).copy_from_slice(&[0.0, 1.0, 2.0, 0.0]);
//! let (labels, score) = lattice.best(&transitions).unwrap();
//! assert_eq!((labels, score), (vec![0, 0], 2.0));
//! let log_z = lattice.forward_backward(&transitions).unwrap();
//! assert!(log_z > score);
//! ```

mod best;
mod corpus;
mod error;
mod features;
mod forward_backward;
mod lattice;
mod objective;
mod transitions;

pub use corpus::{Corpus, Target};
pub use error::{Error, Result};
pub use features::{Choice, Features};
pub use forward_backward::PairSums;
pub use lattice::Lattice;
pub use objective::Objective;
pub use transitions::Transitions;
