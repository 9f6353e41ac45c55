//! Grounding: finds extracted strings in their text.
//!
//! A language model returns strings with types, but no offsets. [`ground`] finds an occurrence of
//! each string. The stages are, in this order:
//!
//! | stage | an occurrence |
//! |---|---|
//! | [`Stage::Exact`] | has the same characters, and does not begin or end inside a word |
//! | [`Stage::Case`] | may differ in case and white space |
//! | [`Stage::Unicode`] | may also differ in compatibility characters (NFKC), quotes, dashes, invisible characters and, as an option, diacritics |
//! | [`Stage::Fuzzy`] | consists of whole tokens that have the same digits and whose similarity is at least the threshold |
//! | [`Stage::Part`] | has the same form as in the stage unicode, but may begin and end inside a word, though not inside a grapheme cluster |
//!
//! A mention is handled by the first stage in which an occurrence is left for it. The stage part is
//! the last, because misspelt strings are often parts of other words: run before the stage fuzzy, it
//! placed 19 % of the misspelt mentions of GermEval at wrong bounds (benches/versus/ground.py).
//!
//! # Words and white space
//!
//! A word is a sequence of letters, digits and underscores; in scripts without spaces between words,
//! such as Chinese, Japanese and Thai, each character is a word. From stage case on, any white space
//! between two words of letters equals one space, and white space elsewhere is ignored, so that
//! mentions are found in tokens joined by spaces: `( Texas )`, `東 京`.
//!
//! # Assignment
//!
//! Mentions of the same type never have the same range. Except in the stage fuzzy, each stage first
//! reserves occurrences, in the order of decreasing length of the strings. An occurrence is free if
//! it overlaps no placed mention and no reserved occurrence. A string that has at least as many free
//! occurrences as open mentions uses only these; a string that has at most as many reserves them. So
//! `Paris` is not placed in the only `Paris Hilton` while it occurs elsewhere. If all mentions of a
//! stage can be placed without overlap, reserving removes no occurrence that such a placement uses.
//!
//! Then the stage places a largest chain:
//! as many open mentions as possible, such that their occurrences have the order of the list, do
//! not overlap each other or a mention placed before, and are between the chained mentions of
//! earlier stages that precede and follow in the list. Among these, the chain with the
//! lexicographically smallest list of mentions is chosen, then the smallest list of ends. Then the
//! other open mentions are placed in the order of the list: each gets the first occurrence that
//! overlaps no placed mention, or else the first one that no mention of the same type has. So
//! successive mentions of a string get successive occurrences, order is kept and overlaps are
//! avoided where possible, and mentions without an occurrence are left to later stages.
//!
//! In the stage fuzzy, chains use only occurrences whose similarity is at most 0.05 below the best
//! of the string, and "first" means most similar.
//!
//! # Complexity
//!
//! The other stages than fuzzy take one pass over the text with an automaton for all strings, and
//! `O(k log k)` time for `k` pairs of a mention and an occurrence. A string has at most
//! `max(64, 2^20 / s)` occurrences plus twice the number of its mentions, where `s` is the number
//! of strings; later occurrences are ignored. With more than 2^20 pairs, the chain considers an
//! equal number of occurrences for each mention, from the n-th occurrence for the n-th mention of a
//! string. The stage fuzzy compares each string of at most 1,000 characters with at most 32 windows
//! of the text, which have the most tokens in common with the string.
//!
//! # Examples
//! ```
//! use spanrs_io::ground::{GroundOptions, Mention, Stage, ground};
//! let text = "Angela Merkel met EMMANUEL  MACRON in Paris; Merkel left Paris.";
//! let mentions = [("PER", "Angela Merkel"), ("PER", "Emmanuel Macron"), ("LOC", "Paris"),
//!     ("PER", "Merkle"), ("LOC", "Paris"), ("LOC", "Rome")];
//! let mentions = mentions.map(|(ty, text)| Mention { ty, text });
//! let grounded = ground(text, &mentions, &GroundOptions::default()).unwrap();
//! let places: Vec<_> = grounded.iter().flatten().map(|g| (g.start, g.end, g.stage)).collect();
//! assert_eq!(places, [
//!     (0, 13, Stage::Exact), (18, 34, Stage::Case), (38, 43, Stage::Exact),
//!     (45, 51, Stage::Fuzzy), (57, 62, Stage::Exact),
//! ]);
//! assert!(grounded[5].is_none());
//! ```

mod assignment;
mod characters;
mod fuzzy;
mod occurrences;
mod options;
mod pattern;
mod similarity;
mod stream;
#[cfg(test)]
mod tests;
mod trigrams;

use std::collections::HashMap;

use spanrs_base::{Interrupted, Watch, Workers, even_ranges, limit_threads};

use assignment::{Open, Places, count_strings};
use fuzzy::TokenIndex;
use occurrences::{Occurrences, Search, find_occurrences};
pub use options::{GroundError, GroundOptions, Stage};
use stream::{Level, Stream, normalise};

/// An extracted string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention<'a> {
    /// The type.
    pub ty: &'a str,
    /// The string; white space at its ends is ignored.
    pub text: &'a str,
}

/// The place of a mention in its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grounded {
    /// First character, from 0.
    pub start: u32,
    /// One past the last character.
    pub end: u32,
    /// The stage that found the place.
    pub stage: Stage,
    /// Similarity of mention and occurrence; 1 except in the stage fuzzy.
    pub similarity: f64,
}

/// Finds mentions in a text; the result has the order of the mentions. See the [module](self).
///
/// # Errors
/// [`GroundError::Threshold`], [`GroundError::TooLong`] if the text, or all mentions together, have
/// more than 2^27 bytes, and [`GroundError::Automaton`].
pub fn ground(
    text: &str,
    mentions: &[Mention<'_>],
    options: &GroundOptions,
) -> Result<Vec<Option<Grounded>>, GroundError> {
    options.check()?;
    Grounding::new(text, mentions, options)?.run(&mut || Ok(()))
}

/// Returns the form of a string under which a stage finds it: equal forms are the same string to the
/// stage. [`Stage::Part`] and [`Stage::Fuzzy`] compare the forms of [`Stage::Unicode`]; diacritics
/// are kept.
///
/// ```
/// use spanrs_io::ground::{Stage, normalised};
/// assert_eq!(normalised(" New\u{a0} York", Stage::Case), normalised("NEW YORK", Stage::Case));
/// assert_eq!(normalised("O’Neil", Stage::Unicode), normalised("o'neil", Stage::Unicode));
/// ```
pub fn normalised(string: &str, stage: Stage) -> String {
    let level = match stage {
        Stage::Exact => Level::Exact,
        Stage::Case => Level::Case,
        _ => Level::Unicode { diacritics: false },
    };
    normalise(string, level)
}

/// Finds the mentions of many texts, like [`ground`], in several threads.
///
/// # Errors
/// The errors of [`ground`], for the first document with an error, and [`GroundError::Interrupted`]
/// if `watch` returns true.
///
/// # Examples
/// ```
/// use spanrs_io::ground::{GroundOptions, Mention, ground_many};
/// let documents = [("Rome", vec![Mention { ty: "LOC", text: "rome" }]), ("Oslo", vec![])];
/// let grounded = ground_many(&documents, &GroundOptions::default(), 2, || false).unwrap();
/// assert_eq!(grounded[0][0].map(|place| (place.start, place.end)), Some((0, 4)));
/// ```
pub fn ground_many<'a, T: AsRef<str> + Sync, M: AsRef<[Mention<'a>]> + Sync>(
    documents: &[(T, M)],
    options: &GroundOptions,
    threads: usize,
    watch: Watch,
) -> Result<Vec<Vec<Option<Grounded>>>, GroundError> {
    options.check()?;
    let parts = even_ranges(documents.len(), limit_threads(threads));
    let parts = Workers::watched(watch).map(parts, |part, worker| {
        let documents = documents[part].iter().map(|(text, mentions)| {
            worker.check()?;
            let grounding = Grounding::new(text.as_ref(), mentions.as_ref(), options)?;
            grounding.run(&mut || worker.check())
        });
        documents.collect::<Result<Vec<_>, GroundError>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}

/// A document whose mentions are being placed.
struct Grounding<'a> {
    text: &'a str,
    mentions: &'a [Mention<'a>],
    options: &'a GroundOptions,
    /// The number of each mention's type.
    types: Vec<u32>,
    places: Places,
    grounded: Vec<Option<Grounded>>,
    /// The mentions that have no place yet.
    left: Vec<usize>,
}

/// Calls the watch of the caller.
type Check<'a> = &'a mut dyn FnMut() -> Result<(), Interrupted>;

impl<'a> Grounding<'a> {
    fn new(
        text: &'a str,
        mentions: &'a [Mention<'a>],
        options: &'a GroundOptions,
    ) -> Result<Self, GroundError> {
        let bytes: usize = mentions.iter().map(|mention| mention.text.len()).sum();
        // Case folding and NFKC may make a text up to 18 times as long.
        if text.len().max(bytes) > GroundOptions::MAX_BYTES {
            return Err(GroundError::TooLong);
        }
        let mut numbers = HashMap::new();
        let number = |mention: &Mention<'a>| {
            let next = numbers.len() as u32;
            *numbers.entry(mention.ty).or_insert(next)
        };
        Ok(Self {
            text,
            mentions,
            options,
            types: mentions.iter().map(number).collect(),
            places: Places::new(mentions.len()),
            grounded: vec![None; mentions.len()],
            left: (0..mentions.len()).collect(),
        })
    }

    /// Runs the stages.
    fn run(mut self, check: Check<'_>) -> Result<Vec<Option<Grounded>>, GroundError> {
        let mut stream: Option<(Level, Stream<'_>)> = None;
        for stage in Stage::ALL {
            if self.left.is_empty() {
                break;
            }
            if !self.options.stages.contains(&stage) {
                continue;
            }
            check()?;
            let level = stage.level(self.options.diacritics);
            if stream.as_ref().is_none_or(|(last, _)| *last != level) {
                stream = Some((level, Stream::new(self.text, level)));
            }
            if let Some((_, stream)) = &stream {
                self.run_stage(stage, level, stream, check)?;
            }
        }
        Ok(self.grounded)
    }

    /// Places the mentions that are left by one stage.
    fn run_stage(
        &mut self,
        stage: Stage,
        level: Level,
        stream: &Stream<'_>,
        check: Check<'_>,
    ) -> Result<(), GroundError> {
        let form = |&at: &usize| normalise(self.mentions[at].text, level);
        let forms: Vec<String> = self.left.iter().map(form).collect();
        let (open, strings) = self.open(&forms);
        let mut occurrences = match stage {
            Stage::Fuzzy => self.similar(stream, level, &open, strings.len(), check)?,
            _ => {
                let share = (OCCURRENCES / strings.len().max(1)).max(64);
                let limits: Vec<usize> = count_strings(&open, strings.len())
                    .iter()
                    .map(|n| 2 * n + share)
                    .collect();
                let search = Search {
                    strings: &strings,
                    limits: &limits,
                    whole_words: stage != Stage::Part,
                };
                find_occurrences(stream, &search, check)?
            }
        };
        if stage != Stage::Fuzzy {
            self.places.reserve(&open, &strings, &mut occurrences);
        }
        let placed = self.places.assign(&open, &occurrences, check)?;
        for (open, place) in open.iter().zip(placed) {
            let similarities = &occurrences[open.string].similarities;
            self.grounded[open.mention] = place.map(|((start, end), at)| Grounded {
                start,
                end,
                stage,
                similarity: similarities.get(at).copied().unwrap_or(1.0),
            });
        }
        let grounded = &self.grounded;
        self.left.retain(|&mention| grounded[mention].is_none());
        Ok(())
    }

    /// Returns the mentions that are left, which have these forms, and the distinct forms.
    fn open<'f>(&self, forms: &'f [String]) -> (Vec<Open>, Vec<&'f str>) {
        let (mut ids, mut strings) = (HashMap::new(), Vec::new());
        let mut open = Vec::with_capacity(forms.len());
        for (form, &mention) in forms.iter().zip(&self.left) {
            let string = *ids.entry(form.as_str()).or_insert_with(|| {
                strings.push(form.as_str());
                strings.len() - 1
            });
            let ty = self.types[mention];
            open.push(Open {
                mention,
                ty,
                string,
            });
        }
        (open, strings)
    }

    /// Finds approximate occurrences of each of the strings.
    fn similar(
        &self,
        stream: &Stream<'_>,
        level: Level,
        open: &[Open],
        strings: usize,
        check: Check<'_>,
    ) -> Result<Vec<Occurrences>, GroundError> {
        let index = TokenIndex::new(stream);
        let mut all = Vec::with_capacity(strings);
        for open in open {
            // Strings are numbered in the order of their first mentions.
            if open.string == all.len() {
                check()?;
                let mention = Stream::new(self.mentions[open.mention].text.trim(), level);
                all.push(index.find(&mention, self.options.threshold, check)?);
            }
        }
        Ok(all)
    }
}

/// Number of occurrences that are kept for all strings of a document together, in addition to
/// those needed for their mentions.
const OCCURRENCES: usize = 1 << 20;
