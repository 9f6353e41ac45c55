//! Selection of the annotations of a document that MATScore scores, and of its tokens.
//!
//! With a task, both sides are limited to gold's zones whose attribute `region_type` is `body`. An annotation or token
//! outside these zones, or only partly inside one, is skipped. Documents whose gold has no zones are scored as a whole;
//! if gold has zones but no body, nothing is scored.

use spanrs_base::{Interner, Span};

use super::rules::{Pieces, Role, Rules};

/// Attribute that names the region of a zone, and the value of this attribute for annotated parts.
const REGION: (&str, &str) = ("region_type", "body");

/// An annotated document, the input of [`Selection`].
///
/// Annotations are numbered from 0 in the order of the file, types from 0 in any order. Positions are characters, ends
/// exclusive. With this trait, the crate does not depend on file formats.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::mat::{AnnotatedText, Rules, Selection};
/// struct Document(Vec<Span>);
/// impl AnnotatedText for Document {
///     fn types(&self) -> impl Iterator<Item = &str> { ["PER", "lex"].into_iter() }
///     fn len(&self) -> usize { self.0.len() }
///     fn annotation(&self, at: usize) -> Span { self.0[at] }
///     fn attributes(&self, _: usize) -> impl Iterator<Item = (&str, &str)> + Clone {
///         std::iter::empty()
///     }
///     fn pieces(&self, _: usize) -> &[(u32, u32)] { &[] }
///     fn has_dropped(&self, _: u32) -> bool { false }
///     fn has_root(&self) -> bool { false }
/// }
/// let span = |start, end, ty| Span { start, end, ty };
/// let gold = Document(vec![span(4, 9, 0), span(0, 3, 1), span(4, 9, 1)]);
/// let rules = Rules::default();
/// let mut selection = Selection::new(&rules, &gold);
/// let selected = selection.select(&gold).unwrap();
/// assert_eq!(selected.spans, [Span { start: 4, end: 9, ty: 0 }]);
/// assert_eq!(selected.tokens, [(0, 3), (4, 9)]);
/// assert_eq!(selection.names().name(0), Some("PER"));
/// ```
pub trait AnnotatedText {
    /// Iterates over the names of the types, by number.
    fn types(&self) -> impl Iterator<Item = &str>;

    /// Returns the number of annotations.
    fn len(&self) -> usize;

    /// Returns true if there are no annotations.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bounds of an annotation and the number of its type. The bounds of a discontinuous annotation cover
    /// all pieces.
    fn annotation(&self, at: usize) -> Span;

    /// Iterates over the attributes of an annotation as (name, value).
    fn attributes(&self, at: usize) -> impl Iterator<Item = (&str, &str)> + Clone;

    /// Returns the (start, end) of the pieces of a discontinuous annotation; empty for other annotations.
    fn pieces(&self, at: usize) -> &[(u32, u32)];

    /// Returns true if annotations of type `ty` were dropped because they were outside the text.
    ///
    /// A document with a dropped zone is still limited to its zones, even if no other zone is left.
    fn has_dropped(&self, ty: u32) -> bool;

    /// Returns true if the first annotation is the root element of an XML file, which is not scored
    /// by default.
    fn has_root(&self) -> bool;
}

/// The error for a discontinuous annotation under [`Pieces::Refuse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discontinuous {
    /// The label, after aliases and equivalence classes.
    pub label: String,
    /// First character of the first piece.
    pub start: u32,
    /// One past the last character of the last piece.
    pub end: u32,
}

/// The annotations and tokens that are scored on one side of a document.
///
/// `spans` and `tags` have the same length; [`Spans::with_tags`](crate::Spans::with_tags) turns them into the input of
/// the matcher, and [`Text`](crate::Text) contains the tokens of pred.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// The annotations, sorted by start, end, name of the label, and order in the file. Types are label numbers.
    pub spans: Vec<Span<i64>>,
    /// For each annotation, the number of its type before aliases and equivalence classes.
    pub tags: Vec<u32>,
    /// The tokens as (start, end), sorted by start; tokens with equal starts are in the order of the file.
    pub tokens: Vec<(u32, u32)>,
}

/// Selects the annotations on both sides of a document, which share zones and label numbers.
///
/// Create a selection from the gold side of each document, then call [`Selection::select`] for each side.
#[derive(Debug)]
pub struct Selection<'a> {
    /// The rules that determine what is scored.
    rules: &'a Rules,
    /// Parts of the text that are scored.
    zones: Zones,
    /// Labels and types of both sides so far.
    names: Interner<str>,
}

impl<'a> Selection<'a> {
    /// Creates a selection; the zones of `gold` apply to both sides.
    pub fn new(rules: &'a Rules, gold: &impl AnnotatedText) -> Self {
        Self {
            rules,
            zones: Zones::of(rules, gold),
            names: Interner::default(),
        }
    }

    /// Returns the names of labels and types, by the numbers in [`Selected`].
    pub fn names(&self) -> &Interner<str> {
        &self.names
    }

    /// Selects the annotations and tokens of one side.
    ///
    /// Annotations with equal bounds are sorted by the name of the label, so that the result does not depend on label
    /// numbers. Takes O(n log n) time at worst, linear time for annotations in the order of the text.
    ///
    /// The root element of an XML file is skipped unless the rules have a task or name the content
    /// types.
    ///
    /// # Errors
    /// [`Discontinuous`] for the first discontinuous annotation whose label is scored, if the rules refuse them; zones
    /// are not considered for this.
    pub fn select(&mut self, text: &impl AnnotatedText) -> Result<Selected, Discontinuous> {
        let rules = self.rules;
        let types: Vec<(&str, Role)> = text.types().map(|ty| (ty, rules.role(ty))).collect();
        // For each type, (label, type), or None if ignored; filled when first needed. Only for types whose annotations
        // all have one label.
        let mut known: Vec<Option<Option<(u32, u32)>>> = vec![None; types.len()];
        let mut tokens = Vec::new();
        let mut items = Vec::new();
        // By default the root element of XML is a property of the file, not an annotation.
        let root = usize::from(text.has_root() && rules.task.is_none() && rules.content.is_none());
        for at in root..text.len() {
            let annotation = text.annotation(at);
            let ty = annotation.ty as usize;
            let (name, role) = types[ty];
            match role {
                Role::Nothing => {}
                Role::Token => {
                    if self.zones.contains(annotation.start, annotation.end) {
                        tokens.push((annotation.start, annotation.end));
                    }
                }
                Role::Content { aliases } => {
                    let label = known[ty].unwrap_or_else(|| {
                        let label = rules.label(name, text.attributes(at));
                        label.map(|label| (self.names.intern(label), self.names.intern(name)))
                    });
                    if !aliases {
                        known[ty] = Some(label);
                    }
                    if let Some(label) = label {
                        self.add(annotation, text.pieces(at), label, &mut items)?;
                    }
                }
            }
        }
        if !tokens.is_sorted() {
            tokens.sort_by_key(|token| token.0);
        }
        let key = |item: &(Span<i64>, u32)| (item.0.start, item.0.end);
        if !items.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])) {
            let name = |item: &(Span<i64>, u32)| self.names.name(item.0.ty);
            items.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| name(a).cmp(&name(b))));
        }
        let (spans, tags) = items.into_iter().unzip();
        Ok(Selected {
            spans,
            tags,
            tokens,
        })
    }

    /// Adds the spans of an annotation with the given (label, type) that are inside a zone: one span, or one span for
    /// each piece.
    ///
    /// # Errors
    /// [`Discontinuous`] if the annotation has pieces and the rules refuse discontinuous annotations.
    fn add(
        &self,
        annotation: Span,
        pieces: &[(u32, u32)],
        (label, tag): (u32, u32),
        items: &mut Vec<(Span<i64>, u32)>,
    ) -> Result<(), Discontinuous> {
        let mut push = |start: u32, end: u32| {
            if self.zones.contains(start, end) {
                let span = Span {
                    start: start.into(),
                    end: end.into(),
                    ty: label,
                };
                items.push((span, tag));
            }
        };
        match (pieces, self.rules.pieces) {
            ([], _) | (_, Pieces::Cover) => push(annotation.start, annotation.end),
            (pieces, Pieces::Split) => pieces.iter().for_each(|&(start, end)| push(start, end)),
            (_, Pieces::Refuse) => {
                return Err(Discontinuous {
                    label: self.names.name(label).unwrap_or_default().to_owned(),
                    start: annotation.start,
                    end: annotation.end,
                });
            }
        }
        Ok(())
    }
}

/// The scored parts of a text as (start, largest end so far), sorted by start; None if the whole text is scored.
#[derive(Clone, Debug, Default)]
struct Zones(Option<Vec<(u32, u32)>>);

impl Zones {
    /// Returns the zones of gold that are scored; the whole text if there is no task, or if gold has no zones.
    ///
    /// Zones outside the text, which the reader has dropped, count as zones that are not a body.
    fn of(rules: &Rules, gold: &impl AnnotatedText) -> Self {
        if rules.task.is_none() {
            return Self::default();
        }
        let zones: Vec<bool> = gold.types().map(|ty| rules.is_zone(ty)).collect();
        // A dropped zone counts as a zone, so the whole text is not scored.
        let mut any = (0..)
            .zip(&zones)
            .any(|(ty, &zone)| zone && gold.has_dropped(ty));
        let mut bodies = Vec::new();
        for at in 0..gold.len() {
            let zone = gold.annotation(at);
            if !zones[zone.ty as usize] {
                continue;
            }
            any = true;
            if gold.attributes(at).any(|attribute| attribute == REGION) {
                bodies.push((zone.start, zone.end));
            }
        }
        bodies.sort_unstable();
        // A span that begins here is inside a zone if it does not end after the farthest end of the zones so far.
        let mut farthest = 0;
        for zone in &mut bodies {
            farthest = farthest.max(zone.1);
            zone.1 = farthest;
        }
        Self(any.then_some(bodies))
    }

    /// Returns true if a span is completely inside one zone, in O(log n) time.
    ///
    /// The span is inside a zone if and only if it does not end after the largest end of the zones that start at or
    /// before it.
    fn contains(&self, start: u32, end: u32) -> bool {
        let Some(zones) = &self.0 else { return true };
        let after = zones.partition_point(|zone| zone.0 <= start);
        after > 0 && end <= zones[after - 1].1
    }
}

#[cfg(test)]
mod tests {
    use spanrs_base::{Category, Tag, Task};

    use super::*;

    /// An annotation, its region type and its pieces.
    type Item = (Span, &'static str, &'static [(u32, u32)]);

    struct Example {
        types: &'static [&'static str],
        annotations: &'static [Item],
    }

    impl AnnotatedText for Example {
        fn types(&self) -> impl Iterator<Item = &str> {
            self.types.iter().copied()
        }

        fn len(&self) -> usize {
            self.annotations.len()
        }

        fn annotation(&self, at: usize) -> Span {
            self.annotations[at].0
        }

        fn attributes(&self, at: usize) -> impl Iterator<Item = (&str, &str)> + Clone {
            std::iter::once(("region_type", self.annotations[at].1))
        }

        fn pieces(&self, at: usize) -> &[(u32, u32)] {
            self.annotations[at].2
        }

        fn has_dropped(&self, _: u32) -> bool {
            false
        }

        fn has_root(&self) -> bool {
            false
        }
    }

    const fn span(ty: u32, start: u32, end: u32) -> Span {
        Span { start, end, ty }
    }

    const TEXT: Example = Example {
        types: &["PER", "lex", "zone"],
        annotations: &[
            (span(2, 0, 10), "body", &[]),
            (span(1, 4, 8), "", &[]),
            (span(1, 0, 4), "", &[]),
            (span(0, 12, 14), "", &[]),
            (span(0, 0, 8), "", &[(0, 2), (6, 8)]),
        ],
    };

    fn bounds(rules: &Rules) -> Result<Vec<(i64, i64)>, Discontinuous> {
        let selected = Selection::new(rules, &TEXT).select(&TEXT)?;
        assert_eq!(selected.tokens, [(0, 4), (4, 8)]);
        assert_eq!(selected.spans.len(), selected.tags.len());
        Ok(selected.spans.iter().map(|s| (s.start, s.end)).collect())
    }

    #[test]
    fn pieces_are_covered_split_or_refused() {
        let with = |pieces| Rules {
            pieces,
            ..Rules::default()
        };
        assert_eq!(bounds(&with(Pieces::Cover)), Ok(vec![(0, 8), (12, 14)]));
        let split = vec![(0, 2), (6, 8), (12, 14)];
        assert_eq!(bounds(&with(Pieces::Split)), Ok(split));
        let error = bounds(&with(Pieces::Refuse)).unwrap_err();
        assert_eq!((&*error.label, error.start, error.end), ("PER", 0, 8));
    }

    #[test]
    fn with_a_task_only_annotations_inside_a_body_zone_are_scored() {
        let tag = |name: &str, category| Tag {
            name: name.to_owned(),
            category,
            aliases: Vec::new(),
        };
        let rules = Rules {
            task: Some(Task {
                name: String::new(),
                tags: vec![
                    tag("PER", Category::Content),
                    tag("lex", Category::Token),
                    tag("zone", Category::Zone),
                ],
            }),
            ..Rules::default()
        };
        assert_eq!(bounds(&rules), Ok(vec![(0, 8)]));
    }
}
