//! Agreement between annotators of the same texts.
//!
//! [`Project`] takes the annotations of one document after another and stores, for each document,
//! integer statistics in a sparse row: spans that two annotators share, labels of tokens or
//! characters that they give together ([`labels`]), and lengths of units and gaps ([`unitizing`]).
//! All measures are functions of sums of such rows, so a bootstrap resample of the documents costs
//! one weighted sum of rows ([`resample`]).
//!
//! - F1 of spans of each pair of annotators: exact (equal type and bounds), overlap (equal type and
//!   a common position, in a maximum matching), untyped (equal bounds).
//! - Cohen's kappa (1960) of each pair, Fleiss' kappa (1971) and Krippendorff's alpha (nominal) of
//!   all annotators. The label of a token or character is the set of the types of the spans that
//!   cover it, so overlapping and nested spans count.
//! - Krippendorff's alpha for unitizing (1995; 2004, section 11.6).
//! - [`gamma`] aligns the units of all annotators.
//!
//! Documents that an annotator did not see are left out of that annotator's comparisons. A measure is
//! NaN if there is nothing to measure.

mod document;
mod formulas;
pub mod gamma;
mod labels;
mod layout;
mod measures;
mod overlap;
mod project;
mod resample;
mod row;
mod unitizing;

pub use document::DocumentValues;
pub use layout::Layout;
pub use measures::{PairTypes, Values};
pub use project::{Answer, Content, Project, ProjectSpan};
