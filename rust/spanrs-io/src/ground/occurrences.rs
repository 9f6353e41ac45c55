//! All occurrences of many strings in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use memchr::memmem::Finder;

use super::GroundError;
use super::stream::{Locator, Stream};

/// The occurrences of a string, in characters of the original text.
#[derive(Clone, Debug, Default)]
pub(super) struct Occurrences {
    /// Start and end, ascending by end.
    pub(super) ranges: Vec<(u32, u32)>,
    /// Similarities, if the occurrences are not equal to the string.
    pub(super) similarities: Vec<f64>,
    /// Indices of the ranges in the order of preference; empty if this is the order of the ranges.
    pub(super) preferred: Vec<u32>,
    /// Number of matches of the automaton, including those inside words.
    raw: u64,
}

impl Occurrences {
    /// Creates occurrences in the order of preference.
    pub(super) fn ranked(mut found: Vec<((u32, u32), f64)>) -> Self {
        let mut by_end: Vec<usize> = (0..found.len()).collect();
        by_end.sort_by_key(|&at| (found[at].0.1, found[at].0.0));
        let mut preferred = vec![0; found.len()];
        for (rank, &at) in by_end.iter().enumerate() {
            preferred[at] = rank as u32;
        }
        found.sort_by_key(|&((start, end), _)| (end, start));
        Self {
            ranges: found.iter().map(|&(range, _)| range).collect(),
            similarities: found.iter().map(|&(_, similarity)| similarity).collect(),
            preferred,
            raw: 0,
        }
    }

    /// Returns the range at a rank in the order of preference, and its index.
    pub(super) fn at_rank(&self, rank: usize) -> Option<(usize, (u32, u32))> {
        let at = match self.preferred.is_empty() {
            true => rank,
            false => *self.preferred.get(rank)? as usize,
        };
        Some((at, *self.ranges.get(at)?))
    }
}

/// Maximum number of strings for which a search each is faster than building an automaton.
const FEW: usize = 16;
/// Number of matches after which strings with enough occurrences are removed from the automaton.
const ALLOWANCE: u64 = 1 << 20;
/// Maximum number of matches of a string, including those inside words, for each occurrence kept,
/// in texts with more than [`ALLOWANCE`] matches.
const RAW_PER_KEPT: u64 = 16;

/// Finds the occurrences of strings; `limits` are the maximum numbers of occurrences, and further
/// occurrences are not reported.
///
/// A few strings are searched one by one. One pass of an automaton takes time linear in text, strings and matches. There are at most
/// `O(n sqrt(m))` matches in a text of `n` bytes for distinct strings of `m` bytes in total. If
/// there are many more matches than bytes, as in a text of one repeated letter, the automaton is
/// built again without the strings that have reached their limit.
///
/// # Errors
/// [`GroundError::TooLong`] if the strings are too long for an automaton.
pub(super) fn find_occurrences(
    stream: &Stream<'_>,
    strings: &[&str],
    limits: &[usize],
    whole_words: bool,
) -> Result<Vec<Occurrences>, GroundError> {
    let mut all = vec![Occurrences::default(); strings.len()];
    let fits = |&at: &usize| !strings[at].is_empty() && strings[at].len() <= stream.text.len();
    let mut active: Vec<usize> = (0..strings.len()).filter(fits).collect();
    let mut done = 0;
    if active.len() <= FEW {
        if find_each(stream, strings, &active, limits, whole_words, &mut all) {
            return Ok(all);
        }
        all = vec![Occurrences::default(); strings.len()];
    }
    while !active.is_empty() {
        let resumed = scan(
            stream,
            strings,
            &active,
            limits,
            whole_words,
            done,
            &mut all,
        )?;
        let Some(at) = resumed else {
            break;
        };
        done = at;
        active.retain(|&at| !is_saturated(&all[at], limits[at]));
    }
    Ok(all)
}

/// Finds the occurrences of each string in a pass of its own. Returns false if this takes too long,
/// because there are many matches.
fn find_each(
    stream: &Stream<'_>,
    strings: &[&str],
    active: &[usize],
    limits: &[usize],
    whole_words: bool,
    all: &mut [Occurrences],
) -> bool {
    let text = stream.text.as_bytes();
    let mut allowance = 256 + text.len() / 64;
    for &at in active {
        let finder = Finder::new(strings[at]);
        let mut locator = Locator::new(stream);
        let mut from = 0;
        while all[at].ranges.len() < limits[at]
            && let Some(found) = finder.find(&text[from..])
        {
            let (start, end) = (from + found, from + found + strings[at].len());
            all[at]
                .ranges
                .extend(locator.locate(start, end, whole_words));
            from = start + 1;
            if allowance == 0 {
                return false;
            }
            allowance -= 1;
        }
    }
    true
}

/// Returns true if a string needs no further occurrences.
fn is_saturated(occurrences: &Occurrences, limit: usize) -> bool {
    occurrences.ranges.len() >= limit || occurrences.raw >= RAW_PER_KEPT * limit as u64
}

/// Finds the matches of the active strings that end after the byte `done`. Returns the position at
/// which the scan stopped, if strings should be removed from the automaton.
fn scan(
    stream: &Stream<'_>,
    strings: &[&str],
    active: &[usize],
    limits: &[usize],
    whole_words: bool,
    done: usize,
    all: &mut [Occurrences],
) -> Result<Option<usize>, GroundError> {
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .prefilter(false)
        .build(active.iter().map(|&at| strings[at]))
        .map_err(|_| GroundError::TooLong)?;
    let longest = active
        .iter()
        .map(|&at| strings[at].len())
        .max()
        .unwrap_or(0);
    let mut locator = Locator::new(stream);
    let input = Input::new(&*stream.text).range((done + 1).saturating_sub(longest)..);
    let matches = automaton
        .try_find_overlapping_iter(input)
        .map_err(|_| GroundError::TooLong)?;
    let mut allowance = ALLOWANCE + 4 * (stream.text.len() - done) as u64;
    let mut last = done;
    for found in matches {
        if found.end() <= done {
            continue;
        }
        if found.end() > last && allowance == 0 {
            if active.iter().any(|&at| is_saturated(&all[at], limits[at])) {
                return Ok(Some(last));
            }
            allowance = ALLOWANCE;
        }
        last = found.end();
        allowance = allowance.saturating_sub(1);
        let string = active[found.pattern().as_usize()];
        all[string].raw += 1;
        if all[string].ranges.len() < limits[string]
            && let Some(range) = locator.locate(found.start(), found.end(), whole_words)
        {
            all[string].ranges.push(range);
        }
    }
    Ok(None)
}
