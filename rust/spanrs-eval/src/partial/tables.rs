//! Lists of spans in all modes: counts by type, and the positions of spans by outcome.

use std::collections::BTreeMap;

use spanrs_base::Watch;

use super::{Found, MODES, Matcher, Mode};
use crate::input::InputError;
use crate::matcher::Matcher as _;
use crate::scorer::Scorer;
use crate::span_lists::{Sides, SpanLists};
use crate::type_filter::TypeFilter;

/// Number of values of [`Found`].
const FOUND: usize = 5;

/// Correct, incorrect, partial, missed and spurious in each [`Mode`].
pub type ModeCounts = [[u64; FOUND]; MODES];

/// (sentence, span in the sentence)
pub type Place = (usize, usize);

/// Counts all modes: over all spans, and for each type that occurs and that the filter keeps.
///
/// # Errors
/// [`InputError::Unmatched`] for spans that the matcher refuses; [`InputError::Interrupted`].
///
/// ```
/// use spanrs_eval::partial::{Matcher, Matching, count_modes};
/// use spanrs_eval::{SpanLists, TypeFilter};
/// let side = |ty: &str| SpanLists::of_tuples(vec![vec![(ty.to_owned(), 0, 2)]], Vec::new());
/// let matcher = Matcher::new(Matching::Greedy, 1.0);
/// let filter = TypeFilter::default();
/// let (all, types) =
///     count_modes((&side("A"), &side("B")), matcher, &filter, || false).unwrap();
/// assert_eq!(all, [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]);
/// assert_eq!(types["A"][0], [0, 0, 0, 1, 0]);
/// ```
pub fn count_modes(
    (gold, pred): (&SpanLists, &SpanLists),
    matcher: Matcher,
    filter: &TypeFilter,
    watch: Watch,
) -> Result<(ModeCounts, BTreeMap<String, ModeCounts>), InputError> {
    let sides = Sides::new(gold, pred, |name| filter.counts(name));
    let mut scorer = Scorer::new(Box::new(matcher), 0);
    let mut cells = scorer.type_cells();
    let name = |ty: u32| sides.types[ty as usize].to_owned();
    sides.run(watch, |sentence, pair| {
        let added = scorer.add_spans(&pair, &mut cells, &name);
        added.map_err(|error| InputError::unmatched(sentence, error))
    })?;
    scorer.flush_spans(&mut cells, &name);
    let counts = scorer.span_counts();
    let mut overall = ModeCounts::default();
    let mut types = BTreeMap::<String, ModeCounts>::new();
    for (id, cell) in (0..).zip(counts.cells()) {
        let lane = usize::from(cell.criterion);
        let modes = match cell.gold.or(cell.pred) {
            _ if lane >= 2 * MODES => continue,
            None => &mut overall,
            Some(ty) => types.entry(counts.type_name(ty).to_owned()).or_default(),
        };
        modes[lane % MODES][usize::from(cell.outcome)] += counts.total(id);
    }
    Ok((overall, types))
}

/// Returns the positions of the spans by outcome in a mode, in the order of [`Found`]: over all
/// spans, or over only the spans of the type `ty`. Positions of spurious spans refer to pred, all
/// others to gold.
///
/// # Errors
/// Same as [`count_modes`].
pub fn places_by_outcome(
    (gold, pred): (&SpanLists, &SpanLists),
    matcher: Matcher,
    filter: &TypeFilter,
    (mode, ty): (Mode, Option<&str>),
    watch: Watch,
) -> Result<[Vec<Place>; FOUND], InputError> {
    let mut lists: [Vec<Place>; FOUND] = Default::default();
    let sides = Sides::new(gold, pred, |name| filter.counts(name));
    let ty = match ty {
        None => None,
        Some(name) => match sides.types.iter().position(|known| *known == name) {
            Some(at) => Some(at as u32),
            None => return Ok(lists),
        },
    };
    let mut matcher = matcher.only(mode, ty.is_some());
    matcher.resolve_ties();
    sides.run(watch, |sentence, pair| {
        let (gold, pred) = (pair.gold.all, pair.pred.all);
        let matched = matcher.run(gold, pred);
        matched.map_err(|error| InputError::unmatched(sentence, error))?;
        matcher.outcomes(gold, pred, mode, ty, |found: Found, at| {
            lists[found as usize].push((sentence, at));
        });
        Ok::<_, InputError>(())
    })?;
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partial::Matching;

    fn side(spans: &[(&str, i64, i64)]) -> SpanLists {
        let spans = spans
            .iter()
            .map(|(ty, start, end)| (ty.to_string(), *start, *end));
        SpanLists::of_tuples(vec![spans.collect()], Vec::new())
    }

    #[test]
    fn places_are_by_mode_and_type() {
        let gold = side(&[("A", 0, 2), ("B", 3, 5)]);
        let pred = side(&[("A", 0, 2), ("A", 3, 5), ("A", 7, 8)]);
        let places = |mode, ty| {
            let matcher = Matcher::new(Matching::Greedy, 1.0);
            let filter = TypeFilter::default();
            places_by_outcome((&gold, &pred), matcher, &filter, (mode, ty), || false).unwrap()
        };
        let [correct, incorrect, _, missed, spurious] = places(Mode::Strict, None);
        assert_eq!((correct, incorrect), (vec![(0, 0)], vec![(0, 1)]));
        assert_eq!((missed, spurious), (vec![], vec![(0, 2)]));
        let [correct, _, _, missed, spurious] = places(Mode::Bounds, Some("A"));
        assert_eq!((correct, missed), (vec![(0, 0)], vec![]));
        assert_eq!(spurious, [(0, 1), (0, 2)]);
        assert!(places(Mode::Strict, Some("C")).iter().all(Vec::is_empty));
    }
}
