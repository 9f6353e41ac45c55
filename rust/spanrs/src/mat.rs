//! Scoring two documents of the same text against each other, as MATScore does.

use spanrs_base::Span;
use spanrs_eval::mat::{AnnotatedText, Discontinuous, Kind, Matcher, Rules, Selection, TAG};
use spanrs_eval::outcomes::Counts;
use spanrs_eval::{CountingSink, Event, Matcher as _, Pair, Sink, Spans, Text, Unmatched};
use spanrs_io::document::Document;

/// Why two documents cannot be scored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unscored {
    /// Their texts are not the same.
    #[error("the texts differ from character {at} on: gold has {gold}, pred has {pred}")]
    Texts {
        /// The first character that differs, from 0.
        at: usize,
        /// What gold has there.
        gold: String,
        /// What pred has there.
        pred: String,
    },
    /// A discontinuous annotation.
    #[error(
        "{label} {start}-{end} consists of several pieces; name a way to score it: cover or split"
    )]
    Pieces {
        /// Its label.
        label: String,
        /// Its first character.
        start: u32,
        /// One past its last character.
        end: u32,
    },
    /// They cannot be matched.
    #[error(transparent)]
    Unmatched(#[from] Unmatched),
}

/// A pair of annotations, or one without a partner. Types of spans are numbers of their labels among the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// What it is, seen from pred.
    pub kind: Kind,
    /// The gold annotation.
    pub gold: Option<Span<i64>>,
    /// The pred annotation.
    pub pred: Option<Span<i64>>,
}

/// The result of scoring two documents.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The counts, without documents.
    pub counts: Counts,
    /// Tokens of pred.
    pub tokens: usize,
    /// An annotation boundary that is not a token boundary, where tokens are counted.
    pub misplaced: Option<u32>,
    /// Names of labels, by number.
    pub names: Vec<String>,
    /// The pairs in the order of the text; empty unless requested.
    pub details: Vec<Detail>,
}

/// Counts events and keeps those of annotations.
struct DetailSink<'a> {
    counting: &'a mut dyn Sink,
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
/// # Errors
/// [`Unscored`].
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

/// A document as the selection of MATScore reads it.
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
