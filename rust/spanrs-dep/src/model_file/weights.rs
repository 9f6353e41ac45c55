//! Weights: the parts of a compact table, or four columns of exact weights.

use spanrs_base::{Ends, TensorWriter};

use super::{Tensors, damaged};
use crate::error::Result;
use crate::weights::{CompactParts, Rows, Weights};

/// Adds the tensors of weights; `part` is `tagger` or `parser`.
pub(crate) fn put_weights(part: &str, weights: &Weights, tensors: &mut TensorWriter) {
    let of = |name: &str| format!("{part}.{name}");
    if let Some(table) = weights.compact_table() {
        let parts = table.parts();
        tensors.bytes(of("buckets"), parts.buckets);
        tensors.bytes(of("long"), parts.long);
        tensors.numbers(of("dense"), parts.dense);
        tensors.numbers(of("levels"), parts.levels);
        tensors.numbers(of("hash"), [parts.hash]);
        return;
    }
    let rows = weights.rows();
    let ends = rows.ends.as_slice().iter().map(|&end| end as u64);
    tensors.numbers(of("features"), rows.features.iter().copied());
    tensors.numbers(of("ends"), ends);
    tensors.numbers(of("classes"), rows.classes.iter().copied());
    tensors.numbers(of("weights"), rows.weights.iter().copied());
}

impl Tensors<'_> {
    /// Reads weights and checks what prediction relies on, including the scale. Compact tables are checked by
    /// [`Weights::of_compact`].
    pub(crate) fn weights(&self, part: &str, classes: usize, scale: f64) -> Result<Weights> {
        if !(1e-18..=1e18).contains(&scale) {
            return Err(damaged(format!("the scale of {part} is {scale}")));
        }
        let of = |name: &str| format!("{part}.{name}");
        if !self.0.has(&of("buckets")) {
            return self.exact_weights(part, classes, scale);
        }
        let parts = CompactParts {
            buckets: self.0.bytes(&of("buckets"))?.to_vec(),
            levels: self.0.numbers(&of("levels"))?,
            long: self.0.bytes(&of("long"))?.to_vec(),
            dense: self.0.numbers(&of("dense"))?,
            hash: match self.0.numbers(&of("hash"))?[..] {
                [hash] => hash,
                _ => return Err(damaged(format!("{part} has several hash functions"))),
            },
        };
        Weights::of_compact(parts, classes, scale)
            .map_err(|message| damaged(format!("{part}: {message}")))
    }

    /// Reads exact weights and checks that rows cover all entries in their order, classes are below
    /// `classes` and increase within a row, and features are distinct.
    fn exact_weights(&self, part: &str, classes: usize, scale: f64) -> Result<Weights> {
        let of = |name: &str| format!("{part}.{name}");
        let features: Vec<u64> = self.0.numbers(&of("features"))?;
        let ends: Vec<u64> = self.0.numbers(&of("ends"))?;
        let own: Vec<u16> = self.0.numbers(&of("classes"))?;
        let values: Vec<i32> = self.0.numbers(&of("weights"))?;
        let mut distinct = features.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = distinct.len() == features.len()
            && features.len() == ends.len()
            && own.len() == values.len()
            && own.iter().all(|&class| usize::from(class) < classes);
        // An end that is too large for usize is out of range too.
        let ends = (ends.into_iter())
            .map(|end| usize::try_from(end).unwrap_or(usize::MAX))
            .collect();
        let ends = Ends::checked(ends, own.len()).filter(|ends| {
            let mut rows = ends.ranges().map(|range| &own[range]);
            fits && rows.all(|row| row.is_sorted_by(|a, b| a < b))
        });
        let ends = ends.ok_or_else(|| damaged(format!("the rows of {part} are inconsistent")))?;
        let rows = Rows {
            features,
            ends,
            classes: own,
            weights: values,
        };
        Weights::of_rows(rows, classes, scale).map_err(damaged)
    }
}
