use spanrs_base::{Limits, Span, Vocabulary};

use crate::dialect::{Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::table::{CLOSE, END, OUTSIDE, Table, VIOLATION, Walk, entry, letters};
use crate::violation::{self, Action, Violation};

/// Reads tags into spans: a scheme, a reading, a dialect, and every distinct tag decoded once.
#[derive(Clone, Debug)]
pub struct Reader {
    scheme: Scheme,
    reading: Reading,
    dialect: Dialect,
    tags: Vocabulary,
    types: Vocabulary,
    table: Table,
    // One a tag: its type in the upper bits, its symbol in the low 8.
    entries: Vec<u32>,
    // One a tag, for legality: its symbol in the scheme, and the symbol the next tag sees.
    legality: Vec<(u8, u8)>,
}

impl Reader {
    /// A reader that has not seen a tag yet.
    ///
    /// # Errors
    /// [`Error::ReadingNotForScheme`], [`Error::BadSeparator`].
    pub fn new(scheme: Scheme, reading: Reading, dialect: Dialect) -> Result<Self> {
        Self::with_vocabulary(
            Vocabulary::new(Limits::default().tags),
            scheme,
            reading,
            dialect,
        )
    }

    /// A reader for tags that have been numbered already.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn with_vocabulary(
        tags: Vocabulary,
        scheme: Scheme,
        reading: Reading,
        dialect: Dialect,
    ) -> Result<Self> {
        dialect.check()?;
        let mut types = Vocabulary::new(usize::MAX);
        // Type 0: what `O` has, and what the end of a sentence has.
        types.intern(UNTYPED)?;
        let mut reader = Self {
            scheme,
            reading,
            table: Table::new(scheme, reading)?,
            dialect,
            tags,
            types,
            entries: Vec::new(),
            legality: Vec::new(),
        };
        reader.decode_new()?;
        Ok(reader)
    }

    /// Decodes the tags that came into the vocabulary since the last call.
    fn decode_new(&mut self) -> Result<()> {
        for id in self.entries.len()..self.tags.len() {
            let tag = self.tags.name(id as u32);
            let known = letters(self.scheme, self.reading);
            let parts = self.dialect.parts(tag, self.scheme, known);
            let legal = self.dialect.parts(tag, self.scheme, self.scheme.prefixes());
            let ty = self.types.intern(parts.ty)?;
            self.entries.push(entry(ty, parts.symbol));
            self.legality.push((legal.symbol, legal.seen));
        }
        Ok(())
    }

    /// The id of a tag, which is decoded if it is new.
    ///
    /// # Errors
    /// [`Error::TooManyTags`].
    #[inline]
    pub fn intern(&mut self, tag: &str) -> Result<u32> {
        self.intern_bytes(tag.as_bytes())
    }

    /// As [`Reader::intern`] for bytes that are known to be UTF-8.
    ///
    /// # Errors
    /// [`Error::TooManyTags`].
    #[inline(always)]
    pub fn intern_bytes(&mut self, tag: &[u8]) -> Result<u32> {
        let id = self.tags.intern_bytes(tag)?;
        if id as usize >= self.entries.len() {
            self.decode_new()?;
        }
        Ok(id)
    }

    /// The ids of the tags of a sentence.
    ///
    /// # Errors
    /// [`Error::TooManyTags`].
    pub fn intern_all<'a>(&mut self, tags: impl IntoIterator<Item = &'a str>) -> Result<Vec<u32>> {
        tags.into_iter().map(|tag| self.intern(tag)).collect()
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The reading.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The dialect.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// All tags seen.
    pub fn tags(&self) -> &Vocabulary {
        &self.tags
    }

    /// All types seen; type 0 is `_`, seen or not.
    pub fn types(&self) -> &Vocabulary {
        &self.types
    }

    /// The type with this id.
    pub fn type_name(&self, ty: u32) -> &str {
        self.types.name(ty)
    }

    /// The table, for walks of one's own.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What each tag was decoded to, by id; what [`Walk`] steps over.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// What happens between two neighbouring tags (None is the border of the sentence), as the bits of a
    /// [`Walk`]'s steps; None for readings that look further back than one tag.
    pub fn between(&self, before: Option<u32>, here: Option<u32>) -> Option<u8> {
        let entry = |id: u32| self.entries[id as usize];
        self.table.between(before.map(entry), here.map(entry))
    }

    /// How many violations there are between two neighbouring tags; None is the border of the sentence.
    pub fn violations_between(&self, before: Option<u32>, here: Option<u32>) -> u8 {
        if before.is_none() && here.is_none() {
            return 0;
        }
        let legality = |id: u32| self.legality[id as usize];
        let ty = |id: u32| self.entries[id as usize] >> 8;
        let (_, seen) = before.map_or((OUTSIDE, OUTSIDE), legality);
        let (symbol, _) = here.map_or((END, END), legality);
        let same = before.map(ty) == here.map(ty);
        let mut count = 0;
        self.report(1, seen, symbol, same, &mut |_, _| count += 1);
        count
    }

    /// The id of the type of a tag.
    pub fn type_of(&self, id: u32) -> u32 {
        self.entries[id as usize] >> 8
    }

    /// True where [`crate::VIOLATION`] in a walk's steps tells all violations.
    pub fn walk_sees_violations(&self) -> bool {
        self.table.sees_violations && !self.dialect.unknown_is_outside
    }

    /// The spans of a sentence in the order of their ends; they do not overlap.
    ///
    /// Ids are those [`Reader::intern`] gave. Malformed tags are read as the reading says; with
    /// [`Reading::Refuse`] ask [`Reader::check`] first.
    pub fn spans(&self, ids: &[u32]) -> Vec<Span> {
        let mut spans = Vec::new();
        self.spans_into(ids, &mut spans);
        spans
    }

    /// As [`Reader::spans`], into a buffer that is kept.
    ///
    /// False where the tags are surely well-formed; true where [`Reader::violations`] may list some.
    pub fn spans_into(&self, ids: &[u32], spans: &mut Vec<Span>) -> bool {
        // The table sees symbols; in IOB this dialect judges by what stands behind them.
        let unseen = !self.table.sees_violations
            || self.dialect.unknown_is_outside && self.scheme == Scheme::Iob;
        let mut steps = if unseen { VIOLATION } else { 0 };
        let mut walk = Walk::new(&self.table);
        let mut close = |walk: &Walk<'_>, end: u32| {
            spans.push(Span {
                start: walk.begin,
                end,
                ty: walk.ty,
            });
        };
        for (at, &id) in ids.iter().enumerate() {
            let entry = self.entries[id as usize];
            let step = walk.look(entry);
            if step & CLOSE != 0 {
                close(&walk, at as u32);
            }
            steps |= step;
            walk.advance(at as u32, entry, step);
        }
        let step = walk.finish();
        if step & CLOSE != 0 {
            close(&walk, ids.len() as u32);
        }
        (steps | step) & VIOLATION != 0
    }

    /// Everything that is wrong with a sentence, by index and then by kind.
    pub fn violations(&self, ids: &[u32]) -> Vec<Violation> {
        let mut found = Vec::new();
        self.each_violation(ids, |at, kind| found.push((at, kind)));
        found.sort();
        let tag = |at: usize| ids.get(at).map(|&id| self.tags.name(id).to_owned());
        found
            .into_iter()
            .map(|(at, kind)| Violation {
                index: at as u32,
                kind,
                previous: at.checked_sub(1).and_then(tag),
                current: tag(at).unwrap_or_default(),
                next: tag(at + 1),
                action: Action::of(self.reading, kind),
            })
            .collect()
    }

    /// How many violations a sentence has.
    pub fn count_violations(&self, ids: &[u32]) -> u64 {
        let mut count = 0;
        self.each_kind(ids, |_| count += 1);
        count
    }

    /// Calls `found` with the kind of every violation of a sentence.
    pub fn each_kind(&self, ids: &[u32], mut found: impl FnMut(violation::Kind)) {
        self.each_violation(ids, |_, kind| found(kind));
    }

    /// The spans, or all that is wrong with the tags.
    ///
    /// # Errors
    /// [`Error::Malformed`] with every violation.
    pub fn check(&self, ids: &[u32]) -> Result<()> {
        let violations = self.violations(ids);
        if violations.is_empty() {
            return Ok(());
        }
        Err(Error::Malformed {
            scheme: self.scheme,
            violations,
        })
    }

    /// Calls `found` with the index and the kind of every violation of a sentence, in the order in which a
    /// walk comes upon them.
    pub fn each_violation(&self, ids: &[u32], mut found: impl FnMut(usize, violation::Kind)) {
        let mut before = (OUTSIDE, u32::MAX);
        for (at, &id) in ids.iter().enumerate() {
            let (symbol, seen) = self.legality[id as usize];
            let ty = self.entries[id as usize] >> 8;
            self.report(at, before.0, symbol, ty == before.1, &mut found);
            before = (seen, ty);
        }
        if !ids.is_empty() {
            self.report(ids.len(), before.0, END, false, &mut found);
        }
    }

    fn report(
        &self,
        at: usize,
        before: u8,
        here: u8,
        same: bool,
        found: &mut impl FnMut(usize, violation::Kind),
    ) {
        let mut set = violation::between(self.scheme.prefixes(), before, here, same);
        if self.dialect.unknown_is_outside {
            set &= !violation::UNKNOWN_TAG;
        }
        for (kind, about_before) in violation::kinds(set) {
            found(at - usize::from(about_before), kind);
        }
    }
}
