//! Scoring two documents of the same text against each other, as MATScore does.

mod resample;
mod rules;

pub use resample::{Spreads, spreads};
pub use rules::{NO_CONTENT, Pieces, Rules};

use spanrs_base::Interner;

use spanrs_eval::mat::{DocumentCounts, Item, Kind, Matcher, Texts, Unmatched};
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

/// An annotation as it was scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Number of its label among the names.
    pub label: u32,
    /// First character.
    pub start: u32,
    /// One past the last character.
    pub end: u32,
}

/// A pair of annotations, or one without a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// What it is, seen from pred.
    pub kind: Kind,
    /// The gold annotation.
    pub gold: Option<Scored>,
    /// The pred annotation.
    pub pred: Option<Scored>,
}

/// What came of two documents.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Names of labels, by number.
    pub names: Vec<String>,
    /// The counts.
    pub counts: DocumentCounts,
    /// The pairs in the order of the text; empty where nobody asked for them.
    pub details: Vec<Detail>,
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
    let golds = items(gold, rules, &zones, &mut names, None)?;
    let preds = items(pred, rules, &zones, &mut names, Some(&mut tokens))?;
    if !tokens.is_sorted() {
        tokens.sort_by_key(|token| token.0);
    }
    let texts = Texts {
        text: &pred.text,
        tokens: &tokens,
    };
    let counts = matcher.run(&golds, &preds, texts)?;
    let details = match details {
        false => Vec::new(),
        true => {
            let scored = |items: &[Item], at: Option<u32>| {
                at.map(|at| items[at as usize]).map(|item| Scored {
                    label: item.label,
                    start: item.start,
                    end: item.end,
                })
            };
            let pairs = matcher.pairs(&golds, &preds);
            pairs
                .into_iter()
                .map(|pair| Detail {
                    kind: pair.kind,
                    gold: scored(&golds, pair.gold),
                    pred: scored(&preds, pair.pred),
                })
                .collect()
        }
    };
    Ok(Outcome {
        names: names.names().map(str::to_owned).collect(),
        counts,
        details,
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

/// The annotations of a document that are scored, by start, end, label and their order in the file; tokens
/// go into `tokens` if they are wanted.
fn items(
    document: &Document,
    rules: &Rules,
    zones: &rules::Zones,
    names: &mut Interner<str>,
    mut tokens: Option<&mut Vec<(u32, u32)>>,
) -> Result<Vec<Item>, Unscored> {
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
    let key = |item: &Item| (item.start, item.end);
    if !items.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])) {
        let name = |item: &Item| names.name(item.label);
        items.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| name(a).cmp(&name(b))));
    }
    Ok(items)
}

fn add(
    document: &Document,
    annotation: &Annotation,
    rules: &Rules,
    zones: &rules::Zones,
    (label, tag): (u32, u32),
    items: &mut Vec<Item>,
) -> Result<(), ()> {
    let mut push = |start: u32, end: u32| {
        if zones.hold(start, end) {
            items.push(Item {
                start,
                end,
                label,
                tag,
            });
        }
    };
    match (document.pieces(annotation), rules.pieces) {
        ([], _) | (_, Pieces::Cover) => push(annotation.start, annotation.end),
        (pieces, Pieces::Split) => pieces.iter().for_each(|&(start, end)| push(start, end)),
        (_, Pieces::Refuse) => return Err(()),
    }
    Ok(())
}
