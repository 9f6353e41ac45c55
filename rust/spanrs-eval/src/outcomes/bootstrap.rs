//! Bootstrap resampling of documents (Efron 1979, "Bootstrap Methods: Another Look at the Jackknife").

use std::collections::HashMap;

use spanrs_base::{Rng, map_in_threads};

use super::counts::Counts;
use super::measure::{Evaluator, Measure};

/// Samples that one piece of work has. Pieces have random streams of their own, so their number is part of the
/// result.
const PIECE: u64 = 64;

/// Values of measures over resampled corpora: as many documents as there are, drawn with replacement.
///
/// Returns a row of values for each sample; None where there are no documents or `stop` says so. The same `seed`
/// gives the same values for any number of threads, and for counts that were merged in any order.
///
/// Documents of which measures read the same are one row that occurs several times, so time follows the draws, and memory the
/// values: samples times measures.
pub fn bootstrap(
    counts: &Counts,
    measures: &[Measure],
    samples: u64,
    seed: u64,
    threads: usize,
    stop: impl Fn() -> bool,
) -> Option<Vec<Vec<f64>>> {
    let evaluator = Evaluator::new(counts, measures);
    let corpus = Corpus::new(counts, &evaluator.read_cells());
    if corpus.rows_of_documents.is_empty() {
        return None;
    }
    let run = |piece: u64| {
        let mut sampler = Sampler {
            times: vec![0; corpus.rows.len()],
            sums: vec![0.0; counts.cells().len()],
            evaluator: evaluator.clone(),
        };
        let first = piece * PIECE;
        (first..samples.min(first + PIECE))
            .map(|sample| sampler.sample(&corpus, &mut Rng::part(seed, sample)))
            .collect::<Vec<_>>()
    };
    let mut values = Vec::new();
    let pieces = samples.div_ceil(PIECE);
    let at_once = threads.clamp(1, 64) as u64;
    for first in (0..pieces).step_by(at_once as usize) {
        if stop() {
            return None;
        }
        let piece = map_in_threads(first..pieces.min(first + at_once), run);
        values.extend(piece.into_iter().flatten());
    }
    Some(values)
}

/// Documents by their distinct rows.
struct Corpus {
    /// Of each document, in the order of keys and contents.
    rows_of_documents: Vec<u32>,
    /// Cells and counts of each distinct row.
    rows: Vec<Vec<(u32, f64)>>,
}

impl Corpus {
    /// Groups documents by the cells for which `read` is true.
    fn new(counts: &Counts, read: &[bool]) -> Self {
        let (order, documents) = counts.canonical_rows();
        let mut numbers: HashMap<Vec<(u32, u64)>, u32> = HashMap::new();
        let mut rows: Vec<Vec<(u32, f64)>> = Vec::new();
        let rows_of_documents = documents
            .into_iter()
            .map(|(_, mut entries, _)| {
                entries.retain(|&(rank, _)| read[order[rank as usize] as usize]);
                *numbers.entry(entries).or_insert_with_key(|entries| {
                    let cells = entries.iter();
                    let cells = cells.map(|&(rank, n)| (order[rank as usize], n as f64));
                    rows.push(cells.collect());
                    rows.len() as u32 - 1
                })
            })
            .collect();
        Self {
            rows_of_documents,
            rows,
        }
    }
}

struct Sampler {
    /// How often each row was drawn.
    times: Vec<u32>,
    /// Of each cell.
    sums: Vec<f64>,
    evaluator: Evaluator,
}

impl Sampler {
    fn sample(&mut self, corpus: &Corpus, rng: &mut Rng) -> Vec<f64> {
        let n = corpus.rows_of_documents.len();
        self.times.fill(0);
        let mut draw = |at: usize| self.times[corpus.rows_of_documents[at] as usize] += 1;
        if let Ok(small) = u32::try_from(n) {
            for at in Pairs::new(rng, small).take(n) {
                draw(at as usize);
            }
        } else {
            for _ in 0..n {
                draw(rng.below(n as u64) as usize);
            }
        }
        self.sums.fill(0.0);
        for (row, &times) in corpus.rows.iter().zip(&self.times) {
            if times > 0 {
                for (cell, n) in row {
                    self.sums[*cell as usize] += f64::from(times) * n;
                }
            }
        }
        let mut values = Vec::new();
        self.evaluator.evaluate(&self.sums, &mut values);
        values
    }
}

/// Uniform integers below a limit, two per 64-bit draw (Lemire 2019, with 32 bits).
struct Pairs<'a> {
    rng: &'a mut Rng,
    below: u32,
    /// Rejection threshold; removes modulo bias.
    threshold: u32,
    /// The other half of the last draw.
    half: Option<u32>,
}

impl<'a> Pairs<'a> {
    fn new(rng: &'a mut Rng, below: u32) -> Self {
        Self {
            rng,
            below,
            threshold: below.wrapping_neg() % below,
            half: None,
        }
    }
}

impl Iterator for Pairs<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            let half = self.half.take().unwrap_or_else(|| {
                let drawn = self.rng.draw();
                self.half = Some((drawn >> 32) as u32);
                drawn as u32
            });
            let product = u64::from(half) * u64::from(self.below);
            if product as u32 >= self.threshold {
                return Some((product >> 32) as u32);
            }
        }
    }
}
