//! Evaluation of tags and dependency trees, as defined by the CoNLL 2018 shared task.
//!
//! Source: Zeman et al., "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
//! Dependencies", 2018, and its script `conll18_ud_eval.py`. Gold and pred may be tokenised
//! differently: [`align()`] finds the words that both sides have, and everything else is counted
//! for those pairs ([`compare`]).
//!
//! | criterion | right if | words counted |
//! |---|---|---|
//! | `las` | head and label are right | all |
//! | `uas` | head is right | all |
//! | `las_no_punct`, `uas_no_punct` | as above | gold label is not punctuation |
//! | `clas` | head and label are right | label is a content relation |
//! | `mlas` | also UPOS, features and functional children | label is a content relation |
//! | `upos`, `xpos` | tags are equal | all |
//! | `feats` | universal features are equal | all |
//! | `lemmas` | lemmas are equal, or gold has `_` | all |
//!
//! A head is right if the pred head is aligned with the gold head, or if both words are roots. F1
//! of these criteria are the scores of the shared task; the criteria without punctuation are an
//! addition. Unlike other matchers this one counts without events, because its units are words of
//! two tokenisations.
//!
//! ```
//! use spanrs_eval::dep::{Node, Options, SCHEMA, compare};
//! use spanrs_eval::outcomes::{Counts, Measure, Prf};
//! let word = |span, label, head| Node { form: "w", label, head, span, ..Node::default() };
//! let gold = [word((0, 1), "nsubj", Some(1)), word((1, 2), "root", None)];
//! let pred = [word((0, 1), "obj", Some(1)), word((1, 2), "root", None)];
//! let mut counts = Counts::new(&SCHEMA);
//! compare(&gold, &pred, Options::default(), &mut counts).unwrap();
//! let f1 = |name| counts.measure(&Measure::Micro(Prf::f1(SCHEMA.criterion(name).unwrap())));
//! assert_eq!((f1("las"), f1("uas")), (0.5, 1.0));
//! ```

mod align;
mod schema;
mod words;

pub use align::{Aligned, TooManyWords, align};
pub use schema::SCHEMA;
pub use words::{COLUMNS, Node, is_content, is_functional, is_punctuation, main_relation};

use crate::outcomes::{Cell, Counts};
use schema::{
    ARCS, CONTENT, COPIED, CORPUS, FEATS, GOLD_WITHOUT, LEMMAS, MISLABELLED, MISSED, MLAS,
    NO_PUNCT, PRED_WITHOUT, RIGHT, SPURIOUS, UPOS, WRONG, WRONG_TAG,
};

/// Options of the comparison of trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// True to compare whole labels (`nmod:poss`). False, the default, to compare the part before
    /// the first colon, as in the shared task. Content, function and punctuation relations are
    /// always decided by that part.
    pub subtypes: bool,
}

/// Counts what gold and pred words have in common.
///
/// - `gold`, `pred`: the words of the same stretch of text, one or several sentences, in order.
///   [`Node::head`] is an index into the words of its own side.
/// - `counts`: counts of [`SCHEMA`]. Types are labels for arcs and tags for `upos` and `xpos`. The
///   document is not ended.
///
/// Every aligned pair gets one outcome per criterion under the types of both sides; words without a
/// counterpart are missed or spurious. In the criteria of content words a pair in which only gold
/// has a content relation is missed, and one in which only pred has one is spurious. Of a pair the
/// gold label decides whether it is punctuation. The numbers of sentences, gold words and pred
/// words are counted as well, and how many words have an empty or a copied column: if all words
/// have an empty column, or some a copied one, its measures are undefined.
///
/// Linear in words and arcs, apart from [`align()`]. Memory is linear.
///
/// # Errors
/// [`TooManyWords`] from [`align()`]; nothing has been counted then.
///
/// # Panics
/// If a head is not an index into the words of its side.
pub fn compare(
    gold: &[Node<'_>],
    pred: &[Node<'_>],
    options: Options,
    counts: &mut Counts,
) -> Result<(), TooManyWords> {
    let pairs = align(gold, pred)?;
    let mut gold_of = vec![None; pred.len()];
    let mut pred_of = vec![None; gold.len()];
    for pair in &pairs {
        gold_of[pair.pred] = Some(pair.gold);
        pred_of[pair.gold] = Some(pair.pred);
    }
    let label = |word: &Node| -> String {
        match options.subtypes {
            true => word.label.to_owned(),
            false => main_relation(word.label).to_owned(),
        }
    };
    let mut count = |criterion: u8, outcome: u8, gold: Option<&str>, pred: Option<&str>| {
        let gold = gold.map(|name| counts.intern(name));
        let pred = pred.map(|name| counts.intern(name));
        let cell = counts.cell(Cell::new(criterion, outcome, gold, pred));
        counts.add(cell, 1);
    };
    let children = [functional_children(gold), functional_children(pred)];
    for (at, word) in gold.iter().enumerate() {
        let own = label(word);
        let other = pred_of[at].map(|at| &pred[at]);
        let Some((pred_at, other)) = pred_of[at].zip(other) else {
            count(ARCS, MISSED, Some(&own), None);
            if !is_punctuation(word.label) {
                count(NO_PUNCT, MISSED, Some(&own), None);
            }
            if is_content(word.label) {
                count(CONTENT, MISSED, Some(&own), None);
                count(MLAS, MISSED, Some(&own), None);
            }
            count(UPOS, WRONG_TAG + 1, Some(word.upos), None);
            count(UPOS + 1, WRONG_TAG + 1, Some(word.xpos), None);
            count(FEATS, WRONG_TAG + 1, None, None);
            count(LEMMAS, WRONG_TAG + 1, None, None);
            continue;
        };
        let theirs = label(other);
        let head_is_right = match (word.head, other.head) {
            (None, None) => true,
            (Some(own), Some(their)) => gold_of[their] == Some(own),
            _ => false,
        };
        let outcome = match (head_is_right, own == theirs) {
            (true, true) => RIGHT,
            (true, false) => MISLABELLED,
            (false, _) => WRONG,
        };
        count(ARCS, outcome, Some(&own), Some(&theirs));
        let mut of_both =
            |criterion, own_side: bool, other_side: bool, outcome| match (own_side, other_side) {
                (true, true) => count(criterion, outcome, Some(&own), Some(&theirs)),
                (true, false) => count(criterion, MISSED, Some(&own), None),
                (false, true) => count(criterion, SPURIOUS, None, Some(&theirs)),
                (false, false) => {}
            };
        // The gold label decides whether a pair is punctuation.
        let counted = !is_punctuation(word.label);
        of_both(NO_PUNCT, counted, counted, outcome);
        let content = [word, other].map(|word| is_content(word.label));
        of_both(CONTENT, content[0], content[1], outcome);
        let same_word = word.upos == other.upos && word.feats() == other.feats();
        let same_children = || {
            let [gold_children, pred_children] = &children;
            let (own, their) = (&gold_children[at], &pred_children[pred_at]);
            own.len() == their.len()
                && own.iter().zip(their).all(|(&own, &their)| {
                    let (a, b) = (&gold[own], &pred[their]);
                    gold_of[their] == Some(own)
                        && label(a) == label(b)
                        && a.upos == b.upos
                        && a.feats() == b.feats()
                })
        };
        let mlas = match outcome == RIGHT && !(same_word && same_children()) {
            true => WRONG,
            false => outcome,
        };
        of_both(MLAS, content[0], content[1], mlas);
        let tag = |same: bool| if same { RIGHT } else { WRONG_TAG };
        count(
            UPOS,
            tag(word.upos == other.upos),
            Some(word.upos),
            Some(other.upos),
        );
        count(
            UPOS + 1,
            tag(word.xpos == other.xpos),
            Some(word.xpos),
            Some(other.xpos),
        );
        count(FEATS, tag(word.feats() == other.feats()), None, None);
        count(LEMMAS, tag(same_lemma(word.lemma, other.lemma)), None, None);
    }
    for (at, word) in pred.iter().enumerate() {
        if gold_of[at].is_some() {
            continue;
        }
        let own = label(word);
        count(ARCS, SPURIOUS, None, Some(&own));
        if !is_punctuation(word.label) {
            count(NO_PUNCT, SPURIOUS, None, Some(&own));
        }
        if is_content(word.label) {
            count(CONTENT, SPURIOUS, None, Some(&own));
            count(MLAS, SPURIOUS, None, Some(&own));
        }
        count(UPOS, WRONG_TAG + 2, None, Some(word.upos));
        count(UPOS + 1, WRONG_TAG + 2, None, Some(word.xpos));
        count(FEATS, WRONG_TAG + 2, None, None);
        count(LEMMAS, WRONG_TAG + 2, None, None);
    }
    count_corpus(gold, pred, counts);
    Ok(())
}

/// Counts sentences and words, and words without a column or with a copied one. Numbers of 0 have
/// no cells.
fn count_corpus(gold: &[Node<'_>], pred: &[Node<'_>], counts: &mut Counts) {
    let mut sizes = [0; COPIED as usize + COLUMNS.len()];
    sizes[0] = gold.iter().filter(|word| word.starts_sentence).count();
    [sizes[1], sizes[2]] = [gold.len(), pred.len()];
    for (side, first) in [(gold, GOLD_WITHOUT), (pred, PRED_WITHOUT)] {
        for word in side {
            // All words have heads, the last column.
            for (at, without) in (first as usize..).zip(&word.without()[..COLUMNS.len() - 1]) {
                sizes[at] += usize::from(*without);
            }
        }
    }
    for word in pred {
        for (at, (copied, without)) in
            (COPIED as usize..).zip(word.copied.iter().zip(word.without()))
        {
            sizes[at] += usize::from(*copied && !without);
        }
    }
    for (outcome, n) in (0..).zip(sizes) {
        if outcome >= GOLD_WITHOUT && n == 0 {
            continue;
        }
        let cell = counts.cell(Cell::new(CORPUS, outcome, None, None));
        counts.add(cell, n as u64);
    }
}

/// Returns true if the lemmas are equal, or if gold leaves the lemma open with `_`.
fn same_lemma(gold: &str, pred: &str) -> bool {
    gold == "_" || gold == pred
}

/// Returns for each word the words attached to it with a functional relation, in the order of the
/// text.
///
/// MLAS compares them pairwise. Panics if a head is not an index into `words`.
fn functional_children(words: &[Node<'_>]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); words.len()];
    for (at, word) in words.iter().enumerate() {
        if let Some(head) = word.head
            && is_functional(word.label)
        {
            children[head].push(at);
        }
    }
    children
}
