//! Weights as rows of integers: what model files hold.

use crate::averages::Averages;

/// Features with their rows of (class, weight), in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) features: Vec<u64>,
    /// End of each row.
    pub(crate) ends: Vec<u64>,
    pub(crate) classes: Vec<u16>,
    pub(crate) weights: Vec<i32>,
}

impl Rows {
    /// Averages times `scale`, rounded; weights of 0 are left out.
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
            all.ends.push(all.classes.len() as u64);
        }
        all
    }

    /// Number of features.
    pub(crate) fn len(&self) -> usize {
        self.features.len()
    }

    /// Features with their rows, in the order of the classes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, impl Iterator<Item = (u32, i32)>)> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let ranges = starts.zip(&self.ends);
        let rows = ranges.map(|(&start, &end)| {
            let range = start as usize..end as usize;
            let classes = self.classes[range.clone()].iter();
            classes
                .zip(&self.weights[range])
                .map(|(&class, &weight)| (u32::from(class), weight))
        });
        self.features.iter().copied().zip(rows)
    }
}
