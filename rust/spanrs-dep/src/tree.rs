//! Dependency trees: validity checks and projectivisation.
//!
//! Heads are numbered as in CoNLL: `heads[i]` is the head of word `i + 1`; words are numbered from
//! 1 and 0 is the root. For crossings the root is placed after the last word, as in the transition
//! system: an arc to the root then crosses every arc over its dependent.
//!
//! | heads | drawn (the root at 5) | |
//! |---|---|---|
//! | `[2, 0, 4, 2]` | 2→1, 5→2, 4→3, 2→4 | a projective tree |
//! | `[3, 4, 0, 3]` | 3→1, 4→2, 5→3, 3→4 | a tree; 3→1 crosses 4→2 |
//! | `[2, 1, 0, 3]` | 2→1, 1→2, 5→3, 3→4 | not a tree: words 1 and 2 form a cycle |
//!
//! Greedy arc-hybrid parsing can only reach projective trees, and its oracle needs a projective
//! gold tree, so trees in the training data are made projective first ([`projectivise`]).

use spanrs_base::{Clock, Interrupted, Named, Watch};

use crate::error::TreeError;

/// Number of words in a sentence that may have head 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// At most one, as Universal Dependencies requires. A non-empty tree always has at least one.
    #[default]
    One,
    /// Any number.
    Many,
}

impl Named for Roots {
    const WHAT: &'static str = "roots";
    const NAMES: &'static [(&'static str, Self)] = &[("one", Self::One), ("many", Self::Many)];
}

spanrs_base::serde_by_name!(Roots);

/// Checks that heads form a tree: all heads are in the sentence, there are no cycles, and the
/// number of roots is allowed. Takes O(words) time and memory. An empty list is a tree.
///
/// # Errors
/// [`TreeError::Range`] or [`TreeError::Roots`], whichever comes first from left to right; if there
/// are neither, [`TreeError::Cycle`] with the cycle reached from the leftmost word that does not
/// reach the root.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Roots, TreeError, check_tree};
/// assert_eq!(check_tree(&[2, 0, 2], Roots::One), Ok(()));
/// assert_eq!(check_tree(&[2, 1, 0], Roots::One), Err(TreeError::Cycle { word: 1, length: 2 }));
/// assert_eq!(check_tree(&[0, 0], Roots::One), Err(TreeError::Roots { first: 1, second: 2 }));
/// assert_eq!(check_tree(&[0, 0], Roots::Many), Ok(()));
/// ```
pub fn check_tree(heads: &[u32], roots: Roots) -> Result<(), TreeError> {
    let words = heads.len();
    let mut root = None;
    for (word, &head) in (1..).zip(heads) {
        let head = head as usize;
        if head > words {
            return Err(TreeError::Range { word, head, words });
        }
        if head == 0
            && let Some(first) = root.replace(word)
            && roots == Roots::One
        {
            return Err(TreeError::Roots {
                first,
                second: word,
            });
        }
    }
    // Each word is visited once: words visited in earlier walks are known to reach the root.
    let mut walk_of = vec![0_u32; words + 1];
    for start in 1..=words {
        let mut word = start;
        while word != 0 && walk_of[word] == 0 {
            walk_of[word] = start as u32;
            word = heads[word - 1] as usize;
        }
        if word != 0 && walk_of[word] == start as u32 {
            let mut length = 1;
            let mut at = heads[word - 1] as usize;
            while at != word {
                at = heads[at - 1] as usize;
                length += 1;
            }
            return Err(TreeError::Cycle { word, length });
        }
    }
    Ok(())
}

/// Returns true if no arcs cross, with the root after the last word; equivalently, if every word
/// between a word and its head is dominated by that head. Heads must form a tree. Takes at most
/// O(words log words) time, for sorting the arcs that start at one position.
///
/// # Examples
///
/// ```
/// use spanrs_dep::is_projective;
/// assert!(is_projective(&[2, 0, 2]));
/// assert!(!is_projective(&[3, 4, 0, 3]));
/// assert!(!is_projective(&[3, 0, 0]), "the arc from the root to 2 crosses the arc from 3 to 1");
/// ```
pub fn is_projective(heads: &[u32]) -> bool {
    first_crossing(heads).is_none()
}

/// Makes a tree projective in place and returns the number of words whose head has changed.
///
/// As long as an arc is not projective, the shortest such arc (of equally long arcs the one with
/// the leftmost dependent) is *lifted*: the dependent is attached to the head of its head. Each
/// lift moves a word closer to the root, so the loop ends. Source: Nivre and Nilsson 2005,
/// "Pseudo-projective dependency parsing", without encoding the lifts in the labels.
///
/// Heads must form a tree. A lift takes time proportional to the number of words and the total
/// length of the arcs; the words of projective trees are visited once.
///
/// # Errors
/// [`Interrupted`] if the watch requests a stop. The watch is called between lifts, since a
/// sentence of thousands of words with many crossing arcs takes long. After an interruption the
/// heads form a tree that may not be projective.
///
/// # Examples
///
/// ```
/// let mut heads = [3, 4, 0, 3];
/// assert_eq!(spanrs_dep::projectivise(&mut heads, || false), Ok(1));
/// assert_eq!(heads, [3, 3, 0, 3]);
/// ```
pub fn projectivise(heads: &mut [u32], watch: Watch) -> Result<usize, Interrupted> {
    if is_projective(heads) {
        return Ok(0);
    }
    let mut clock = Clock::new(watch);
    let original = heads.to_vec();
    while let Some(word) = shortest_nonprojective(heads) {
        if clock.stops() {
            return Err(Interrupted);
        }
        heads[word] = heads[heads[word] as usize - 1];
    }
    Ok(original.iter().zip(&*heads).filter(|(a, b)| a != b).count())
}

/// Returns the index of the head of the word with index `word`, both from 0; the root is at
/// `heads.len()`, after the last word.
fn position(heads: &[u32], word: usize) -> usize {
    match heads[word] {
        0 => heads.len(),
        head => head as usize - 1,
    }
}

/// Returns the left end (index from 0) of the first arc that crosses an arc that starts further
/// left; None for projective trees.
///
/// Scans positions with a stack of the ends of arcs that are open. In projective trees arcs are
/// nested, so the ends decrease towards the top; an arc that ends after the innermost open arc
/// crosses it.
fn first_crossing(heads: &[u32]) -> Option<usize> {
    // Ends of the arcs that are open at a position, the innermost last.
    let mut ends_at: Vec<Vec<usize>> = vec![Vec::new(); heads.len() + 1];
    for word in 0..heads.len() {
        let head = position(heads, word);
        ends_at[word.min(head)].push(word.max(head));
    }
    let mut open: Vec<usize> = Vec::new();
    for (at, ends) in ends_at.iter_mut().enumerate() {
        while open.last() == Some(&at) {
            open.pop();
        }
        // The longest arcs are opened first.
        ends.sort_unstable_by(|a, b| b.cmp(a));
        for &end in &*ends {
            if open.last().is_some_and(|&inner| inner < end) {
                return Some(at);
            }
            open.push(end);
        }
    }
    None
}

/// Returns for each index, including the root at `heads.len()`, the range of the preorder numbers
/// of its subtree: `a` dominates `b` if the range of `a` contains the start of the range of `b`.
/// O(words).
fn subtrees(heads: &[u32]) -> Vec<std::ops::Range<usize>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); heads.len() + 1];
    for word in 0..heads.len() {
        children[position(heads, word)].push(word);
    }
    let mut ranges = vec![0..0; heads.len() + 1];
    let mut next = 0;
    // A word is visited twice: before and after its subtree.
    let mut open = vec![(heads.len(), false)];
    while let Some((at, done)) = open.pop() {
        if done {
            ranges[at].end = next;
            continue;
        }
        ranges[at].start = next;
        next += 1;
        open.push((at, true));
        open.extend(children[at].iter().map(|&child| (child, false)));
    }
    ranges
}

/// Returns the dependent (index from 0) of the shortest arc over a word that its head does not
/// dominate, the leftmost dependent of equally short arcs; None for projective trees. The dependent
/// is never attached to the root, which dominates all words.
fn shortest_nonprojective(heads: &[u32]) -> Option<usize> {
    let subtrees = subtrees(heads);
    let mut best: Option<(usize, usize)> = None;
    // Everything is dominated by the root.
    for word in (0..heads.len()).filter(|&word| heads[word] != 0) {
        let head = position(heads, word);
        let length = word.abs_diff(head);
        if best.is_some_and(|(shortest, _)| shortest <= length) {
            continue;
        }
        let below = word.min(head) + 1..word.max(head);
        let dominated = |at: usize| subtrees[head].contains(&subtrees[at].start);
        if !below.into_iter().all(dominated) {
            best = Some((length, word));
        }
    }
    best.map(|(_, word)| word)
}
