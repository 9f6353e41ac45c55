//! Lists of phrases, and the search for the phrases in a sentence.
//!
//! The phrases are sorted by their words, which are numbered. The phrases that begin with the same
//! words are then a range, and a search narrows the range word by word: one step in a table for the
//! first word, a binary search for each further word. A search from a token ends at the longest
//! phrase at most, so the time for a sentence is linear in its tokens, times the length of the
//! longest phrase that begins as the text does.

use std::collections::BTreeMap;
use std::ops::Range;

use spanrs_base::{Ends, Interner, Jagged};

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::template::{Fingerprint, Key, push_lower};

/// Largest number of types. Values list all types of a phrase, so this limits their length; a file
/// with more types has its columns in another order.
pub(crate) const MAX_TYPES: usize = 256;
/// Largest number of tokens of a phrase, which limits the time of the search from a token.
pub(crate) const MAX_TOKENS: usize = 256;
/// The number of a token that is not a word of any phrase.
const UNKNOWN: u32 = u32::MAX;
/// The source of a name that occurs in several sentences: it is never left out.
pub(super) const SEVERAL: u64 = u64::MAX;

/// Phrases of one or more tokens, each with types or without. Immutable.
///
/// # Matching
/// From the first token on, the longest phrase that begins at a token is taken, and the search
/// continues after it, so matches do not overlap. A phrase of one token has the value `S`, a longer
/// one `B`, `I` and `E` for its first, inner and last tokens; a token outside of all matches has the
/// value `O`. If the phrase has types, the value contains these in alphabetical order: `B-LOC`,
/// `S-LOC|PER`.
///
/// # Examples
/// ```
/// use spanrs_crf::Gazetteer;
/// let gazetteer = Gazetteer::read(b"New York\nYork\n", "cities.txt", false)?;
/// assert!(gazetteer.contains(&["New", "York"]) && !gazetteer.contains(&["new", "york"]));
/// assert_eq!(gazetteer.len(), 2);
/// # Ok::<(), spanrs_crf::LexiconError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gazetteer {
    /// The distinct words of the phrases, ascending; in lower case if case is ignored.
    pub(super) words: Interner<str>,
    /// The types, ascending; the empty string for phrases without a type.
    pub(super) types: Interner<str>,
    /// The words of each entry. Entries ascend by words and then by type.
    pub(super) phrases: Jagged<u32>,
    /// The type of each entry.
    pub(super) entry_types: Vec<u32>,
    /// Empty, or for each entry the hash of the only sentence that contains it as a name, or
    /// [`SEVERAL`].
    pub(super) sources: Vec<u64>,
    /// The first entry of each first word, and the number of entries.
    first: Vec<u32>,
    /// Whether case is ignored.
    pub(super) ignore_case: bool,
}

impl PartialEq for Gazetteer {
    fn eq(&self, other: &Self) -> bool {
        self.ignore_case == other.ignore_case
            && self.words.names().eq(other.words.names())
            && self.types.names().eq(other.types.names())
            && self.phrases == other.phrases
            && self.entry_types == other.entry_types
            && self.sources == other.sources
    }
}

impl Eq for Gazetteer {}

/// Options of [`Gazetteer::of_names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameOptions {
    /// Ignore case.
    pub ignore_case: bool,
    /// Keep the types of the names.
    pub typed: bool,
    /// Minimum number of different sentences in which a name occurs, at least 1.
    pub min_count: usize,
    /// Do not match a name in the only sentence from which it was taken.
    pub leave_one_out: bool,
}

impl Default for NameOptions {
    fn default() -> Self {
        Self {
            ignore_case: false,
            typed: true,
            min_count: 1,
            leave_one_out: true,
        }
    }
}

/// Work space for [`Gazetteer::find`].
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchBuffers {
    /// The numbers of the tokens.
    ids: Vec<u32>,
    /// A token in lower case.
    pub(crate) folded: String,
}

/// A phrase before words and types are numbered: its words and its type.
type Entry = (Vec<String>, String);

impl Gazetteer {
    /// A gazetteer of phrases, each with its tokens and its type. Repeated phrases are counted once.
    ///
    /// # Errors
    /// [`Error::Input`] if there are no phrases, for a phrase without tokens or with more than 256
    /// tokens, and for more than 256 types.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Gazetteer;
    /// let names = [(vec!["Ada", "Lovelace"], Some("PER")), (vec!["London"], Some("LOC"))];
    /// let gazetteer = Gazetteer::new(names, true)?;
    /// assert!(gazetteer.contains(&["ADA", "Lovelace"]));
    /// # Ok::<(), spanrs_crf::Error>(())
    /// ```
    pub fn new<'a, P: AsRef<[S]>, S: AsRef<str>>(
        phrases: impl IntoIterator<Item = (P, Option<&'a str>)>,
        ignore_case: bool,
    ) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for (at, (tokens, kind)) in phrases.into_iter().enumerate() {
            let tokens = tokens.as_ref();
            if tokens.is_empty() || tokens.iter().all(|token| token.as_ref().is_empty()) {
                return Err(Error::Input(format!("phrase {at} has no tokens")));
            }
            if tokens.len() > MAX_TOKENS {
                let len = tokens.len();
                let message = format!("phrase {at} has {len} tokens; the limit is {MAX_TOKENS}");
                return Err(Error::Input(message));
            }
            let tokens = tokens.iter().map(|token| fold(token.as_ref(), ignore_case));
            entries.insert(
                (tokens.collect(), kind.unwrap_or_default().to_owned()),
                SEVERAL,
            );
        }
        Self::of_entries(entries, ignore_case)
    }

    /// A gazetteer of the names in sentences: `names` has the sentence, the token range and the type
    /// of each. The first column of the sentences has the tokens.
    ///
    /// A gazetteer of the training names matches every name of the training data, which no
    /// gazetteer does in new text, so training relies on it too much. With
    /// [`NameOptions::leave_one_out`] a name does not match in a sentence that is the only one with
    /// this name: training then sees the gazetteer of the other sentences, as in jackknifing. The
    /// sentence is recognised by a hash of its tokens, so the same holds when it is tagged.
    ///
    /// # Errors
    /// [`Error::Input`] if no name remains, for a name outside of its sentence or of more than 256
    /// tokens, and for more than 256 types.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Columns, Gazetteer, NameOptions};
    /// let sentences = Columns::of_tokens([["in", "Rio"], ["to", "Rio"], ["in", "Bonn"]]);
    /// let names = [(0, 1..2, "LOC"), (1, 1..2, "LOC"), (2, 1..2, "LOC")];
    /// let options = NameOptions { min_count: 2, ..NameOptions::default() };
    /// let gazetteer = Gazetteer::of_names(&sentences, names, options)?;
    /// assert!(gazetteer.contains(&["Rio"]) && !gazetteer.contains(&["Bonn"]));
    /// # Ok::<(), spanrs_crf::Error>(())
    /// ```
    pub fn of_names<'a>(
        sentences: &Columns,
        names: impl IntoIterator<Item = (usize, Range<usize>, &'a str)>,
        options: NameOptions,
    ) -> Result<Self> {
        // The hashes of the sentences of each name.
        let mut found: BTreeMap<Entry, Vec<u64>> = BTreeMap::new();
        let mut tokens: (usize, Vec<&str>, u64) = (usize::MAX, Vec::new(), 0);
        for (at, range, kind) in names {
            if tokens.0 != at && at < sentences.len() {
                let column = sentences.columns(at).into_iter().next().unwrap_or_default();
                let hash = sentence_hash(&column);
                tokens = (at, column, hash);
            }
            let name = tokens.1.get(range.clone()).unwrap_or_default();
            if tokens.0 != at || name.is_empty() {
                let Range { start, end } = range;
                let message = format!("tokens {start} to {end} are not in sentence {at}");
                return Err(Error::Input(message));
            }
            let name = name.iter().map(|token| fold(token, options.ignore_case));
            let kind = if options.typed { kind } else { "" };
            found
                .entry((name.collect(), kind.to_owned()))
                .or_default()
                .push(tokens.2);
        }
        let mut entries = BTreeMap::new();
        for (entry, mut hashes) in found {
            hashes.sort_unstable();
            hashes.dedup();
            if hashes.len() >= options.min_count {
                let source = match hashes[..] {
                    [only] if options.leave_one_out => only,
                    _ => SEVERAL,
                };
                entries.insert(entry, source);
            }
        }
        Self::of_entries(entries, options.ignore_case)
    }

    /// Numbers words and types in alphabetical order, so that equal gazetteers have equal files.
    fn of_entries(entries: BTreeMap<Entry, u64>, ignore_case: bool) -> Result<Self> {
        if entries.is_empty() {
            return Err(Error::Input(
                "a gazetteer needs at least one phrase".to_owned(),
            ));
        }
        let words = ascending(entries.keys().flat_map(|(words, _)| words));
        let types = ascending(entries.keys().map(|(_, kind)| kind));
        if types.len() > MAX_TYPES {
            return Err(Error::Input(format!(
                "{} types of phrases; a gazetteer has at most {MAX_TYPES}",
                types.len()
            )));
        }
        let number = |names: &Interner<str>, name: &str| names.get(name).unwrap_or(UNKNOWN);
        let mut phrases = Jagged::default();
        let mut entry_types = Vec::with_capacity(entries.len());
        // The order of the entries is that of the words, and so that of their numbers.
        for (phrase, kind) in entries.keys() {
            phrases.push(phrase.iter().map(|word| number(&words, word)));
            entry_types.push(number(&types, kind));
        }
        let sources: Vec<u64> = entries.into_values().collect();
        let sources = match sources.iter().all(|source| *source == SEVERAL) {
            true => Vec::new(),
            false => sources,
        };
        Self::of_parts((words, types), phrases, entry_types, sources, ignore_case)
    }

    /// A gazetteer of its parts, which are checked.
    ///
    /// # Errors
    /// [`Error::Input`] for lengths or numbers that do not match, and for another order.
    pub(super) fn of_parts(
        (words, types): (Interner<str>, Interner<str>),
        phrases: Jagged<u32>,
        entry_types: Vec<u32>,
        sources: Vec<u64>,
        ignore_case: bool,
    ) -> Result<Self> {
        let entries = phrases.len();
        let is_valid = entry_types.len() == entries
            && (sources.is_empty() || sources.len() == entries)
            && u32::try_from(entries).is_ok()
            && (1..=MAX_TYPES).contains(&types.len())
            && is_ascending(&words)
            && is_ascending(&types)
            && entry_types
                .iter()
                .all(|kind| (*kind as usize) < types.len())
            && (0..entries).all(|at| {
                let row = phrases.row(at);
                (1..=MAX_TOKENS).contains(&row.len())
                    && row.iter().all(|word| (*word as usize) < words.len())
            })
            && (1..entries).all(|at| {
                let key = |at: usize| (phrases.row(at), entry_types[at]);
                key(at - 1) < key(at)
            });
        if !is_valid {
            let message = "the phrases of a gazetteer are not in order or out of range";
            return Err(Error::Input(message.to_owned()));
        }
        let mut counts = vec![0; words.len()];
        for at in 0..entries {
            counts[phrases.row(at)[0] as usize] += 1;
        }
        let ends = Ends::of_lengths(counts);
        let starts = (0..words.len()).map(|word| ends.start(word) as u32);
        let first = starts.chain([entries as u32]).collect();
        Ok(Self {
            words,
            types,
            phrases,
            entry_types,
            sources,
            first,
            ignore_case,
        })
    }

    /// Number of phrases; a phrase with two types counts twice.
    pub fn len(&self) -> usize {
        self.phrases.len()
    }

    /// False: a gazetteer has at least one phrase.
    pub fn is_empty(&self) -> bool {
        self.phrases.len() == 0
    }

    /// Whether case is ignored.
    pub fn ignore_case(&self) -> bool {
        self.ignore_case
    }

    /// Whether names do not match in the sentence that they come from.
    pub fn leaves_one_out(&self) -> bool {
        !self.sources.is_empty()
    }

    /// The words and the type of each phrase, in alphabetical order.
    pub fn phrases(&self) -> impl ExactSizeIterator<Item = (Vec<&str>, Option<&str>)> {
        (0..self.len()).map(|at| {
            let words = self.phrases.row(at).iter();
            let words = words.map(|&word| self.words.name(word).unwrap_or_default());
            (words.collect(), self.type_of(at))
        })
    }

    /// Whether these tokens are a phrase.
    pub fn contains<S: AsRef<str>>(&self, tokens: &[S]) -> bool {
        let tokens: Vec<&str> = tokens.iter().map(AsRef::as_ref).collect();
        let mut buffers = MatchBuffers::default();
        self.number(&tokens, &mut buffers);
        let longest = self.longest(&buffers.ids, None);
        longest.is_some_and(|(len, _)| len == tokens.len())
    }

    /// Calls `sink` with the token range and the entries of each match in a column of a sentence;
    /// `sentence` is its first column, by which sentences are recognised. `buffers` is work space. Entries that are left out in this sentence are in the range if another entry of
    /// the same phrase is not; [`Gazetteer::push_types`] skips them.
    pub(crate) fn find(
        &self,
        (tokens, sentence): (&[&str], &[&str]),
        buffers: &mut MatchBuffers,
        mut sink: impl FnMut(Range<usize>, Range<usize>, Option<u64>),
    ) {
        self.number(tokens, buffers);
        let sentence = self.leaves_one_out().then(|| sentence_hash(sentence));
        let mut at = 0;
        while at < tokens.len() {
            match self.longest(&buffers.ids[at..], sentence) {
                None => at += 1,
                Some((len, entries)) => {
                    sink(at..at + len, entries, sentence);
                    at += len;
                }
            }
        }
    }

    /// Appends the types of entries after a hyphen, separated by `|`; nothing without a type.
    pub(crate) fn push_types(
        &self,
        out: &mut String,
        entries: Range<usize>,
        sentence: Option<u64>,
    ) {
        let mut separator = '-';
        for kind in entries.filter(|at| self.applies(*at, sentence)) {
            if let Some(kind) = self.type_of(kind) {
                out.push(separator);
                out.push_str(kind);
                separator = '|';
            }
        }
    }

    /// The type of an entry.
    fn type_of(&self, at: usize) -> Option<&str> {
        let kind = self.types.name(self.entry_types[at]);
        kind.filter(|kind| !kind.is_empty())
    }

    /// Numbers tokens as words.
    fn number(&self, tokens: &[&str], buffers: &mut MatchBuffers) {
        let MatchBuffers { ids, folded } = buffers;
        ids.clear();
        ids.extend(tokens.iter().map(|token| {
            let word = if self.ignore_case {
                folded.clear();
                push_lower(folded, token);
                folded.as_str()
            } else {
                token
            };
            self.words.get(word).unwrap_or(UNKNOWN)
        }));
    }

    /// The length of the longest phrase at the beginning of `ids`, which is not empty, and its
    /// entries.
    fn longest(&self, ids: &[u32], sentence: Option<u64>) -> Option<(usize, Range<usize>)> {
        let word = *ids.first()? as usize;
        let mut range = match self.first.get(word..word.checked_add(2)?) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => return None,
        };
        let mut longest = None;
        for len in 1.. {
            // The shorter phrases come first.
            let is_whole = |at: &usize| self.phrases.row(*at).len() == len;
            let whole = range.start..range.start + range.clone().take_while(is_whole).count();
            let rest = whole.end..range.end;
            if whole.clone().any(|at| self.applies(at, sentence)) {
                longest = Some((len, whole));
            }
            let Some(&next) = ids.get(len) else { break };
            let start = self.first_at(rest.clone(), |at| self.phrases.row(at)[len] >= next);
            let end = self.first_at(start..rest.end, |at| self.phrases.row(at)[len] > next);
            if start == end {
                break;
            }
            range = start..end;
        }
        longest
    }

    /// The first entry of a range from which on `is_after` is true, by binary search.
    fn first_at(&self, range: Range<usize>, is_after: impl Fn(usize) -> bool) -> usize {
        let Range { mut start, mut end } = range;
        while start < end {
            let middle = start + (end - start) / 2;
            match is_after(middle) {
                true => end = middle,
                false => start = middle + 1,
            }
        }
        start
    }

    /// Whether an entry matches in the sentence with this hash.
    fn applies(&self, at: usize, sentence: Option<u64>) -> bool {
        let source = self.sources.get(at).copied();
        sentence.is_none() || source == Some(SEVERAL) || source != sentence
    }
}

/// A word as it is stored.
pub(crate) fn fold(word: &str, ignore_case: bool) -> String {
    let mut folded = String::with_capacity(word.len());
    match ignore_case {
        true => push_lower(&mut folded, word),
        false => folded.push_str(word),
    }
    folded
}

/// The distinct names, numbered in alphabetical order (of bytes).
pub(super) fn ascending<'a>(names: impl Iterator<Item = &'a String>) -> Interner<str> {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let mut all = Interner::default();
    names.into_iter().for_each(|name| {
        all.intern(name);
    });
    all
}

/// Whether names ascend.
pub(super) fn is_ascending(names: &Interner<str>) -> bool {
    names.names().is_sorted_by(|a, b| a < b)
}

/// A hash of the tokens of a sentence; never [`SEVERAL`].
fn sentence_hash(tokens: &[&str]) -> u64 {
    let end = Fingerprint::of("\0");
    let keys = tokens.iter().fold(Key::EMPTY, |key, token| {
        key.concat(&Fingerprint::of(token)).concat(&end)
    });
    // Below 2^61.
    keys.mod_prime
}
