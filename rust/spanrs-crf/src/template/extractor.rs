//! Extraction of the attributes of a sequence by a template.
//!
//! Two methods share the evaluation of functions and differ in what they do with the values:
//!
//! - [`Extractor::extract`] builds the attribute strings, for training and inspection.
//! - [`Extractor::find`] looks up attributes in a trained model without building strings: the hash
//!   of an attribute is computed from the hashes of its parts ([`Fingerprint`]).
//!
//! # How it works
//! Each distinct function of a column is a *slot* of the program. First all slots are evaluated at
//! all tokens, into one buffer (the arena) with a table of spans; values that are substrings of
//! other values, such as prefixes, are spans within these values and are not copied. A line of the
//! template then refers to (slot, position) pairs. The chunking template has nine macros for the
//! word column, but the value is copied once per token.
//!
//! Positions outside the sequence have the constants `_B-1`, `_B-2`, … and `_B+1`, `_B+2`, …, as in
//! CRF++, for every slot.
//!
//! Time is linear in tokens times lines; buffers are reused from sequence to sequence.

use std::sync::Arc;

use super::Template;
use super::fingerprint::{Fingerprint, Key};
use super::index::{AttributeIndex, Entry};
use super::kind::{KINDS, kind};
use super::program::{Function, Line, Piece, Program, Slot};
use super::values::{
    prefix_len, push_lower, push_number, push_shape, push_short_shape, suffix_start,
};
use crate::columns::Columns;
use crate::error::{Error, Result, check_len};
use crate::lexicon::{Lexicon, MatchBuffers};
use crate::named_features::NamedFeatures;

/// A substring of the arena, as byte offsets; the end is exclusive.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
}

/// The value of a prefix or suffix that is longer than the token, or of a token without a cluster: a
/// span outside the arena. Lines with such a value yield no attribute.
const ABSENT: Span = Span {
    start: usize::MAX,
    end: usize::MAX,
};

/// Extracts the attributes of a [`Template`]. Each thread needs its own extractor, since an
/// extractor contains the buffers.
///
/// Every function is evaluated once per token, not once per window offset.
#[derive(Clone, Debug)]
pub struct Extractor {
    /// The template.
    program: Arc<Program>,
    /// The constants, followed by the values of the current sequence.
    arena: String,
    /// Length in bytes of the constants, which remain when the arena is truncated.
    constants: usize,
    /// The names of the categories, for [`Function::Kind`].
    kinds: [Span; KINDS.len()],
    /// `false` and `true`, for [`Function::Test`].
    bools: [Span; 2],
    /// `O`, for [`Function::In`].
    outside: Span,
    /// The lexicons of the program; none if the template was not given its lexicons.
    lexicons: Vec<Lexicon>,
    /// Work space for lookups in lexicons.
    matching: MatchBuffers,
    /// `_B-1`, `_B-2`, …, up to the largest offset of the template.
    before: Vec<Span>,
    /// `_B+1`, `_B+2`, …, as many as in `before`.
    after: Vec<Span>,
    /// Values of the current sequence, row-major (token, slot).
    values: Vec<Span>,
    /// Buffer of the current attribute.
    attribute: String,
    /// Fingerprints of `before` (the most distant first), `values` and `after`, row-major
    /// (position, slot).
    fingerprints: Vec<Fingerprint>,
    /// Keys of the attributes, row-major (token, line).
    keys: Vec<Key>,
    /// For each key, the entry of the index where the search for it begins.
    entries: Vec<Entry>,
    /// The known attributes of the current token.
    ids: Vec<u32>,
}

impl Extractor {
    /// Creates an extractor for a template. Writes the constants; the other buffers are allocated
    /// when sequences are read.
    pub fn new(template: &Template) -> Self {
        let program = Arc::clone(&template.program);
        let mut arena = String::new();
        let kinds = KINDS.map(|kind| append(&mut arena, |out| out.push_str(kind)));
        let bools = ["false", "true"].map(|bool| append(&mut arena, |out| out.push_str(bool)));
        let outside = append(&mut arena, |out| out.push('O'));
        let used = program.lexicons.iter();
        let lexicons = used.filter_map(|used| template.lexicons().get(&used.name).cloned());
        let lexicons = lexicons.collect();
        let mut edges = |sign: &str| -> Vec<Span> {
            let edge = |distance| {
                append(&mut arena, |out| {
                    out.push_str("_B");
                    out.push_str(sign);
                    push_number(out, distance);
                })
            };
            (1..=program.reach).map(edge).collect()
        };
        let (before, after) = (edges("-"), edges("+"));
        Self {
            program,
            constants: arena.len(),
            arena,
            kinds,
            bools,
            outside,
            lexicons,
            matching: MatchBuffers::default(),
            before,
            after,
            values: Vec::new(),
            attribute: String::new(),
            fingerprints: Vec::new(),
            keys: Vec::new(),
            entries: Vec::new(),
            ids: Vec::new(),
        }
    }

    /// Calls `sink(token, attribute)` for every attribute of every token, in the order of the
    /// tokens and of the lines of the template.
    ///
    /// `columns[c][t]` is the value of column `c` at token `t`; additional columns, which the
    /// template does not use, may follow. If several lines yield equal attributes, each is passed.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are too few columns or their lengths differ, and [`Error::Input`] if
    /// the template was not given its lexicons ([`Template::with_lexicons`]); `sink` is not called.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Extractor, Template};
    /// let template = Template::parse("U:%prefix[0,0,3]\nU:pos=%x[1,1]").unwrap();
    /// let columns: [&[&str]; 2] = [&["Mr", "Smith"], &["NNP", "NNP"]];
    /// let mut names = Vec::new();
    /// let mut extractor = Extractor::new(&template);
    /// extractor.extract(&columns, |token, name| names.push(format!("{token} {name}"))).unwrap();
    /// assert_eq!(names, ["0 U:pos=NNP", "1 U:Smi", "1 U:pos=_B+1"]);
    /// ```
    pub fn extract(
        &mut self,
        columns: &[&[&str]],
        mut sink: impl FnMut(usize, &str),
    ) -> Result<()> {
        let len = self.evaluate_all(columns)?;
        let mut attribute = std::mem::take(&mut self.attribute);
        for token in 0..len {
            'lines: for line in &self.program.lines {
                attribute.clear();
                for piece in &line.pieces {
                    let Some(value) = self.value(piece, token, len) else {
                        continue 'lines;
                    };
                    attribute.push_str(&piece.literal);
                    attribute.push_str(value);
                }
                attribute.push_str(&line.tail);
                sink(token, &attribute);
            }
        }
        self.attribute = attribute;
        Ok(())
    }

    /// Appends the attributes of the tokens of a sequence of `columns` to `features`, with the value
    /// 1.
    ///
    /// # Errors
    /// Same as [`Extractor::extract`].
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Columns, Extractor, NamedFeatures, Template};
    /// let mut columns = Columns::default();
    /// for token in ["a", "b"] {
    ///     columns.value(token);
    ///     columns.end_token().unwrap();
    /// }
    /// columns.end();
    /// let mut extractor = Extractor::new(&Template::parse("U0:%x[0,0]").unwrap());
    /// let mut features = NamedFeatures::default();
    /// extractor.features(&columns, 0, &mut features).unwrap();
    /// assert_eq!(features.features(1).collect::<Vec<_>>(), [("U0:b", 1.0)]);
    /// ```
    pub fn features(
        &mut self,
        columns: &Columns,
        sequence: usize,
        features: &mut NamedFeatures,
    ) -> Result<()> {
        let columns = columns.columns(sequence);
        let columns: Vec<&[&str]> = columns.iter().map(Vec::as_slice).collect();
        let len = columns.first().map_or(0, |column| column.len());
        if len == 0 {
            return Ok(());
        }
        let first = features.tokens();
        self.extract(&columns, |token, name| {
            // Tokens without attributes are not passed.
            while features.tokens() < first + token {
                features.end_token();
            }
            features.name_mut().push_str(name);
            features.end_feature(1.0);
        })?;
        while features.tokens() < first + len {
            features.end_token();
        }
        Ok(())
    }

    /// Calls `sink(token, attributes)` with the numbers of the known attributes of each token, in
    /// the order of the tokens and of the lines of the template.
    ///
    /// Equivalent to looking up each attribute of [`Extractor::extract`], up to hash collisions
    /// (see [`AttributeIndex`]), but faster, because strings are hashed once per value and not
    /// built per attribute. [`AttributeIndex`] has an example.
    ///
    /// # Errors
    /// Same as [`Extractor::extract`].
    pub fn find(
        &mut self,
        columns: &[&[&str]],
        index: &AttributeIndex,
        mut sink: impl FnMut(usize, &[u32]),
    ) -> Result<()> {
        let len = self.evaluate_all(columns)?;
        self.fingerprint();
        let lines = self.program.lines.len();
        if lines == 0 {
            (0..len).for_each(|token| sink(token, &[]));
            return Ok(());
        }
        self.keys.clear();
        self.keys.resize(len * lines, Key::NONE);
        for (at, line) in self.program.lines.iter().enumerate() {
            let keys = self.keys.iter_mut().skip(at).step_by(lines);
            for (token, key) in keys.enumerate() {
                *key = line.key(token, len, &self.program, &self.fingerprints);
            }
        }
        // Load all entries before comparing any, so that their cache misses overlap.
        self.entries.clear();
        let entries = self.keys.iter().map(|&key| index.home_entry(key));
        self.entries.extend(entries);
        let tokens = self.keys.chunks_exact(lines);
        let tokens = tokens.zip(self.entries.chunks_exact(lines));
        for (token, (keys, entries)) in tokens.enumerate() {
            self.ids.clear();
            let both = entries.iter().zip(keys);
            let ids = both.filter_map(|(&entry, &key)| index.resolve(entry, key));
            self.ids.extend(ids);
            sink(token, &self.ids);
        }
        Ok(())
    }

    /// Computes the fingerprints of the values, including rows for the positions before and after
    /// the sequence.
    fn fingerprint(&mut self) {
        let slots = self.program.slots.len();
        let arena = &self.arena;
        let text = |span: &Span| arena.get(span.start..span.end);
        let edge = |span: &Span| {
            let print = text(span).map_or(Fingerprint::ABSENT, Fingerprint::of);
            std::iter::repeat_n(print, slots)
        };
        self.fingerprints.clear();
        self.fingerprints
            .extend(self.before.iter().rev().flat_map(edge));
        let inside = |span| text(span).map_or(Fingerprint::ABSENT, Fingerprint::of);
        self.fingerprints.extend(self.values.iter().map(inside));
        self.fingerprints.extend(self.after.iter().flat_map(edge));
    }

    /// Checks the columns and returns the number of tokens.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are too few columns or their lengths differ; [`Error::Input`] if a
    /// lexicon is missing.
    fn check(&self, columns: &[&[&str]]) -> Result<usize> {
        if let Some(missing) = self.program.lexicons.get(self.lexicons.len()) {
            return Err(Error::Input(format!(
                "the template needs the lexicon {}, which it was not given",
                missing.name
            )));
        }
        let expected = self.program.columns;
        match columns.first() {
            Some(first) if columns.len() >= expected => {
                for column in columns {
                    check_len("values in a column", first.len(), column.len())?;
                }
                Ok(first.len())
            }
            _ => Err(Error::Shape {
                what: "columns",
                expected,
                found: columns.len(),
            }),
        }
    }

    /// Computes the values of all slots at all tokens; returns the number of tokens.
    fn evaluate_all(&mut self, columns: &[&[&str]]) -> Result<usize> {
        let len = self.check(columns)?;
        self.arena.truncate(self.constants);
        self.values.clear();
        for token in 0..len {
            self.evaluate(columns, token);
        }
        if !self.lexicons.is_empty() {
            self.match_phrases(columns);
        }
        Ok(len)
    }

    /// Sets the values of the tokens in phrases of gazetteers, one search per gazetteer and column.
    fn match_phrases(&mut self, columns: &[&[&str]]) {
        let slots = &self.program.slots;
        let (arena, values) = (&mut self.arena, &mut self.values);
        for (at, slot) in slots.iter().enumerate() {
            let Function::In(lexicon) = slot.function else {
                continue;
            };
            let Some(Lexicon::Gazetteer(gazetteer)) = self.lexicons.get(lexicon) else {
                continue;
            };
            gazetteer.find(
                (columns[slot.column], columns[0]),
                &mut self.matching,
                |tokens, entries, sentence| {
                    let mut part = |prefix| {
                        append(arena, |out| {
                            out.push(prefix);
                            gazetteer.push_types(out, entries.clone(), sentence);
                        })
                    };
                    let last = tokens.end - 1;
                    if tokens.start == last {
                        values[last * slots.len() + at] = part('S');
                        return;
                    }
                    values[tokens.start * slots.len() + at] = part('B');
                    values[last * slots.len() + at] = part('E');
                    if tokens.len() > 2 {
                        let inner = part('I');
                        (tokens.start + 1..last)
                            .for_each(|token| values[token * slots.len() + at] = inner);
                    }
                },
            );
        }
    }

    /// Computes the values of every slot at a token, in the order of the slots: a slot may refer to
    /// the slot with the unchanged value of its column, which has a smaller index.
    fn evaluate(&mut self, columns: &[&[&str]], token: usize) {
        let row = self.values.len();
        for slot in &self.program.slots {
            let Slot {
                function,
                column,
                value,
            } = *slot;
            let word = columns[column][token];
            let arena = &mut self.arena;
            // The unchanged value comes first, and other values can be substrings of it.
            let copied = self.values.get(row + value).copied().unwrap_or(ABSENT);
            let inside = |start: usize, end: usize| Span {
                start: copied.start + start,
                end: copied.start + end,
            };
            let span = match function {
                Function::Value => append(arena, |out| out.push_str(word)),
                Function::Lower if is_ascii_lower(word) => copied,
                Function::Lower => append(arena, |out| push_lower(out, word)),
                Function::Shape => append(arena, |out| push_shape(out, word)),
                Function::ShortShape => append(arena, |out| push_short_shape(out, word)),
                Function::Length => append(arena, |out| push_number(out, word.chars().count())),
                Function::Kind => self.kinds[kind(word)],
                Function::Prefix(n) => prefix_len(word, n).map_or(ABSENT, |end| inside(0, end)),
                Function::Suffix(n) => {
                    suffix_start(word, n).map_or(ABSENT, |start| inside(start, word.len()))
                }
                Function::Test(regex) => {
                    self.bools[usize::from(self.program.regexes[regex].is_match(word))]
                }
                Function::Match(regex) => match self.program.regexes[regex].find(word) {
                    Some(found) => inside(found.start(), found.end()),
                    None => inside(0, 0),
                },
                Function::LowerMatch(regex) => match self.program.regexes[regex].find(word) {
                    Some(found) => append(arena, |out| push_lower(out, found.as_str())),
                    None => inside(0, 0),
                },
                // Overwritten in phrases.
                Function::In(_) => self.outside,
                Function::Cluster { lexicon, len } => {
                    let cluster = match &self.lexicons[lexicon] {
                        Lexicon::Clusters(clusters) => {
                            clusters.get_with(word, &mut self.matching.folded)
                        }
                        Lexicon::Gazetteer(_) => None,
                    };
                    cluster.map_or(ABSENT, |cluster| {
                        let end = prefix_len(cluster, len).unwrap_or(cluster.len());
                        append(arena, |out| out.push_str(&cluster[..end]))
                    })
                }
            };
            self.values.push(span);
        }
    }

    /// The value that a piece refers to, relative to a token; `None` for a prefix or suffix longer
    /// than the token.
    #[inline]
    fn value(&self, piece: &Piece, token: usize, len: usize) -> Option<&str> {
        let index = piece.position.index(token, len);
        let span = match usize::try_from(index) {
            Ok(index) if index < len => self.values[index * self.program.slots.len() + piece.slot],
            Ok(index) => self.after[index - len],
            Err(_) => self.before[index.unsigned_abs() - 1],
        };
        self.arena.get(span.start..span.end)
    }
}

impl Line {
    /// The key of the line's attribute at a token; [`Key::NONE`] if there is no attribute.
    /// `fingerprints` has `program.reach` rows for the positions before the sequence, and as many
    /// after it.
    #[inline(always)]
    fn key(
        &self,
        token: usize,
        len: usize,
        program: &Program,
        fingerprints: &[Fingerprint],
    ) -> Key {
        let mut key = Key::EMPTY;
        for piece in &self.pieces {
            let row = piece.position.index(token, len) + program.reach as isize;
            let print = &fingerprints[row as usize * program.slots.len() + piece.slot];
            if *print == Fingerprint::ABSENT {
                return Key::NONE;
            }
            key = key.concat(&piece.fingerprint).concat(print);
        }
        match self.tail.is_empty() {
            true => key,
            false => key.concat(&self.tail_fingerprint),
        }
    }
}

/// Appends to the arena and returns the span of the appended text.
fn append(arena: &mut String, push: impl FnOnce(&mut String)) -> Span {
    let start = arena.len();
    push(arena);
    let end = arena.len();
    Span { start, end }
}

/// Whether a word has only ASCII characters and no upper-case letters, and therefore is unchanged
/// by lower-casing.
fn is_ascii_lower(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}
