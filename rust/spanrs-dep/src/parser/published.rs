//! The 59 feature templates of parser.py, as hashes of its feature strings.

use crate::arc_hybrid::{NONE, State};
use crate::text_hash::TextHash;

const EMPTY: TextHash = TextHash::EMPTY;

/// What the features need of a token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    word: TextHash,
    tag: TextHash,
    /// `word/tag`.
    pair: TextHash,
}

impl Token {
    const MISSING: Self = Self {
        word: EMPTY,
        tag: EMPTY,
        pair: TextHash::of("/"),
    };

    pub(crate) fn of(word: TextHash, tag: TextHash) -> Self {
        const SLASH: TextHash = TextHash::of("/");
        Self {
            word,
            tag,
            pair: word.then(SLASH).then(tag),
        }
    }

    /// The root, which is the last token.
    pub(crate) fn root(tag: TextHash) -> Self {
        Self::of(TextHash::of("ROOT"), tag)
    }
}

/// Numbers as they are printed; larger ones are hashed when they come.
const NUMBERS: [TextHash; 10] = [
    TextHash::of("0"),
    TextHash::of("1"),
    TextHash::of("2"),
    TextHash::of("3"),
    TextHash::of("4"),
    TextHash::of("5"),
    TextHash::of("6"),
    TextHash::of("7"),
    TextHash::of("8"),
    TextHash::of("9"),
];

#[inline]
fn number(n: u32) -> TextHash {
    match NUMBERS.get(n as usize) {
        Some(known) => *known,
        None => TextHash::of(&n.to_string()),
    }
}

/// Appends `prefix` followed by each distinct text that is not empty.
#[inline]
fn push_set(prefix: TextHash, texts: [TextHash; 12], features: &mut Vec<u64>) {
    for (at, text) in texts.iter().enumerate() {
        if !text.is_empty() && !texts[..at].contains(text) {
            features.push(prefix.end(*text));
        }
    }
}

/// Hashes of the features of a state, in the order of parser.py; `tokens` are by position.
pub(crate) fn features(tokens: &[Token], state: &State, features: &mut Vec<u64>) {
    const SPACE: TextHash = TextHash::of(" ");
    let token = |at: u32| match at {
        NONE => Token::MISSING,
        at => tokens[at as usize],
    };
    let [s0, s1, s2] = [0, 1, 2].map(|depth| token(state.stack_at(depth)));
    let [n0, n1, n2] = [0, 1, 2].map(|offset| token(state.buffer_at(offset)));
    let top = state.stack_at(0);
    let s0_left = state.lefts[top as usize];
    let s0_right = state.rights[top as usize];
    let n0_left = state.lefts[state.front as usize];
    let [n0b1, n0b2] = [n0_left.last, n0_left.previous].map(token);
    let [s0b1, s0b2] = [s0_left.last, s0_left.previous].map(token);
    let [s0f1, s0f2] = [s0_right.last, s0_right.previous].map(token);
    // An empty stack counts as position -1.
    let distance = match top {
        NONE => state.front + 1,
        top => state.front - top,
    };
    let distance = distance.min(5);

    features.clear();
    features.push(const { TextHash::of("bias") }.value());
    let all = [n0, n1, n2, s0, s1, s2, n0b1, n0b2, s0b1, s0b2, s0f1, s0f2];
    push_set(
        const { TextHash::of("w=") },
        all.map(|token| token.word),
        features,
    );
    push_set(
        const { TextHash::of("t=") },
        all.map(|token| token.tag),
        features,
    );

    const PAIRS: [TextHash; 4] = [
        TextHash::of("0 w="),
        TextHash::of("1 w="),
        TextHash::of("2 w="),
        TextHash::of("3 w="),
    ];
    for (prefix, token) in PAIRS.iter().zip([n0, n1, n2, s0]) {
        if !token.word.is_empty() || !token.tag.is_empty() {
            const TAG: TextHash = TextHash::of(", t=");
            features.push(prefix.then(token.word).then(TAG).end(token.tag));
        }
    }

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

    const TRIGRAMS: [TextHash; 10] = [
        TextHash::of("ttt-0 "),
        TextHash::of("ttt-1 "),
        TextHash::of("ttt-2 "),
        TextHash::of("ttt-3 "),
        TextHash::of("ttt-4 "),
        TextHash::of("ttt-5 "),
        TextHash::of("ttt-6 "),
        TextHash::of("ttt-7 "),
        TextHash::of("ttt-8 "),
        TextHash::of("ttt-9 "),
    ];
    let trigrams = [
        [n0.tag, n1.tag, n2.tag],
        [s0.tag, n0.tag, n1.tag],
        [s0.tag, s1.tag, n0.tag],
        [s0.tag, s0f1.tag, n0.tag],
        // Twice in the original.
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

    const NUMBERED: [TextHash; 12] = [
        TextHash::of("val/d-0 "),
        TextHash::of("val/d-1 "),
        TextHash::of("val/d-2 "),
        TextHash::of("val/d-3 "),
        TextHash::of("val/d-4 "),
        TextHash::of("val/d-5 "),
        TextHash::of("val/d-6 "),
        TextHash::of("val/d-7 "),
        TextHash::of("val/d-8 "),
        TextHash::of("val/d-9 "),
        TextHash::of("val/d-10 t"),
        TextHash::of("val/d-11 w"),
    ];
    let numbered = [
        (s0.word, s0_right.count),
        (s0.word, s0_left.count),
        (n0.word, n0_left.count),
        (s0.tag, s0_right.count),
        (s0.tag, s0_left.count),
        (n0.tag, n0_left.count),
        (s0.word, distance),
        (n0.word, distance),
        (s0.tag, distance),
        (n0.tag, distance),
        // Joined without a separator in the original.
        (n0.tag.then(s0.tag), distance),
        (n0.word.then(s0.word), distance),
    ];
    for (at, (prefix, (text, n))) in NUMBERED.iter().zip(numbered).enumerate() {
        if !text.is_empty() || n != 0 || at >= 10 {
            features.push(prefix.then(text).then(SPACE).end(number(n)));
        }
    }
}
