//! Single outcomes with their spans, as plain data.

use serde::Serialize;

/// A span with the name of its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename = "Span")]
pub struct NamedSpan {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// First position, 0-based.
    pub start: i64,
    /// One past the last position.
    pub end: i64,
    /// The tokens, ascending, if the span does not have all tokens between its bounds.
    pub tokens: Option<Vec<i64>>,
}

/// The outcome of a span or of a pair of spans, with its position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// The name of the outcome.
    pub outcome: &'static str,
    /// Index of the sentence, 0-based.
    pub sentence: u64,
    /// The gold span; None for outcomes without a gold span.
    pub gold: Option<NamedSpan>,
    /// The pred span; None for outcomes without a pred span.
    pub pred: Option<NamedSpan>,
    /// Index of the gold span among the counted spans of its sentence, 0-based.
    pub gold_index: Option<u32>,
    /// Index of the pred span among the counted spans of its sentence, 0-based.
    pub pred_index: Option<u32>,
    /// Line of the gold span, or of the pred span if there is no gold span, 1-based. In column
    /// files, the line in gold at which the span begins.
    pub line: Option<u64>,
    /// Index of the first of `tokens` in the sentence, 0-based.
    pub first: usize,
    /// Number of tokens of the sentence, if known.
    pub length: Option<usize>,
    /// The tokens of the spans and their context, if known.
    pub tokens: Vec<String>,
    /// The file of gold, if several are scored.
    pub path: Option<String>,
}
