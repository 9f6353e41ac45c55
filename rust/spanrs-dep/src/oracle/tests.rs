//! Compares the oracle with brute force for all projective trees of up to five words and all
//! reachable states.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::tree::{Roots, check_tree, is_projective};

const MOVES: [Move; 3] = [Move::Shift, Move::Right, Move::Left];

/// Identifies a state by front and stack. The existing arcs do not change which other arcs can
/// still be made.
type Key = (u32, Vec<u32>);

fn key(state: &State) -> Key {
    (state.front, state.stack.clone())
}

/// All projective trees of `words` words, found by enumerating all (words + 1)^words lists of
/// heads.
fn trees(words: usize, roots: Roots) -> Vec<Vec<u32>> {
    let mut heads = vec![0_u32; words];
    let mut found = Vec::new();
    loop {
        if check_tree(&heads, roots).is_ok() && is_projective(&heads) {
            found.push(heads.clone());
        }
        let Some(at) = heads.iter().position(|&head| (head as usize) < words) else {
            return found;
        };
        heads[at] += 1;
        heads[..at].fill(0);
    }
}

/// The largest number of gold arcs that can still be made from a state; `known` memoises it by
/// [`Key`].
fn best(state: &State, gold: &[u32], known: &mut HashMap<Key, usize>) -> usize {
    if state.is_final() {
        return 0;
    }
    if let Some(&found) = known.get(&key(state)) {
        return found;
    }
    let most = MOVES
        .iter()
        .filter(|&&m| state.is_valid(m))
        .map(|&m| after(state, m, gold, known));
    let most = most.max().unwrap();
    known.insert(key(state), most);
    most
}

/// The largest number of gold arcs that can still be made from a state if the next move is
/// `transition`, including the arc of the move itself.
fn after(state: &State, transition: Move, gold: &[u32], known: &mut HashMap<Key, usize>) -> usize {
    let mut next = state.clone();
    let child = state.stack_at(0);
    next.apply(transition, 0);
    let made = transition != Move::Shift && next.heads[child as usize] == gold[child as usize];
    usize::from(made) + best(&next, gold, known)
}

/// The gold tree as [`GoldTree::follow`] would have left it in a state, computed from the stack.
fn gold_tree(heads: &[u32], state: &State) -> GoldTree {
    let mut tree = GoldTree::default();
    tree.start(heads, &vec![0; heads.len()]);
    tree.waiting.fill(0);
    tree.on_stack.fill(false);
    for &word in &state.stack {
        tree.push(word);
    }
    tree
}

/// Compares both oracles with brute force in all reachable states for all trees of `words` words.
/// Returns the number of states, of states where the exact oracle is wrong, and of states where the
/// published oracle differs from brute force.
fn check(words: usize, roots: Roots, single_root: bool) -> (usize, usize, usize) {
    let mut totals = (0, 0, 0);
    for heads in trees(words, roots) {
        let gold = GoldTree::default();
        let mut with_root = gold;
        with_root.start(&heads, &vec![0; words]);
        let gold = with_root.heads;
        let mut start = State::default();
        start.start(words, single_root);
        let (mut seen, mut open) = (HashSet::new(), vec![start]);
        let mut known = HashMap::new();
        while let Some(state) = open.pop() {
            if state.is_final() || !seen.insert(key(&state)) {
                continue;
            }
            totals.0 += 1;
            let most = best(&state, &gold, &mut known);
            let truth =
                MOVES.map(|m| state.is_valid(m) && after(&state, m, &gold, &mut known) == most);
            let tree = gold_tree(&heads, &state);
            totals.1 += usize::from(tree.zero_cost(&state, single_root) != truth);
            totals.2 += usize::from(tree.published(&state) != truth);
            for m in MOVES.into_iter().filter(|&m| state.is_valid(m)) {
                let mut next = state.clone();
                next.apply(m, 0);
                open.push(next);
            }
        }
    }
    totals
}

#[test]
fn the_exact_oracle_is_that_of_brute_force() {
    let mut sums = [(0, 0), (0, 0)];
    for words in 2..=5 {
        for (sum, roots) in sums.iter_mut().zip([Roots::One, Roots::Many]) {
            let (states, wrong, differs) = check(words, roots, false);
            assert_eq!(wrong, 0, "{words} words, {roots:?}");
            sum.0 += states;
            sum.1 += differs;
        }
    }
    // Number of states for all trees, and number of states in which parser.py accepts a move that
    // loses an arc.
    assert_eq!(sums, [(9_694, 94), (18_419, 1_159)]);
}

#[test]
fn with_a_single_root_the_oracle_is_that_of_brute_force() {
    for words in 1..=5 {
        let (states, wrong, _) = check(words, Roots::One, true);
        assert!(states > 0);
        assert_eq!(wrong, 0, "{words} words");
    }
}

#[test]
fn states_that_are_followed_are_those_that_are_told() {
    for heads in trees(4, Roots::Many) {
        let mut tree = GoldTree::default();
        tree.start(&heads, &[0; 4]);
        let mut state = State::default();
        state.start(4, false);
        while !state.is_final() {
            let fresh = gold_tree(&heads, &state);
            assert_eq!(
                (&tree.waiting, &tree.on_stack),
                (&fresh.waiting, &fresh.on_stack)
            );
            let free = tree.zero_cost(&state, false);
            let next = MOVES
                .into_iter()
                .zip(free)
                .find_map(|(m, free)| free.then_some(m))
                .unwrap();
            tree.follow(&state, next);
            state.apply(next, 0);
        }
        assert_eq!(
            state.conll_heads().collect::<Vec<_>>(),
            heads,
            "zero-cost moves lead to the tree"
        );
    }
}
