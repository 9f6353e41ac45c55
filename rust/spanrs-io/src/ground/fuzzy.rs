//! Approximate occurrences: windows of tokens that are similar to a mention.

use std::collections::HashMap;

use spanrs_base::Interrupted;

use super::Check;
use super::occurrences::Occurrences;
use super::similarity::{MentionText, TokenText, Window, most_similar};
use super::stream::{Locator, Stream, StringSize};
use super::trigrams::{Trigrams, trigrams_of};

/// Maximum length of a mention, in normalised characters.
pub(super) const MAX_CHARACTERS: usize = 1000;
/// Maximum number of places at which tokens of a mention are found.
const ANCHORS: usize = 2048;
/// Maximum number of windows that are compared with a mention.
const WINDOWS: usize = 32;
/// Maximum number of pairs of characters that are compared for a mention; windows beyond are skipped.
const CELLS: usize = 1 << 21;
/// Minimum evidence for a window, as a proportion of the evidence for the best window.
const EVIDENCE: f64 = 0.5;
/// Number of tokens that take the place of a token that is not in the text.
const SIMILAR: usize = 8;
/// Maximum number of tokens with common trigrams that are considered.
const COMMON: usize = 4096;

/// An index of the tokens of a normalised text.
#[derive(Debug)]
pub(super) struct TokenIndex<'a> {
    stream: &'a Stream<'a>,
    /// Start and end of each token in bytes of the normalised text.
    tokens: Vec<(u32, u32)>,
    ids: HashMap<&'a str, u32>,
    /// Lengths of the distinct tokens in characters.
    lengths: Vec<usize>,
    /// Positions of the tokens with each id.
    positions: Vec<Vec<u32>>,
    /// Trigrams of the distinct tokens, with ids.
    trigrams: Trigrams,
    /// Number of characters.
    characters: usize,
}

impl<'a> TokenIndex<'a> {
    /// Indexes a text.
    pub(super) fn new(stream: &'a Stream<'a>) -> Self {
        let tokens = stream.tokens();
        let (mut ids, mut names, mut positions) = (HashMap::new(), Vec::new(), Vec::new());
        for (at, &(start, end)) in tokens.iter().enumerate() {
            let name = &stream.text[start as usize..end as usize];
            let id = *ids.entry(name).or_insert_with(|| {
                names.push(name);
                positions.push(Vec::new());
                names.len() as u32 - 1
            });
            positions[id as usize].push(at as u32);
        }
        Self {
            stream,
            tokens,
            ids,
            trigrams: Trigrams::new(&names),
            lengths: names.iter().map(|name| name.chars().count()).collect(),
            positions,
            characters: stream.text.chars().count(),
        }
    }

    /// Returns disjoint windows whose similarity with a mention is at least the threshold, the most
    /// similar first.
    ///
    /// # Errors
    /// [`Interrupted`] if `check` requests a stop.
    pub(super) fn find(
        &self,
        mention: &Stream<'_>,
        threshold: f64,
        check: Check<'_>,
    ) -> Result<Occurrences, Interrupted> {
        if mention.text.len() > 4 * MAX_CHARACTERS {
            return Ok(Occurrences::default());
        }
        let mention = MentionText::new(token_text(&mention.text, &mention.tokens()));
        let length = mention.text.characters.len();
        // No string of fewer characters than this is similar enough.
        let least = length as f64 * threshold;
        if length == 0 || length > MAX_CHARACTERS || least > self.characters as f64 {
            return Ok(Occurrences::default());
        }
        let slack = 2 + mention.text.tokens.len() / 4;
        let mut similar: Vec<Window> = Vec::new();
        let mut cells = 0;
        let starts = self.window_starts(&mention.text, slack);
        let most = starts.first().map_or(0.0, |best| best.0);
        for (weight, start) in starts {
            if weight < EVIDENCE * most {
                break;
            }
            check()?;
            let first = start.saturating_sub(slack);
            let last = (start + mention.text.tokens.len() + 2 * slack).min(self.tokens.len());
            for (first, last) in self.without_long_tokens(first, last, length, threshold) {
                let text = token_text(&self.stream.text, &self.tokens[first..last]);
                let size = length * text.characters.len();
                if cells + size > CELLS {
                    continue;
                }
                cells += size;
                let window = most_similar(&mention, &text, threshold);
                similar.extend(window.map(|window| Window {
                    first: window.first + first,
                    last: window.last + first,
                    ..window
                }));
            }
        }
        Ok(self.disjoint(similar))
    }

    /// Divides a range of tokens at the tokens that are too long to be part of an occurrence of a
    /// mention of `length` characters, and leaves out ranges with more than [`CELLS`] pairs of
    /// characters.
    ///
    /// An occurrence of `n` characters has at most the similarity `length / n`, or, if the order of
    /// words is disregarded, `0.95 * 2 * length / (length + n)`, which is less than
    /// `2 * length / n`.
    fn without_long_tokens(
        &self,
        first: usize,
        last: usize,
        length: usize,
        threshold: f64,
    ) -> Vec<(usize, usize)> {
        // A character has at most four bytes.
        let most = 4.0 * 2.0 * length as f64 / threshold;
        let is_long = |&at: &usize| {
            let (start, end) = self.tokens[at];
            f64::from(end - start) > most
        };
        let mut ranges = Vec::new();
        let mut from = first;
        for at in (first..last).filter(is_long).chain([last]) {
            if from < at {
                let bytes = self.tokens[at - 1].1 - self.tokens[from].0;
                if bytes as usize <= 4 * CELLS / length {
                    ranges.push((from, at));
                }
            }
            from = at + 1;
        }
        ranges
    }

    /// Returns the best windows that do not overlap better ones; of equal windows the earlier one.
    fn disjoint(&self, mut windows: Vec<Window>) -> Occurrences {
        let place = |window: &Window| (window.first, window.last);
        windows.sort_by(|a, b| {
            let by_similarity = b.similarity.total_cmp(&a.similarity);
            by_similarity.then(place(a).cmp(&place(b)))
        });
        let mut kept: Vec<Window> = Vec::new();
        for window in windows {
            let is_apart =
                |better: &Window| window.last <= better.first || better.last <= window.first;
            if kept.iter().all(is_apart) {
                kept.push(window);
            }
        }
        let mut locator = Locator::new(self.stream);
        let ranked = kept.iter().filter_map(|window| {
            let (start, end) = (self.tokens[window.first].0, self.tokens[window.last - 1].1);
            let size = StringSize::of(&self.stream.text[start as usize..end as usize]);
            let range = locator.locate(start as usize, size, false)?;
            Some((range, window.similarity))
        });
        Occurrences::ranked(ranked.collect())
    }

    /// Returns the windows in which a mention may occur, as evidence and first token, best first.
    ///
    /// A token of the mention at index `q` and the same token of the text at `p` are evidence for a
    /// window at `p - q`. Windows are ordered by the characters of the mention's tokens with
    /// evidence for a start in a range of `slack` tokens.
    fn window_starts(&self, mention: &TokenText, slack: usize) -> Vec<(f64, usize)> {
        let (anchors, weights) = self.anchors(mention);
        let mut counts = vec![0_u32; mention.tokens.len()];
        let (mut weight, mut next) = (0.0, 0);
        let mut scored = Vec::with_capacity(anchors.len());
        for &(start, q) in &anchors {
            while let Some(&(later, r)) = anchors.get(next)
                && later <= start + slack as i64
            {
                weight += if counts[r] == 0 { weights[r] } else { 0.0 };
                counts[r] += 1;
                next += 1;
            }
            scored.push((weight, start));
            counts[q] -= 1;
            weight -= if counts[q] == 0 { weights[q] } else { 0.0 };
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut starts: Vec<(f64, i64)> = Vec::new();
        for (weight, start) in scored {
            let is_far = |better: &(f64, i64)| start.abs_diff(better.1) > slack as u64;
            if starts.iter().all(is_far) {
                starts.push((weight, start));
                if starts.len() == WINDOWS {
                    break;
                }
            }
        }
        let starts = starts.into_iter();
        starts
            .map(|(weight, start)| (weight, start.max(0) as usize))
            .collect()
    }

    /// Returns evidence for windows: their first token and the index of a token of the mention,
    /// ascending; and the weight of each token of the mention. The rarest tokens are used first.
    fn anchors(&self, mention: &TokenText) -> (Vec<(i64, usize)>, Vec<f64>) {
        let mut tokens = Vec::new();
        let mut weights = vec![0.0; mention.tokens.len()];
        for (q, &(start, end)) in mention.tokens.iter().enumerate() {
            let name: String = mention.characters[start..end].iter().collect();
            let similar = match self.ids.get(name.as_str()) {
                Some(&id) => vec![(1.0, id)],
                None => self.similar_tokens(&name),
            };
            weights[q] = similar
                .first()
                .map_or(0.0, |best| best.0 * (end - start) as f64);
            let count = |&(_, id): &(f64, u32)| self.positions[id as usize].len();
            tokens.push((similar.iter().map(count).sum::<usize>(), q, similar));
        }
        tokens.sort_by_key(|&(count, q, _)| (count, q));
        let mut anchors = Vec::new();
        for (_, q, similar) in tokens {
            for (_, id) in similar {
                let left = ANCHORS - anchors.len();
                let positions = self.positions[id as usize].iter().take(left);
                anchors.extend(positions.map(|&p| (i64::from(p) - q as i64, q)));
            }
        }
        anchors.sort_unstable();
        (anchors, weights)
    }

    /// Returns the tokens of the text with the largest proportion of common trigrams (Dice's
    /// coefficient), best first.
    fn similar_tokens(&self, token: &str) -> Vec<(f64, u32)> {
        let keys = trigrams_of(token);
        let mut lists: Vec<Vec<u32>> = keys.iter().map(|&key| self.trigrams.ids(key)).collect();
        lists.sort_by_key(Vec::len);
        let mut ids: Vec<u32> = lists.into_iter().flatten().take(COMMON).collect();
        ids.sort_unstable();
        let mut scored: Vec<(f64, u32)> = ids
            .chunk_by(|a, b| a == b)
            .map(|same| {
                let length = self.lengths[same[0] as usize];
                (
                    2.0 * same.len() as f64 / (keys.len() + length) as f64,
                    same[0],
                )
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(SIMILAR);
        scored
    }
}

/// Returns the characters of consecutive tokens of a normalised text.
fn token_text(text: &str, tokens: &[(u32, u32)]) -> TokenText {
    let slice = |start: u32, end: u32| &text[start as usize..end as usize];
    let mut collected = TokenText::default();
    let mut end = tokens.first().map_or(0, |token| token.0);
    for &(start, stop) in tokens {
        collected.push_space(slice(end, start));
        collected.push_token(slice(start, stop));
        end = stop;
    }
    collected
}
