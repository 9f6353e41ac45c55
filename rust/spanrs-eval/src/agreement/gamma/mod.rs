//! The agreement measure gamma.
//!
//! Source: Mathet, Widlöcher and Métivier 2015, "The unified and holistic method gamma (γ) for
//! inter-annotator agreement measure and alignment", Computational Linguistics 41(3), 437-479.
//!
//! A document with the units of its annotators is a [`Continuum`]. A *unitary alignment* consists
//! of one unit, or the empty unit, of each annotator; its disorder is the mean dissimilarity of all
//! pairs. An *alignment* is a set of unitary alignments in which each unit occurs exactly once; its
//! disorder is the sum of their disorders divided by the mean number of units per annotator. The
//! observed disorder is that of the best alignment, the expected disorder is the mean of the best
//! alignments of random continua, and gamma is `1 - observed / expected`.
//!
//! # The best alignment
//!
//! The best alignment is exact:
//!
//! | module | step |
//! |---|---|
//! | `components` | units that an optimal alignment may link form independent components |
//! | `heuristic` | a good alignment by assignment, which is optimal for two annotators |
//! | `unitary` | enumeration of the unitary alignments that may be in a best alignment |
//! | `prices` | a lower bound; with the good alignment it excludes most unitary alignments |
//! | `frontier` | dynamic programming over the units in the order of their centres |
//!
//! The problem is NP-hard for three and more annotators, so the numbers of unitary alignments and
//! states are limited. [`GammaError::Limit`] names the limit; results are never approximate.
//!
//! # Several documents
//!
//! Each document is aligned on its own, with its own annotators. The observed disorder of a project
//! is the mean of the disorders of its documents, weighted by the mean numbers of units per
//! annotator; the expected disorder has the same weights. For one document this is the definition
//! of the paper.
//!
//! # Differences from pygamma-agreement
//!
//! The two samplers follow the paper and pygamma-agreement (0.5.9) with these differences:
//! - [`Sampler::Shuffle`] is the default, as in the paper; the package uses its own
//!   [`Sampler::Statistical`].
//! - Two shifts differ by at least the mean length of a unit, as in the paper. The package
//!   uses half of it ([`Options::pivot_distance`]), does not take distances as circular, and
//!   allows some shifts again after a third one.
//! - Equal units of one annotator are separate units; the package merges them.
//!
//! # Examples
//!
//! ```
//! use spanrs_eval::agreement::gamma::{Continuum, Options, Unit, gamma};
//! let unit = |start, end, category| Unit { start, end, category };
//! let units = vec![
//!     vec![unit(0, 2, 0), unit(5, 8, 1)],
//!     vec![unit(0, 2, 0), unit(6, 8, 1)],
//! ];
//! let documents = [Continuum { units, length: 20 }];
//! let result = gamma(&documents, &Options::default(), |_| true).unwrap();
//! // The second pair differs by 1 position of 5: (1 / 5)^2, divided by 2 units per annotator.
//! assert!((result.observed - 0.02).abs() < 1e-12);
//! assert!(result.gamma > 0.9);
//! ```

mod best;
mod components;
mod continuum;
mod dissimilarity;
mod effort;
mod error;
mod expected;
mod frontier;
mod heuristic;
mod options;
mod prices;
mod sampling;
mod statistics;
#[cfg(test)]
mod tests;
mod unitary;

pub use continuum::{Continuum, Unit};
pub use error::{GammaError, LimitError};
pub use expected::{DocumentGamma, Gamma, gamma};
pub use options::Options;
pub use sampling::Sampler;
