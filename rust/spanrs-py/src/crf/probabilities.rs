//! Probabilities of labellings and spans, and their calibration.

use std::collections::HashMap;

use pyo3::prelude::*;
use spanrs::base::Span;
use spanrs::crf::{check_len, fit_temperature};
use spanrs::span_table;
use spanrs::tags::Scheme;

use super::items::label_names;
use super::model::CrfModel;
use crate::error::{Error, Result};
use crate::stop;

/// (type, start, end) of a span.
pub(super) type NamedSpan = (String, i64, i64);
/// (type, start, end, probability) of a span.
pub(super) type SpanProbability = (String, u32, u32, f64);

impl CrfModel {
    /// The numbers of the labels of labellings, one for each of `sequences` sequences.
    fn label_numbers(
        &self,
        labellings: &Bound<'_, PyAny>,
        sequences: usize,
    ) -> Result<Vec<Vec<usize>>> {
        let mut numbers = Vec::new();
        for (at, labels) in labellings.try_iter()?.enumerate() {
            let names = label_names(&labels?).map_err(|error| error.in_sequence(at))?;
            let ids = names.iter().map(|name| self.core().label(name));
            let ids = ids.collect::<spanrs::crf::Result<_>>();
            numbers.push(ids.map_err(|error| Error::from((error, at)))?);
        }
        check_len("labellings", sequences, numbers.len())?;
        Ok(numbers)
    }

    /// Probabilities of labellings, or of the best labellings.
    pub(super) fn labelling_probabilities(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        labellings: Option<&Bound<'_, PyAny>>,
        known: Option<&Bound<'_, PyAny>>,
        threads: usize,
    ) -> Result<Vec<f64>> {
        let sequences = self.read(inputs)?;
        let allowed = self.all_flags(known, sequences.len())?;
        let labels = labellings
            .map(|labellings| self.label_numbers(labellings, sequences.len()))
            .transpose()?;
        self.each(py, &sequences, threads, |decoder, at| {
            if let Some(allowed) = allowed.get(at) {
                decoder.allow(allowed)?;
            }
            match &labels {
                Some(labels) => decoder.probability(&labels[at]),
                None => {
                    let best = decoder.best()?;
                    decoder.probability(&best)
                }
            }
        })
    }

    /// The spans of the best labellings, or with a threshold all spans with at least this probability.
    pub(super) fn probable_spans(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        scheme: &str,
        threshold: Option<f64>,
        known: Option<&Bound<'_, PyAny>>,
        threads: usize,
    ) -> Result<Vec<Vec<SpanProbability>>> {
        let (table, types) = span_table(Scheme::from_name(scheme)?, self.core())?;
        let sequences = self.read(inputs)?;
        let allowed = self.all_flags(known, sequences.len())?;
        let spans = self.each(py, &sequences, threads, |decoder, at| {
            if let Some(allowed) = allowed.get(at) {
                decoder.allow(allowed)?;
            }
            if let Some(threshold) = threshold {
                return Ok(decoder.span_probabilities(&table)?.above(threshold));
            }
            let spans = table.spans(&decoder.best()?);
            let probabilities = decoder.span_probabilities(&table)?;
            let found = spans
                .into_iter()
                .map(|span| Ok((span, probabilities.of(span)?)));
            found.collect()
        })?;
        let named = |(span, probability): (Span, f64)| {
            let ty = types[span.ty as usize].clone();
            (ty, span.start, span.end, probability)
        };
        let spans = spans.into_iter();
        Ok(spans
            .map(|spans| spans.into_iter().map(named).collect())
            .collect())
    }

    /// Probabilities of given spans.
    pub(super) fn given_spans(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        scheme: &str,
        spans: &[Vec<NamedSpan>],
        threads: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let (table, types) = span_table(Scheme::from_name(scheme)?, self.core())?;
        let sequences = self.read(inputs)?;
        check_len("lists of spans", sequences.len(), spans.len())?;
        let types: HashMap<&str, u32> = types.iter().map(String::as_str).zip(0..).collect();
        self.each(py, &sequences, threads, |decoder, at| {
            let probabilities = decoder.span_probabilities(&table)?;
            let of = |(ty, start, end): &NamedSpan| {
                let (start, end) = (*start, *end);
                // No label has the number of an unknown type, so the probability is 0.
                let ty = types.get(ty.as_str()).copied().unwrap_or(u32::MAX);
                probabilities.of(Span { start, end, ty })
            };
            spans[at].iter().map(of).collect()
        })
    }

    /// The temperature that fits labellings best, and the number of labellings that were left out because
    /// the scheme forbids them.
    pub(super) fn best_temperature(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        labellings: &Bound<'_, PyAny>,
        threads: usize,
    ) -> Result<(f64, usize)> {
        let sequences = self.read(inputs)?;
        let labels = self.label_numbers(labellings, sequences.len())?;
        let gold = self.each(py, &sequences, threads, |decoder, at| {
            decoder.labelled_scores(&labels[at])
        })?;
        let gold: Vec<_> = gold.into_iter().flatten().collect();
        let left_out = labels.len() - gold.len();
        if gold.is_empty() {
            return Err(Error::model(match left_out {
                0 => "there are no sequences to calibrate on".to_owned(),
                _ => format!(
                    "all {left_out} labellings are forbidden by the scheme of the model; check the labels"
                ),
            }));
        }
        let fitted = py.detach(|| fit_temperature(self.core(), &gold, threads, stop));
        Ok((fitted?, left_out))
    }
}
