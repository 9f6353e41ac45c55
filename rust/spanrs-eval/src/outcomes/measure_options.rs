//! Measures as plain data.

use serde::Deserialize;

use super::counts::Counts;
use super::error::CountsError;
use super::measure::{Average, Measure, Part, Prf, Ratio, Term};
use super::schema::Axis;

/// A measure as plain data, with types by name: a [`Prf`], or a [`Ratio`] if `below` is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureOptions {
    /// Index of the criterion in the schema.
    pub criterion: u8,
    /// Measure the spans of this type only.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Precision, recall or F.
    pub part: Part,
    /// The average over types, unless `type` is given.
    pub average: Average,
    /// Importance of recall relative to precision in F.
    pub beta: f64,
    /// See [`Prf::terms`].
    pub terms: Option<Vec<Term>>,
    /// See [`Prf::axis`].
    pub axis: Option<Axis>,
    /// See [`Ratio::above`].
    pub above: Vec<f64>,
    /// See [`Ratio::below`].
    pub below: Option<Vec<f64>>,
    /// See [`Ratio::complement`].
    pub complement: bool,
}

impl Default for MeasureOptions {
    /// Micro F1 of the first criterion.
    fn default() -> Self {
        Self {
            criterion: 0,
            ty: None,
            part: Part::F,
            average: Average::Micro,
            beta: 1.0,
            terms: None,
            axis: None,
            above: Vec::new(),
            below: None,
            complement: false,
        }
    }
}

impl MeasureOptions {
    /// Creates the measure for some counts.
    ///
    /// # Errors
    /// Same as [`Counts::check_criterion`].
    pub fn build(self, counts: &Counts) -> Result<Measure, CountsError> {
        let criterion = counts.check_criterion(self.criterion)?;
        // A type that does not occur gets an unused number.
        let number = |name: String| counts.type_number(&name).unwrap_or(u32::MAX);
        let ty = self.ty.map(number);
        if let Some(below) = self.below {
            let (above, complement) = (self.above, self.complement);
            let ratio = Ratio {
                criterion,
                above,
                below,
                complement,
            };
            return Ok(match ty {
                Some(ty) => Measure::RatioOfType(ratio, ty),
                None => Measure::Ratio(ratio),
            });
        }
        let Self {
            part,
            beta,
            terms,
            axis,
            ..
        } = self;
        let prf = Prf {
            criterion,
            part,
            beta,
            terms,
            axis,
        };
        Ok(match (ty, self.average) {
            (Some(ty), _) => Measure::OfType(prf, ty),
            (None, Average::Micro) => Measure::Micro(prf),
            (None, Average::Macro) => Measure::Macro(prf),
            (None, Average::Weighted) => Measure::Weighted(prf),
        })
    }
}
