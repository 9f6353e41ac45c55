//! The exact matcher: a gold span is found if a pred span has the same type, start and end.
//!
//! Both sides are walked together, so no spans are built: at every token at most one span ends on a
//! side, and two spans are equal when they end together, began together and are of one type. This holds
//! for every reading, because none lets two spans of one side end at the same token.

use spanrs_tags::{CLOSE, Reader, VIOLATION, Walk, is_outside};

use crate::counts::Counts;

/// What the walk saw on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Something may be wrong with the gold tags.
    pub gold: bool,
    /// Something may be wrong with the pred tags.
    pub pred: bool,
}

/// Counts one sentence, given as ids of `reader`.
#[inline]
pub(crate) fn count(counts: &mut Counts, reader: &Reader, gold: &[u32], pred: &[u32]) -> Seen {
    counts.fit(reader.types().len());
    let (gold_entries, pred_entries) = (reader.gold().entries(), reader.pred().entries());
    let mut g = Walk::new(reader.gold().table());
    let mut p = Walk::new(reader.pred().table());
    let (mut g_seen, mut p_seen) = (0, 0);
    let (mut g_labelled, mut p_labelled) = (0, 0);
    let (mut tokens, mut correct) = (0, 0);
    let two_schemes = reader.has_two_schemes();
    for (&gold_id, &pred_id) in gold.iter().zip(pred) {
        let (g_entry, p_entry) = (
            gold_entries[gold_id as usize],
            pred_entries[pred_id as usize],
        );
        correct += u32::from(if two_schemes {
            is_outside(g_entry) == is_outside(p_entry) && g_entry >> 8 == p_entry >> 8
        } else {
            gold_id == pred_id
        });
        // Most of a corpus is `O` on both sides, and the processor guesses that well; without this
        // branch every token would wait for the step of the one before.
        if g_entry | p_entry == 0 && g.rests() && p.rests() {
            tokens += 1;
            continue;
        }
        g_labelled += u64::from(!is_outside(g_entry));
        p_labelled += u64::from(!is_outside(p_entry));
        let (g_step, p_step) = (g.look(g_entry), p.look(p_entry));
        g_seen |= g_step;
        p_seen |= p_step;
        if (g_step | p_step) & CLOSE != 0 {
            close(counts, &g, g_step, &p, p_step);
        }
        g.advance(tokens, g_entry, g_step);
        p.advance(tokens, p_entry, p_step);
        tokens += 1;
    }
    let (g_step, p_step) = (g.finish(), p.finish());
    if (g_step | p_step) & CLOSE != 0 {
        close(counts, &g, g_step, &p, p_step);
    }
    counts.sentences += 1;
    counts.tokens += u64::from(tokens);
    counts.correct_tokens += u64::from(correct);
    counts.gold_labelled += g_labelled;
    counts.pred_labelled += p_labelled;
    Seen {
        gold: (g_seen | g_step) & VIOLATION != 0,
        pred: (p_seen | p_step) & VIOLATION != 0,
    }
}

/// Counts the spans that end here. Without branches, because where spans end is hard to guess: a side
/// on which none ends adds 0 to a type it had before.
#[inline(always)]
fn close(counts: &mut Counts, g: &Walk<'_>, g_step: u8, p: &Walk<'_>, p_step: u8) {
    let (g_ends, p_ends) = (g_step & CLOSE, p_step & CLOSE);
    let both = g_ends & p_ends & u8::from(g.begin == p.begin);
    let same = u8::from(g.ty == p.ty);
    let tally = &mut counts.types[g.ty as usize];
    tally.gold += u64::from(g_ends);
    tally.tp += u64::from(both & same);
    counts.types[p.ty as usize].pred += u64::from(p_ends);
    if both & !same & 1 != 0 {
        confuse(counts, g.ty, p.ty);
    }
}

/// Counts two spans with equal bounds and different types.
#[cold]
pub(crate) fn confuse(counts: &mut Counts, gold: u32, pred: u32) {
    *counts.confused.entry((gold, pred)).or_default() += 1;
}
