use std::collections::{HashMap, HashSet};

use spanrs_io::document::{Annotation, Document};
use spanrs_io::{Alias, Category, Task};

/// Types that are no content where nothing is said: tokens, zones, and MAT's own.
pub const NO_CONTENT: [&str; 5] = ["lex", "zone", "SEGMENT", "VOTE", "untaggable"];
/// The attribute of a zone that says what part of the text it is, and the part that is annotated.
const REGION: (&str, &str) = ("region_type", "body");

/// How annotations of several pieces are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pieces {
    /// As one stretch, from the first piece to the last.
    #[default]
    Cover,
    /// Each piece by itself.
    Split,
    /// Not at all.
    Refuse,
}

/// Which annotations are scored, and under which labels.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// What says which types are content and tokens; the two below mean nothing then.
    pub task: Option<Task>,
    /// Types that are content; where nothing is said all but tokens, zones and MAT's own.
    pub content: Option<HashSet<String>>,
    /// Types that are tokens; `lex` where nothing is said of content either.
    pub tokens: Option<HashSet<String>>,
    /// Label -> label it is scored under.
    pub classes: HashMap<String, String>,
    /// Labels that are left out, after equivalence classes.
    pub ignore: HashSet<String>,
    /// What becomes of annotations of several pieces.
    pub pieces: Pieces,
}

/// What the annotations of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Scored; `aliases`: the label depends on their attributes.
    Content {
        aliases: bool,
    },
    Token,
    Nothing,
}

impl Rules {
    pub(super) fn role(&self, ty: &str) -> Role {
        let plain = Role::Content { aliases: false };
        if let Some(task) = &self.task {
            let Some(tag) = task.tags.iter().find(|tag| tag.name == ty) else {
                return Role::Nothing;
            };
            return match tag.category {
                Category::Content => Role::Content {
                    aliases: !tag.aliases.is_empty(),
                },
                Category::Token => Role::Token,
                Category::Zone | Category::Other => Role::Nothing,
            };
        }
        let token = match (&self.tokens, &self.content) {
            (Some(tokens), _) => tokens.contains(ty),
            (None, None) => ty == "lex",
            (None, Some(_)) => false,
        };
        match &self.content {
            Some(content) if content.contains(ty) => plain,
            _ if token => Role::Token,
            None if !NO_CONTENT.contains(&ty) => plain,
            _ => Role::Nothing,
        }
    }

    /// What an annotation is called: its alias or type, then the class that stands for; None where it is
    /// ignored.
    pub(super) fn label<'a>(
        &'a self,
        document: &'a Document,
        annotation: &Annotation,
    ) -> Option<&'a str> {
        let ty = document.type_of(annotation);
        let label = self.alias(document, annotation, ty).unwrap_or(ty);
        let label = self.classes.get(label).map_or(label, |class| class);
        (!self.ignore.contains(label)).then_some(label)
    }

    /// The first alias whose attributes the annotation has, all of them.
    fn alias(&self, document: &Document, annotation: &Annotation, ty: &str) -> Option<&str> {
        let tag = self.task.as_ref()?.tags.iter().find(|tag| tag.name == ty)?;
        let has = |(name, value): &(String, String)| {
            let mut all = document.attributes(annotation);
            all.any(|(known, said)| known == name && said == value)
        };
        let fits = |alias: &&Alias| alias.attributes.iter().all(has);
        tag.aliases.iter().find(fits).map(|alias| &*alias.name)
    }

    /// The zones of gold that are scored; without a task all of the text is.
    pub(super) fn zones(&self, gold: &Document) -> Zones {
        let Some(task) = &self.task else {
            return Zones::default();
        };
        let zone = |ty: &str| {
            let mut tags = task.tags.iter();
            tags.any(|tag| tag.name == ty && tag.category == Category::Zone)
        };
        let zones: Vec<bool> = gold.types().map(zone).collect();
        let all = gold.annotations.iter().filter(|a| zones[a.ty as usize]);
        // A zone that does not lie in the text is a zone all the same: it must not make all of the text count.
        let mut any = gold.left_out_types.iter().any(|&ty| zones[ty as usize]);
        let mut bodies = Vec::new();
        for zone in all {
            any = true;
            if gold.attributes(zone).any(|attribute| attribute == REGION) {
                bodies.push((zone.start, zone.end));
            }
        }
        bodies.sort_unstable();
        // What begins here lies in a zone if it ends before the farthest end of the zones so far.
        let mut farthest = 0;
        for zone in &mut bodies {
            farthest = farthest.max(zone.1);
            zone.1 = farthest;
        }
        Zones(any.then_some(bodies))
    }
}

/// Parts of a text, by start, each with the farthest end so far; None for all of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Zones(Option<Vec<(u32, u32)>>);

impl Zones {
    /// True where a stretch lies within one zone.
    pub(super) fn hold(&self, start: u32, end: u32) -> bool {
        let Some(zones) = &self.0 else { return true };
        let behind = zones.partition_point(|zone| zone.0 <= start);
        behind > 0 && end <= zones[behind - 1].1
    }
}
