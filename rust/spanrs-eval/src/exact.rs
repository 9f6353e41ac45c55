//! The exact matcher: a gold span is found if a pred span has the same type, start and end.
//!
//! Both sides are walked together, so no spans are built: at every token at most one span ends on a
//! side, and two spans are equal when they end together, began together and are of one type. This holds
//! for every reading, because none lets two spans of one side end at the same token.

use spanrs_tags::{CLOSE, Reader, VIOLATION, Walk};

use crate::counts::Counts;

/// What the walk saw on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Something may be wrong with the gold tags.
    pub gold: bool,
    /// Something may be wrong with the pred tags.
    pub pred: bool,
}

/// Counts one sentence; `gold` and `pred` are ids of `reader` and have the same length.
pub(crate) fn count(counts: &mut Counts, reader: &Reader, gold: &[u32], pred: &[u32]) -> Seen {
    debug_assert_eq!(gold.len(), pred.len());
    counts.fit(reader.types().len());
    let entries = reader.entries();
    let mut g = Walk::new(reader.table());
    let mut p = Walk::new(reader.table());
    let (mut g_seen, mut p_seen) = (0, 0);
    let mut correct = 0;
    for (at, (&gold_id, &pred_id)) in gold.iter().zip(pred).enumerate() {
        let at = at as u32;
        let (g_entry, p_entry) = (entries[gold_id as usize], entries[pred_id as usize]);
        correct += u64::from(gold_id == pred_id);
        let (g_step, p_step) = (g.look(g_entry), p.look(p_entry));
        g_seen |= g_step;
        p_seen |= p_step;
        if (g_step | p_step) & CLOSE != 0 {
            close(counts, &g, g_step, &p, p_step);
        }
        g.advance(at, g_entry, g_step);
        p.advance(at, p_entry, p_step);
    }
    let (g_step, p_step) = (g.finish(), p.finish());
    if (g_step | p_step) & CLOSE != 0 {
        close(counts, &g, g_step, &p, p_step);
    }
    counts.sentences += 1;
    counts.tokens += gold.len() as u64;
    counts.correct_tokens += correct;
    Seen {
        gold: (g_seen | g_step) & VIOLATION != 0,
        pred: (p_seen | p_step) & VIOLATION != 0,
    }
}

#[inline]
fn close(counts: &mut Counts, g: &Walk<'_>, g_step: u8, p: &Walk<'_>, p_step: u8) {
    let both = g_step & p_step & CLOSE != 0 && g.begin == p.begin;
    if g_step & CLOSE != 0 {
        let tally = &mut counts.types[g.ty as usize];
        tally.gold += 1;
        tally.tp += u64::from(both && g.ty == p.ty);
    }
    if p_step & CLOSE != 0 {
        counts.types[p.ty as usize].pred += 1;
    }
    if both && g.ty != p.ty {
        *counts.confused.entry((g.ty, p.ty)).or_default() += 1;
    }
}
