//! Pairing of annotations.
//!
//! Annotations that overlap, directly or through other annotations, form a group; touching annotations do not overlap.
//! In each group the one-to-one pairs with the greatest total [`similarity`] are chosen, and pairs with similarity 0
//! are dropped. Groups do not influence each other.
//!
//! | group | solved by | ties |
//! |---|---|---|
//! | one gold and one pred annotation | nothing to choose | none |
//! | up to [`MAX_EXACT`] a side | [`Munkres`] | MATScore's |
//! | larger | [`partial::assign`] | any best choice, the same in every run |
//!
//! For example gold `T` 0..20 and pred `T` 0..12 and `T` 13..20: the longer overlap is paired (an undermark); the other
//! pred annotation is spurious, or clashes with the gold annotation under [`Unpaired::Clash`].
//!
//! Empty annotations overlap nothing. They are paired in a second run; empty annotations at the same position form a
//! group.

use spanrs_base::{Named, Pace};

use super::annotation::Annotation;
use super::kind::Kind;
use super::munkres::Munkres;
use crate::Side;
use crate::matcher::Unmatched;
use crate::overlaps::Overlaps;
use crate::partial;

/// The treatment of an annotation that overlaps others but is not paired.
///
/// The manual of version 1.3 is ambiguous; version 2.0 of the program uses [`Unpaired::Alone`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unpaired {
    /// The annotation is missing or spurious.
    #[default]
    Alone,
    /// The annotation clashes with the most similar annotation on the other side; ties go to the first. The clash
    /// counts only towards its own side, because the other annotation is paired or clashes with another annotation.
    Clash,
}

impl Named for Unpaired {
    const WHAT: &'static str = "unpaired_overlap";
    const NAMES: &'static [(&'static str, Self)] =
        &[("alone", Self::Alone), ("clash", Self::Clash)];
}

spanrs_base::serde_by_name!(Unpaired);

/// A pair of annotations, or an unpaired annotation; at least one side is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// Index of the gold annotation.
    pub(super) gold: Option<u32>,
    /// Index of the pred annotation.
    pub(super) pred: Option<u32>,
    /// The kind of the pair from the point of view of pred: an overmark covers the gold annotation.
    pub(super) kind: Kind,
    /// The side whose annotation clashes although the other annotation does not clash with it ([`Unpaired::Clash`]);
    /// None for regular pairs and unpaired annotations.
    pub(super) single: Option<Side>,
}

/// Largest number of overlapping pairs in a group that are listed for the solver.
pub(super) const MAX_PAIRS: usize = 1 << 18;

/// Largest number of annotations on a side of a group that is resolved as in MATScore, including ties.
pub(super) const MAX_EXACT: usize = 64;

/// Returns the similarity of two annotations, from 0 to 1: a tenth for the labels, nine tenths for
/// the shared part.
///
/// The shared part is the number of characters in both annotations, divided by the distance from the first start to the
/// last end. Annotations that share no character have similarity 0, regardless of their labels, except that two empty
/// annotations share everything; the caller only compares empty annotations at the same position.
fn similarity(gold: &Annotation, pred: &Annotation) -> f64 {
    if gold.is_empty() || pred.is_empty() {
        return combined_similarity(gold, pred, 1.0);
    }
    let union = gold.end.max(pred.end) - gold.start.min(pred.start);
    let shared = gold
        .end
        .min(pred.end)
        .saturating_sub(gold.start.max(pred.start));
    match shared {
        0 => 0.0,
        shared => combined_similarity(gold, pred, f64::from(shared) / f64::from(union)),
    }
}

/// Returns the similarity of two annotations whose shared part is `shared`, from 0 to 1.
///
/// Labels contribute 0.1 if they are equal and 0.05 if they are aliases of one type. The weights are MATScore's
/// defaults. Overlapping annotations always have a similarity above 0, because their shared part is above 0.
///
/// | labels | bounds | similarity |
/// |---|---|---|
/// | equal | equal | 1.0 |
/// | different | equal | 0.9 |
/// | equal | half of the extent shared | 0.55 |
/// | different | half of the extent shared | 0.45 |
pub(super) fn combined_similarity(gold: &Annotation, pred: &Annotation, shared: f64) -> f64 {
    0.1 * gold.agreement(pred) + 0.9 * shared
}

/// Pairs the annotations of documents and keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    /// The pairs of the last document.
    ///
    /// Groups are in the order of their starts, groups of empty annotations last. Within a group, the order is: pairs
    /// by gold annotation, unpaired gold annotations, unpaired pred annotations.
    pub(super) pairs: Vec<Pair>,
    /// Solver of small groups.
    munkres: Munkres,
    /// Overlapping pairs of the current group by indices in the group, sorted by gold, then pred. Listed for large
    /// groups, and for all groups under [`Unpaired::Clash`].
    candidates: Vec<partial::Pair>,
    /// The pred annotations of the current group by bounds.
    tree: Overlaps,
    /// Result of one query of `tree`.
    found: Vec<u32>,
    /// Gold annotations, split by length.
    golds: Split,
    /// Pred annotations, split by length.
    preds: Split,
}

/// Indices of the annotations on one side, separated into annotations that cover characters and empty annotations.
///
/// Both lists keep the given order, which is by start.
#[derive(Clone, Debug, Default)]
struct Split {
    /// Annotations that cover characters, in order.
    solid: Vec<u32>,
    /// Annotations without characters, in order.
    empty: Vec<u32>,
}

impl Split {
    /// Splits the annotations of a side.
    fn set(&mut self, annotations: &[Annotation]) {
        self.solid.clear();
        self.empty.clear();
        for (at, annotation) in (0..).zip(annotations) {
            match annotation.is_empty() {
                false => self.solid.push(at),
                true => self.empty.push(at),
            }
        }
    }
}

/// Both sides of a document, with the option for unpaired annotations.
#[derive(Clone, Copy)]
struct Sides<'a> {
    /// Gold annotations, sorted by start, then end.
    gold: &'a [Annotation],
    /// Pred annotations, sorted by start, then end.
    pred: &'a [Annotation],
    /// The treatment of unpaired annotations.
    unpaired: Unpaired,
}

impl Pairing {
    /// Pairs the annotations of a document; both sides must be sorted by start, then end.
    ///
    /// The result is in [`Pairing::pairs`]. Every annotation is in exactly one pair that counts towards its side; it
    /// may also be in clashes that count towards the other side.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] if more than [`MAX_PAIRS`] overlapping pairs of a group would have to be listed;
    /// [`Unmatched::Stopped`].
    pub(super) fn run(
        &mut self,
        gold: &[Annotation],
        pred: &[Annotation],
        unpaired: Unpaired,
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        self.pairs.clear();
        self.golds.set(gold);
        self.preds.set(pred);
        let sides = Sides {
            gold,
            pred,
            unpaired,
        };
        let (golds, preds) = (
            std::mem::take(&mut self.golds),
            std::mem::take(&mut self.preds),
        );
        let done = self
            .pair_groups(sides, &golds.solid, &preds.solid, pace)
            .and_then(|()| self.pair_groups(sides, &golds.empty, &preds.empty, pace));
        (self.golds, self.preds) = (golds, preds);
        done
    }

    /// Splits the annotations with the given indices into groups, and pairs each group.
    ///
    /// In a sweep by start, a group begins with the first remaining annotation on either side and grows as long as the
    /// next annotation on either side begins before its end, or, for empty annotations, at its position. Takes time
    /// proportional to the number of annotations, apart from pairing the groups.
    fn pair_groups(
        &mut self,
        sides: Sides<'_>,
        mut golds: &[u32],
        mut preds: &[u32],
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        let Sides { gold, pred, .. } = sides;
        loop {
            let first = |places: &[u32], annotations: &[Annotation]| {
                places.first().map(|&at| annotations[at as usize])
            };
            let seed = match (first(golds, gold), first(preds, pred)) {
                (None, None) => return Ok(()),
                (Some(g), Some(p)) if p.start < g.start => p,
                (Some(g), _) => g,
                (None, Some(p)) => p,
            };
            // Annotations that begin before the end of the group belong to it; empty annotations belong to it if they
            // are at its position.
            let (mut end, empty) = (seed.end, seed.is_empty());
            let (mut g, mut p) = (0, 0);
            loop {
                let before = (g, p);
                let belongs = |annotation: &Annotation, end: u32| {
                    annotation.start < end || (empty && annotation.start == end)
                };
                while let Some(annotation) = golds.get(g).map(|&at| gold[at as usize])
                    && belongs(&annotation, end)
                {
                    end = end.max(annotation.end);
                    g += 1;
                }
                while let Some(annotation) = preds.get(p).map(|&at| pred[at as usize])
                    && belongs(&annotation, end)
                {
                    end = end.max(annotation.end);
                    p += 1;
                }
                if before == (g, p) {
                    break;
                }
            }
            self.pair_group(sides, &golds[..g], &preds[..p], seed.start, pace)?;
            // The work grows with the number of candidate pairs.
            pace.steps(g + p + self.candidates.len())?;
            self.candidates.clear();
            (golds, preds) = (&golds[g..], &preds[p..]);
        }
    }

    /// Pairs the annotations of one group, given by their indices; `from` is its first character.
    ///
    /// [`Munkres`] minimises the sum of 1 - similarity, and [`partial::assign`] maximises the sum of similarities.
    /// These are equivalent, because the number of pairs is fixed: every annotation on the smaller side is paired,
    /// possibly with similarity 0. Pairs with similarity 0 are split again afterwards.
    fn pair_group(
        &mut self,
        sides: Sides<'_>,
        golds: &[u32],
        preds: &[u32],
        from: u32,
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        match (golds, preds) {
            (&[g], &[p]) => self.push_pair(sides, g, p),
            (golds, []) => golds
                .iter()
                .for_each(|&g| self.push_unpaired(Some(g), None)),
            ([], preds) => preds
                .iter()
                .for_each(|&p| self.push_unpaired(None, Some(p))),
            _ => {
                let small = golds.len().max(preds.len()) <= MAX_EXACT;
                if !small || sides.unpaired == Unpaired::Clash {
                    self.list_candidates(sides, golds, preds, from)?;
                }
                let similar = |g: usize, p: usize| {
                    let gold = &sides.gold[golds[g] as usize];
                    similarity(gold, &sides.pred[preds[p] as usize])
                };
                let chosen = if small {
                    self.munkres
                        .assign(golds.len(), preds.len(), |g, p| 1.0 - similar(g, p))
                } else {
                    let chosen = partial::assign(&self.candidates, false, pace)?.into_iter();
                    let pair = |at: usize| &self.candidates[at];
                    chosen
                        .map(|at| (pair(at).gold as usize, pair(at).pred as usize))
                        .collect()
                };
                // Annotations that share nothing are not a pair, even if no better candidate is left.
                let chosen = chosen.into_iter().filter(|&(g, p)| similar(g, p) > 0.0);
                self.push_group(sides, golds, preds, &chosen.collect::<Vec<_>>());
            }
        }
        Ok(())
    }

    /// Lists the overlapping pairs of a group in `candidates`, with similarities as credits.
    ///
    /// All pairs of a group of empty annotations are listed. Takes O((n + pairs) log n) time.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] if there are more than [`MAX_PAIRS`].
    fn list_candidates(
        &mut self,
        sides: Sides<'_>,
        golds: &[u32],
        preds: &[u32],
        from: u32,
    ) -> Result<(), Unmatched> {
        let Sides { gold, pred, .. } = sides;
        self.candidates.clear();
        let empty = gold[golds[0] as usize].is_empty();
        let most = MAX_PAIRS;
        self.tree.plant(preds.iter().map(|&p| {
            let annotation = &pred[p as usize];
            (i64::from(annotation.start), i64::from(annotation.end))
        }));
        for (at, &g) in (0..).zip(golds) {
            let annotation = &gold[g as usize];
            if empty {
                self.found.clear();
                self.found.extend(0..preds.len() as u32);
            } else {
                let (start, end) = (i64::from(annotation.start), i64::from(annotation.end));
                self.tree.find(start, end, &mut self.found);
            }
            if self.candidates.len() + self.found.len() > most {
                return Err(Unmatched::TooTangled {
                    from: from.into(),
                    most,
                    what: "overlapping pairs",
                });
            }
            let pairs = self.found.iter().map(|&other| partial::Pair {
                gold: at,
                pred: other,
                credit: credit(similarity(
                    annotation,
                    &pred[preds[other as usize] as usize],
                )),
            });
            self.candidates.extend(pairs);
        }
        Ok(())
    }

    /// Adds the chosen pairs of a group, given by indices in the group, then the other annotations.
    ///
    /// Under [`Unpaired::Clash`], an unpaired annotation clashes with the most similar annotation, paired or not; ties
    /// go to the first.
    fn push_group(
        &mut self,
        sides: Sides<'_>,
        golds: &[u32],
        preds: &[u32],
        chosen: &[(usize, usize)],
    ) {
        let mut gold_taken = vec![false; golds.len()];
        let mut pred_taken = vec![false; preds.len()];
        for &(gold, pred) in chosen {
            gold_taken[gold] = true;
            pred_taken[pred] = true;
            self.push_pair(sides, golds[gold], preds[pred]);
        }
        // The most similar annotation for each annotation; ties go to the first.
        let (mut of_gold, mut of_pred) = (vec![None; golds.len()], vec![None; preds.len()]);
        if sides.unpaired == Unpaired::Clash {
            for pair in &self.candidates {
                let better = |known: &Option<(u32, i128)>| known.is_none_or(|k| pair.credit > k.1);
                let (g, p) = (pair.gold as usize, pair.pred as usize);
                if better(&of_gold[g]) {
                    of_gold[g] = Some((preds[p], pair.credit));
                }
                if better(&of_pred[p]) {
                    of_pred[p] = Some((golds[g], pair.credit));
                }
            }
        }
        for at in (0..golds.len()).filter(|&at| !gold_taken[at]) {
            match of_gold[at] {
                Some((pred, _)) => self.push_clash(sides, golds[at], pred, Side::Gold),
                None => self.push_unpaired(Some(golds[at]), None),
            }
        }
        for at in (0..preds.len()).filter(|&at| !pred_taken[at]) {
            match of_pred[at] {
                Some((gold, _)) => self.push_clash(sides, gold, preds[at], Side::Pred),
                None => self.push_unpaired(None, Some(preds[at])),
            }
        }
    }

    /// Adds a pair of annotations.
    fn push_pair(&mut self, sides: Sides<'_>, gold: u32, pred: u32) {
        self.pairs.push(Pair {
            gold: Some(gold),
            pred: Some(pred),
            kind: Kind::between(&sides.pred[pred as usize], &sides.gold[gold as usize]),
            single: None,
        });
    }

    /// Adds a clash that counts only towards `side`, because the annotation on the other side is paired or clashes with
    /// another annotation.
    ///
    /// Equal labels and bounds occur if `side` has duplicate annotations; the second duplicate cannot be a match
    /// and is called an overlap.
    fn push_clash(&mut self, sides: Sides<'_>, gold: u32, pred: u32, side: Side) {
        self.push_pair(sides, gold, pred);
        if let Some(last) = self.pairs.last_mut() {
            last.single = Some(side);
            // The annotation is a second duplicate, which cannot be a match; an overlap is the least specific clash.
            if last.kind == Kind::Match {
                last.kind = Kind::Overlap;
            }
        }
    }

    /// Adds an unpaired annotation: a gold annotation as missing, a pred annotation as spurious.
    fn push_unpaired(&mut self, gold: Option<u32>, pred: Option<u32>) {
        let kind = match gold {
            Some(_) => Kind::Missing,
            None => Kind::Spurious,
        };
        self.pairs.push(Pair {
            gold,
            pred,
            kind,
            single: None,
        });
    }
}

/// Returns a similarity as an integer (in units of 2^-53), so that sums do not depend on their
/// order.
///
/// With integers, equal totals are also exactly equal, whereas sums of floating-point numbers could differ in the last
/// bit.
fn credit(similarity: f64) -> i128 {
    (similarity * (1_u64 << 53) as f64) as i128
}
