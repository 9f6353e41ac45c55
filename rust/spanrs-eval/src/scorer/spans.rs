//! Sentences of spans.

use super::Scorer;
use crate::counting_sink::{CellSink, Cells};
use crate::matcher::{Pair, Unmatched};
use crate::outcomes::Counts;

impl Scorer {
    /// Adds a sentence of spans whose types are numbered by one vocabulary. Types that the filter does not keep must be
    /// left out already. [`Scorer::flush_spans`] brings the last ones into the counts.
    ///
    /// # Errors
    /// [`Unmatched`].
    #[inline]
    pub fn add_spans(
        &mut self,
        pair: &Pair<'_>,
        types: &mut TypeCells,
        name: &dyn Fn(u32) -> String,
    ) -> Result<(), Unmatched> {
        if pair.is_same_and_flat() {
            for span in pair.gold.all {
                types.add_same(span.ty);
            }
        } else {
            let mut sink = CellSink {
                counts: &mut self.counts,
                cells: &mut types.cells,
                gold: pair.gold.all,
                pred: pair.pred.all,
                name,
            };
            self.matcher.compare(pair, &mut sink)?;
        }
        self.tags.corpus.sentences += 1;
        self.sentences += 1;
        Ok(())
    }

    /// Counts the spans of sentences whose sides are the same. To be called before a document ends, and at the end.
    pub fn flush_spans(&mut self, types: &mut TypeCells, name: &dyn Fn(u32) -> String) {
        let mut sink = CellSink {
            counts: &mut self.counts,
            cells: &mut types.cells,
            gold: &[],
            pred: &[],
            name,
        };
        for ty in types.touched.drain(..) {
            let n = std::mem::take(&mut types.same[ty as usize]);
            self.matcher.same(ty, n, &mut sink);
        }
    }

    /// What finds the counts of types that are numbered by one vocabulary, for [`Scorer::add_spans`].
    pub fn type_cells(&self) -> TypeCells {
        TypeCells {
            cells: Cells::new(self.matcher.schema()),
            same: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// What was counted so far of spans, without documents.
    pub fn span_counts(&self) -> &Counts {
        &self.counts
    }
}

/// Finds the counts of types that are numbered by one vocabulary.
#[derive(Clone, Debug)]
pub struct TypeCells {
    cells: Cells,
    /// By type, spans of sentences whose sides are the same.
    same: Vec<u64>,
    /// Types that have such.
    touched: Vec<u32>,
}

impl TypeCells {
    #[inline]
    fn add_same(&mut self, ty: u32) {
        let at = ty as usize;
        if self.same.len() <= at {
            self.same.resize(at + 1, 0);
        }
        if self.same[at] == 0 {
            self.touched.push(ty);
        }
        self.same[at] += 1;
    }
}
