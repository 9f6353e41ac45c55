//! Which of several blocks of an answer count.

use std::collections::HashSet;

use super::draft::Draft;
use super::interpret::Layout;
use super::query::Query;

/// The block that counts among blocks that are separated by prose.
///
/// The last block with mentions counts, because models explain the layout and draft answers before
/// they answer. Blocks with different types, all of which are in the schema (or, without a schema,
/// in common schemas), are parts of one answer, such as a block for each type.
pub(super) struct Best<'a> {
    query: &'a Query,
    block: Option<(Layout, Draft)>,
    types: Types,
    is_single: bool,
}

/// The types of a block.
#[derive(Default)]
struct Types {
    names: HashSet<String>,
    /// True if each mention has a type of the schema or of common schemas.
    are_usual: bool,
}

impl Types {
    fn of(draft: &Draft, query: &Query) -> Self {
        let mentions = &draft.mentions.list;
        let mut names = HashSet::new();
        for ty in mentions.iter().filter_map(|mention| mention.ty.as_deref()) {
            if !names.contains(ty) {
                names.insert(ty.to_owned());
            }
        }
        let are_usual = mentions.iter().all(|mention| mention.ty.is_some())
            && names.iter().all(|ty| query.is_usual(ty));
        Self { names, are_usual }
    }
}

impl<'a> Best<'a> {
    pub(super) fn new(query: &'a Query) -> Self {
        Self {
            query,
            block: None,
            types: Types::default(),
            is_single: true,
        }
    }

    /// Adds the next block of the answer.
    pub(super) fn add(&mut self, layout: Layout, draft: Draft) {
        let types = Types::of(&draft, self.query);
        let Some((best, previous)) = &mut self.block else {
            self.block = Some((layout, draft));
            self.types = types;
            return;
        };
        let both_have_mentions = layout > Layout::Empty && *best > Layout::Empty;
        if !both_have_mentions {
            if *best <= layout {
                self.block = Some((layout, draft));
                self.types = types;
            }
            return;
        }
        let is_disjoint = types.names.is_disjoint(&self.types.names);
        if is_disjoint && types.are_usual && self.types.are_usual {
            *best = layout.max(*best);
            previous.append(draft);
            previous.text = None;
            self.types.names.extend(types.names);
            return;
        }
        let has_types = !types.names.is_empty() && !self.types.names.is_empty();
        self.is_single = false;
        // A list of strings in prose after the answer is not the answer.
        let is_later_better = *best <= layout;
        let at = match is_later_better {
            true => previous.start(),
            false => draft.start(),
        };
        if is_later_better {
            self.block = Some((layout, draft));
            self.types = types;
        }
        if let Some((_, kept)) = &mut self.block
            && is_disjoint
            && has_types
        {
            kept.skipped(at);
        }
    }

    /// The block that counts.
    pub(super) fn finish(self) -> Option<(Layout, Draft)> {
        let (layout, mut draft) = self.block?;
        if !self.is_single {
            draft.repair("several");
        }
        Some((layout, draft))
    }
}
