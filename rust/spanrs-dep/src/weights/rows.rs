//! Weights as rows of integers in four flat columns, as in model files.

use spanrs_base::Ends;

use crate::averages::Averages;

/// Features with their rows of (class, weight), in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Hash of each feature.
    pub(crate) features: Vec<u64>,
    /// The row of each feature in `classes` and `weights`. A row is empty if all its weights were
    /// rounded to 0: rows keep their numbers, because feature names refer to them.
    pub(crate) ends: Ends,
    /// Classes of all rows, increasing within a row.
    pub(crate) classes: Vec<u16>,
    /// The weight for each class in `classes`; never 0 if averages were frozen.
    pub(crate) weights: Vec<i32>,
}

impl Rows {
    /// Multiplies averages by `scale` and rounds them; weights that become 0 are dropped.
    pub(super) fn of(averages: &Averages, scale: f64) -> Self {
        let mut all = Self::default();
        for (feature, row) in averages.rows() {
            for &(class, weight) in row {
                let weight = (weight * scale).round() as i32;
                if weight != 0 {
                    all.classes.push(class as u16);
                    all.weights.push(weight);
                }
            }
            all.features.push(feature);
            all.ends.push(all.classes.len());
        }
        all
    }

    /// Number of features.
    pub(crate) fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns the features with their (class, weight) pairs, in the order of the rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, impl Iterator<Item = (u32, i32)>)> {
        let rows = self.ends.ranges().map(|range| {
            let classes = self.classes[range.clone()].iter();
            classes
                .zip(&self.weights[range])
                .map(|(&class, &weight)| (u32::from(class), weight))
        });
        self.features.iter().copied().zip(rows)
    }
}
