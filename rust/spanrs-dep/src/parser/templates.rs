//! Feature templates: which properties of which tokens of a state are features together.

use crate::arc_hybrid::{Children, NONE, State};
use crate::error::{Error, Result};

/// A token of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Depth on the stack, from 0 at the top.
    Stack(usize),
    /// Offset into the buffer, from 0.
    Buffer(u32),
}

/// A way from a token to one of its children: the outermost on a side, or the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Left,
    Left2,
    Right,
    Right2,
}

/// A token: one of the stack or the buffer, or a child or grandchild of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Path {
    place: Place,
    steps: [Option<Step>; 2],
}

/// A property of a token or of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    /// A field of [`Token`] of the token with this index among the paths.
    Field(usize, usize),
    /// The label of the arc to the head.
    Label(usize),
    /// The number of children on the left or right, at most 7.
    Count(usize, bool),
    /// The set of labels of the children on the left or right.
    Labels(usize, bool),
    /// The distance of the first two tokens on the stack, or of the top of the stack and the front of the buffer.
    Distance(bool),
}

/// Names of the fields of a [`Token`].
const FIELDS: [&str; 5] = ["w", "p", "u", "wp", "wu"];
/// Number of fields of a [`Token`].
pub(crate) const TOKEN_FIELDS: usize = FIELDS.len();

/// Hashes of the properties of a token by field: form, XPOS, UPOS, form and XPOS, form and UPOS; 0 for
/// what is missing. Forms are in lower case, with 0 for each digit.
pub(crate) type Token = [u64; TOKEN_FIELDS];

/// Templates, one on a line: atoms that are separated by spaces.
///
/// Tokens are `S0`, `S1`... (the stack from its top), `N0`, `N1`... (the buffer), and their children: `S0l` and `S0r` are the
/// outermost on a side, `S0l2` and `S0r2` the ones before them, `S0ll` and `S0rr` outermost grandchildren. Fields are `.w`
/// (form), `.p` (XPOS), `.u` (UPOS), `.wp`, `.wu` and `.l` (label of the arc). `S0vl`, `S0vr` are
/// the numbers of children, `S0sl`, `S0sr` the sets of their labels, `d0n` and `d01` the distances from S0 to N0 and S1.
#[derive(Clone, Debug)]
pub(crate) struct Templates {
    source: String,
    paths: Vec<Path>,
    atoms: Vec<Atom>,
    /// Indices of atoms, by the number of atoms of a template: those with one, two...
    by_size: [Vec<(u64, [u8; MOST])>; MOST],
}

/// Most atoms of a template.
const MOST: usize = 6;
const MOST_TEMPLATES: usize = 1000;

/// Memory that is kept between states.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateBuffers {
    tokens: Vec<u32>,
    values: Vec<u64>,
}

impl Templates {
    /// Reads templates; empty lines and lines that start with `#` are skipped.
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
                        "{name:?} is no atom, such as S0.wp, N0l.p, S1vr, S0sl or d0n"
                    ))
                })?;
                let at = all.atoms.iter().position(|known| *known == atom);
                template.push(at.unwrap_or_else(|| {
                    all.atoms.push(atom);
                    all.atoms.len() - 1
                }) as u8);
            }
            if template.len() > MOST {
                return Err(bad(format!(
                    "{} atoms; at most {MOST} are possible",
                    template.len()
                )));
            }
            if seen.len() >= MOST_TEMPLATES {
                return Err(bad(format!("more than {MOST_TEMPLATES} templates")));
            }
            if seen.contains(&template) {
                return Err(bad(format!("{text:?} is there twice")));
            }
            if all.atoms.len() > usize::from(u8::MAX) {
                return Err(bad("more than 255 different atoms".into()));
            }
            seen.push(template.clone());
            let mut atoms = [0; MOST];
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

    /// The index of a token such as `S0`, `N2`, `S0l2` or `S1rr`.
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

    /// Hashes of the features of a state; `tokens` are by position. A template whose atoms are all missing
    /// is no feature.
    pub(crate) fn features(
        &self,
        tokens: &[Token],
        state: &State,
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
            path.steps.iter().flatten().fold(start, |at, step| {
                let (left, right) = (&state.lefts[at as usize], &state.rights[at as usize]);
                match step {
                    Step::Left => left.last,
                    Step::Left2 => left.previous,
                    Step::Right => right.last,
                    Step::Right2 => right.previous,
                }
            })
        }));
        let values = &mut buffers.values;
        values.clear();
        let side = |path: usize, right: bool| -> Option<&Children> {
            let sides = if right { &state.rights } else { &state.lefts };
            (places[path] != NONE).then(|| &sides[places[path] as usize])
        };
        values.extend(self.atoms.iter().map(|atom| match *atom {
            Atom::Field(path, field) => tokens[places[path] as usize][field],
            Atom::Label(path) => match places[path] {
                NONE => 0,
                at => u64::from(state.labels[at as usize]) + 1,
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

/// Distances are 1, 2, 3, 4, then 5 for 5 and 6, 6 for 7 to 9, and 7 for more; 0 where a token is missing.
fn distance(state: &State, on_stack: bool) -> u64 {
    let (first, second) = match on_stack {
        true => (state.stack_at(1), state.stack_at(0)),
        false => (state.stack_at(0), state.front),
    };
    match second.saturating_sub(first) {
        _ if first == NONE => 0,
        near @ 0..=4 => u64::from(near),
        5..=6 => 5,
        7..=9 => 6,
        _ => 7,
    }
}

/// Appends the features of templates of `size` atoms.
#[inline(always)]
fn push(templates: &[(u64, [u8; MOST])], size: usize, values: &[u64], features: &mut Vec<u64>) {
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
