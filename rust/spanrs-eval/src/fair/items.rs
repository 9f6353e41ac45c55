//! The spans that have no equal on the other side.

use super::Spans;
use super::tokens::{Run, shared, subtract, without};
use crate::Placed;

/// The tokens a span has not lost to a pair.
#[derive(Clone, Debug)]
enum Left {
    /// Neighbours, or none where it ends as it begins: nearly all spans, without memory of their own.
    Run(Run),
    Runs(Vec<Run>),
}

/// A span that has no equal.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) span: Placed,
    /// Its place among the spans of its side.
    pub(super) at: u32,
    /// Tokens it has left.
    pub(super) size: i64,
    left: Left,
    paired: bool,
    reduced: bool,
}

impl Item {
    fn new(span: Placed, at: usize) -> Self {
        Self {
            span,
            at: at as u32,
            size: 0,
            left: Left::Run((span.start, span.end)),
            paired: false,
            reduced: false,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        !self.paired
    }

    pub(super) fn pair(&mut self) {
        self.paired = true;
    }

    fn runs(&self) -> &[Run] {
        match &self.left {
            Left::Run((start, end)) if start >= end => &[],
            Left::Run(run) => std::slice::from_ref(run),
            Left::Runs(runs) => runs,
        }
    }

    /// How many of the tokens they have left two spans have in common.
    pub(super) fn shared(&self, other: &Self) -> i64 {
        match (&self.left, &other.left) {
            (Left::Run(a), Left::Run(b)) => (a.1.min(b.1) - a.0.max(b.0)).max(0),
            _ => shared(self.runs(), other.runs()),
        }
    }

    /// Takes the tokens two spans have in common, `n` of them, from both.
    pub(super) fn part(&mut self, other: &mut Self, n: i64) {
        if n > 0 {
            let before = self.left.near(other);
            self.lose(other.runs(), n);
            match before {
                Left::Run(run) => other.lose(std::slice::from_ref(&run), n),
                Left::Runs(runs) => other.lose(&runs, n),
            }
        }
        self.reduced = true;
        other.reduced = true;
    }

    fn lose(&mut self, tokens: &[Run], n: i64) {
        self.size -= n;
        match &mut self.left {
            Left::Run(run) => {
                let mut pieces = Vec::new();
                without(*run, tokens, &mut pieces);
                self.left = match pieces[..] {
                    [] => Left::Run((0, 0)),
                    [one] => Left::Run(one),
                    _ => Left::Runs(pieces),
                };
            }
            Left::Runs(runs) => subtract(runs, tokens),
        }
    }
}

impl Left {
    /// A copy of the tokens, as far as another span may have them too.
    fn near(&self, other: &Item) -> Self {
        match self {
            Self::Run(run) => Self::Run(*run),
            Self::Runs(runs) => {
                // Of a long set only what lies within the other's tokens can matter.
                let within = other.runs();
                let (Some(first), Some(last)) = (within.first(), within.last()) else {
                    return Self::Run((0, 0));
                };
                let from = runs.partition_point(|run| run.1 <= first.0);
                let to = from + runs[from..].partition_point(|run| run.0 < last.1);
                Self::Runs(runs[from..to].to_vec())
            }
        }
    }
}

/// The items of a side.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    items: Vec<Item>,
}

impl std::ops::Deref for Items {
    type Target = Vec<Item>;

    fn deref(&self) -> &Vec<Item> {
        &self.items
    }
}

impl std::ops::DerefMut for Items {
    fn deref_mut(&mut self) -> &mut Vec<Item> {
        &mut self.items
    }
}

impl Items {
    #[inline]
    pub(super) fn add(&mut self, span: Placed, at: usize) {
        self.items.push(Item::new(span, at));
    }

    /// Gives the items their tokens and orders them by length; equally long ones stay as they are.
    pub(super) fn order(&mut self, spans: Spans<'_>) {
        for item in &mut self.items {
            if let Some(runs) = spans.runs(item.at as usize) {
                item.left = Left::Runs(runs.to_vec());
            }
            item.size = item.runs().iter().map(|(start, end)| end - start).sum();
        }
        self.items
            .sort_by_key(|item| item.span.end - item.span.start);
    }

    /// Those that lost tokens.
    pub(super) fn reduced(&self) -> impl Iterator<Item = (u32, &[Run])> {
        let reduced = self.items.iter().filter(|item| item.reduced);
        reduced.map(|item| (item.at, item.runs()))
    }
}
