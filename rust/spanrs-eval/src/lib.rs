//! Evaluation of labelled spans: matching gold with pred, counting outcomes, computing measures.
//!
//! The components, in the order of the data flow:
//!
//! 1. [`Scorer`] and [`TagBlock`] take sentences of tag ids, [`SpanLists`] and [`input`] take spans
//!    and batches of ids. Both create a [`Pair`] of [`Spans`] for every sentence or document.
//! 2. A [`Matcher`] ([`Exact`], [`partial`], [`fair`], [`mat`]) decides which gold span matches
//!    which pred span, and reports every decision as an [`Event`] to a [`Sink`]. [`MatcherOptions`]
//!    creates matchers by name.
//! 3. [`CountingSink`] adds events to [`outcomes::Counts`]: integers by criterion, outcome, gold
//!    type and pred type, in total and by document. Counts can be stored and merged in any order.
//! 4. [`outcomes::Measure`] turns summed counts into precision, recall, F and ratios;
//!    [`outcomes::Systems`] resamples documents for intervals and tests.
//!
//! All steps up to the counts use integer arithmetic, so results do not depend on the number of
//! threads or on the order in which parts of a corpus are added. Floating-point numbers appear only
//! in measures.
//!
//! Sides are always in the order gold, pred. Positions start at 0 and ends are exclusive.
//!
//! ```
//! use spanrs_eval::outcomes::{Measure, Prf};
//! use spanrs_eval::{Exact, Scorer};
//! use spanrs_tags::{Dialect, Reader, Reading, Scheme};
//! let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
//! let gold = reader.intern_all(["B-PER", "I-PER", "O", "B-LOC"]).unwrap();
//! let pred = reader.intern_all(["B-PER", "I-PER", "O", "O"]).unwrap();
//! let mut scorer = Scorer::new(Box::new(Exact::default()), 10);
//! scorer.add(&reader, &gold, &pred, |_, _| 0);
//! let f1 = scorer.counts(&reader).measure(&Measure::Micro(Prf::f1(0)));
//! assert_eq!(f1, 2.0 / 3.0);
//! ```

pub mod agreement;
mod auto_scheme;
pub mod characters;
mod counting_sink;
mod detail;
mod exact;
pub mod fair;
mod first_difference;
#[cfg(feature = "example-matcher")]
mod head;
pub mod input;
pub mod mat;
mod matcher;
pub mod outcomes;
mod overlaps;
mod parallel;
pub mod partial;
mod registry;
mod scorer;
mod side;
mod span_lists;
mod spans;
mod tag_bigrams;
mod tag_block;
mod tag_counts;
mod tag_totals;
mod token_sets;
mod type_filter;
mod violations;

pub use auto_scheme::{AutoSchemeScorer, PredScheme, ScorerOptions};
pub use counting_sink::{CountingSink, add_pair};
pub use detail::{Detail, NamedSpan};
pub use exact::{Exact, SCHEMA as EXACT, Seen};
pub use matcher::{Event, Events, Matcher, Pair, Piece, Pieces, Sink, Text, Unmatched};
pub use parallel::count_parts;
pub use registry::{BadMatcher, MatcherOptions, matcher_names, schemas};
pub use scorer::{Scorer, TypeCells};
pub use side::Side;
pub use span_lists::{
    ReadError, Sides, SpanErrorKind, SpanErrorNumbers, SpanErrorOptions, SpanLists,
    SpanListsBuilder, TagSentences, span_details, span_errors, spans_of_ids,
};
pub use spans::Spans;
pub use tag_block::TagBlock;
pub use tag_counts::SpanCounts;
pub use tag_totals::TagTotals;
pub use token_sets::{BadSpan, Run, TokenSets};
pub use type_filter::TypeFilter;
pub use violations::{Located, Violations};
