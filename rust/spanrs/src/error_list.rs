//! Compact storage of the errors in files.
//!
//! A corpus of millions of tokens has hundreds of thousands of errors. A [`Detail`] stores a string for each token of
//! an error; here types and tokens are indices into a table in which each string is stored once.

use std::collections::BTreeMap;
use std::ops::Range;

use spanrs_base::{Interner, Jagged};
use spanrs_eval::outcomes::Outcome;
use spanrs_eval::{Detail, NamedSpan};

use crate::sentence::Tokens;

/// A kind of error: name of the outcome, gold type and pred type. A type is None if there is no span on that side.
pub type ErrorKind = (&'static str, Option<String>, Option<String>);

/// The errors that were kept, in the order of the files; within a sentence, in the order of the matcher.
#[derive(Clone, Debug, Default)]
pub struct SpanErrors {
    /// The outcomes of the criterion.
    outcomes: &'static [Outcome],
    /// Number of errors of each kind, kept or not; types are indices into `strings`.
    numbers: BTreeMap<(u8, Option<u32>, Option<u32>), u64>,
    /// The errors that were kept.
    errors: Vec<StoredError>,
    /// The gold file of the errors that are being added.
    path: Option<u32>,
    /// Tokens of each error, as indices into `strings`.
    tokens: Jagged<u32>,
    /// Types and tokens by index.
    strings: Interner<str>,
}

/// A [`Detail`] with indices instead of strings.
#[derive(Clone, Debug)]
pub(crate) struct StoredError {
    pub(crate) outcome: u8,
    /// Set when the error is stored.
    pub(crate) path: Option<u32>,
    pub(crate) sentence: u64,
    pub(crate) line: u64,
    pub(crate) gold: Option<StoredSpan>,
    pub(crate) pred: Option<StoredSpan>,
    pub(crate) first: usize,
    pub(crate) length: Option<usize>,
}

/// A [`NamedSpan`] with the index of its type.
#[derive(Clone, Debug)]
pub(crate) struct StoredSpan {
    pub(crate) ty: u32,
    pub(crate) index: u32,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) tokens: Option<Box<[i64]>>,
}

impl SpanErrors {
    /// Creates a list of errors under a criterion with these outcomes.
    pub(crate) fn new(outcomes: &'static [Outcome]) -> Self {
        Self {
            outcomes,
            ..Self::default()
        }
    }

    /// Sets the file of the errors that follow; None if there is only one file.
    pub(crate) fn begin_file(&mut self, path: Option<&str>) {
        self.path = path.map(|path| self.strings.intern(path));
    }

    /// Returns the index of a type.
    pub(crate) fn type_id(&mut self, ty: &str) -> u32 {
        self.strings.intern(ty)
    }

    /// Counts an error of a kind, given with the indices of its types; returns the number of errors of this kind.
    pub(crate) fn count(&mut self, kind: (u8, Option<u32>, Option<u32>)) -> u64 {
        let times = self.numbers.entry(kind).or_insert(0);
        *times += 1;
        *times
    }

    /// Appends an error that is kept, with the tokens in a range that may end after the sentence.
    pub(crate) fn push(
        &mut self,
        error: StoredError,
        tokens: Option<&Tokens>,
        range: Range<usize>,
    ) {
        if let Some(tokens) = tokens {
            for at in range.start..range.end.min(tokens.len()) {
                let token = self.strings.intern(&tokens.get(at));
                self.tokens.values_mut().push(token);
            }
        }
        self.tokens.end();
        let path = self.path;
        self.errors.push(StoredError { path, ..error });
    }

    /// Appends the errors of a later part, whose sentences are numbered from `sentence`; at most
    /// `most` of each kind are kept.
    pub(crate) fn append(&mut self, part: Self, sentence: u64, most: Option<u64>) {
        let strings = &mut self.strings;
        let ids: Vec<u32> = part
            .strings
            .names()
            .map(|name| strings.intern(name))
            .collect();
        let renumbered = |id: Option<u32>| id.map(|id| ids[id as usize]);
        let ty = |span: &Option<StoredSpan>| renumbered(span.as_ref().map(|span| span.ty));
        let mut kept: BTreeMap<_, u64> = BTreeMap::new();
        for (mut error, tokens) in part.errors.into_iter().zip(part.tokens.rows()) {
            let kind = (error.outcome, ty(&error.gold), ty(&error.pred));
            let times = kept
                .entry(kind)
                .or_insert_with(|| self.numbers.get(&kind).copied().unwrap_or_default());
            *times += 1;
            if most.is_some_and(|most| *times > most) {
                continue;
            }
            for span in [&mut error.gold, &mut error.pred].into_iter().flatten() {
                span.ty = ids[span.ty as usize];
            }
            error.sentence += sentence;
            error.path = renumbered(error.path).or(self.path);
            self.errors.push(error);
            self.tokens
                .push(tokens.iter().map(|&token| ids[token as usize]));
        }
        for ((outcome, gold, pred), n) in part.numbers {
            *self
                .numbers
                .entry((outcome, renumbered(gold), renumbered(pred)))
                .or_insert(0) += n;
        }
    }

    /// Returns the number of errors of each kind, kept or not.
    pub fn numbers(&self) -> BTreeMap<ErrorKind, u64> {
        let name = |ty: Option<u32>| Some(self.strings.name(ty?)?.to_owned());
        let kinds = self.numbers.iter();
        kinds
            .map(|(&(outcome, gold, pred), &n)| {
                let outcome = self.outcomes[usize::from(outcome)].name;
                ((outcome, name(gold), name(pred)), n)
            })
            .collect()
    }

    /// Returns the number of errors that were kept.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Returns true if no error was kept.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns an error by index; None if there is no such error.
    pub fn get(&self, at: usize) -> Option<Detail> {
        let error = self.errors.get(at)?;
        let string = |number: u32| self.strings.name(number).unwrap_or_default().to_owned();
        let named = |span: &StoredSpan| NamedSpan {
            ty: string(span.ty),
            start: span.start,
            end: span.end,
            tokens: span.tokens.as_deref().map(<[i64]>::to_vec),
        };
        let tokens = self.tokens.row(at);
        Some(Detail {
            outcome: self.outcomes[usize::from(error.outcome)].name,
            sentence: error.sentence,
            gold: error.gold.as_ref().map(named),
            pred: error.pred.as_ref().map(named),
            gold_index: error.gold.as_ref().map(|span| span.index),
            pred_index: error.pred.as_ref().map(|span| span.index),
            line: Some(error.line),
            first: error.first,
            length: error.length,
            tokens: tokens.iter().map(|&token| string(token)).collect(),
            path: error.path.map(string),
        })
    }

    /// Returns the sentence and the index of the gold span of each error that has a gold span.
    pub fn gold_places(&self) -> impl Iterator<Item = (u64, u32)> {
        let gold = self
            .errors
            .iter()
            .map(|error| (error.sentence, &error.gold));
        gold.filter_map(|(sentence, gold)| Some((sentence, gold.as_ref()?.index)))
    }
}
