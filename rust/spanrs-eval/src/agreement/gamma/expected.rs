//! Observed and expected disorder, and gamma.

use std::ops::Range;

use serde::Serialize;
use spanrs_base::{Rng, Worker, Workers, even_ranges, limit_threads};

use super::best::best_disorder;
use super::continuum::{Continuum, Segment};
use super::effort::Effort;
use super::error::GammaError;
use super::options::Options;
use super::sampling::ContinuumSampler;

/// Number of random continua before the precision is computed (section 5.3).
const SAMPLES: usize = 30;
/// Quantile of the normal distribution for a confidence of 95 %.
const QUANTILE: f64 = 1.96;
/// Maximum number of random continua that a precision may require; only disorders that are almost
/// always 0 require more.
const MOST_SAMPLES: usize = 1 << 16;

/// Agreement of the annotators of a project.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gamma {
    /// `1 - observed / expected`, at most 1; NaN if the expected disorder is 0 or undefined.
    pub gamma: f64,
    /// Mean of the observed disorders of the documents, weighted by the mean numbers of units per
    /// annotator. NaN if no document has a unit and two annotators.
    pub observed: f64,
    /// Mean of the expected disorders, with the same weights.
    pub expected: f64,
    /// Standard error of the expected disorder; NaN for one sample.
    pub expected_error: f64,
    /// Number of random continua of each document.
    pub samples: usize,
    /// Agreement in each document, in the given order.
    pub documents: Vec<DocumentGamma>,
}

/// Agreement of the annotators of a document.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DocumentGamma {
    /// `1 - observed / expected`; NaN if there is no unit, if there are fewer than two annotators,
    /// or if the expected disorder is 0.
    pub gamma: f64,
    /// Disorder of the best alignment; NaN without units or with fewer than two annotators.
    pub observed: f64,
    /// Mean disorder of the best alignments of the random continua.
    pub expected: f64,
    /// Mean number of units per annotator.
    pub units: f64,
}

/// Computes gamma for the documents of a project.
///
/// - `goes_on`: called at intervals in the calling thread with the number of continua aligned so
///   far; returns false to stop.
///
/// The result is the same for any number of threads. Random continua of a document are drawn from
/// its own units, and documents without units or with fewer than two annotators are skipped. With
/// several documents the precision applies to the expected disorder of the project.
///
/// # Errors
/// [`GammaError`].
pub fn gamma(
    documents: &[Continuum],
    options: &Options,
    goes_on: impl FnMut(u64) -> bool,
) -> Result<Gamma, GammaError> {
    options.check()?;
    check_units(documents)?;
    let tasks: Vec<Task<'_>> = documents.iter().enumerate().filter_map(Task::new).collect();
    let mut workers = Workers::new(goes_on);
    let mut align = |samples: Range<usize>| -> Result<Vec<f64>, GammaError> {
        let total = samples.len() * tasks.len();
        let threads = limit_threads(options.threads);
        workers.flat_map(even_ranges(total, threads), |part, worker| {
            let aligned = part.map(|at| {
                let (sample, task) = (samples.start + at / tasks.len(), at % tasks.len());
                let disorder = tasks[task].disorder(sample, options, worker)?;
                worker.advance(1)?;
                Ok(disorder)
            });
            aligned.collect()
        })
    };
    // Number 0 is the observed continuum; random continua follow.
    let observed = align(0..1)?;
    let samples = options.samples.map_or(SAMPLES, |samples| samples as usize);
    let mut drawn = align(1..samples + 1)?;
    if options.samples.is_none() {
        let required = required_samples(&totals(&drawn, &tasks), options.precision);
        if required > samples {
            drawn.extend(align(samples + 1..required + 1)?);
        }
    }
    Ok(summary(documents, &tasks, &observed, &drawn))
}

/// Checks that units are not empty and within their documents.
fn check_units(documents: &[Continuum]) -> Result<(), GammaError> {
    for (document, continuum) in documents.iter().enumerate() {
        for (annotator, units) in continuum.units.iter().enumerate() {
            let invalid =
                |unit: &super::Unit| unit.start >= unit.end || unit.end > continuum.length;
            if let Some(unit) = units.iter().position(invalid) {
                return Err(GammaError::Unit {
                    document,
                    annotator,
                    unit,
                    start: units[unit].start,
                    end: units[unit].end,
                    length: continuum.length,
                });
            }
        }
    }
    Ok(())
}

/// A document whose agreement can be measured.
struct Task<'a> {
    /// Index of the document.
    document: usize,
    continuum: &'a Continuum,
    /// Mean number of units per annotator.
    weight: f64,
}

impl<'a> Task<'a> {
    fn new((document, continuum): (usize, &'a Continuum)) -> Option<Self> {
        continuum.is_measurable().then(|| Self {
            document,
            continuum,
            weight: continuum.mean_units(),
        })
    }

    /// Returns the disorder of the document for number 0, otherwise that of a random continuum.
    fn disorder(
        &self,
        number: usize,
        options: &Options,
        worker: &mut Worker<'_>,
    ) -> Result<f64, GammaError> {
        let units: Vec<Vec<Segment>> = if number == 0 {
            self.continuum.segments()
        } else {
            let part = (self.document as u64) << 32 | number as u64;
            let mut rng = Rng::part(options.seed, part);
            let distance = options.pivot_distance;
            ContinuumSampler::new(options.sampler, self.continuum, distance).draw(&mut rng)
        };
        let by = options.dissimilarity(units.len());
        let mut effort = Effort::new(worker, options.limits());
        let total = best_disorder(&units, &by, &mut effort);
        let total = total.map_err(|error| error.in_document(self.document))?;
        let number: usize = units.iter().map(Vec::len).sum();
        Ok(total * units.len() as f64 / number as f64)
    }
}

/// Returns the weighted sum of the disorders of each sample.
fn totals(drawn: &[f64], tasks: &[Task<'_>]) -> Vec<f64> {
    let sample = |disorders: &[f64]| {
        let weighted = disorders.iter().zip(tasks).map(|(d, task)| d * task.weight);
        weighted.sum()
    };
    match tasks.len() {
        0 => Vec::new(),
        n => drawn.chunks_exact(n).map(sample).collect(),
    }
}

/// Returns mean and standard deviation (divided by n, as in pygamma-agreement).
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / n).sqrt())
}

/// Returns the number of samples for which the relative error of the mean is at most `precision` at
/// 95 % confidence: the square of `variation * 1.96 / precision`, where the variation is the
/// standard deviation divided by the mean.
fn required_samples(totals: &[f64], precision: f64) -> usize {
    let (mean, deviation) = mean_and_deviation(totals);
    let required = (deviation / mean * QUANTILE / precision).powi(2).ceil();
    // A NaN, for a mean of 0, is converted to 0.
    (required as usize).min(MOST_SAMPLES)
}

/// Returns `1 - observed / expected`, or NaN if it is undefined.
fn agreement(observed: f64, expected: f64) -> f64 {
    match expected > 0.0 {
        true => 1.0 - observed / expected,
        false => f64::NAN,
    }
}

/// Combines the disorders of the documents.
fn summary(documents: &[Continuum], tasks: &[Task<'_>], observed: &[f64], drawn: &[f64]) -> Gamma {
    let undefined = |continuum: &Continuum| DocumentGamma {
        gamma: f64::NAN,
        observed: f64::NAN,
        expected: f64::NAN,
        units: continuum.mean_units(),
    };
    let mut by_document: Vec<DocumentGamma> = documents.iter().map(undefined).collect();
    let totals = totals(drawn, tasks);
    let weights: f64 = tasks.iter().map(|task| task.weight).sum();
    let mut sum = 0.0;
    for (at, task) in tasks.iter().enumerate() {
        let of_document = drawn.iter().skip(at).step_by(tasks.len());
        let expected = of_document.sum::<f64>() / totals.len() as f64;
        sum += observed[at] * task.weight;
        by_document[task.document] = DocumentGamma {
            gamma: agreement(observed[at], expected),
            observed: observed[at],
            expected,
            units: task.weight,
        };
    }
    let (mean, deviation) = mean_and_deviation(&totals);
    let observed = sum / weights;
    let expected = mean / weights;
    let free = totals.len() as f64 - 1.0;
    Gamma {
        gamma: agreement(observed, expected),
        observed,
        expected,
        expected_error: deviation / free.sqrt() / weights,
        samples: totals.len(),
        documents: by_document,
    }
}
