//! Counting what gold and pred have in common.
//!
//! Everything counted is an integer, so counts can be added in any order, stored, and added again.
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

mod auto_scheme;
mod counting_sink;
pub mod dep;
mod exact;
pub mod fair;
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
mod span_lists;
mod spans;
mod tag_bigrams;
mod tag_block;
mod tag_counts;
mod tag_totals;
mod token_sets;
mod type_filter;
mod violations;

pub use auto_scheme::{AutoSchemeScorer, PredScheme};
pub use counting_sink::{CountingSink, add_pair};
pub use exact::{Exact, SCHEMA as EXACT, Seen};
pub use matcher::{Event, Events, Matcher, Pair, Sink, Text, Unmatched};
pub use parallel::count_parts;
pub use registry::{MatcherOptions, make_matcher, matcher_names, schema_of};
pub use scorer::{Scorer, Side, TypeCells};
pub use span_lists::{
    NamedSpan, ReadError, Sides, SpanEvent, SpanLists, SpanListsBuilder, TagSentences, span_events,
    spans_of_ids,
};
pub use spans::Spans;
pub use tag_block::TagBlock;
pub use tag_counts::SpanCounts;
pub use tag_totals::TagTotals;
pub use token_sets::{BadSpan, Run, TokenSets};
pub use type_filter::TypeFilter;
pub use violations::{Located, Violations};
