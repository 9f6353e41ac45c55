//! Normalised texts whose positions map back to the characters of the original.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::characters::{Kind, is_diacritic, kind, plain, without_stroke};

/// How strongly a text is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Not at all.
    Exact,
    /// Full case folding; white space.
    Case,
    /// In addition NFKC, quotes, dashes, invisible characters; optionally diacritics.
    Unicode { diacritics: bool },
}

/// The regional indicators, of which flags consist.
const REGIONAL_INDICATORS: std::ops::RangeInclusive<char> = '\u{1F1E6}'..='\u{1F1FF}';

/// Marks a byte at which no grapheme cluster begins or ends.
const NOWHERE: u32 = u32::MAX;

/// A normalised text.
///
/// White space is one space between two words of letters and digits, and nothing elsewhere, so that
/// texts and their tokens joined by spaces are equal. All other characters are normalised by
/// grapheme cluster, and the characters of a cluster share its place in the original: an occurrence
/// cannot begin or end inside a cluster.
///
/// At [`Level::Exact`] the text is the original, and places are computed when they are needed.
#[derive(Debug, Default)]
pub(super) struct Stream<'a> {
    /// The normalised text.
    pub(super) text: Cow<'a, str>,
    /// For each byte: the first original character of the cluster that begins there, or
    /// [`NOWHERE`].
    begins: Vec<u32>,
    /// For each border between bytes: the end, in original characters, of the cluster that ends
    /// there, or [`NOWHERE`].
    ends: Vec<u32>,
    /// For each border between bytes: whether no word continues across the border.
    borders: Vec<bool>,
    /// Whether the text is the original; the other fields are then empty.
    is_original: bool,
}

impl<'a> Stream<'a> {
    /// Normalises a text.
    pub(super) fn new(text: &'a str, level: Level) -> Self {
        // The clusters of flags depend on the number of regional indicators before them, so that
        // texts with flags are divided once.
        if level == Level::Exact && !text.contains(|c| REGIONAL_INDICATORS.contains(&c)) {
            return Self {
                text: Cow::Borrowed(text),
                is_original: true,
                ..Self::default()
            };
        }
        let mut builder = Builder::new(level, true);
        builder.reserve(text.len());
        for_each_cluster(text, |cluster, start, end| {
            builder.push(cluster, start, end);
        });
        builder.finish()
    }

    /// Returns the tokens in bytes: sequences between the borders of words, without spaces. The text
    /// must not be an original.
    pub(super) fn tokens(&self) -> Vec<(u32, u32)> {
        let mut tokens = Vec::new();
        let mut start = 0;
        for (end, _) in self
            .borders
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, is_border)| **is_border)
        {
            if &self.text[start..end] != " " {
                tokens.push((start as u32, end as u32));
            }
            start = end;
        }
        tokens
    }
}

/// The length of a normalised string, which is determined once for all of its occurrences.
#[derive(Clone, Copy, Debug)]
pub(super) struct StringSize {
    pub(super) bytes: usize,
    pub(super) characters: u32,
}

impl StringSize {
    /// Returns the length of a string.
    pub(super) fn of(string: &str) -> Self {
        Self {
            bytes: string.len(),
            characters: string.chars().count() as u32,
        }
    }
}

/// Maps ranges in bytes of a [`Stream`] to characters of the original. Ranges with ascending ends
/// take linear time altogether.
#[derive(Debug)]
pub(super) struct Locator<'a> {
    stream: &'a Stream<'a>,
    /// A byte, and the number of characters before it; of an original text.
    byte: usize,
    character: u32,
}

impl<'a> Locator<'a> {
    /// Creates a locator at the beginning.
    pub(super) fn new(stream: &'a Stream<'a>) -> Self {
        Self {
            stream,
            byte: 0,
            character: 0,
        }
    }

    /// Returns the range in characters of the original for the occurrence of a string at a byte, or
    /// None if an end is inside a grapheme cluster or, with `whole_words`, inside a word.
    #[inline]
    pub(super) fn locate(
        &mut self,
        start: usize,
        string: StringSize,
        whole_words: bool,
    ) -> Option<(u32, u32)> {
        let stream = self.stream;
        if stream.is_original {
            return self.locate_in_original(start, string, whole_words);
        }
        let end = start + string.bytes;
        if whole_words && !(stream.borders[start] && stream.borders[end]) {
            return None;
        }
        let (begin, stop) = (*stream.begins.get(start)?, stream.ends[end]);
        (begin != NOWHERE && stop != NOWHERE).then_some((begin, stop))
    }

    fn locate_in_original(
        &mut self,
        start: usize,
        string: StringSize,
        whole_words: bool,
    ) -> Option<(u32, u32)> {
        let text = &*self.stream.text;
        let end = start + string.bytes;
        let divides = |at| divides_cluster(text, at) || whole_words && divides_word(text, at);
        if divides(start) || divides(end) {
            return None;
        }
        if end < self.byte {
            (self.byte, self.character) = (0, 0);
        }
        self.character += text[self.byte..end].chars().count() as u32;
        self.byte = end;
        Some((self.character - string.characters, self.character))
    }
}

/// Returns true if a grapheme cluster continues across the border before the byte at `at`.
fn divides_cluster(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    if at == 0 || at == bytes.len() || bytes[at - 1].is_ascii() && bytes[at].is_ascii() {
        return false;
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    !cursor.is_boundary(text, 0).unwrap_or(true)
}

/// Returns true if a word continues across the border before the byte at `at`.
fn divides_word(text: &str, at: usize) -> bool {
    let next = text[at..].chars().next().map(kind);
    // Marks belong to the word of their base.
    let is_mark = unicode_normalization::char::is_combining_mark;
    let last = text[..at].chars().rev().find(|&c| !is_mark(c)).map(kind);
    next == Some(Kind::Word) && last == Some(Kind::Word)
}

/// Returns the normalised form of a mention.
pub(super) fn normalise(mention: &str, level: Level) -> String {
    let mention = mention.trim();
    if level == Level::Exact {
        return mention.to_owned();
    }
    let mut builder = Builder::new(level, false);
    for_each_cluster(mention, |cluster, start, end| {
        builder.push(cluster, start, end)
    });
    builder.text
}

/// Calls `each` with every grapheme cluster and its range in characters.
fn for_each_cluster(text: &str, mut each: impl FnMut(&str, u32, u32)) {
    let bytes = text.as_bytes();
    let (mut at, mut character) = (0, 0);
    while at < bytes.len() {
        let is_single = bytes[at].is_ascii()
            && bytes.get(at + 1).is_none_or(u8::is_ascii)
            && !(bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n'));
        if is_single {
            each(&text[at..=at], character, character + 1);
            at += 1;
            character += 1;
            continue;
        }
        // Clusters end between two ASCII characters, except in CR LF.
        let is_end = |&end: &usize| bytes[end].is_ascii() && bytes[end - 1].is_ascii();
        let end = (at + 2..bytes.len()).find(is_end).unwrap_or(bytes.len());
        for cluster in text[at..end].graphemes(true) {
            let next = character + cluster.chars().count() as u32;
            each(cluster, character, next);
            character = next;
        }
        at = end;
    }
}

/// Builds a [`Stream`].
struct Builder {
    text: String,
    /// The fields of the stream.
    begins: Vec<u32>,
    ends: Vec<u32>,
    borders: Vec<bool>,
    level: Level,
    /// Whether places in the original are recorded.
    places: bool,
    /// Kind of the last character, and whether white space follows it.
    last: Kind,
    spaced: bool,
    /// Normalised cluster, kept for its memory.
    cluster: String,
}

impl Builder {
    fn new(level: Level, places: bool) -> Self {
        Self {
            text: String::new(),
            begins: Vec::new(),
            ends: Vec::new(),
            borders: Vec::new(),
            level,
            places,
            last: Kind::Space,
            spaced: false,
            cluster: String::new(),
        }
    }

    /// Reserves space for a text of `len` bytes.
    fn reserve(&mut self, len: usize) {
        self.text.reserve(len);
        self.begins.reserve(len);
        self.ends.reserve(len + 1);
        self.borders.reserve(len + 1);
    }

    /// Appends a cluster of the characters `start..end`.
    #[inline]
    fn push(&mut self, cluster: &str, start: u32, end: u32) {
        if let &[byte] = cluster.as_bytes() {
            let c = byte as char;
            match self.level {
                Level::Exact => self.append_character(c, start, end),
                _ if c.is_whitespace() => self.spaced = true,
                Level::Case => self.append_character(c.to_ascii_lowercase(), start, end),
                Level::Unicode { .. } if c == '`' => self.append_character('\'', start, end),
                Level::Unicode { .. } => {
                    self.append_character(c.to_ascii_lowercase(), start, end);
                }
            }
            return;
        }
        let mut normalised = std::mem::take(&mut self.cluster);
        normalised.clear();
        if self.level != Level::Exact && cluster.chars().all(char::is_whitespace) {
            self.spaced = true;
        } else {
            normalise_cluster(cluster, self.level, &mut normalised);
        }
        self.append(&normalised, start, end);
        self.cluster = normalised;
    }

    /// Appends a cluster of one ASCII character.
    #[inline]
    fn append_character(&mut self, c: char, start: u32, end: u32) {
        let kind = kind(c);
        self.separate(kind);
        self.text.push(c);
        self.last = kind;
        if self.places {
            self.begins.push(start);
            self.ends.push(end);
        }
    }

    /// Appends a normalised cluster.
    fn append(&mut self, cluster: &str, start: u32, end: u32) {
        let Some(first) = cluster.chars().next() else {
            return;
        };
        let first = kind(first);
        self.separate(first);
        self.text.push_str(cluster);
        // A cluster ends with its base or with marks, which belong to the word of the base.
        let is_mark = unicode_normalization::char::is_combining_mark;
        let last = cluster.chars().rev().find(|&c| !is_mark(c));
        self.last = last.map_or(first, kind);
        if self.places {
            let inner = cluster.len() - 1;
            self.begins.push(start);
            self.begins.extend(std::iter::repeat_n(NOWHERE, inner));
            self.ends.extend(std::iter::repeat_n(NOWHERE, inner));
            self.ends.push(end);
            self.borders.extend(std::iter::repeat_n(false, inner));
        }
    }

    /// Appends a space if one is needed before a character, and whether a word begins or ends here.
    #[inline]
    fn separate(&mut self, next: Kind) {
        let both_words = self.last == Kind::Word && next == Kind::Word;
        if !self.places {
            if self.spaced && both_words {
                self.text.push(' ');
            }
            self.spaced = false;
            return;
        }
        if self.text.is_empty() {
            self.ends.push(NOWHERE);
        }
        self.borders.push(self.spaced || !both_words);
        if self.spaced && both_words {
            self.text.push(' ');
            self.begins.push(NOWHERE);
            self.ends.push(NOWHERE);
            self.borders.push(true);
        }
        self.spaced = false;
    }

    fn finish(mut self) -> Stream<'static> {
        if self.text.is_empty() {
            self.ends.push(NOWHERE);
        }
        self.borders.push(true);
        Stream {
            text: Cow::Owned(self.text),
            begins: self.begins,
            ends: self.ends,
            borders: self.borders,
            is_original: false,
        }
    }
}

/// Appends the normalised form of a cluster.
fn normalise_cluster(cluster: &str, level: Level, out: &mut String) {
    let diacritics = match level {
        Level::Exact => return out.push_str(cluster),
        Level::Case => return out.extend(cluster.chars().default_case_fold()),
        Level::Unicode { diacritics } => diacritics,
    };
    let mut characters = cluster.chars();
    if let (Some(c), None) = (characters.next(), characters.next())
        && matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{4E00}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7A3}')
    {
        out.push(c);
        return;
    }
    // Case folding may produce characters that are not in NFKC, and NFKC upper-case letters.
    let folded = cluster.chars().filter_map(plain).nfkc().default_case_fold();
    let normalised = folded.nfkc().filter_map(plain);
    let visible = normalised.filter(|c| !c.is_whitespace());
    if diacritics {
        let bare = visible
            .nfd()
            .filter(|&c| !is_diacritic(c))
            .map(without_stroke);
        out.extend(bare.nfc());
    } else {
        out.extend(visible);
    }
}
