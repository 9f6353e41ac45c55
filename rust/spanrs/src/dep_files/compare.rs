//! Comparison of tags and dependency trees, as defined by the CoNLL 2018 shared task.
//!
//! Source: Zeman et al., "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
//! Dependencies", 2018, and its script `conll18_ud_eval.py`. Gold and pred may be tokenised
//! differently: [`align()`] finds the words that both sides have, and the other criteria are
//! counted for the aligned pairs. Unlike the matchers of spans, this comparison does not emit
//! events, because its units are words of two tokenisations.

use spanrs_eval::Side;
use spanrs_eval::outcomes::{Cell, Counts};
use spanrs_io::{TooManyWords, align};

use super::schema::{
    ALL_TAGS, ARCS, BLEX, CONTENT, COPIED, CORPUS, FEATS, GOLD_WITHOUT, LEMMAS, MISLABELLED,
    MISSED, MISSED_TAG, MISSED_UNIT, MLAS, NO_PUNCT, PRED_WITHOUT, RIGHT, SENTENCES, SPURIOUS,
    SPURIOUS_TAG, SPURIOUS_UNIT, TOKENS, UPOS, WORDS, WRONG, WRONG_TAG, XPOS,
};
use super::words::{COLUMNS, TreeWord, is_content, is_functional, is_punctuation, main_relation};

/// Compares gold and pred words in all criteria and counts the outcomes.
///
/// - `gold`, `pred`: the words of the same segment of text, one or several sentences, in order.
///   [`TreeWord::head`] is an index into the words on the same side.
/// - `subtypes`: compare whole labels, see [`EvaluateOptions`](super::EvaluateOptions).
/// - `counts`: counts of [`SCHEMA`](super::SCHEMA). Types are labels for arcs and tags for `upos`
///   and `xpos`. The current document of the counts is not ended.
///
/// Every aligned pair gets one outcome per criterion under the types of both sides; words without a
/// counterpart are missed or spurious. In the criteria of content words, a pair is missed if only
/// gold has a content relation, and spurious if only pred has one. The gold label decides whether a
/// pair is punctuation. The numbers of sentences, gold words and pred words are also counted, and
/// the numbers of words with each column empty or copied: the measures of a column are undefined if
/// the column is empty in all words or copied in some words.
///
/// Time is linear in words and arcs, apart from [`align()`]. Memory is linear.
///
/// # Errors
/// [`TooManyWords`] from [`align()`]; nothing has been counted then.
///
/// # Panics
/// If a head is not an index into the words of its side.
pub(super) fn compare(
    gold: &[TreeWord],
    pred: &[TreeWord],
    subtypes: bool,
    counts: &mut Counts,
) -> Result<(), TooManyWords> {
    let pairs = align(gold, pred)?;
    let mut gold_of = vec![None; pred.len()];
    let mut pred_of = vec![None; gold.len()];
    for (g, p) in pairs {
        gold_of[p] = Some(g);
        pred_of[g] = Some(p);
    }
    let children = [gold, pred].map(functional_children);
    let trees = AlignedTrees {
        gold,
        pred,
        gold_of,
        children,
        subtypes,
        has_trees: !gold.iter().chain(pred).any(|word| word.without_head),
    };
    for (g, word) in gold.iter().enumerate() {
        match pred_of[g] {
            Some(p) => trees.count_pair(g, p, counts),
            None => trees.count_unaligned(word, Side::Gold, counts),
        }
    }
    for (word, gold_word) in pred.iter().zip(&trees.gold_of) {
        if gold_word.is_none() {
            trees.count_unaligned(word, Side::Pred, counts);
        }
    }
    count_units(TOKENS, [gold, pred], |word| word.starts_token, counts);
    count_units(SENTENCES, [gold, pred], |word| word.starts_sentence, counts);
    count_corpus(gold, pred, counts);
    Ok(())
}

/// Counts the units (tokens or sentences) that both sides have with the same characters, and the
/// units of one side only. A unit lasts from a word for which `starts` is true to the word before
/// the next such word.
fn count_units(
    criterion: u8,
    sides: [&[TreeWord]; 2],
    starts: impl Fn(&TreeWord) -> bool,
    counts: &mut Counts,
) {
    let [gold, pred] = sides.map(|words| {
        let units = words.chunk_by(|_, next| !starts(next));
        let spans = units.filter_map(|unit| Some((unit.first()?.span.0, unit.last()?.span.1)));
        spans.collect::<Vec<_>>()
    });
    let mut others = pred.iter().peekable();
    let mut right = 0;
    for unit in &gold {
        // Units of a side do not overlap.
        while others.next_if(|other| other.0 < unit.0).is_some() {}
        right += u64::from(others.next_if_eq(&unit).is_some());
    }
    let missed = gold.len() as u64 - right;
    let spurious = pred.len() as u64 - right;
    for (outcome, n) in [
        (RIGHT, right),
        (MISSED_UNIT, missed),
        (SPURIOUS_UNIT, spurious),
    ] {
        let cell = counts.cell(Cell::new(criterion, outcome, None, None));
        counts.add(cell, n);
    }
}

/// The trees of both sides and the alignment of their words.
struct AlignedTrees<'a> {
    /// Words of gold.
    gold: &'a [TreeWord],
    /// Words of pred.
    pred: &'a [TreeWord],
    /// For each pred word, the index of the aligned gold word.
    gold_of: Vec<Option<usize>>,
    /// The [`functional_children`] of gold and of pred.
    children: [Vec<Vec<usize>>; 2],
    /// Whether labels are compared with their subtypes.
    subtypes: bool,
    /// Whether both sides have trees; otherwise the criteria of arcs count nothing.
    has_trees: bool,
}

impl AlignedTrees<'_> {
    /// Counts an aligned pair of a gold and a pred word in all criteria.
    fn count_pair(&self, g: usize, p: usize, counts: &mut Counts) {
        let words = [&self.gold[g], &self.pred[p]];
        let [gold, pred] = words;
        let same_lemma = gold.lemma == "_" || gold.lemma == pred.lemma;
        if self.has_trees {
            self.count_arcs((g, p), same_lemma, counts);
        }
        let tag = |same: bool| if same { RIGHT } else { WRONG_TAG };
        let upos = words.map(|word| word.upos.as_str());
        let xpos = words.map(|word| word.xpos.as_str());
        let same_feats = gold.feats() == pred.feats();
        let same_tags = same_feats && upos[0] == upos[1] && xpos[0] == xpos[1];
        count(counts, UPOS, tag(upos[0] == upos[1]), upos.map(Some));
        count(counts, XPOS, tag(xpos[0] == xpos[1]), xpos.map(Some));
        count(counts, FEATS, tag(same_feats), [None; 2]);
        count(counts, LEMMAS, tag(same_lemma), [None; 2]);
        count(counts, ALL_TAGS, tag(same_tags), [None; 2]);
        count(counts, WORDS, RIGHT, [None; 2]);
    }

    /// Counts an aligned pair in the criteria of arcs.
    fn count_arcs(&self, (g, p): (usize, usize), same_lemma: bool, counts: &mut Counts) {
        let words = [&self.gold[g], &self.pred[p]];
        let [gold, pred] = words;
        let both = words.map(|word| Some(self.label(word)));
        let arc = self.arc_outcome(g, p);
        count(counts, ARCS, arc, both);
        // The gold label decides whether a pair is punctuation.
        if !is_punctuation(&gold.label) {
            count(counts, NO_PUNCT, arc, both);
        }
        let same_words = || same_morphology(gold, pred) && self.same_children(g, p);
        let mlas = if arc == RIGHT && !same_words() {
            WRONG
        } else {
            arc
        };
        let blex = if arc == RIGHT && !same_lemma {
            WRONG
        } else {
            arc
        };
        let content = words.map(|word| is_content(&word.label));
        for (criterion, outcome) in [(CONTENT, arc), (MLAS, mlas), (BLEX, blex)] {
            match content {
                [true, true] => count(counts, criterion, outcome, both),
                [true, false] => count(counts, criterion, MISSED, [both[0], None]),
                [false, true] => count(counts, criterion, SPURIOUS, [None, both[1]]),
                [false, false] => {}
            }
        }
    }

    /// Counts a word without a counterpart on the other side in all criteria.
    fn count_unaligned(&self, word: &TreeWord, side: Side, counts: &mut Counts) {
        let (arc, tag, unit) = match side {
            Side::Gold => (MISSED, MISSED_TAG, MISSED_UNIT),
            Side::Pred => (SPURIOUS, SPURIOUS_TAG, SPURIOUS_UNIT),
        };
        fn types(side: Side, name: &str) -> [Option<&str>; 2] {
            match side {
                Side::Gold => [Some(name), None],
                Side::Pred => [None, Some(name)],
            }
        }
        let label = types(side, self.label(word));
        let of_arcs = [
            (ARCS, true),
            (NO_PUNCT, !is_punctuation(&word.label)),
            (CONTENT, is_content(&word.label)),
            (MLAS, is_content(&word.label)),
            (BLEX, is_content(&word.label)),
        ];
        for (criterion, is_counted) in of_arcs {
            if is_counted && self.has_trees {
                count(counts, criterion, arc, label);
            }
        }
        count(counts, UPOS, tag, types(side, &word.upos));
        count(counts, XPOS, tag, types(side, &word.xpos));
        for criterion in [FEATS, LEMMAS, ALL_TAGS] {
            count(counts, criterion, tag, [None; 2]);
        }
        count(counts, WORDS, unit, [None; 2]);
    }

    /// Returns the label under which a word is counted.
    fn label<'w>(&self, word: &'w TreeWord) -> &'w str {
        match self.subtypes {
            true => &word.label,
            false => main_relation(&word.label),
        }
    }

    /// Returns the outcome for head and label of an aligned pair.
    fn arc_outcome(&self, g: usize, p: usize) -> u8 {
        let (gold, pred) = (&self.gold[g], &self.pred[p]);
        let head_is_right = match (gold.head, pred.head) {
            (None, None) => true,
            (Some(gold_head), Some(pred_head)) => self.gold_of[pred_head] == Some(gold_head),
            _ => false,
        };
        match (head_is_right, self.label(gold) == self.label(pred)) {
            (true, true) => RIGHT,
            (true, false) => MISLABELLED,
            (false, _) => WRONG,
        }
    }

    /// Returns true if the functional children of an aligned pair are aligned one by one, with the
    /// same labels, tags and features.
    fn same_children(&self, g: usize, p: usize) -> bool {
        let [gold_children, pred_children] = &self.children;
        let (gold, pred) = (&gold_children[g], &pred_children[p]);
        gold.len() == pred.len()
            && gold.iter().zip(pred).all(|(&g, &p)| {
                let (gold, pred) = (&self.gold[g], &self.pred[p]);
                self.gold_of[p] == Some(g)
                    && self.label(gold) == self.label(pred)
                    && same_morphology(gold, pred)
            })
    }
}

/// Adds 1 to the cell of a criterion, an outcome and the types of gold and pred.
fn count(counts: &mut Counts, criterion: u8, outcome: u8, types: [Option<&str>; 2]) {
    let [gold, pred] = types.map(|name| name.map(|name| counts.intern(name)));
    let cell = counts.cell(Cell::new(criterion, outcome, gold, pred));
    counts.add(cell, 1);
}

/// Returns true if the universal tags and the universal features are equal.
fn same_morphology(gold: &TreeWord, pred: &TreeWord) -> bool {
    gold.upos == pred.upos && gold.feats() == pred.feats()
}

/// Counts sentences and words, and words with an empty or a copied column. Counts of 0 are not
/// stored.
fn count_corpus(gold: &[TreeWord], pred: &[TreeWord], counts: &mut Counts) {
    let mut sizes = [0; COPIED as usize + COLUMNS.len()];
    sizes[0] = gold.iter().filter(|word| word.starts_sentence).count();
    [sizes[1], sizes[2]] = [gold.len(), pred.len()];
    for (side, first) in [(gold, GOLD_WITHOUT), (pred, PRED_WITHOUT)] {
        for word in side {
            for (at, without) in (first as usize..).zip(word.without()) {
                sizes[at] += usize::from(without);
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

/// Returns for each word the words attached to it with a functional relation, in the order of the
/// text.
///
/// MLAS compares these words pairwise. Panics if a head is not an index into `words`.
fn functional_children(words: &[TreeWord]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); words.len()];
    for (at, word) in words.iter().enumerate() {
        if let Some(head) = word.head
            && is_functional(&word.label)
        {
            children[head].push(at);
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use spanrs_eval::outcomes::{Measure, Prf};

    use super::super::SCHEMA;
    use super::*;

    #[test]
    fn a_wrong_label_counts_for_las_but_not_for_uas() {
        let word = |span, label: &str, head| TreeWord {
            form: "w".to_owned(),
            label: label.to_owned(),
            head,
            span,
            ..TreeWord::default()
        };
        let gold = [word((0, 1), "nsubj", Some(1)), word((1, 2), "root", None)];
        let pred = [word((0, 1), "obj", Some(1)), word((1, 2), "root", None)];
        let mut counts = Counts::new(&SCHEMA);
        compare(&gold, &pred, false, &mut counts).unwrap();
        let f1 = |name| counts.measure(&Measure::Micro(Prf::f1(SCHEMA.criterion(name).unwrap())));
        assert_eq!((f1("las"), f1("uas")), (0.5, 1.0));
    }
}
