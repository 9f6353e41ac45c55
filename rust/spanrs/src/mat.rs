//! Scoring of two documents with the same text against each other, as in MATScore.
//!
//! The documents are read by [`spanrs_io::document`], or from column files by
//! [`crate::ConllDocuments`]. [`Rules`] select the annotations that are scored and their labels;
//! the [`Matcher`] pairs and counts them. A [`Counts`] is the result for one pair of documents; the
//! caller merges the counts of a corpus, under keys of its choice.
//!
//! Source: MATScore of MITRE's annotation toolkit (MAT), whose tables are views of these counts.

use serde::Serialize;
use spanrs_base::Span;
use spanrs_eval::mat::{AnnotatedText, Discontinuous, Kind, Matcher, Rules, Selection, TAG};
use spanrs_eval::outcomes::Counts;
use spanrs_eval::{
    CountingSink, Event, Matcher as _, NamedSpan, Pair, Sink, Spans, Text, Unmatched,
};
use spanrs_io::document::Document;

/// The reason why two documents cannot be scored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unscored {
    /// The texts are not the same, so that offsets cannot be compared.
    #[error("the texts differ from character {at} on: gold has {gold}, pred has {pred}")]
    Texts {
        /// The first character that differs, from 0.
        at: usize,
        /// The text of gold from this character on, at most 20 characters in quotes, or `no more`.
        gold: String,
        /// The text of pred from this character on, in the same form.
        pred: String,
    },
    /// A discontinuous annotation, under rules that refuse discontinuous annotations.
    #[error(
        "{label} {start}-{end} consists of several pieces; choose how to score them: cover or split"
    )]
    Pieces {
        /// The label.
        label: String,
        /// The first character.
        start: u32,
        /// One past the last character.
        end: u32,
    },
    /// The annotations cannot be matched, or the job was stopped.
    #[error(transparent)]
    Unmatched(#[from] Unmatched),
}

/// A pair of annotations, or an unpaired annotation. Types of spans are indices into
/// [`Outcome::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The kind of pair, seen from pred.
    pub kind: Kind,
    /// The gold annotation, in characters; None if the pred annotation is spurious.
    pub gold: Option<Span<i64>>,
    /// The pred annotation, in characters; None if the gold annotation is missing in pred.
    pub pred: Option<Span<i64>>,
}

/// A [`Detail`] as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlainDetail {
    /// The name of the kind.
    pub kind: &'static str,
    /// The gold annotation; None if the pred annotation is spurious.
    pub gold: Option<NamedSpan>,
    /// The pred annotation; None if the gold annotation is missing in pred.
    pub pred: Option<NamedSpan>,
}

impl Outcome {
    /// Returns the pairs with the names of their labels.
    pub fn plain_details(&self) -> Vec<PlainDetail> {
        let named = |span: Span<i64>| NamedSpan {
            ty: self.names[span.ty as usize].clone(),
            start: span.start,
            end: span.end,
            tokens: None,
        };
        let details = self.details.iter().map(|detail| PlainDetail {
            kind: detail.kind.name(),
            gold: detail.gold.map(named),
            pred: detail.pred.map(named),
        });
        details.collect()
    }
}

/// The result of scoring two documents.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The counts, without rows for documents.
    pub counts: Counts,
    /// Number of tokens of pred; 0 if pred has no tokens.
    pub tokens: usize,
    /// An annotation boundary, in characters, that is not a token boundary; None if there is none
    /// or tokens are not counted.
    pub misplaced: Option<u32>,
    /// Names of the labels, by type.
    pub names: Vec<String>,
    /// The pairs in the order of the text; empty unless requested.
    pub details: Vec<Detail>,
}

/// Passes events to the counting sink, and keeps the events of annotations.
struct DetailSink<'a> {
    /// The sink that counts.
    counting: &'a mut dyn Sink,
    /// Events of the annotation criterion.
    pairs: Vec<Event>,
}

impl Sink for DetailSink<'_> {
    fn event(&mut self, event: Event) {
        self.counting.event(event);
        if event.criterion == TAG {
            self.pairs.push(event);
        }
    }

    fn count(&mut self, cell: spanrs_eval::outcomes::Cell, n: u64) {
        self.counting.count(cell, n);
    }
}

/// Scores pred against gold.
///
/// With `details`, the pairs are also returned. The matcher then resolves ties
/// ([`resolve_ties`](spanrs_eval::Matcher::resolve_ties)), so that the pairs do not depend on how
/// labels are numbered.
///
/// # Errors
/// [`Unscored`] if the texts differ, if the rules refuse a discontinuous annotation, or if the
/// matcher is stopped.
///
/// # Examples
/// ```
/// use spanrs::eval::mat::{Kind, Matcher, Rules};
/// use spanrs::io::document::Document;
/// let document = |label, end| {
///     let mut document = Document::new("Bob ate".to_owned());
///     let ty = document.intern(label);
///     document.push(ty, 0, end);
///     document
/// };
/// let (gold, pred) = (document("PER", 3), document("PER", 7));
/// let mut matcher = Matcher::new(&[]);
/// let rules = Rules::default();
/// let scored = spanrs::mat::score_documents(&gold, &pred, &rules, &mut matcher, true).unwrap();
/// assert_eq!(scored.details[0].kind, Kind::Overmark);
/// assert_eq!(scored.names, ["PER"]);
/// ```
pub fn score_documents(
    gold: &Document,
    pred: &Document,
    rules: &Rules,
    matcher: &mut Matcher,
    details: bool,
) -> Result<Outcome, Unscored> {
    if gold.text != pred.text {
        return Err(differ(&gold.text, &pred.text));
    }
    let text = &pred.text;
    let mut selection = Selection::new(rules, &View(gold));
    let (gold, pred) = (
        selection.select(&View(gold))?,
        selection.select(&View(pred))?,
    );
    let names = selection.names();
    let pair = Pair {
        text: Some(Text {
            text,
            tokens: &pred.tokens,
        }),
        ..Pair::new(
            Spans::with_tags(&gold.spans, &gold.tags),
            Spans::with_tags(&pred.spans, &pred.tags),
        )
    };
    let mut counts = Counts::new(matcher.schema());
    let name = |ty| names.name(ty).unwrap_or_default().to_owned();
    let mut counting = CountingSink::new(&pair, &name, &mut counts);
    let mut pairs = Vec::new();
    if details {
        matcher.resolve_ties();
        let mut sink = DetailSink {
            counting: &mut counting,
            pairs,
        };
        matcher.compare(&pair, &mut sink)?;
        pairs = sink.pairs;
    } else {
        matcher.compare(&pair, &mut counting)?;
    }
    let detail = |event: Event| {
        let of = |spans: &[Span<i64>], at: Option<u32>| at.map(|at| spans[at as usize]);
        Detail {
            kind: Kind::of_outcome(event.outcome),
            gold: of(&gold.spans, event.gold),
            pred: of(&pred.spans, event.pred),
        }
    };
    Ok(Outcome {
        counts,
        tokens: pred.tokens.len(),
        misplaced: matcher.misplaced(),
        details: pairs.into_iter().map(detail).collect(),
        names: names.names().map(str::to_owned).collect(),
    })
}

impl From<Discontinuous> for Unscored {
    fn from(Discontinuous { label, start, end }: Discontinuous) -> Self {
        Self::Pieces { label, start, end }
    }
}

/// A document as input for the selection of annotations.
struct View<'a>(&'a Document);

impl AnnotatedText for View<'_> {
    fn types(&self) -> impl Iterator<Item = &str> {
        self.0.types()
    }

    fn len(&self) -> usize {
        self.0.annotations.len()
    }

    fn annotation(&self, at: usize) -> Span {
        let annotation = &self.0.annotations[at];
        Span {
            start: annotation.start,
            end: annotation.end,
            ty: annotation.ty,
        }
    }

    fn attributes(&self, at: usize) -> impl Iterator<Item = (&str, &str)> + Clone {
        self.0.attributes(&self.0.annotations[at])
    }

    fn pieces(&self, at: usize) -> &[(u32, u32)] {
        self.0.pieces(&self.0.annotations[at])
    }

    fn has_dropped(&self, ty: u32) -> bool {
        self.0.left_out_types.contains(&ty)
    }

    fn has_root(&self) -> bool {
        self.0.rooted
    }
}

/// Returns the error for texts that differ. Time is linear in the length of their common prefix.
fn differ(gold: &str, pred: &str) -> Unscored {
    let same = gold
        .chars()
        .zip(pred.chars())
        .take_while(|(g, p)| g == p)
        .count();
    let from = |text: &str| match text.chars().skip(same).take(20).collect::<String>() {
        rest if rest.is_empty() => "no more".to_owned(),
        rest => format!("{rest:?}"),
    };
    Unscored::Texts {
        at: same,
        gold: from(gold),
        pred: from(pred),
    }
}
