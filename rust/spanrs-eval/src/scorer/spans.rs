//! Scoring sentences of spans.

use super::Scorer;
use crate::counting_sink::{CellSink, Cells};
use crate::matcher::{Pair, Unmatched};
use crate::outcomes::Counts;

impl Scorer {
    /// Adds a sentence of spans whose types are ids of one vocabulary. `name` returns the name of a
    /// type.
    ///
    /// The caller must have removed spans whose type the filter does not keep. Spans of equal
    /// sentences are counted in `types`; [`Scorer::flush_spans`] adds them to the counts.
    ///
    /// # Errors
    /// [`Unmatched`] from the matcher; the counts are then incomplete.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::{Exact, Pair, Scorer, Spans};
    /// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
    /// let mut types = scorer.type_cells();
    /// let name = |_| "PER".to_owned();
    /// let spans = [Span { start: 0, end: 2, ty: 0 }];
    /// let pair = Pair::new(Spans::whole(&spans), Spans::whole(&spans));
    /// scorer.add_spans(&pair, &mut types, &name).unwrap();
    /// scorer.flush_spans(&mut types, &name);
    /// assert_eq!(scorer.position(), (1, 1));
    /// ```
    #[inline]
    pub fn add_spans(
        &mut self,
        pair: &Pair<'_>,
        types: &mut TypeCells,
        name: &dyn Fn(u32) -> String,
    ) -> Result<(), Unmatched> {
        let is_same = pair.is_same_and_flat();
        if is_same {
            self.tags.corpus.equal_starts += pair.gold.all.len() as u64;
        } else {
            self.tags.corpus.add_ends(pair);
        }
        if is_same && !self.compares_equal_sides {
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

    /// Adds the spans of equal sentences to the counts. Call this before a document ends and at the
    /// end.
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

    /// Returns the table of cells for one vocabulary of types, for [`Scorer::add_spans`].
    pub fn type_cells(&self) -> TypeCells {
        TypeCells {
            cells: Cells::new(self.matcher.schema()),
            same: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Returns the counts of spans so far, without documents.
    pub fn span_counts(&self) -> &Counts {
        &self.counts
    }
}

/// The cells of the counts for types that are numbered by one vocabulary, and the spans of equal
/// sentences that have not been reported yet.
#[derive(Clone, Debug)]
pub struct TypeCells {
    /// Cells by type ids.
    cells: Cells,
    /// Number of spans in sentences whose two sides are equal, by type.
    same: Vec<u64>,
    /// Types with a nonzero count in `same`, in order of appearance.
    touched: Vec<u32>,
}

impl TypeCells {
    /// Counts a span of a sentence whose sides are equal.
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
