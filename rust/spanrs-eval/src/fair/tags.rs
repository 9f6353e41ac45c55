//! Fair matching of sentences of tags.

use spanrs_base::Span;
use spanrs_tags::Reader;

use super::{FairCounts, Matcher, Spans, TypeFilter};
use crate::Placed;
use crate::counts::Counts;
use crate::tag_block::{TagBlock, ids};

/// Matches the sentences in which the two sides differ. Where they are the same there is nothing to be
/// found that exact matching does not count.
#[derive(Clone, Debug)]
pub(crate) struct TagMatcher {
    filter: TypeFilter,
    matcher: Matcher,
    spans: Vec<Span>,
    sides: [Vec<Placed>; 2],
}

impl TagMatcher {
    pub(crate) fn new(filter: TypeFilter) -> Self {
        Self {
            filter,
            matcher: Matcher::default(),
            spans: Vec::new(),
            sides: Default::default(),
        }
    }

    /// Matches a sentence, given as ids of `reader`.
    pub(crate) fn add(
        &mut self,
        reader: &Reader,
        gold: &[u32],
        pred: &[u32],
        counts: &mut FairCounts,
    ) {
        let sides = [(reader.gold(), gold), (reader.pred(), pred)];
        for ((side_reader, ids), side) in sides.into_iter().zip(&mut self.sides) {
            self.spans.clear();
            side_reader.spans_into(ids, &mut self.spans);
            let known = |span: &&Span| self.filter.counts(reader.type_name(span.ty));
            side.clear();
            side.extend(self.spans.iter().filter(known).map(|span| Placed {
                start: i64::from(span.start),
                end: i64::from(span.end),
                ty: span.ty,
            }));
        }
        let [gold, pred] = &self.sides;
        self.matcher
            .run(Spans::whole(gold), Spans::whole(pred), counts);
    }

    /// Matches the sentences of a block.
    pub(crate) fn add_block(&mut self, reader: &Reader, block: &TagBlock, counts: &mut FairCounts) {
        for (gold, pred) in block.both() {
            if gold != pred {
                self.add(reader, &ids(gold), &ids(pred), counts);
            }
        }
    }

    /// Everything that was counted: what exact matching counted of equal spans, in all sentences, and what
    /// fair matching found besides. Types that do not count are left out.
    pub(crate) fn all(&self, counts: &Counts, reader: &Reader) -> FairCounts {
        let mut all = counts.fair.clone();
        all.sentences = counts.sentences;
        for (ty, tally) in (0..).zip(&counts.types) {
            if !self.filter.counts(reader.type_name(ty)) {
                continue;
            }
            let row = all.row(ty);
            // No reading gives two equal spans, so each of several equal ones is the only one.
            (row.exact_tp, row.tp) = (tally.tp, tally.tp);
            (row.exact_fp, row.exact_fn) = (tally.pred - tally.tp, tally.gold - tally.tp);
        }
        all
    }
}
