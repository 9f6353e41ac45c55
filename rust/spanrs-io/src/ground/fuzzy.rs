//! Approximate occurrences: windows of tokens that are similar to a mention.

use std::collections::HashMap;

use super::occurrences::Occurrences;
use super::similarity::{MentionText, TokenText, Window, most_similar};
use super::stream::{Level, Locator, Stream};
use super::trigrams::{Trigrams, trigrams_of};

/// Maximum length of a mention, in normalised characters.
pub(super) const MAX_CHARACTERS: usize = 1000;
/// Maximum number of places at which tokens of a mention are found.
const ANCHORS: usize = 2048;
/// Maximum number of windows that are compared with a mention.
const WINDOWS: usize = 32;
/// Maximum number of pairs of characters that are compared for a mention, after the first window.
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
    /// Distinct tokens by id.
    names: Vec<&'a str>,
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
            names,
            positions,
            characters: stream.text.chars().count(),
        }
    }

    /// Returns disjoint windows whose similarity with a mention is at least the threshold, the most
    /// similar first.
    pub(super) fn find(&self, mention: &str, threshold: f64) -> Occurrences {
        if mention.len() > 4 * MAX_CHARACTERS {
            return Occurrences::default();
        }
        // Its tokens; normalised strings are not changed.
        let stream = Stream::new(mention, Level::Case);
        let mention = MentionText::new(token_text(&stream.text, &stream.tokens()));
        let length = mention.text.characters.len();
        // No string of fewer characters than this is similar enough.
        let least = length as f64 * threshold;
        if length == 0 || length > MAX_CHARACTERS || least > self.characters as f64 {
            return Occurrences::default();
        }
        let slack = 2 + mention.text.tokens.len() / 4;
        let mut found: Vec<Window> = Vec::new();
        let (mut cells, mut most) = (0, 0.0);
        for (weight, start) in self.window_starts(&mention.text, slack) {
            let first = start.saturating_sub(slack);
            let last = (start + mention.text.tokens.len() + 2 * slack).min(self.tokens.len());
            let text = token_text(&self.stream.text, &self.tokens[first..last]);
            let is_first = cells == 0;
            cells += length * text.characters.len();
            most = if is_first { weight } else { most };
            if !is_first && (cells > CELLS || weight < EVIDENCE * most) {
                break;
            }
            found.extend(
                most_similar(&mention, &text, threshold).map(|window| Window {
                    first: window.first + first,
                    last: window.last + first,
                    ..window
                }),
            );
        }
        self.disjoint(found)
    }

    /// Returns the best windows that do not overlap better ones; of equal windows the earlier one.
    fn disjoint(&self, mut found: Vec<Window>) -> Occurrences {
        let place = |window: &Window| (window.first, window.last);
        found.sort_by(|a, b| {
            let by_similarity = b.similarity.total_cmp(&a.similarity);
            by_similarity.then(place(a).cmp(&place(b)))
        });
        let mut kept: Vec<Window> = Vec::new();
        for window in found {
            if kept
                .iter()
                .all(|other| window.last <= other.first || other.last <= window.first)
            {
                kept.push(window);
            }
        }
        let mut locator = Locator::new(self.stream);
        let ranked = kept.iter().filter_map(|window| {
            let (start, end) = (self.tokens[window.first].0, self.tokens[window.last - 1].1);
            let range = locator.locate(start as usize, end as usize, false)?;
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
            while let Some(&(other, r)) = anchors.get(next)
                && other <= start + slack as i64
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
            let is_far = |other: &(f64, i64)| start.abs_diff(other.1) > slack as u64;
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
                let length = self.names[same[0] as usize].chars().count();
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
    let bytes = |start: u32, end: u32| text[start as usize..end as usize].chars();
    let mut collected = TokenText::default();
    let mut end = tokens.first().map_or(0, |token| token.0);
    for &(start, stop) in tokens {
        collected.characters.extend(bytes(end, start));
        let begin = collected.characters.len();
        collected.characters.extend(bytes(start, stop));
        collected.tokens.push((begin, collected.characters.len()));
        end = stop;
    }
    collected
}
