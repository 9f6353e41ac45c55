//! Conversion of measures and summaries between Python and the core.

use pyo3::prelude::*;
use spanrs::base::Named;
use spanrs::eval::outcomes::{
    Average, Axis, Counts, Measure, Outcomes, Part, Prf, Ratio, Score, Term,
};

use crate::error::Result;

/// (average, criterion, part, beta, terms, axis, type), or for ratios (kind, criterion, complement, above, below, type)
#[derive(FromPyObject)]
pub(crate) enum MeasureTuple {
    Prf(
        String,
        u8,
        String,
        f64,
        Option<Vec<Term>>,
        Option<String>,
        Option<String>,
    ),
    Ratio(String, u8, bool, Vec<f64>, Vec<f64>, Option<String>),
}

/// Larger values do not fit a signed 64-bit integer.
const LARGEST: f64 = 9.0e18;

/// A count: a Python int if integral, else a float (document weights can be fractional).
#[derive(Clone, Copy)]
pub(crate) struct Amount(pub(crate) f64);

impl<'py> IntoPyObject<'py> for Amount {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> std::result::Result<Self::Output, Self::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < LARGEST {
            return Ok((self.0 as i64).into_pyobject(py)?.into_any());
        }
        Ok(self.0.into_pyobject(py)?.into_any())
    }
}

/// (precision, recall, F1, support)
pub(crate) type ScoreTuple = (f64, f64, f64, Amount);
/// (outcomes, (TP, FP, FN), score)
pub(crate) type OutcomesTuple = (Vec<Amount>, [Amount; 3], ScoreTuple);
/// (all, macro, weighted, types)
pub(crate) type SummaryTuple<'a> = (
    OutcomesTuple,
    ScoreTuple,
    ScoreTuple,
    Vec<(&'a str, Vec<Amount>, [Amount; 3], ScoreTuple)>,
);

/// Gold type, pred type, number; None stands for no span.
pub(crate) type Triple<'a> = (Option<&'a str>, Option<&'a str>, Amount);

pub(crate) fn score_tuple(score: Score) -> ScoreTuple {
    let [precision, recall, f1] = score.values;
    (precision, recall, f1, Amount(score.support))
}

pub(crate) fn outcomes_tuple(outcomes: Outcomes) -> OutcomesTuple {
    let counts = outcomes.counts.into_iter().map(Amount).collect();
    (
        counts,
        outcomes.totals.map(Amount),
        score_tuple(outcomes.score),
    )
}

/// The measure of counts with these types and criteria.
pub(crate) fn measure(counts: &Counts, measure: MeasureTuple) -> Result<Measure> {
    // A type that does not occur has a number that no type has.
    let number = |name: Option<String>| {
        let known = name.and_then(|name| counts.type_number(&name));
        known.unwrap_or(u32::MAX)
    };
    Ok(match measure {
        MeasureTuple::Prf(average, criterion, part, beta, terms, axis, ty) => {
            let prf = Prf {
                criterion: counts.check_criterion(criterion)?,
                part: Part::from_name(&part)?,
                beta,
                terms,
                axis: axis.as_deref().map(Axis::from_name).transpose()?,
            };
            Measure::of_prf(Average::from_name(&average)?, prf, number(ty))
        }
        MeasureTuple::Ratio(kind, criterion, complement, above, below, ty) => {
            let ratio = Ratio {
                criterion: counts.check_criterion(criterion)?,
                above,
                below,
                complement,
            };
            match &*kind {
                "type" => Measure::RatioOfType(ratio, number(ty)),
                _ => Measure::Ratio(ratio),
            }
        }
    })
}

pub(crate) fn measures(counts: &Counts, tuples: Vec<MeasureTuple>) -> Result<Vec<Measure>> {
    let found = tuples.into_iter().map(|tuple| measure(counts, tuple));
    found.collect()
}
