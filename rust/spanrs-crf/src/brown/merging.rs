//! Clusters of words and the losses of merging them; see the parent module for the algorithm.

use spanrs_base::Clock;

use super::{BOUNDARY, Text};
use crate::error::{Error, Result};

/// Counts below this number have their logarithms in a table.
const LOGARITHMS: usize = 1 << 16;

/// The current clusters, each at a place of the tables, and the losses of merging them.
///
/// All tables are row-major (place, place). Marginal frequencies count all bigrams of the words of a
/// cluster, also those with words that have not entered yet, so they change only when clusters are
/// merged.
pub(super) struct Merging<'a> {
    text: &'a Text,
    /// Largest number of clusters after each step, besides that of [`BOUNDARY`].
    most: usize,
    /// Number of places: two more than `most`.
    size: usize,
    /// The words of each place.
    pub(super) members: Vec<Vec<usize>>,
    /// Places in use, ascending.
    active: Vec<usize>,
    /// The place of each word that has entered.
    places: Vec<usize>,
    /// Frequency of a cluster before a cluster.
    counts: Vec<f64>,
    /// The same, transposed.
    reversed: Vec<f64>,
    /// Mutual information of two clusters in both orders, times the number of bigrams.
    information: Vec<f64>,
    /// Loss of merging the clusters at `a` and `b`, for `a < b`.
    losses: Vec<f64>,
    /// Frequency of each cluster as the first in a bigram.
    first: Vec<f64>,
    /// Frequency of each cluster as the second in a bigram.
    second: Vec<f64>,
    /// Logarithms of `first` and `second`; the one of 0 is never used, and is 0.
    logarithms: [Vec<f64>; 2],
    /// Logarithms of small integers.
    table: Vec<f64>,
    /// Logarithm of the number of bigrams.
    total: f64,
}

impl<'a> Merging<'a> {
    /// No clusters yet; at most `most` remain after each step.
    pub(super) fn new(text: &'a Text, most: usize) -> Self {
        let size = most + 2;
        let square = || vec![0.0; size * size];
        let mut table: Vec<f64> = (0..LOGARITHMS).map(|n| (n as f64).ln()).collect();
        table[0] = 0.0;
        Self {
            text,
            most,
            size,
            members: vec![Vec::new(); size],
            active: Vec::with_capacity(size),
            places: Vec::with_capacity(text.words.len()),
            counts: square(),
            reversed: square(),
            information: square(),
            losses: square(),
            first: vec![0.0; size],
            second: vec![0.0; size],
            logarithms: [vec![0.0; size], vec![0.0; size]],
            table,
            total: text.total.max(1.0).ln(),
        }
    }

    /// Adds the next word as a cluster, then merges the best pair if there are too many clusters.
    pub(super) fn add(&mut self, word: usize) {
        let place = (0..self.size).find(|place| self.members[*place].is_empty());
        let place = place.unwrap_or_default();
        self.members[place].push(word);
        self.places.push(place);
        let (next, previous) = (&self.text.next[word], &self.text.previous[word]);
        for &(other, count) in next {
            if let Some(&other) = self.places.get(other) {
                self.count(place, other, count);
            }
        }
        for &(other, count) in previous.iter().filter(|(other, _)| *other != word) {
            if let Some(&other) = self.places.get(other) {
                self.count(other, place, count);
            }
        }
        let sum = |neighbours: &[(usize, f64)]| neighbours.iter().map(|(_, count)| count).sum();
        self.set_marginals(place, sum(next), sum(previous));
        let beside = self.beside(place);
        self.enter(place, &beside);
        if self.active.len() - 1 > self.most {
            self.merge_best();
        }
    }

    /// Merges the pair with the smallest loss; returns the place of the merged cluster and the other
    /// place, which is empty then.
    fn merge_best(&mut self) -> (usize, usize) {
        let mut best = (f64::INFINITY, (0, 0));
        let active = &self.active[BOUNDARY + 1..];
        for (at, &a) in active.iter().enumerate() {
            let row = &self.losses[a * self.size..];
            for &b in &active[at + 1..] {
                if row[b] < best.0 {
                    best = (row[b], (a, b));
                }
            }
        }
        let (a, b) = best.1;
        // The words of the larger cluster keep their place, so that a word moves rarely.
        let (a, b) = match self.members[a].len() >= self.members[b].len() {
            true => (a, b),
            false => (b, a),
        };
        self.merge(a, b);
        (a, b)
    }

    /// Merges the cluster at `b` into the one at `a`.
    fn merge(&mut self, a: usize, b: usize) {
        self.active.retain(|place| *place != a && *place != b);
        // Pairs that occur beside only one of the two keep their loss.
        let beside = [self.beside(a), self.beside(b)];
        let beside = match beside[0].len() < beside[1].len() {
            true => &beside[0],
            false => &beside[1],
        };
        self.update_losses(beside, &[a, b], -1.0);
        let size = self.size;
        for at in 0..self.active.len() {
            let other = self.active[at];
            self.count(a, other, self.counts[b * size + other]);
            self.count(other, a, self.counts[other * size + b]);
        }
        let both = self.counts[a * size + b] + self.counts[b * size + a];
        self.count(a, a, both + self.counts[b * size + b]);
        let first = self.first[a] + self.first[b];
        self.set_marginals(a, first, self.second[a] + self.second[b]);
        for other in 0..size {
            for (row, column) in [(b, other), (other, b)] {
                self.counts[row * size + column] = 0.0;
                self.reversed[row * size + column] = 0.0;
            }
        }
        let words = std::mem::take(&mut self.members[b]);
        for word in &words {
            self.places[*word] = a;
        }
        self.members[a].extend(words);
        self.enter(a, beside);
    }

    /// Adds a place whose counts are set to the active places. `beside` are the places whose pairs
    /// with others get another loss by it.
    fn enter(&mut self, place: usize, beside: &[usize]) {
        let size = self.size;
        for at in 0..self.active.len() {
            let other = self.active[at];
            let information = self.ordered(place, other) + self.ordered(other, place);
            self.information[place * size + other] = information;
            self.information[other * size + place] = information;
        }
        self.information[place * size + place] = self.ordered(place, place);
        self.update_losses(beside, &[place], 1.0);
        for at in 0..self.active.len() {
            let other = self.active[at];
            let loss = self.loss(place, other);
            self.losses[place.min(other) * size + place.max(other)] = loss;
        }
        let at = self.active.partition_point(|active| *active < place);
        self.active.insert(at, place);
    }

    /// Adds to the frequency of a cluster before a cluster.
    fn count(&mut self, first: usize, second: usize, count: f64) {
        self.counts[first * self.size + second] += count;
        self.reversed[second * self.size + first] += count;
    }

    /// Sets the marginal frequencies of a cluster.
    fn set_marginals(&mut self, place: usize, first: f64, second: f64) {
        self.first[place] = first;
        self.second[place] = second;
        self.logarithms[0][place] = self.logarithm(first);
        self.logarithms[1][place] = self.logarithm(second);
    }

    /// The active places that a cluster occurs beside.
    fn beside(&self, place: usize) -> Vec<usize> {
        let row = place * self.size;
        let is_beside =
            |other: &&usize| self.counts[row + **other] > 0.0 || self.reversed[row + **other] > 0.0;
        self.active.iter().filter(is_beside).copied().collect()
    }

    /// Adds to the losses of all pairs of active clusters with one in `beside`, times `sign`, the
    /// part that comes from the clusters at `places`, which are not active.
    fn update_losses(&mut self, beside: &[usize], places: &[usize], sign: f64) {
        let mut is_beside = vec![false; self.size];
        beside.iter().for_each(|place| is_beside[*place] = true);
        for at in 0..self.active.len() {
            let a = self.active[at];
            for &b in &self.active[at + 1..] {
                if is_beside[a] || is_beside[b] {
                    let logarithms = self.merged_logarithms(a, b);
                    let parts = places.iter().map(|place| {
                        let row = place * self.size;
                        self.information[row + a] + self.information[row + b]
                            - self.merged(a, b, *place, logarithms)
                    });
                    let part: f64 = parts.sum();
                    self.losses[a * self.size + b] += sign * part;
                }
            }
        }
    }

    /// The loss of merging a cluster that is not active yet with an active one.
    fn loss(&self, a: usize, b: usize) -> f64 {
        let [row_a, row_b] = [a * self.size, b * self.size];
        let logarithms = self.merged_logarithms(a, b);
        let others = self.active.iter().filter(|other| **other != b);
        let others = others.map(|&other| {
            self.information[row_a + other] + self.information[row_b + other]
                - self.merged(a, b, other, logarithms)
        });
        let own = self.information[row_a + a] + self.information[row_b + b];
        let own = own + self.information[row_a + b];
        let count = self.counts[row_a + a] + self.counts[row_b + b];
        let count = count + self.counts[row_a + b] + self.counts[row_b + a];
        let [first, second] = logarithms;
        others.sum::<f64>() + own - self.term(count, first, second)
    }

    /// Logarithms of the marginal frequencies of two clusters together.
    fn merged_logarithms(&self, a: usize, b: usize) -> [f64; 2] {
        [
            self.logarithm(self.first[a] + self.first[b]),
            self.logarithm(self.second[a] + self.second[b]),
        ]
    }

    /// Mutual information of the union of `a` and `b` with another cluster, in both orders.
    #[inline]
    fn merged(&self, a: usize, b: usize, other: usize, [first, second]: [f64; 2]) -> f64 {
        let [row_a, row_b] = [a * self.size + other, b * self.size + other];
        let after = self.counts[row_a] + self.counts[row_b];
        let before = self.reversed[row_a] + self.reversed[row_b];
        let [other_first, other_second] = [0, 1].map(|side: usize| self.logarithms[side][other]);
        self.term(after, first, other_second) + self.term(before, other_first, second)
    }

    /// Mutual information of a cluster before a cluster.
    fn ordered(&self, first: usize, second: usize) -> f64 {
        let count = self.counts[first * self.size + second];
        self.term(count, self.logarithms[0][first], self.logarithms[1][second])
    }

    /// `n * p * ln(p / (p1 * p2))` for `n` bigrams, of which `count` are this one; `first` and
    /// `second` are logarithms of frequencies.
    #[inline]
    fn term(&self, count: f64, first: f64, second: f64) -> f64 {
        count * (self.logarithm(count) + self.total - first - second)
    }

    /// The logarithm of a frequency; 0 for 0.
    #[inline]
    fn logarithm(&self, count: f64) -> f64 {
        let small = self.table.get(count as usize).copied();
        small.unwrap_or_else(|| count.ln())
    }

    /// Merges all clusters, and returns the path to each place from the root: 0 for the cluster with
    /// more words, 1 for the other one. A cluster without others has the path 0; [`BOUNDARY`] and
    /// places without a cluster have an empty path.
    pub(super) fn paths(&mut self, clock: &mut Clock) -> Result<Vec<String>> {
        let mut paths = vec![String::new(); self.size];
        if let [_, only] = self.active[..] {
            paths[only].push('0');
            return Ok(paths);
        }
        // Leaves have the numbers of their places; an inner node has two children.
        let mut nodes: Vec<usize> = (0..self.size).collect();
        let mut children = Vec::with_capacity(self.size);
        while self.active.len() > 2 {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            let (a, b) = self.merge_best();
            children.push((nodes[a], nodes[b]));
            nodes[a] = self.size + children.len() - 1;
        }
        let mut inner = vec![String::new(); children.len()];
        // A parent comes after its children.
        for (at, (left, right)) in children.into_iter().enumerate().rev() {
            let path = std::mem::take(&mut inner[at]);
            for (child, bit) in [(left, '0'), (right, '1')] {
                let longer = format!("{path}{bit}");
                match child.checked_sub(self.size) {
                    Some(at) => inner[at] = longer,
                    None => paths[child] = longer,
                }
            }
        }
        Ok(paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Columns;

    /// Mutual information of adjacent clusters, times the number of bigrams, by its definition.
    fn information(text: &Text, clusters: &[Vec<usize>]) -> f64 {
        let of = |word: usize| clusters.iter().position(|words| words.contains(&word));
        let n = clusters.len();
        let (mut first, mut second) = (vec![0.0; n], vec![0.0; n]);
        let mut counts = vec![0.0; n * n];
        for (word, next) in text.next.iter().enumerate() {
            for &(other, count) in next {
                let (a, b) = (of(word), of(other));
                a.iter().for_each(|a| first[*a] += count);
                b.iter().for_each(|b| second[*b] += count);
                if let (Some(a), Some(b)) = (a, b) {
                    counts[a * n + b] += count;
                }
            }
        }
        let pairs = (0..n * n).filter(|at| counts[*at] > 0.0);
        let parts = pairs.map(|at| {
            let (a, b) = (first[at / n], second[at % n]);
            counts[at] * (counts[at] * text.total / (a * b)).ln()
        });
        parts.sum()
    }

    /// Compares all losses with the definition.
    fn check(merging: &Merging<'_>) {
        let clusters = |places: &[usize]| -> Vec<Vec<usize>> {
            places
                .iter()
                .map(|at| merging.members[*at].clone())
                .collect()
        };
        let before = information(merging.text, &clusters(&merging.active));
        for (at, &a) in merging.active.iter().enumerate() {
            for &b in &merging.active[at + 1..] {
                let mut merged = clusters(&merging.active);
                let moved = std::mem::take(
                    &mut merged[merging.active.iter().position(|p| *p == b).unwrap()],
                );
                merged[at].extend(moved);
                let loss = before - information(merging.text, &merged);
                let found = merging.losses[a * merging.size + b];
                assert!((loss - found).abs() < 1e-9, "{loss} {found}");
                assert!(loss > -1e-9);
            }
        }
    }

    #[test]
    fn losses_are_those_of_the_definition() {
        let mut random = spanrs_base::Rng::new(3);
        for round in 0..30 {
            let words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
            let sentences: Vec<Vec<&str>> = (0..12)
                .map(|_| {
                    let len = random.below(6);
                    (0..len)
                        .map(|_| words[random.below(2 + round % 9) as usize])
                        .collect()
                })
                .collect();
            let sentences = Columns::of_tokens(sentences);
            let mut clock = Clock::new(|| false);
            let text = Text::new(&sentences, 1 + round as usize % 2, false, &mut clock).unwrap();
            let mut merging = Merging::new(&text, 4.min(text.words.len()));
            for word in 0..text.words.len() {
                merging.add(word);
                check(&merging);
            }
            while merging.active.len() > 2 {
                merging.merge_best();
                check(&merging);
            }
        }
    }
}
