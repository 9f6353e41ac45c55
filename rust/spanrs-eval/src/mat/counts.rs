use std::collections::BTreeMap;
use std::ops::AddAssign;

use spanrs_base::Vocabulary;

use super::intervals::Interval;
use super::{Item, Kind, Pair, UNITS, Unit};
use crate::Side;

/// A table of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Of annotations.
    Tag,
    /// Of tokens.
    Token,
    /// Of pseudo-tokens.
    PseudoToken,
    /// Of characters.
    Character,
}

/// How many tables there are.
pub const TABLES: usize = 4;

/// What is counted for a label: whole annotations, or elements they cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The same in gold and pred.
    pub matched: u64,
    /// Other in pred than in gold.
    pub ref_clash: u64,
    /// In gold only.
    pub missing: u64,
    /// Other in gold than in pred.
    pub hyp_clash: u64,
    /// In pred only.
    pub spurious: u64,
}

impl AddAssign for Row {
    fn add_assign(&mut self, other: Self) {
        self.matched += other.matched;
        self.ref_clash += other.ref_clash;
        self.missing += other.missing;
        self.hyp_clash += other.hyp_clash;
        self.spurious += other.spurious;
    }
}

/// Clashes by kind, for gold's side of the pairs and for pred's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Seen from gold.
    pub gold: [u64; Kind::CLASHES],
    /// Seen from pred.
    pub pred: [u64; Kind::CLASHES],
}

impl AddAssign for Kinds {
    fn add_assign(&mut self, other: Self) {
        for (mine, its) in self.gold.iter_mut().zip(other.gold) {
            *mine += its;
        }
        for (mine, its) in self.pred.iter_mut().zip(other.pred) {
            *mine += its;
        }
    }
}

/// What is counted in a document. Rows are there for the labels that occur, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentCounts {
    /// By [`Table`].
    pub rows: [Vec<(u32, Row)>; TABLES],
    /// Clashes of annotations.
    pub kinds: Vec<(u32, Kinds)>,
    /// Pairs with the same span: labels of gold and of pred, and how many.
    pub confusion: Vec<((u32, u32), u64)>,
    /// Elements of the document, by [`Unit`].
    pub elements: [u64; UNITS],
    /// Tokens of the pred document.
    pub tokens: u64,
    /// A bound of an annotation that is no bound of a token, where tokens are counted.
    pub misplaced: Option<u32>,
}

/// The value of a label, which is added if it is new.
fn entry<T: Copy + Default>(rows: &mut Vec<Option<T>>, label: u32) -> &mut T {
    let at = label as usize;
    if rows.len() <= at {
        rows.resize(at + 1, None);
    }
    rows[at].get_or_insert_default()
}

/// The labels that are there.
fn packed<T>(rows: Vec<Option<T>>) -> Vec<(u32, T)> {
    let numbered = (0..).zip(rows);
    numbered
        .filter_map(|(label, row)| Some((label, row?)))
        .collect()
}

impl DocumentCounts {
    /// Counts pairs of annotations.
    pub(super) fn of_pairs(gold: &[Item], pred: &[Item], pairs: &[Pair]) -> Self {
        let (mut tags, mut kinds) = (Vec::<Option<Row>>::new(), Vec::<Option<Kinds>>::new());
        let mut confusion = BTreeMap::<_, u64>::new();
        for pair in pairs {
            let g = pair.gold.map(|at| &gold[at as usize]);
            let p = pair.pred.map(|at| &pred[at as usize]);
            // Of a clash of one side only, that side counts.
            let counts_gold = pair.single != Some(Side::Pred);
            let counts_pred = pair.single != Some(Side::Gold);
            if let Some(g) = g.filter(|_| counts_gold) {
                let row = entry(&mut tags, g.label);
                match (pair.kind, pair.kind.mirrored().clash()) {
                    (Kind::Match, _) => row.matched += 1,
                    (Kind::Missing, _) => row.missing += 1,
                    (_, kind) => {
                        row.ref_clash += 1;
                        if let Some(kind) = kind {
                            entry(&mut kinds, g.label).gold[kind] += 1;
                        }
                    }
                }
            }
            if let Some(p) = p.filter(|_| counts_pred) {
                let row = entry(&mut tags, p.label);
                match (pair.kind, pair.kind.clash()) {
                    (Kind::Match, _) => {}
                    (Kind::Spurious, _) => row.spurious += 1,
                    (_, kind) => {
                        row.hyp_clash += 1;
                        if let Some(kind) = kind {
                            entry(&mut kinds, p.label).pred[kind] += 1;
                        }
                    }
                }
            }
            if let (Some(g), Some(p), None, Kind::Match | Kind::TagClash) =
                (g, p, pair.single, pair.kind)
            {
                *confusion.entry((g.label, p.label)).or_default() += 1;
            }
        }
        let mut rows = <[Vec<(u32, Row)>; TABLES]>::default();
        rows[Table::Tag as usize] = packed(tags);
        Self {
            rows,
            kinds: packed(kinds),
            confusion: confusion.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Counts the elements of intervals.
    pub(super) fn add_unit(
        &mut self,
        unit: Unit,
        elements: u64,
        sizes: &[u64],
        intervals: &[Interval],
    ) {
        self.elements[unit as usize] = elements;
        let mut found = Vec::<Option<Row>>::new();
        let rows = &mut found;
        for (interval, &size) in intervals.iter().zip(sizes) {
            match (interval.gold, interval.pred) {
                (Some(gold), Some(pred)) if gold == pred => entry(rows, gold).matched += size,
                (gold, pred) => {
                    let both = gold.is_some() && pred.is_some();
                    if let Some(gold) = gold {
                        let row = entry(rows, gold);
                        *(if both {
                            &mut row.ref_clash
                        } else {
                            &mut row.missing
                        }) += size;
                    }
                    if let Some(pred) = pred {
                        let row = entry(rows, pred);
                        *(if both {
                            &mut row.hyp_clash
                        } else {
                            &mut row.spurious
                        }) += size;
                    }
                }
            }
        }
        self.rows[unit as usize + 1] = packed(found);
    }

    /// The same counts with other numbers for the labels.
    fn renumbered(&self, numbers: &[u32]) -> Self {
        fn all<T: Copy + Default>(rows: &[(u32, T)], numbers: &[u32]) -> Vec<(u32, T)> {
            let mut rows: Vec<_> = rows
                .iter()
                .map(|row| (numbers[row.0 as usize], row.1))
                .collect();
            rows.sort_unstable_by_key(|row| row.0);
            rows
        }
        let confusion = self.confusion.iter();
        Self {
            rows: self.rows.each_ref().map(|rows| all(rows, numbers)),
            kinds: all(&self.kinds, numbers),
            confusion: confusion
                .map(|&((g, p), n)| ((numbers[g as usize], numbers[p as usize]), n))
                .collect(),
            ..self.clone()
        }
    }
}

/// What is counted in many documents.
#[derive(Clone, Debug)]
pub struct MatCounts {
    /// The labels.
    pub labels: Vocabulary,
    /// Documents.
    pub documents: u64,
    /// Tokens of the pred documents.
    pub tokens: u64,
    /// Elements of the documents, by [`Unit`].
    pub elements: [u64; UNITS],
    /// By [`Table`], then by label; None for labels that do not occur there.
    pub rows: [Vec<Option<Row>>; TABLES],
    /// By label.
    pub kinds: Vec<Kinds>,
    /// Labels of gold and of pred, and how many pairs with the same span.
    pub confusion: BTreeMap<(u32, u32), u64>,
    /// The documents one by one, where they are kept.
    pub kept: Option<Vec<DocumentCounts>>,
}

impl MatCounts {
    /// No counts yet. Memory grows with the number of documents only where they are kept.
    pub fn new(keep: bool) -> Self {
        Self {
            labels: Vocabulary::new(u32::MAX as usize),
            documents: 0,
            tokens: 0,
            elements: [0; UNITS],
            rows: Default::default(),
            kinds: Vec::new(),
            confusion: BTreeMap::new(),
            kept: keep.then(Vec::new),
        }
    }

    /// Adds a document, whose labels have these names by number.
    pub fn add<'a>(&mut self, counts: &DocumentCounts, names: impl Iterator<Item = &'a str>) {
        // A vocabulary takes all numbers there are, and a document has no more labels than annotations.
        let numbers: Vec<u32> = names
            .map(|name| self.labels.intern(name).unwrap_or(u32::MAX))
            .collect();
        let counts = counts.renumbered(&numbers);
        self.documents += 1;
        self.tokens += counts.tokens;
        for (mine, its) in self.elements.iter_mut().zip(counts.elements) {
            *mine += its;
        }
        let labels = self.labels.len();
        for (mine, its) in self.rows.iter_mut().zip(&counts.rows) {
            mine.resize(labels, None);
            for &(label, row) in its {
                *mine[label as usize].get_or_insert_default() += row;
            }
        }
        self.kinds.resize(labels, Kinds::default());
        for &(label, kinds) in &counts.kinds {
            self.kinds[label as usize] += kinds;
        }
        for &(labels, n) in &counts.confusion {
            *self.confusion.entry(labels).or_default() += n;
        }
        if let Some(kept) = &mut self.kept {
            kept.push(counts);
        }
    }
}
