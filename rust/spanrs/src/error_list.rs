//! Errors of files in little memory.
//!
//! A corpus of millions of tokens has hundreds of thousands of errors. As a [`SpanError`] each has a
//! string for each of its tokens; here types and tokens are numbers of strings that are stored once.

use std::collections::BTreeMap;
use std::ops::Range;

use spanrs_base::{Interner, Jagged};

use crate::sentence::Tokens;

/// A span of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedSpan {
    /// Its type.
    pub ty: String,
    /// First token, from 0.
    pub start: i64,
    /// One past the last token.
    pub end: i64,
    /// Index of the span among those of its side of the sentence that are counted, from 0.
    pub index: u32,
    /// Its tokens, ascending, if it lacks some between its bounds.
    pub tokens: Option<Vec<i64>>,
}

/// An outcome that is no true positive, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanError {
    /// Index of the outcome in the criterion.
    pub outcome: u8,
    /// The file of gold, if several are scored.
    pub path: Option<String>,
    /// Sentence of the file, from 0.
    pub sentence: u64,
    /// Line, from 1, of the gold span, or of the pred span if there is no gold span. In column
    /// files the line of gold at which the span begins.
    pub line: u64,
    /// The gold span, if there is one.
    pub gold: Option<TypedSpan>,
    /// The pred span, if there is one.
    pub pred: Option<TypedSpan>,
    /// Index of the first of `tokens` in the sentence, from 0.
    pub first: usize,
    /// Number of tokens of the sentence, if it is known.
    pub length: Option<usize>,
    /// The tokens of the spans and their context; none if they are not known.
    pub tokens: Vec<String>,
}

/// A kind of error: outcome, gold type and pred type. Types are None if there is no such span.
pub type ErrorKind = (u8, Option<String>, Option<String>);

/// The errors of files that were kept, in the order of the files; within a sentence in that of
/// the matcher.
#[derive(Clone, Debug, Default)]
pub struct SpanErrors {
    /// Number of errors of each kind, kept or not; types are numbers of strings.
    numbers: BTreeMap<(u8, Option<u32>, Option<u32>), u64>,
    /// The errors that were kept.
    errors: Vec<StoredError>,
    /// The file of gold of the errors that are found now.
    path: Option<u32>,
    /// Tokens of each error, as numbers.
    tokens: Jagged<u32>,
    /// Types and tokens by number.
    strings: Interner<str>,
}

/// A [`SpanError`] whose strings are numbers.
#[derive(Clone, Debug)]
pub(crate) struct StoredError {
    pub(crate) outcome: u8,
    /// Set where the error is stored.
    pub(crate) path: Option<u32>,
    pub(crate) sentence: u64,
    pub(crate) line: u64,
    pub(crate) gold: Option<StoredSpan>,
    pub(crate) pred: Option<StoredSpan>,
    pub(crate) first: usize,
    pub(crate) length: Option<usize>,
}

/// A [`TypedSpan`] whose type is a number.
#[derive(Clone, Debug)]
pub(crate) struct StoredSpan {
    pub(crate) ty: u32,
    pub(crate) index: u32,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) tokens: Option<Box<[i64]>>,
}

impl SpanErrors {
    /// Names the file of the errors that follow; None if there is one file only.
    pub(crate) fn begin_file(&mut self, path: Option<&str>) {
        self.path = path.map(|path| self.strings.intern(path));
    }

    /// Returns the number of a type.
    pub(crate) fn type_id(&mut self, ty: &str) -> u32 {
        self.strings.intern(ty)
    }

    /// Counts an error of a kind, with the numbers of its types; returns how many there are now.
    pub(crate) fn count(&mut self, kind: (u8, Option<u32>, Option<u32>)) -> u64 {
        let times = self.numbers.entry(kind).or_insert(0);
        *times += 1;
        *times
    }

    /// Appends an error that is kept, with the tokens in a range that may end behind the sentence.
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
            .map(|(&(outcome, gold, pred), &n)| ((outcome, name(gold), name(pred)), n))
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
    pub fn get(&self, at: usize) -> Option<SpanError> {
        let error = self.errors.get(at)?;
        let string = |number: u32| self.strings.name(number).unwrap_or_default().to_owned();
        let typed = |span: &Option<StoredSpan>| {
            span.as_ref().map(|span| TypedSpan {
                ty: string(span.ty),
                start: span.start,
                end: span.end,
                index: span.index,
                tokens: span.tokens.as_deref().map(<[i64]>::to_vec),
            })
        };
        let tokens = self.tokens.row(at);
        Some(SpanError {
            outcome: error.outcome,
            path: error.path.map(string),
            sentence: error.sentence,
            line: error.line,
            gold: typed(&error.gold),
            pred: typed(&error.pred),
            first: error.first,
            length: error.length,
            tokens: tokens.iter().map(|&token| string(token)).collect(),
        })
    }

    /// Returns the sentence and the index of the gold span of each error that has one.
    pub fn gold_places(&self) -> impl Iterator<Item = (u64, u32)> {
        let gold = self
            .errors
            .iter()
            .map(|error| (error.sentence, &error.gold));
        gold.filter_map(|(sentence, gold)| Some((sentence, gold.as_ref()?.index)))
    }
}
