//! The disorder of the best alignment of a continuum.

use super::components::{Placed, components};
use super::continuum::Segment;
use super::dissimilarity::Dissimilarity;
use super::effort::Effort;
use super::error::{AlignError, LimitError};
use super::frontier::{Bounds, least_disorder};
use super::heuristic::{disorder, good_alignment};
use super::prices::prices;
use super::unitary::{Pricing, UnitaryAlignments, enumerate};

/// Number of unitary alignments up to which a component is aligned without prices, which would take
/// longer to compute.
const FEW: usize = 48;
/// Number of unitary alignments above which they are not all enumerated.
const MANY: usize = 1 << 15;
/// Part of the difference between the disorder of the known alignment and the lower bound to which
/// the search is limited at first.
const FIRST_GAP: f64 = 1.0 / 64.0;
/// Maximum number of unitary alignments with the same first unit that are generated at once.
const PER_UNIT: usize = 32;

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
    Ok(by.unscaled(total))
}

/// Returns the scaled disorder of a best alignment of a component.
pub(super) fn component_disorder(
    component: &[Placed],
    by: &Dissimilarity,
    effort: &mut Effort<'_, '_>,
) -> Result<f64, AlignError> {
    let [first, rest @ ..] = component else {
        return Ok(0.0);
    };
    let Some(second) = rest.iter().find(|unit| unit.annotator != first.annotator) else {
        return Ok(by.pairs * component.len() as f64);
    };
    let two = [first.annotator, second.annotator];
    if rest.iter().all(|unit| two.contains(&unit.annotator)) {
        return Ok(good_alignment(component, by, effort)?.1);
    }
    match enumerate(component, by, None, Some(MANY), effort)? {
        Some(all) if all.len() <= FEW => {
            let bounds = Bounds {
                reduced: &all.disorders,
                gap: f64::INFINITY,
            };
            least_disorder(&all, bounds, by, effort)
        }
        all => priced_disorder(component, by, all, effort),
    }
}

/// Returns the disorder of a best alignment of a component, given all unitary alignments, or None
/// if there are many.
///
/// The disorder of an alignment exceeds the sum of the prices by the reduced costs of its unitary
/// alignments. The search is therefore limited to alignments whose reduced costs have a small sum;
/// if there is none, the limit is increased up to that of a known alignment.
pub(super) fn priced_disorder(
    component: &[Placed],
    by: &Dissimilarity,
    all: Option<UnitaryAlignments>,
    effort: &mut Effort<'_, '_>,
) -> Result<f64, AlignError> {
    let (groups, upper) = good_alignment(component, by, effort)?;
    // Covers rounding.
    let margin = 1e-9 * upper.max(by.pairs);
    let current = match &all {
        Some(all) => prices(all, None, upper, effort)?,
        None => generate(component, by, &groups, upper, margin, effort)?,
    };
    let most = upper - current.iter().sum::<f64>() + margin;
    let mut gap = (most * FIRST_GAP).max(margin).min(most);
    loop {
        let within = match &all {
            Some(all) => {
                let reduced = all.reduced_costs(&current);
                all.filter(|at| reduced[at] <= gap)
            }
            None => {
                let pricing = Pricing {
                    prices: &current,
                    most: gap + margin,
                    per_unit: usize::MAX,
                };
                enumerate(component, by, Some(pricing), None, effort)?.unwrap_or_default()
            }
        };
        let bounds = Bounds {
            reduced: &within.reduced_costs(&current),
            gap,
        };
        let least = least_disorder(&within, bounds, by, effort)?;
        // An alignment with a smaller disorder would be within the gap as well.
        if least.is_finite() || gap >= most {
            return Ok(least.min(upper));
        }
        gap = (gap * 2.0).min(most);
    }
}

/// Computes prices for which no unitary alignment has a negative reduced cost, without enumerating
/// all of them. The disorder of the alignment `groups` is `upper`.
///
/// This is column generation: prices are computed for some unitary alignments, others with negative
/// reduced costs are added, and both steps are repeated until there are none (Barnhart et al. 1998,
/// "Branch-and-price: column generation for solving huge integer programs").
fn generate(
    component: &[Placed],
    by: &Dissimilarity,
    groups: &[Vec<u32>],
    upper: f64,
    margin: f64,
    effort: &mut Effort<'_, '_>,
) -> Result<Vec<f64>, AlignError> {
    let mut current = vec![0.0; component.len()];
    for group in groups {
        let share = disorder(component, by, group) / group.len() as f64;
        group
            .iter()
            .for_each(|&unit| current[unit as usize] = share);
    }
    let mut pool = UnitaryAlignments::of_groups(component, by, groups);
    loop {
        let pricing = Pricing {
            prices: &current,
            most: -margin / component.len() as f64,
            per_unit: PER_UNIT,
        };
        let negative = enumerate(component, by, Some(pricing), None, effort)?;
        let negative = negative.unwrap_or_default();
        if negative.len() == 0 {
            return Ok(current);
        }
        pool = pool.merge(&negative);
        if pool.len() > effort.limits.alignments {
            return Err(LimitError::Alignments(effort.limits.alignments).into());
        }
        current = prices(&pool, Some(current), upper, effort)?;
    }
}
