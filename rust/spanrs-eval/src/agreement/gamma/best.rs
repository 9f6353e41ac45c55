//! The disorder of the best alignment of a continuum.

use super::components::{Placed, components};
use super::continuum::Segment;
use super::dissimilarity::Dissimilarity;
use super::effort::Effort;
use super::error::AlignError;
use super::frontier::{Bounds, least_disorder};
use super::heuristic::good_alignment;
use super::prices::prices;
use super::unitary::enumerate;

/// Number of unitary alignments up to which a component is aligned without prices, which would take
/// longer to compute.
const FEW: usize = 48;

/// Returns the sum of the disorders of the unitary alignments of a best alignment.
///
/// # Errors
/// A limit, or an interrupt.
pub(super) fn best_disorder(
    units: &[Vec<Segment>],
    by: &Dissimilarity,
    effort: &mut Effort<'_, '_>,
) -> Result<f64, AlignError> {
    let mut total = 0.0;
    for component in components(units, by) {
        total += component_disorder(&component, by, effort)?;
    }
    Ok(total)
}

/// Returns the disorder of a best alignment of a component.
fn component_disorder(
    component: &[Placed],
    by: &Dissimilarity,
    effort: &mut Effort<'_, '_>,
) -> Result<f64, AlignError> {
    let [first, rest @ ..] = component else {
        return Ok(0.0);
    };
    let Some(second) = rest.iter().find(|unit| unit.annotator != first.annotator) else {
        return Ok(by.empty * component.len() as f64);
    };
    let two = [first.annotator, second.annotator];
    if rest.iter().all(|unit| two.contains(&unit.annotator)) {
        return Ok(good_alignment(component, by, effort)?.1);
    }
    let mut alignments = enumerate(component, by, None, effort)?;
    if alignments.len() <= FEW {
        let bounds = Bounds {
            reduced: &alignments.disorders,
            gap: f64::INFINITY,
        };
        return least_disorder(&alignments, bounds, by, effort);
    }
    let (_, upper) = good_alignment(component, by, effort)?;
    let mut priced = prices(&alignments, None, upper, effort)?;
    // Covers rounding.
    let gap = upper - priced.bound + 1e-9 * upper.max(by.empty);
    let keep: Vec<usize> = (0..alignments.len())
        .filter(|&at| priced.reduced[at] <= gap)
        .collect();
    alignments = alignments.filter(|at| priced.reduced[at] <= gap);
    priced.reduced = keep.into_iter().map(|at| priced.reduced[at]).collect();
    let bounds = Bounds {
        reduced: &priced.reduced,
        gap,
    };
    let least = least_disorder(&alignments, bounds, by, effort)?;
    Ok(least.min(upper))
}
