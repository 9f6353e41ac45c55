//! A good alignment, whose disorder is an upper bound for the search for the best alignment.

use spanrs_base::Pace;

use super::components::Placed;
use super::dissimilarity::Dissimilarity;
use super::effort::Effort;
use super::error::AlignError;
use crate::partial::{Pair, assign};

/// Maximum number of passes over the annotators.
const PASSES: usize = 20;

/// Number of units of credit per unit of benefit. Benefits are rounded to multiples of 2^-80, which
/// is finer than the rounding of f64 for all but tiny benefits.
const SCALE: f64 = (1_u128 << 80) as f64;

/// Returns an alignment of the units of a component, as groups of unit numbers, and its disorder.
///
/// The units of one annotator after the other are assigned to the groups of the others such that
/// the disorder is smallest. Then the units of each annotator are removed and assigned again, until
/// no annotator improves the alignment. The result is optimal for two annotators.
pub(super) fn good_alignment(
    component: &[Placed],
    by: &Dissimilarity,
    effort: &mut Effort<'_, '_>,
) -> Result<(Vec<Vec<u32>>, f64), AlignError> {
    let mut of_annotator: Vec<Vec<u32>> = vec![Vec::new(); by.annotators];
    for (unit, placed) in (0..).zip(component) {
        of_annotator[placed.annotator as usize].push(unit);
    }
    of_annotator.retain(|units| !units.is_empty());
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for units in &of_annotator {
        insert(component, by, &mut groups, units, effort)?;
    }
    let mut disorder = total(component, by, &groups);
    if of_annotator.len() <= 2 {
        return Ok((groups, disorder));
    }
    for _ in 0..PASSES {
        let mut improved = false;
        for units in &of_annotator {
            let mut changed = groups.clone();
            for group in &mut changed {
                group.retain(|unit| units.binary_search(unit).is_err());
            }
            changed.retain(|group| !group.is_empty());
            insert(component, by, &mut changed, units, effort)?;
            let lower = total(component, by, &changed);
            if lower < disorder {
                improved |= lower < disorder - 1e-12 * by.pairs;
                (groups, disorder) = (changed, lower);
            }
        }
        if !improved {
            break;
        }
    }
    Ok((groups, disorder))
}

/// Adds the units of an annotator to groups without units of the annotator, optimally for these
/// groups; other units form groups of their own.
fn insert(
    component: &[Placed],
    by: &Dissimilarity,
    groups: &mut Vec<Vec<u32>>,
    units: &[u32],
    effort: &mut Effort<'_, '_>,
) -> Result<(), AlignError> {
    let mut pairs = Vec::new();
    for &unit in units {
        effort.steps(groups.len())?;
        let segment = &component[unit as usize].segment;
        for (number, group) in (0..).zip(&*groups) {
            let benefits = group.iter().map(|&other| {
                let other = &component[other as usize].segment;
                by.benefit(segment, other)
            });
            let credit = by.pairs + benefits.sum::<f64>();
            if credit > 0.0 {
                let credit = (credit * SCALE) as i128;
                pairs.push(Pair {
                    gold: unit,
                    pred: number,
                    credit: credit.max(1),
                });
            }
        }
    }
    let chosen = assign(&pairs, false, &mut Pace::default())?;
    let mut chosen = chosen.into_iter().map(|at| pairs[at]).peekable();
    for &unit in units {
        match chosen.next_if(|pair| pair.gold == unit) {
            Some(pair) => groups[pair.pred as usize].push(unit),
            None => groups.push(vec![unit]),
        }
    }
    Ok(())
}

/// Returns the disorder of an alignment of a component.
fn total(component: &[Placed], by: &Dissimilarity, groups: &[Vec<u32>]) -> f64 {
    groups
        .iter()
        .map(|group| disorder(component, by, group))
        .sum()
}

/// Returns the disorder of a unitary alignment.
pub(super) fn disorder(component: &[Placed], by: &Dissimilarity, group: &[u32]) -> f64 {
    let mut disorder = by.pairs;
    for (at, &a) in group.iter().enumerate() {
        for &b in &group[..at] {
            disorder -= by.benefit(
                &component[a as usize].segment,
                &component[b as usize].segment,
            );
        }
    }
    disorder
}
