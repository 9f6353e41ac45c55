//! The 59 feature templates of parser.py, as hashes of its feature strings.
//!
//! Tokens are named as in parser.py: `n0`, `n1`, `n2` from the front of the buffer, `s0`, `s1`, `s2` from the top of
//! the stack, `b1` and `b2` the outermost and second outermost left child, `f1` and `f2` the same on the right. `w` is
//! the form (as written) and `t` the tag.
//!
//! | templates | strings | feature if |
//! |---|---|---|
//! | 1 | `bias` | always |
//! | 12 + 12 | `w=form`, `t=tag` of 12 tokens, without their role | the form or tag is not empty; a form or tag shared by several tokens counts once |
//! | 4 | `0 w=form, t=tag`, up to `3`, of n0, n1, n2, s0 | form or tag is not empty |
//! | 8 | pairs such as `wt-wt form/tag form/tag` | always |
//! | 10 | `ttt-0 tag tag tag`, up to `ttt-9` | one of the tags is not empty |
//! | 12 | `val/d-0 form number`, up to `val/d-11`: numbers of children, distance | the text is not empty or the number is not 0; the last two templates always |
//!
//! Quirks of the original that are kept, because weights depend on them: the trigram (s0, s0f1, n0) occurs twice under
//! two names; the last trigram is (s0, s1, s1); the pairs in `val/d-10` and `val/d-11` are joined without a separator;
//! numbers of children are not limited, distances are limited to 5; an empty stack counts as position -1 for the
//! distance.
//!
//! On English text a state has about 46 of the 59 features. Features of single tokens (up to 28) depend only on the
//! token, so prediction looks up their weights once per sentence ([`Single`]), and only the weights of the other
//! features once per state ([`joint_features`]). The sum is the same: weights are integers.

use std::hint::select_unpredictable;

use crate::arc_hybrid::{NONE, State};
use crate::text_hash::TextHash;
use crate::weights::FewClasses;

/// The parts of a token that features need, as hashes that can be extended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// The form; empty for missing tokens.
    word: TextHash,
    /// The tag; empty for missing tokens.
    tag: TextHash,
    /// `word/tag`; `/` for missing tokens.
    pair: TextHash,
}

impl Token {
    /// Returns the token that represents missing tokens, with empty form and tag.
    pub(crate) fn empty() -> Self {
        Self::of(TextHash::EMPTY, TextHash::EMPTY)
    }

    /// Returns a token with a form and a tag.
    pub(crate) fn of(word: TextHash, tag: TextHash) -> Self {
        const SLASH: TextHash = TextHash::of("/");
        Self {
            word,
            tag,
            pair: word.then(SLASH).then(tag),
        }
    }

    /// Returns the root, the last token of the sentence: the word `ROOT` with a tag.
    pub(crate) fn root(tag: TextHash) -> Self {
        Self::of(TextHash::of("ROOT"), tag)
    }
}

/// The texts of the digits, each between `name` and `end`.
const fn numbered(name: &str, end: &str) -> [TextHash; 10] {
    let mut texts = [TextHash::EMPTY; 10];
    let mut digit = 0;
    while digit < texts.len() {
        texts[digit] = TextHash::of(name)
            .push(b'0' + digit as u8)
            .then(TextHash::of(end));
        digit += 1;
    }
    texts
}

/// Decimal texts of small numbers; larger numbers are hashed when needed.
const NUMBERS: [TextHash; 10] = numbered("", "");

/// Returns the hash of a number in decimal digits.
#[inline]
fn number(n: u32) -> TextHash {
    match NUMBERS.get(n as usize) {
        Some(known) => *known,
        None => TextHash::of(&n.to_string()),
    }
}

/// Prefixes of the features of single tokens, by *role*: form, tag, and form with tag of n0, n1, n2
/// and s0.
const SINGLE: [TextHash; 6] = [
    TextHash::of("w="),
    TextHash::of("t="),
    TextHash::of("0 w="),
    TextHash::of("1 w="),
    TextHash::of("2 w="),
    TextHash::of("3 w="),
];
const SPACE: TextHash = TextHash::of(" ");
/// The bias, a feature of every state.
const BIAS: u64 = TextHash::of("bias").value();

/// Returns all single-token features of a token, in the order of [`SINGLE`], including features with empty text.
#[inline]
fn single(token: &Token) -> [u64; SINGLE.len()] {
    const TAG: TextHash = TextHash::of(", t=");
    let [word, tag, pairs @ ..] = SINGLE;
    let [zero, one, two, three] =
        pairs.map(|prefix| prefix.then(token.word).then(TAG).end(token.tag));
    [
        word.end(token.word),
        tag.end(token.tag),
        zero,
        one,
        two,
        three,
    ]
}

/// The tokens of a state that features use.
struct Context {
    /// Positions of n0, n1, n2, s0, s1, s2, n0b1, n0b2, s0b1, s0b2, s0f1, s0f2; [`NONE`] for missing tokens; the token
    /// at this position is empty.
    places: [u32; 12],
    /// Number of right and of left children of s0, and of left children of n0.
    counts: [u32; 3],
    /// Distance from s0 to n0 in positions, at most 5.
    distance: u32,
}

impl Context {
    /// Reads the tokens from a state.
    #[inline]
    fn of(state: &State) -> Self {
        let [s0, s1, s2] = [0, 1, 2].map(|depth| state.stack_at(depth));
        let [n0, n1, n2] = [0, 1, 2].map(|offset| state.buffer_at(offset));
        let s0_left = state.lefts[s0 as usize];
        let s0_right = state.rights[s0 as usize];
        let n0_left = state.lefts[state.front as usize];
        let children = [n0_left, s0_left, s0_right].map(|side| [side.last, side.previous]);
        let [[n0b1, n0b2], [s0b1, s0b2], [s0f1, s0f2]] = children;
        // An empty stack counts as position -1.
        let distance = match s0 {
            NONE => state.front + 1,
            top => state.front - top,
        };
        Self {
            places: [n0, n1, n2, s0, s1, s2, n0b1, n0b2, s0b1, s0b2, s0f1, s0f2],
            counts: [s0_right.count, s0_left.count, n0_left.count],
            distance: distance.min(5),
        }
    }

    /// Returns which of the tokens have a text that is not empty and does not occur at an earlier token: parser.py
    /// collects forms and tags in a set.
    #[inline]
    fn distinct(&self, text: impl Fn(u32) -> TextHash) -> [bool; 12] {
        let texts = self.places.map(text);
        std::array::from_fn(|at| {
            // Written without branches, which would be unpredictable.
            let is_known = |known: &TextHash| {
                (known.hash == texts[at].hash) & (known.power == texts[at].power)
            };
            let seen = texts[..at]
                .iter()
                .fold(false, |seen, text| seen | is_known(text));
            !seen & !texts[at].is_empty()
        })
    }
}

/// Replaces `features` with the hashes of the features of a state, in the order in which parser.py adds them up.
/// `tokens` are indexed by position, and the token at position 0 is empty.
pub(crate) fn features(tokens: &[Token], state: &State, features: &mut Vec<u64>) {
    let context = Context::of(state);
    let token = |at: u32| &tokens[at as usize];
    let all = context.places.map(|at| (token(at), single(token(at))));
    features.clear();
    features.push(BIAS);
    for (role, text) in [|token: &Token| token.word, |token: &Token| token.tag]
        .into_iter()
        .enumerate()
    {
        let distinct = context.distinct(|at| text(token(at)));
        let chosen = all.iter().zip(distinct).filter(|(_, is_new)| *is_new);
        features.extend(chosen.map(|((_, single), _)| single[role]));
    }
    for (role, (token, single)) in (2..).zip(&all[..4]) {
        if !token.word.is_empty() || !token.tag.is_empty() {
            features.push(single[role]);
        }
    }
    push_joint(tokens, &context, features);
}

/// The single-token features of a token with their weights; one per position, filled at the start of a sentence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Single {
    /// Hashes of the features by role.
    pub(crate) features: [u64; SINGLE.len()],
    /// True for the roles in which the token is a feature: its text is not empty.
    has: [bool; SINGLE.len()],
    /// Weights by role and move; 0 for features that the token or the model does not have.
    weights: [[i32; 3]; SINGLE.len()],
}

impl Single {
    /// Returns the features of a token, without weights.
    pub(crate) fn of(token: &Token) -> Self {
        let (word, tag) = (!token.word.is_empty(), !token.tag.is_empty());
        let any = word || tag;
        Self {
            features: single(token),
            has: [word, tag, any, any, any, any],
            weights: Default::default(),
        }
    }

    /// Finds the weights of the features that the token has.
    pub(crate) fn find(&mut self, weights: &FewClasses) {
        for ((row, feature), has) in self.weights.iter_mut().zip(self.features).zip(self.has) {
            if has {
                *row = weights.sums(&[feature]);
            }
        }
    }
}

/// Returns the scores of the moves: the sums of the weights of [`features`], computed in a different way. The weights
/// of single tokens are taken from `single` (by position), the weights of `joint` are looked up.
#[inline]
pub(crate) fn scores(
    tokens: &[Token],
    single: &[Single],
    state: &State,
    weights: &FewClasses,
    joint: &[u64],
) -> [i32; 3] {
    let context = Context::of(state);
    let mut sums = weights.sums(joint);
    let mut add = |row: [i32; 3], is_there: bool| {
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += select_unpredictable(is_there, weight, 0);
        }
    };
    let words = context.distinct(|at| tokens[at as usize].word);
    let tags = context.distinct(|at| tokens[at as usize].tag);
    for (at, (word, tag)) in context.places.iter().zip(words.into_iter().zip(tags)) {
        let rows = &single[*at as usize].weights;
        add(rows[0], word);
        add(rows[1], tag);
    }
    for (role, at) in (2..).zip(&context.places[..4]) {
        add(single[*at as usize].weights[role], true);
    }
    sums
}

/// Replaces `features` with the hashes of the features of a state that do not depend on a single token: the bias and
/// the features of [`push_joint`].
#[inline]
pub(crate) fn joint_features(tokens: &[Token], state: &State, features: &mut Vec<u64>) {
    features.clear();
    features.push(BIAS);
    push_joint(tokens, &Context::of(state), features);
}

/// Appends the features of two or more tokens and the features with numbers: 8 pairs, up to 10 trigrams of tags, up to
/// 12 with numbers.
#[inline]
fn push_joint(tokens: &[Token], context: &Context, features: &mut Vec<u64>) {
    let tokens = context.places.map(|at| &tokens[at as usize]);
    push_pairs(tokens, features);
    push_tag_trigrams(tokens, features);
    push_numbers(tokens, context, features);
}

/// Appends the features of pairs of tokens; `tokens` are in the order of [`Context::places`].
#[inline]
fn push_pairs(tokens: [&Token; 12], features: &mut Vec<u64>) {
    let [n0, n1, _, s0, ..] = tokens;
    let tag_pair = |prefix: TextHash, a: TextHash, b: TextHash| {
        prefix.then(a).then(const { TextHash::of(" n0=") }).end(b)
    };
    features.extend([
        const { TextHash::of("s0w=") }
            .then(s0.word)
            .then(const { TextHash::of(",  n0w=") })
            .end(n0.word),
        const { TextHash::of("wn0tn0-ws0 ") }
            .then(n0.pair)
            .then(SPACE)
            .end(s0.word),
        const { TextHash::of("wn0tn0-ts0 ") }
            .then(n0.pair)
            .then(SPACE)
            .end(s0.tag),
        const { TextHash::of("ws0ts0-wn0 ") }
            .then(s0.pair)
            .then(SPACE)
            .end(n0.word),
        const { TextHash::of("ws0-ts0 tn0 ") }
            .then(s0.pair)
            .then(SPACE)
            .end(n0.tag),
        const { TextHash::of("wt-wt ") }
            .then(s0.pair)
            .then(SPACE)
            .end(n0.pair),
        tag_pair(const { TextHash::of("tt s0=") }, s0.tag, n0.tag),
        const { TextHash::of("tt n0=") }
            .then(n0.tag)
            .then(const { TextHash::of(" n1=") })
            .end(n1.tag),
    ]);
}

/// Appends the features of three tags.
#[inline]
fn push_tag_trigrams(tokens: [&Token; 12], features: &mut Vec<u64>) {
    const TRIGRAMS: [TextHash; 10] = numbered("ttt-", " ");
    let [n0, n1, n2, s0, s1, _, n0b1, n0b2, s0b1, s0b2, s0f1, s0f2] = tokens;
    let trigrams = [
        [n0.tag, n1.tag, n2.tag],
        [s0.tag, n0.tag, n1.tag],
        [s0.tag, s1.tag, n0.tag],
        [s0.tag, s0f1.tag, n0.tag],
        // Occurs twice in the original.
        [s0.tag, s0f1.tag, n0.tag],
        [s0.tag, n0.tag, n0b1.tag],
        [s0.tag, s0b1.tag, s0b2.tag],
        [s0.tag, s0f1.tag, s0f2.tag],
        [n0.tag, n0b1.tag, n0b2.tag],
        [s0.tag, s1.tag, s1.tag],
    ];
    for (prefix, [a, b, c]) in TRIGRAMS.iter().zip(trigrams) {
        if !a.is_empty() || !b.is_empty() || !c.is_empty() {
            features.push(prefix.then(a).then(SPACE).then(b).then(SPACE).end(c));
        }
    }
}

/// Appends the features with numbers of children and with the distance.
#[inline]
fn push_numbers(tokens: [&Token; 12], context: &Context, features: &mut Vec<u64>) {
    const NUMBERED: [TextHash; 10] = numbered("val/d-", " ");
    let [n0, _, _, s0, ..] = tokens;
    let ([rights, lefts, n0_lefts], distance) = (context.counts, context.distance);
    let numbered = [
        (s0.word, rights),
        (s0.word, lefts),
        (n0.word, n0_lefts),
        (s0.tag, rights),
        (s0.tag, lefts),
        (n0.tag, n0_lefts),
        (s0.word, distance),
        (n0.word, distance),
        (s0.tag, distance),
        (n0.tag, distance),
    ];
    for (prefix, (text, n)) in NUMBERED.iter().zip(numbered) {
        if !text.is_empty() || n != 0 {
            features.push(prefix.then(text).then(SPACE).end(number(n)));
        }
    }
    // Joined without a separator in the original.
    let joined = [
        const { TextHash::of("val/d-10 t") }
            .then(n0.tag)
            .then(s0.tag),
        const { TextHash::of("val/d-11 w") }
            .then(n0.word)
            .then(s0.word),
    ];
    features.extend(joined.map(|text| text.then(SPACE).end(number(distance))));
}
