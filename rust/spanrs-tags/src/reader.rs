//! The reader: interned tags, their decoding, and the functions that walk sentences of tag ids.

use spanrs_base::{Limits, ShortKey, Span, Vocabulary};

use crate::dialect::{Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::step::{END, OUTSIDE, UNKNOWN};
use crate::table::{CLOSE, Table, VIOLATION, Walk, entry, is_outside, letters};
use crate::violation::{self, Action, Violation};

/// Reads spans from tags. A reader has a scheme, a reading and a dialect, and decodes every
/// distinct tag once.
///
/// Gold and pred may be in different schemes (see [`Reader::with_pred_scheme`]) but share the ids
/// of tags and types. Methods of the reader itself use gold's scheme; [`Reader::gold`] and
/// [`Reader::pred`] return the two sides. Interning needs `&mut self`; everything else only reads,
/// so threads can share a reader.
///
/// # Examples
///
/// ```
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let mut reader = reader.with_pred_scheme(Scheme::Iobes).unwrap();
/// let gold = reader.intern_all(["B-PER", "I-PER"]).unwrap();
/// let pred = reader.intern_all(["B-PER", "E-PER"]).unwrap();
/// assert_eq!(reader.gold().spans(&gold), reader.pred().spans(&pred));
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    /// The reading of both sides.
    reading: Reading,
    /// The dialect of both sides.
    dialect: Dialect,
    /// Every tag seen on either side; ids index `entries` and `legality` of both decodings.
    tags: Vocabulary,
    /// Every type seen; id 0 is `_`.
    types: Vocabulary,
    /// The decoding of gold, and also of pred unless `pred` is set.
    gold: Decoding,
    /// The decoding of pred, if its scheme differs from gold's.
    pred: Option<Box<Decoding>>,
}

/// Sentences whose spans are completely determined by pairs of neighbouring tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bigrams {
    /// All sentences.
    OfAll,
    /// Sentences without violations; in these the reading finds the same spans as `conlleval`.
    OfWellFormed,
}

/// All tags, decoded in one scheme.
#[derive(Clone, Debug)]
struct Decoding {
    /// The scheme.
    scheme: Scheme,
    /// The steps of the reading.
    table: Table,
    /// Bigram table for well-formed sentences, if `table` depends on more than the previous tag.
    well_formed: Option<Table>,
    /// Input of the table for each tag id: type id in the upper 24 bits, symbol in the low 8.
    entries: Vec<u32>,
    /// For each tag id, the symbols used to check legality: against the previous tag and against
    /// the next tag.
    legality: Vec<(u8, u8)>,
}

impl Decoding {
    /// Builds the tables; no tag is decoded yet.
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

    /// Decodes the tags that were added to the vocabulary since the last call.
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
    /// Creates a reader without tags. The maximum number of tags is the default of
    /// [`Limits::tags`].
    ///
    /// # Errors
    /// [`Error::ReadingNotForScheme`] and [`Error::BadSeparator`].
    pub fn new(scheme: Scheme, reading: Reading, dialect: Dialect) -> Result<Self> {
        Self::with_vocabulary(
            Vocabulary::new(Limits::default().tags),
            scheme,
            reading,
            dialect,
        )
    }

    /// Creates a reader for tags that have been interned before; their ids are kept.
    ///
    /// # Errors
    /// Same as [`Reader::new`].
    pub fn with_vocabulary(
        tags: Vocabulary,
        scheme: Scheme,
        reading: Reading,
        dialect: Dialect,
    ) -> Result<Self> {
        dialect.check()?;
        let mut types = Vocabulary::new(usize::MAX);
        // `O` (unless tags without separator are types) and the end of a sentence have type 0.
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

    /// Sets another scheme for pred. Ignored with [`Reading::Seqeval`], whose prefixes are the same
    /// under every scheme.
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

    /// Decodes the tags that were added to the vocabulary since the last call, for both sides.
    fn decode_new(&mut self) -> Result<()> {
        let (reading, dialect, tags) = (self.reading, &self.dialect, &self.tags);
        self.gold
            .decode_new(reading, dialect, tags, &mut self.types)?;
        match &mut self.pred {
            Some(pred) => pred.decode_new(reading, dialect, tags, &mut self.types),
            None => Ok(()),
        }
    }

    /// Returns the view of gold.
    #[inline]
    pub fn gold(&self) -> SideReader<'_> {
        SideReader {
            reader: self,
            decoding: &self.gold,
        }
    }

    /// Returns the view of pred, which equals the view of gold unless pred has its own scheme.
    #[inline]
    pub fn pred(&self) -> SideReader<'_> {
        SideReader {
            reader: self,
            decoding: self.pred.as_deref().unwrap_or(&self.gold),
        }
    }

    /// Returns whether gold and pred are in different schemes, so that equal tags may differ in
    /// meaning.
    #[inline]
    pub fn has_two_schemes(&self) -> bool {
        self.pred.is_some()
    }

    /// Returns the id of a tag, decoding the tag if it is new.
    ///
    /// # Errors
    /// [`Error::TooManyTags`].
    #[inline]
    pub fn intern(&mut self, tag: &str) -> Result<u32> {
        self.intern_bytes(tag.as_bytes())
    }

    /// Same as [`Reader::intern`], for bytes; invalid UTF-8 is replaced by U+FFFD.
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

    /// Same as [`Vocabulary::get_short`]: the id of a short tag if it is in the cache of the
    /// vocabulary.
    #[inline(always)]
    pub fn get_short(&self, key: ShortKey) -> Option<u32> {
        self.tags.get_short(key)
    }

    /// Returns the ids of the tags of a sentence.
    ///
    /// # Errors
    /// [`Error::TooManyTags`].
    pub fn intern_all<'a>(&mut self, tags: impl IntoIterator<Item = &'a str>) -> Result<Vec<u32>> {
        tags.into_iter().map(|tag| self.intern(tag)).collect()
    }

    /// Returns the scheme of gold.
    pub fn scheme(&self) -> Scheme {
        self.gold.scheme
    }

    /// Returns the scheme of pred.
    pub fn pred_scheme(&self) -> Scheme {
        self.pred().decoding.scheme
    }

    /// Returns the reading.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Returns the dialect.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Returns all tags seen, by id.
    pub fn tags(&self) -> &Vocabulary {
        &self.tags
    }

    /// Returns all types seen, by id; id 0 is `_` even if that type was not seen.
    pub fn types(&self) -> &Vocabulary {
        &self.types
    }

    /// Returns the name of a type.
    pub fn type_name(&self, ty: u32) -> &str {
        self.types.name(ty)
    }

    /// Same as [`SideReader::spans`] for gold.
    pub fn spans(&self, ids: &[u32]) -> Vec<Span> {
        self.gold().spans(ids)
    }

    /// Same as [`SideReader::spans_into`] for gold.
    pub fn spans_into(&self, ids: &[u32], spans: &mut Vec<Span>) -> bool {
        self.gold().spans_into(ids, spans)
    }

    /// Same as [`SideReader::violations`] for gold.
    pub fn violations(&self, ids: &[u32]) -> Vec<Violation> {
        self.gold().violations(ids)
    }

    /// Same as [`SideReader::count_violations`] for gold.
    pub fn count_violations(&self, ids: &[u32]) -> u64 {
        self.gold().count_violations(ids)
    }

    /// Returns whether any interned tag, of either side, has a prefix that does not exist in the
    /// scheme of pred.
    pub fn has_foreign_prefixes(&self) -> bool {
        let decoding = self.pred.as_deref().unwrap_or(&self.gold);
        decoding
            .legality
            .iter()
            .any(|(symbol, _)| *symbol == UNKNOWN)
    }

    /// Counts the tags other than the string `O`.
    pub fn count_labelled(&self, ids: &[u32]) -> u64 {
        let outside = self.tags().get("O");
        ids.iter().filter(|id| Some(**id) != outside).count() as u64
    }

    /// Same as [`SideReader::each_kind`] for gold.
    pub fn each_kind(&self, ids: &[u32], found: impl FnMut(violation::Kind)) {
        self.gold().each_kind(ids, found);
    }

    /// Same as [`SideReader::check`] for gold.
    ///
    /// # Errors
    /// [`Error::Malformed`] with every violation.
    pub fn check(&self, ids: &[u32]) -> Result<()> {
        self.gold().check(ids)
    }

    /// Same as [`SideReader::each_violation`] for gold.
    pub fn each_violation(&self, ids: &[u32], found: impl FnMut(usize, violation::Kind)) {
        self.gold().each_violation(ids, found);
    }
}

/// One side of a [`Reader`]: the tags, decoded in the scheme of that side.
///
/// All functions take ids returned by [`Reader::intern`] and panic for other ids.
#[derive(Clone, Copy, Debug)]
pub struct SideReader<'a> {
    /// The reader, for names and options.
    reader: &'a Reader,
    /// The decoding of this side.
    decoding: &'a Decoding,
}

impl<'a> SideReader<'a> {
    /// Returns the table, for callers that walk the tags themselves; see [`Walk`].
    #[inline]
    pub fn table(&self) -> &'a Table {
        &self.decoding.table
    }

    /// Returns the decoded tags by id, the input of a [`Walk`].
    #[inline]
    pub fn entries(&self) -> &'a [u32] {
        &self.decoding.entries
    }

    /// Returns the sentences whose spans [`SideReader::between`] determines; None if there are
    /// none.
    pub fn bigrams(&self) -> Option<Bigrams> {
        if self.decoding.table.between(None, None).is_some() {
            return Some(Bigrams::OfAll);
        }
        // With this dialect unknown tags are not violations, but not every reading treats them as
        // `O`.
        let known = !self.reader.dialect.unknown_is_outside;
        let well_formed = self.decoding.well_formed.as_ref().filter(|_| known)?;
        well_formed
            .between(None, None)
            .map(|_| Bigrams::OfWellFormed)
    }

    /// Returns the step of a [`Walk`] between two neighbouring tags; a tag of None is the border of
    /// the sentence.
    ///
    /// The step is valid for the sentences that [`SideReader::bigrams`] returns; None if there are
    /// none.
    pub fn between(&self, before: Option<u32>, here: Option<u32>) -> Option<u8> {
        let entry = |id: u32| self.decoding.entries[id as usize];
        let (before, here) = (before.map(entry), here.map(entry));
        let decoding = self.decoding;
        let table = decoding.well_formed.as_ref().unwrap_or(&decoding.table);
        table.between(before, here)
    }

    /// Counts the violations between two neighbouring tags; None is the border of the sentence.
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

    /// Returns the id of the type of a tag.
    pub fn type_of(&self, id: u32) -> u32 {
        self.decoding.entries[id as usize] >> 8
    }

    /// Returns whether a tag is `O`, or is read as `O` by the dialect.
    pub fn is_outside(&self, id: u32) -> bool {
        is_outside(self.decoding.entries[id as usize])
    }

    /// Returns whether [`crate::VIOLATION`] is set in the steps of a walk exactly where there are
    /// violations.
    pub fn walk_sees_violations(&self) -> bool {
        self.decoding.table.sees_violations && !self.reader.dialect.unknown_is_outside
    }

    /// Returns the spans of a sentence in the order of their ends. They do not overlap, except with
    /// [`Reading::Seqeval`], where two spans may share a start.
    ///
    /// Malformed tags are read according to the reading; with [`Reading::Refuse`] call
    /// [`SideReader::check`] first.
    pub fn spans(&self, ids: &[u32]) -> Vec<Span> {
        let mut spans = Vec::new();
        self.spans_into(ids, &mut spans);
        spans
    }

    /// Same as [`SideReader::spans`], appending to a buffer.
    ///
    /// Returns false if the tags are known to be well-formed, and true if
    /// [`SideReader::violations`] may not be empty.
    pub fn spans_into(&self, ids: &[u32], spans: &mut Vec<Span>) -> bool {
        // The table decides legality by symbols, but in IOB this dialect decides by types.
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

    /// Returns the violations of a sentence, by index and then by kind.
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

    /// Counts the violations of a sentence.
    pub fn count_violations(&self, ids: &[u32]) -> u64 {
        let mut count = 0;
        self.each_kind(ids, |_| count += 1);
        count
    }

    /// Calls `found` with the kind of each violation of a sentence.
    pub fn each_kind(&self, ids: &[u32], mut found: impl FnMut(violation::Kind)) {
        self.each_violation(ids, |_, kind| found(kind));
    }

    /// Refuses malformed tags.
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

    /// Calls `found` with the index and the kind of each violation, in the order of the pairs of
    /// tags that cause them; a violation may concern the first token of the pair, so indices are
    /// not sorted.
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

    /// Calls `found` for the violations between two symbols; the second one is at index `at`.
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
