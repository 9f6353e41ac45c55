use spanrs_base::{Limits, ShortKey, Span, Vocabulary};

use crate::dialect::{Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::table::{
    CLOSE, END, OUTSIDE, Table, UNKNOWN, VIOLATION, Walk, entry, is_outside, letters,
};
use crate::violation::{self, Action, Violation};

/// Reads tags into spans: a scheme, a reading, a dialect, and every distinct tag decoded once.
///
/// Gold and pred may be in different schemes, see [`Reader::with_pred_scheme`]; tags and types are numbered
/// together all the same. Methods of the reader itself read in gold's scheme.
#[derive(Clone, Debug)]
pub struct Reader {
    reading: Reading,
    dialect: Dialect,
    tags: Vocabulary,
    types: Vocabulary,
    gold: Decoding,
    /// How pred is read, where its scheme is another one.
    pred: Option<Box<Decoding>>,
}

/// The sentences whose spans pairs of neighbouring tags determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bigrams {
    /// All.
    OfAll,
    /// Those without violations, which the reading reads as conlleval does.
    OfWellFormed,
}

/// Every tag as one scheme decodes it.
#[derive(Clone, Debug)]
struct Decoding {
    scheme: Scheme,
    table: Table,
    /// Bigram table for well-formed sentences, if `table` depends on more than the previous tag.
    well_formed: Option<Table>,
    // One a tag: its type in the upper bits, its symbol in the low 8.
    entries: Vec<u32>,
    // One a tag, for legality: its symbol in the scheme, and the symbol the next tag sees.
    legality: Vec<(u8, u8)>,
}

impl Decoding {
    fn new(scheme: Scheme, reading: Reading) -> Result<Self> {
        let table = Table::new(scheme, reading)?;
        let equals_conlleval = matches!(
            reading,
            Reading::Strict | Reading::Discard | Reading::Ncrfpp
        );
        let well_formed = match equals_conlleval && table.between(None, None).is_none() {
            true => Some(Table::new(scheme, Reading::Conlleval)?),
            false => None,
        };
        Ok(Self {
            scheme,
            table,
            well_formed,
            entries: Vec::new(),
            legality: Vec::new(),
        })
    }

    /// Decodes the tags that came into the vocabulary since the last call.
    fn decode_new(
        &mut self,
        reading: Reading,
        dialect: &Dialect,
        tags: &Vocabulary,
        types: &mut Vocabulary,
    ) -> Result<()> {
        let scheme = self.scheme;
        for id in self.entries.len()..tags.len() {
            let tag = tags.name(id as u32);
            let parts = dialect.parts(tag, scheme, letters(scheme, reading));
            let legal = dialect.parts(tag, scheme, scheme.prefixes());
            let ty = types.intern(parts.ty)?;
            self.entries.push(entry(ty, parts.symbol));
            self.legality.push((legal.symbol, legal.seen));
        }
        Ok(())
    }
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
            reading,
            dialect,
            tags,
            types,
            gold: Decoding::new(scheme, reading)?,
            pred: None,
        };
        reader.decode_new()?;
        Ok(reader)
    }

    /// Reads pred in a scheme of its own from now on; not with [`Reading::Seqeval`], which knows its own prefixes
    /// whatever the scheme.
    ///
    /// # Errors
    /// [`Error::ReadingNotForScheme`].
    pub fn with_pred_scheme(mut self, scheme: Scheme) -> Result<Self> {
        self.pred = None;
        if scheme != self.gold.scheme && self.reading != Reading::Seqeval {
            self.pred = Some(Box::new(Decoding::new(scheme, self.reading)?));
            self.decode_new()?;
        }
        Ok(self)
    }

    /// Decodes the tags that came into the vocabulary since the last call.
    fn decode_new(&mut self) -> Result<()> {
        let (reading, dialect, tags) = (self.reading, &self.dialect, &self.tags);
        self.gold
            .decode_new(reading, dialect, tags, &mut self.types)?;
        match &mut self.pred {
            Some(pred) => pred.decode_new(reading, dialect, tags, &mut self.types),
            None => Ok(()),
        }
    }

    /// Gold as the reader reads it.
    #[inline]
    pub fn gold(&self) -> SideReader<'_> {
        SideReader {
            reader: self,
            decoding: &self.gold,
        }
    }

    /// Pred as the reader reads it.
    #[inline]
    pub fn pred(&self) -> SideReader<'_> {
        SideReader {
            reader: self,
            decoding: self.pred.as_deref().unwrap_or(&self.gold),
        }
    }

    /// True where gold and pred are in different schemes, so that equal tags may differ in meaning.
    #[inline]
    pub fn has_two_schemes(&self) -> bool {
        self.pred.is_some()
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
        if id as usize >= self.gold.entries.len() {
            self.decode_new()?;
        }
        Ok(id)
    }

    /// The id of a short tag, if it was interned before and is one of the first few hundred.
    #[inline(always)]
    pub fn get_short(&self, key: ShortKey) -> Option<u32> {
        self.tags.get_short(key)
    }

    /// The ids of the tags of a sentence.
    ///
    /// # Errors
    /// [`Error::TooManyTags`].
    pub fn intern_all<'a>(&mut self, tags: impl IntoIterator<Item = &'a str>) -> Result<Vec<u32>> {
        tags.into_iter().map(|tag| self.intern(tag)).collect()
    }

    /// The scheme of gold.
    pub fn scheme(&self) -> Scheme {
        self.gold.scheme
    }

    /// The scheme of pred.
    pub fn pred_scheme(&self) -> Scheme {
        self.pred().decoding.scheme
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

    /// As [`SideReader::bigrams`], of gold.
    pub fn bigrams(&self) -> Option<Bigrams> {
        self.gold().bigrams()
    }

    /// As [`SideReader::between`], of gold.
    pub fn between(&self, before: Option<u32>, here: Option<u32>) -> Option<u8> {
        self.gold().between(before, here)
    }

    /// As [`SideReader::violations_between`], of gold.
    pub fn violations_between(&self, before: Option<u32>, here: Option<u32>) -> u8 {
        self.gold().violations_between(before, here)
    }

    /// As [`SideReader::type_of`], of gold.
    pub fn type_of(&self, id: u32) -> u32 {
        self.gold().type_of(id)
    }

    /// As [`SideReader::is_outside`], of gold.
    pub fn is_outside(&self, id: u32) -> bool {
        self.gold().is_outside(id)
    }

    /// As [`SideReader::walk_sees_violations`], of gold.
    pub fn walk_sees_violations(&self) -> bool {
        self.gold().walk_sees_violations()
    }

    /// As [`SideReader::spans`], of gold.
    pub fn spans(&self, ids: &[u32]) -> Vec<Span> {
        self.gold().spans(ids)
    }

    /// As [`SideReader::spans_into`], of gold.
    pub fn spans_into(&self, ids: &[u32], spans: &mut Vec<Span>) -> bool {
        self.gold().spans_into(ids, spans)
    }

    /// As [`SideReader::violations`], of gold.
    pub fn violations(&self, ids: &[u32]) -> Vec<Violation> {
        self.gold().violations(ids)
    }

    /// As [`SideReader::count_violations`], of gold.
    pub fn count_violations(&self, ids: &[u32]) -> u64 {
        self.gold().count_violations(ids)
    }

    /// True where a tag that was numbered has a prefix that the scheme of pred lacks.
    pub fn has_foreign_prefixes(&self) -> bool {
        let decoding = self.pred.as_deref().unwrap_or(&self.gold);
        decoding
            .legality
            .iter()
            .any(|(symbol, _)| *symbol == UNKNOWN)
    }

    /// Tags other than `O`.
    pub fn count_labelled(&self, ids: &[u32]) -> u64 {
        let outside = self.tags().get("O");
        ids.iter().filter(|id| Some(**id) != outside).count() as u64
    }

    /// As [`SideReader::each_kind`], of gold.
    pub fn each_kind(&self, ids: &[u32], found: impl FnMut(violation::Kind)) {
        self.gold().each_kind(ids, found);
    }

    /// As [`SideReader::check`], of gold.
    ///
    /// # Errors
    /// [`Error::Malformed`] with every violation.
    pub fn check(&self, ids: &[u32]) -> Result<()> {
        self.gold().check(ids)
    }

    /// As [`SideReader::each_violation`], of gold.
    pub fn each_violation(&self, ids: &[u32], found: impl FnMut(usize, violation::Kind)) {
        self.gold().each_violation(ids, found);
    }
}

/// One side of a [`Reader`]: what its scheme makes of the tags.
#[derive(Clone, Copy, Debug)]
pub struct SideReader<'a> {
    reader: &'a Reader,
    decoding: &'a Decoding,
}

impl<'a> SideReader<'a> {
    /// The table, for callers that walk the tags themselves.
    #[inline]
    pub fn table(&self) -> &'a Table {
        &self.decoding.table
    }

    /// What each tag was decoded to, by id; what [`Walk`] steps over.
    #[inline]
    pub fn entries(&self) -> &'a [u32] {
        &self.decoding.entries
    }

    /// The sentences that [`SideReader::between`] is enough to read; None where there are none.
    pub fn bigrams(&self) -> Option<Bigrams> {
        if self.decoding.table.between(None, None).is_some() {
            return Some(Bigrams::OfAll);
        }
        // Tags that this dialect reads as `O` are no violations, but are not `O` to every reading.
        let known = !self.reader.dialect.unknown_is_outside;
        let well_formed = self.decoding.well_formed.as_ref().filter(|_| known)?;
        well_formed
            .between(None, None)
            .map(|_| Bigrams::OfWellFormed)
    }

    /// What happens between two neighbouring tags (None is the border of the sentence), as the bits of a
    /// [`Walk`]'s steps, in the sentences that [`SideReader::bigrams`] names; None where there are none.
    pub fn between(&self, before: Option<u32>, here: Option<u32>) -> Option<u8> {
        let entry = |id: u32| self.decoding.entries[id as usize];
        let (before, here) = (before.map(entry), here.map(entry));
        let decoding = self.decoding;
        let table = decoding.well_formed.as_ref().unwrap_or(&decoding.table);
        table.between(before, here)
    }

    /// How many violations there are between two neighbouring tags; None is the border of the sentence.
    pub fn violations_between(&self, before: Option<u32>, here: Option<u32>) -> u8 {
        if before.is_none() && here.is_none() {
            return 0;
        }
        let legality = |id: u32| self.decoding.legality[id as usize];
        let ty = |id: u32| self.decoding.entries[id as usize] >> 8;
        let (_, seen) = before.map_or((OUTSIDE, OUTSIDE), legality);
        let (symbol, _) = here.map_or((END, END), legality);
        let same = before.map(ty) == here.map(ty);
        let mut count = 0;
        self.report(1, seen, symbol, same, &mut |_, _| count += 1);
        count
    }

    /// The id of the type of a tag.
    pub fn type_of(&self, id: u32) -> u32 {
        self.decoding.entries[id as usize] >> 8
    }

    /// True for `O`, and for what the dialect reads as `O`.
    pub fn is_outside(&self, id: u32) -> bool {
        is_outside(self.decoding.entries[id as usize])
    }

    /// True where [`crate::VIOLATION`] in a walk's steps tells all violations.
    pub fn walk_sees_violations(&self) -> bool {
        self.decoding.table.sees_violations && !self.reader.dialect.unknown_is_outside
    }

    /// The spans of a sentence in the order of their ends; they do not overlap.
    ///
    /// Ids are those [`Reader::intern`] gave. Malformed tags are read as the reading says; with
    /// [`Reading::Refuse`] ask [`SideReader::check`] first.
    pub fn spans(&self, ids: &[u32]) -> Vec<Span> {
        let mut spans = Vec::new();
        self.spans_into(ids, &mut spans);
        spans
    }

    /// As [`SideReader::spans`], into a buffer that is kept.
    ///
    /// False where the tags are surely well-formed; true where [`SideReader::violations`] may list some.
    pub fn spans_into(&self, ids: &[u32], spans: &mut Vec<Span>) -> bool {
        // The table sees symbols; in IOB this dialect judges by what stands behind them.
        let unseen = !self.decoding.table.sees_violations
            || self.reader.dialect.unknown_is_outside && self.decoding.scheme == Scheme::Iob;
        let mut steps = if unseen { VIOLATION } else { 0 };
        let mut walk = Walk::new(&self.decoding.table);
        let mut close = |walk: &Walk<'_>, end: u32| {
            spans.push(Span {
                start: walk.begin,
                end,
                ty: walk.ty,
            });
        };
        for (at, &id) in ids.iter().enumerate() {
            let entry = self.decoding.entries[id as usize];
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
        let tag = |at: usize| ids.get(at).map(|&id| self.reader.tags.name(id).to_owned());
        found
            .into_iter()
            .map(|(at, kind)| Violation {
                index: at as u32,
                kind,
                previous: at.checked_sub(1).and_then(tag),
                current: tag(at).unwrap_or_default(),
                next: tag(at + 1),
                action: Action::of(self.reader.reading, kind),
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
            scheme: self.decoding.scheme,
            violations,
        })
    }

    /// Calls `found` with the index and the kind of every violation of a sentence, in the order in which a
    /// walk comes upon them.
    pub fn each_violation(&self, ids: &[u32], mut found: impl FnMut(usize, violation::Kind)) {
        let mut before = (OUTSIDE, u32::MAX);
        for (at, &id) in ids.iter().enumerate() {
            let (symbol, seen) = self.decoding.legality[id as usize];
            let ty = self.decoding.entries[id as usize] >> 8;
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
        let mut set = violation::between(self.decoding.scheme.prefixes(), before, here, same);
        if self.reader.dialect.unknown_is_outside {
            set &= !violation::UNKNOWN_TAG;
        }
        for (kind, about_before) in violation::kinds(set) {
            found(at - usize::from(about_before), kind);
        }
    }
}
