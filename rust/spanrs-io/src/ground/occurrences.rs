//! All occurrences of many strings in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use memchr::memmem::Finder;
use spanrs_base::{Interrupted, Interval};

use super::stream::{Locator, Stream, StringSize};
use super::{Check, GroundError};

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
    pub(super) fn ranked(mut best_first: Vec<((u32, u32), f64)>) -> Self {
        let mut by_end: Vec<usize> = (0..best_first.len()).collect();
        by_end.sort_by_key(|&at| (best_first[at].0.1, best_first[at].0.0));
        let mut preferred = vec![0; best_first.len()];
        for (rank, &at) in by_end.iter().enumerate() {
            preferred[at] = rank as u32;
        }
        best_first.sort_by_key(|&((start, end), _)| (end, start));
        Self {
            ranges: best_first.iter().map(|&(range, _)| range).collect(),
            similarities: best_first
                .iter()
                .map(|&(_, similarity)| similarity)
                .collect(),
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

/// The strings that are searched in a text.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) strings: &'a [&'a str],
    /// The maximum number of occurrences of each string; further ones are not reported.
    pub(super) limits: &'a [usize],
    /// Whether occurrences may not begin or end inside a word.
    pub(super) whole_words: bool,
}

/// Finds the occurrences of strings.
///
/// A few strings are searched one by one, unless they have many characters in matches. One pass of
/// an automaton takes time linear in text, strings and matches. There are at most `O(n sqrt(m))`
/// matches in a text of `n` bytes for distinct strings of `m` bytes in total. If there are many more
/// matches than bytes, as in a text of one repeated letter, the automaton is built again without the
/// strings that have reached their limit.
///
/// # Errors
/// [`GroundError::Automaton`] if the strings are too long for an automaton, and
/// [`GroundError::Interrupted`].
pub(super) fn find_occurrences(
    stream: &Stream<'_>,
    search: &Search<'_>,
    check: Check<'_>,
) -> Result<Vec<Occurrences>, GroundError> {
    let (strings, limits) = (search.strings, search.limits);
    let fits = |&at: &usize| !strings[at].is_empty() && strings[at].len() <= stream.text.len();
    let mut active: Vec<usize> = (0..strings.len()).filter(fits).collect();
    if active.len() <= FEW
        && let Some(all) = find_each(stream, search, &active, check)?
    {
        return Ok(all);
    }
    let mut all = vec![Occurrences::default(); strings.len()];
    let mut done = 0;
    while !active.is_empty() {
        let Some(at) = scan(stream, search, &active, done, &mut all, check)? else {
            break;
        };
        done = at;
        active.retain(|&at| !is_saturated(&all[at], limits[at]));
    }
    Ok(all)
}

/// Finds the occurrences of each string in a pass of its own. Returns None if this takes too long,
/// because there are many or long matches: comparing overlapping matches takes time quadratic in
/// their length.
fn find_each(
    stream: &Stream<'_>,
    search: &Search<'_>,
    active: &[usize],
    check: Check<'_>,
) -> Result<Option<Vec<Occurrences>>, Interrupted> {
    let text = stream.text.as_bytes();
    let mut all = vec![Occurrences::default(); search.strings.len()];
    let mut allowance = 256 + text.len() / 64;
    for &at in active {
        check()?;
        let finder = Finder::new(search.strings[at]);
        let mut locator = Locator::new(stream);
        let size = StringSize::of(search.strings[at]);
        let ranges = &mut all[at].ranges;
        let mut from = 0;
        while ranges.len() < search.limits[at]
            && let Some(distance) = finder.find(&text[from..])
        {
            let start = from + distance;
            ranges.extend(locator.locate(start, size, search.whole_words));
            from = start + 1;
            let Some(rest) = allowance.checked_sub(1 + size.bytes / 64) else {
                return Ok(None);
            };
            allowance = rest;
        }
    }
    Ok(Some(all))
}

/// Returns true if a string needs no further occurrences.
fn is_saturated(occurrences: &Occurrences, limit: usize) -> bool {
    occurrences.ranges.len() >= limit || occurrences.raw >= RAW_PER_KEPT * limit as u64
}

/// Finds the matches of the active strings that end after the byte `done`. Returns the position at
/// which the scan stopped, if strings should be removed from the automaton.
fn scan(
    stream: &Stream<'_>,
    search: &Search<'_>,
    active: &[usize],
    done: usize,
    all: &mut [Occurrences],
    check: Check<'_>,
) -> Result<Option<usize>, GroundError> {
    let limits = search.limits;
    let patterns = active.iter().map(|&at| search.strings[at]);
    let sizes: Vec<StringSize> = patterns.clone().map(StringSize::of).collect();
    let longest = sizes.iter().map(|size| size.bytes).max().unwrap_or(0);
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .prefilter(false)
        .build(patterns)
        .map_err(|_| GroundError::Automaton)?;
    let mut locator = Locator::new(stream);
    let input = Input::new(&*stream.text).range((done + 1).saturating_sub(longest)..);
    let matches = automaton
        .try_find_overlapping_iter(input)
        .map_err(|_| GroundError::Automaton)?;
    let mut allowance = ALLOWANCE + 4 * (stream.text.len() - done) as u64;
    let mut interval = Interval::new(1 << 16);
    let mut last = done;
    for hit in matches {
        if interval.passes(1) {
            check()?;
        }
        if hit.end() <= done {
            continue;
        }
        if hit.end() > last && allowance == 0 {
            if active.iter().any(|&at| is_saturated(&all[at], limits[at])) {
                return Ok(Some(last));
            }
            allowance = ALLOWANCE;
        }
        last = hit.end();
        allowance = allowance.saturating_sub(1);
        let pattern = hit.pattern().as_usize();
        let occurrences = &mut all[active[pattern]];
        occurrences.raw += 1;
        if occurrences.ranges.len() < limits[active[pattern]]
            && let Some(range) = locator.locate(hit.start(), sizes[pattern], search.whole_words)
        {
            occurrences.ranges.push(range);
        }
    }
    Ok(None)
}
