//! Feature templates: which properties of which tokens in a state form a feature.
//!
//! A template is a line of one to six *atoms*, separated by spaces; the feature is the combination
//! of the values of its atoms. Lines that are empty or start with `#` are skipped. For instance,
//! `S0.wp N0.p` combines the form and XPOS of the top of the stack with the XPOS of the front of
//! the buffer.
//!
//! # Atoms
//!
//! | atom | value |
//! |---|---|
//! | `S0.w` | form: lower case, `0` for each ASCII digit |
//! | `S0.p`, `S0.u` | XPOS, UPOS |
//! | `S0.wp`, `S0.wu` | form with XPOS, form with UPOS |
//! | `S0.l` | label of the arc to the head, for tokens that have a head |
//! | `S0vl`, `S0vr` | number of left, right children, at most 7 |
//! | `S0sl`, `S0sr` | set of the labels of the left, right children |
//! | `d0n` | distance from S0 to N0 |
//! | `d01` | distance from S1 to S0 |
//!
//! Distances are grouped: 1, 2, 3, 4, 5 to 6, 7 to 9, more.
//!
//! # Tokens
//!
//! `S0` in the table can be any token:
//!
//! | token | is |
//! |---|---|
//! | `S0` ... `S9` | the stack from its top |
//! | `N0` ... `N9` | the buffer from its front, up to the root |
//! | `S0l`, `S0r` | outermost child of S0 on the left, on the right |
//! | `S0l2`, `S0r2` | second outermost child on the left, on the right |
//! | `S0ll`, `S0lr`, `S0rl`, `S0rr` | the outermost child, left or right, of the outermost child |
//!
//! A property of a missing token, and a missing tag, has the value 0; other values are not 0. A
//! template is not a feature in a state if all its values are 0.
//!
//! # Evaluation
//!
//! Templates are compiled once: tokens that several atoms use are resolved once per state, atoms
//! that several templates use are evaluated once, and templates are grouped by their number of
//! atoms, so that the loop over the atoms of a template has a constant length. The hash of a
//! feature combines a seed, which depends on the number of the template, with its values. The first
//! feature is always the bias, with hash 1.
//!
//! Features are identified only by these hashes: a model file stores the templates, not feature
//! strings, and inserting a template changes the hashes of all templates after it.

use crate::arc_hybrid::{Children, NONE, State};
use crate::error::{Error, Result};

/// A token of the stack or the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Depth on the stack, 0 being the top: `S0`, `S1`...
    Stack(usize),
    /// Offset into the buffer, 0 being the front: `N0`, `N1`...
    Buffer(u32),
}

/// A step from a token to one of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The outermost left child, `l`.
    Left,
    /// The second outermost left child, `l2`.
    Left2,
    /// The outermost right child, `r`.
    Right,
    /// The second outermost right child, `r2`.
    Right2,
}

/// A token of a template: a token of the stack or the buffer, or a child or grandchild of such a
/// token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Path {
    /// Where the path starts.
    place: Place,
    /// The steps to the child and the grandchild; both None for the token itself.
    steps: [Option<Step>; 2],
}

/// A property of a token or of a state. The first `usize` is an index into [`Templates::paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    /// A field of [`Token`], by its index in [`FIELDS`].
    Field(usize, usize),
    /// The label of the arc to the head, plus 1. Tokens without a head have label 0, which cannot
    /// be distinguished from the first label; templates use the labels of children, which have
    /// heads.
    Label(usize),
    /// Number of children on the left (false) or right (true), at most 7, plus 1.
    Count(usize, bool),
    /// The set of labels of the children on the left (false) or right (true): the complement of its
    /// bits, so that the empty set is not 0.
    Labels(usize, bool),
    /// Distance between the two items on top of the stack (true), or between the top of the stack
    /// and the front of the buffer (false); see [`distance`].
    Distance(bool),
}

/// Names of the fields of a [`Token`] in templates, in the order of the fields.
const FIELDS: [&str; 5] = ["w", "p", "u", "wp", "wu"];
/// Number of fields of a [`Token`].
pub(crate) const TOKEN_FIELDS: usize = FIELDS.len();

/// Hashes of the properties of a token in the order of [`FIELDS`]: form, XPOS, UPOS, form with
/// XPOS, form with UPOS; 0 for missing properties.
pub(crate) type Token = [u64; TOKEN_FIELDS];

/// Templates compiled from their text; see the module for the syntax. Immutable, shared by threads.
#[derive(Clone, Debug)]
pub(crate) struct Templates {
    /// The source text of the templates, which model files store.
    source: String,
    /// Distinct tokens that atoms use.
    paths: Vec<Path>,
    /// Distinct atoms of all templates; at most 255.
    atoms: Vec<Atom>,
    /// Templates by their number of atoms minus 1: the seed of the hash, and the indices of the
    /// atoms; indices beyond the number of atoms are unused.
    by_size: [Vec<(u64, [u8; MAX_ATOMS])>; MAX_ATOMS],
}

/// Maximum number of atoms of a template.
const MAX_ATOMS: usize = 6;
/// Maximum number of templates. This limit bounds the time per state and keeps sums of weights
/// below 2^31.
const MAX_TEMPLATES: usize = 1000;

/// A state of the transition system as templates read it. Tokens are referred to by handles, where [`NONE`] is a
/// missing token: the greedy parser uses positions ([`State`]), the beam search uses nodes.
pub(crate) trait Configuration {
    /// Returns the token at a depth of the stack, where 0 is the top.
    fn stack_at(&self, depth: usize) -> u32;

    /// Returns the token `offset` positions after the front of the buffer, including the root.
    fn buffer_at(&self, offset: u32) -> u32;

    /// Returns the children of a token on the left (false) or right (true); [`NONE`] has no children.
    fn children(&self, token: u32, right: bool) -> &Children;

    /// Returns the label of the arc from a token to its head; 0 if it has no head.
    fn label(&self, token: u32) -> u32;

    /// Returns the position of a token in the sentence.
    fn position(&self, token: u32) -> u32;
}

impl Configuration for State {
    #[inline(always)]
    fn stack_at(&self, depth: usize) -> u32 {
        self.stack_at(depth)
    }

    #[inline(always)]
    fn buffer_at(&self, offset: u32) -> u32 {
        self.buffer_at(offset)
    }

    #[inline(always)]
    fn children(&self, token: u32, right: bool) -> &Children {
        let sides = if right { &self.rights } else { &self.lefts };
        &sides[token as usize]
    }

    #[inline(always)]
    fn label(&self, token: u32) -> u32 {
        self.labels[token as usize]
    }

    #[inline(always)]
    fn position(&self, token: u32) -> u32 {
        token
    }
}

/// Scratch memory for one state, kept between states.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateBuffers {
    /// Handle of the token of each path; [`NONE`] if it is missing.
    tokens: Vec<u32>,
    /// Value of each atom.
    values: Vec<u64>,
}

impl Templates {
    /// Compiles templates.
    ///
    /// # Errors
    /// [`Error::Template`] with the line, from 1, for an unknown atom, more than six atoms in a
    /// template, a template that occurs twice (the same atoms in the same order), more than 1000
    /// templates, more than 255 different atoms, or no templates.
    pub(crate) fn parse(source: &str) -> Result<Self> {
        let mut all = Self {
            source: source.to_owned(),
            paths: Vec::new(),
            atoms: Vec::new(),
            by_size: Default::default(),
        };
        let mut seen = Vec::new();
        for (line, text) in (1..).zip(source.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let bad = |message: String| Error::Template { line, message };
            let mut template = Vec::new();
            for name in text.split_whitespace() {
                let atom = all.atom(name).ok_or_else(|| {
                    bad(format!(
                        "unknown atom {name:?}; atoms are, for example, S0.wp, N0l.p, S1vr, S0sl and d0n"
                    ))
                })?;
                let at = all.atoms.iter().position(|known| *known == atom);
                template.push(at.unwrap_or_else(|| {
                    all.atoms.push(atom);
                    all.atoms.len() - 1
                }) as u8);
            }
            if template.len() > MAX_ATOMS {
                return Err(bad(format!(
                    "the template has {} atoms; the maximum is {MAX_ATOMS}",
                    template.len()
                )));
            }
            if seen.len() >= MAX_TEMPLATES {
                return Err(bad(format!(
                    "there are more than {MAX_TEMPLATES} templates"
                )));
            }
            if seen.contains(&template) {
                return Err(bad(format!("the template {text:?} occurs twice")));
            }
            if all.atoms.len() > usize::from(u8::MAX) {
                return Err(bad(
                    "the templates have more than 255 different atoms".into()
                ));
            }
            seen.push(template.clone());
            let mut atoms = [0; MAX_ATOMS];
            atoms[..template.len()].copy_from_slice(&template);
            let seed = (seen.len() as u64).wrapping_mul(0xA076_1D64_78BD_642F) | 1;
            all.by_size[template.len() - 1].push((seed, atoms));
        }
        match seen.is_empty() {
            true => Err(Error::Template {
                line: 1,
                message: "there are no templates".into(),
            }),
            false => Ok(all),
        }
    }

    /// The text that was parsed.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Returns the atom of a name such as `S0.wp`, `N0l.p`, `S1vr` or `d0n`, and adds its token to
    /// the paths; None for an unknown atom.
    fn atom(&mut self, name: &str) -> Option<Atom> {
        match name {
            "d0n" => return Some(Atom::Distance(false)),
            "d01" => return Some(Atom::Distance(true)),
            _ => {}
        }
        if let Some((token, field)) = name.split_once('.') {
            let path = self.path(token)?;
            if field == "l" {
                return Some(Atom::Label(path));
            }
            let field = FIELDS.iter().position(|known| *known == field)?;
            return Some(Atom::Field(path, field));
        }
        let (token, kind) = name.split_at_checked(name.len().checked_sub(2)?)?;
        let path = self.path(token)?;
        match kind {
            "vl" => Some(Atom::Count(path, false)),
            "vr" => Some(Atom::Count(path, true)),
            "sl" => Some(Atom::Labels(path, false)),
            "sr" => Some(Atom::Labels(path, true)),
            _ => None,
        }
    }

    /// Returns the index of a token such as `S0`, `N2`, `S0l2` or `S1rr`, which is added if it is
    /// new; None for an unknown token.
    fn path(&mut self, name: &str) -> Option<usize> {
        let (place, steps) = name.split_at_checked(2)?;
        let (side, at) = place.split_at_checked(1)?;
        let at: u32 = at.parse().ok()?;
        let place = match side {
            "S" => Place::Stack(at as usize),
            "N" => Place::Buffer(at),
            _ => return None,
        };
        let steps = match steps {
            "" => [None, None],
            "l" => [Some(Step::Left), None],
            "r" => [Some(Step::Right), None],
            "l2" => [Some(Step::Left2), None],
            "r2" => [Some(Step::Right2), None],
            "ll" => [Some(Step::Left), Some(Step::Left)],
            "lr" => [Some(Step::Left), Some(Step::Right)],
            "rl" => [Some(Step::Right), Some(Step::Left)],
            "rr" => [Some(Step::Right), Some(Step::Right)],
            _ => return None,
        };
        let path = Path { place, steps };
        let known = self.paths.iter().position(|known| *known == path);
        Some(known.unwrap_or_else(|| {
            self.paths.push(path);
            self.paths.len() - 1
        }))
    }

    /// Replaces `features` with the hashes of the features of a state: the bias, then the features
    /// of the templates with one atom, with two atoms, and so on, each in the order of the text.
    /// `tokens` are indexed by position; all fields of the token at [`NONE`] are 0.
    pub(crate) fn features(
        &self,
        tokens: &[Token],
        state: &impl Configuration,
        buffers: &mut TemplateBuffers,
        features: &mut Vec<u64>,
    ) {
        let places = &mut buffers.tokens;
        places.clear();
        places.extend(self.paths.iter().map(|path| {
            let start = match path.place {
                Place::Stack(depth) => state.stack_at(depth),
                Place::Buffer(offset) => state.buffer_at(offset),
            };
            path.steps
                .iter()
                .flatten()
                .fold(start, |at, step| match step {
                    Step::Left => state.children(at, false).last,
                    Step::Left2 => state.children(at, false).previous,
                    Step::Right => state.children(at, true).last,
                    Step::Right2 => state.children(at, true).previous,
                })
        }));
        let values = &mut buffers.values;
        values.clear();
        let side = |path: usize, right: bool| -> Option<&Children> {
            (places[path] != NONE).then(|| state.children(places[path], right))
        };
        values.extend(self.atoms.iter().map(|atom| match *atom {
            Atom::Field(path, field) => tokens[state.position(places[path]) as usize][field],
            Atom::Label(path) => match places[path] {
                NONE => 0,
                at => u64::from(state.label(at)) + 1,
            },
            Atom::Count(path, right) => {
                side(path, right).map_or(0, |children| u64::from(children.count.min(7)) + 1)
            }
            Atom::Labels(path, right) => side(path, right).map_or(0, |children| !children.labels),
            Atom::Distance(on_stack) => distance(state, on_stack),
        }));
        features.clear();
        features.push(1);
        let [one, two, three, four, five, six] = &self.by_size;
        push(one, 1, values, features);
        push(two, 2, values, features);
        push(three, 3, values, features);
        push(four, 4, values, features);
        push(five, 5, values, features);
        push(six, 6, values, features);
    }
}

/// Returns the group of a distance in positions: 1 to 4 unchanged, 5 for 5 and 6, 6 for 7 to 9, and
/// 7 for more; 0 if the left token is missing.
fn distance(state: &impl Configuration, on_stack: bool) -> u64 {
    let (first, second) = match on_stack {
        true => (state.stack_at(1), state.stack_at(0)),
        false => (state.stack_at(0), state.buffer_at(0)),
    };
    let (first, second) = (state.position(first), state.position(second));
    match second.saturating_sub(first) {
        _ if first == NONE => 0,
        near @ 0..=4 => u64::from(near),
        5..=6 => 5,
        7..=9 => 6,
        _ => 7,
    }
}

/// Appends the features of the templates of `size` atoms. `size` is a constant at each call, so
/// that the loop over atoms is unrolled.
#[inline(always)]
fn push(
    templates: &[(u64, [u8; MAX_ATOMS])],
    size: usize,
    values: &[u64],
    features: &mut Vec<u64>,
) {
    for (seed, atoms) in templates {
        let mut hash = *seed;
        let mut any = 0;
        for &atom in &atoms[..size] {
            let value = values[usize::from(atom)];
            any |= value;
            hash = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 32;
        }
        if any != 0 {
            features.push(hash);
        }
    }
}
