//! Scoring two documents of the same text against each other, as MATScore does.

mod rules;

pub use rules::{NO_CONTENT, Pieces, Rules};

use spanrs_base::{Interner, Span};

use spanrs_eval::mat::{Kind, Matcher, TAG};
use spanrs_eval::outcomes::Counts;
use spanrs_eval::{CountingSink, Event, Matcher as _, Pair, Sink, Spans, Text, Unmatched};
use spanrs_io::document::{Annotation, Document};

use rules::Role;

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
    /// An annotation of several pieces.
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

/// What came of two documents.
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
    /// The pairs in the order of the text; empty where nobody asked for them.
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
    let mut names = Interner::<str>::default();
    let zones = rules.zones(gold);
    let mut tokens = Vec::new();
    let (gold, gold_tags) = annotations(gold, rules, &zones, &mut names, None)?;
    let (preds, pred_tags) = annotations(pred, rules, &zones, &mut names, Some(&mut tokens))?;
    if !tokens.is_sorted() {
        tokens.sort_by_key(|token| token.0);
    }
    let pair = Pair {
        text: Some(Text {
            text: &pred.text,
            tokens: &tokens,
        }),
        ..Pair::new(
            Spans::with_tags(&gold, &gold_tags),
            Spans::with_tags(&preds, &pred_tags),
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
            gold: of(&gold, event.gold),
            pred: of(&preds, event.pred),
        }
    };
    Ok(Outcome {
        counts,
        tokens: tokens.len(),
        misplaced: matcher.misplaced(),
        details: pairs.into_iter().map(detail).collect(),
        names: names.names().map(str::to_owned).collect(),
    })
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

/// Annotations by label, and their types before aliases and equivalence classes.
type Annotations = (Vec<Span<i64>>, Vec<u32>);

/// The annotations of a document that are scored, by start, end, label and their order in the file; tokens
/// go into `tokens` if they are wanted.
fn annotations(
    document: &Document,
    rules: &Rules,
    zones: &rules::Zones,
    names: &mut Interner<str>,
    mut tokens: Option<&mut Vec<(u32, u32)>>,
) -> Result<Annotations, Unscored> {
    let roles: Vec<Role> = document.types().map(|ty| rules.role(ty)).collect();
    // (label, tag) of the types whose annotations all have one label.
    let mut known: Vec<Option<Option<(u32, u32)>>> = vec![None; roles.len()];
    let mut items = Vec::new();
    // The root element of XML is what the file is, and nothing in its text; unless somebody says otherwise.
    let root = usize::from(document.rooted && rules.task.is_none() && rules.content.is_none());
    for annotation in document.annotations.iter().skip(root) {
        let ty = annotation.ty as usize;
        match roles[ty] {
            Role::Nothing => {}
            Role::Token => {
                if let Some(tokens) = &mut tokens
                    && zones.hold(annotation.start, annotation.end)
                {
                    tokens.push((annotation.start, annotation.end));
                }
            }
            Role::Content { aliases } => {
                let named = match known[ty] {
                    Some(named) => named,
                    None => {
                        let tag = document.type_of(annotation);
                        let label = rules.label(document, annotation);
                        let label = label.map(|label| (names.intern(label), names.intern(tag)));
                        if !aliases {
                            known[ty] = Some(label);
                        }
                        label
                    }
                };
                if let Some((label, tag)) = named {
                    add(document, annotation, rules, zones, (label, tag), &mut items).map_err(
                        |()| Unscored::Pieces {
                            label: names.name(label).unwrap_or_default().to_owned(),
                            start: annotation.start,
                            end: annotation.end,
                        },
                    )?;
                }
            }
        }
    }
    let key = |item: &(Span<i64>, u32)| (item.0.start, item.0.end);
    if !items.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])) {
        let name = |item: &(Span<i64>, u32)| names.name(item.0.ty);
        items.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| name(a).cmp(&name(b))));
    }
    Ok(items.into_iter().unzip())
}

fn add(
    document: &Document,
    annotation: &Annotation,
    rules: &Rules,
    zones: &rules::Zones,
    (label, tag): (u32, u32),
    items: &mut Vec<(Span<i64>, u32)>,
) -> Result<(), ()> {
    let mut push = |start: u32, end: u32| {
        if zones.hold(start, end) {
            let span = Span {
                start: start.into(),
                end: end.into(),
                ty: label,
            };
            items.push((span, tag));
        }
    };
    match (document.pieces(annotation), rules.pieces) {
        ([], _) | (_, Pieces::Cover) => push(annotation.start, annotation.end),
        (pieces, Pieces::Split) => pieces.iter().for_each(|&(start, end)| push(start, end)),
        (_, Pieces::Refuse) => return Err(()),
    }
    Ok(())
}
