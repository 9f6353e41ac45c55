//! An answer under construction, with positions in bytes.

use std::collections::BTreeSet;

use super::{
    Answer, AnswerFault, MAX_FAULTS, MAX_MENTION_BYTES, MAX_NAME_BYTES, MAX_VALUES, Mention,
};

/// Mentions within the limits of number and length.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    pub(super) list: Vec<Mention>,
    /// Total length of names and types.
    bytes: usize,
    is_full: bool,
}

impl Mentions {
    /// True if another mention with this name and type is beyond a limit, which becomes a fault.
    pub(super) fn exceeds(
        &mut self,
        name: &str,
        ty: Option<&str>,
        at: usize,
        draft: &mut Draft,
    ) -> bool {
        if self.is_full {
            return true;
        }
        if name.len() > MAX_NAME_BYTES {
            let message = format!(
                "the name has {} bytes; names of at most {MAX_NAME_BYTES} are read",
                name.len()
            );
            draft.fault("too_long", message, at);
            return true;
        }
        self.bytes += name.len() + ty.map_or(0, str::len);
        self.is_full = self.list.len() >= MAX_VALUES || self.bytes > MAX_MENTION_BYTES;
        if self.is_full {
            let message = format!(
                "the answer has more than {MAX_VALUES} mentions, or more than \
                 {MAX_MENTION_BYTES} bytes of names and types; the rest is not read"
            );
            draft.fault("too_many", message, at);
        }
        self.is_full
    }

    /// Adds a mention unless it is beyond a limit, which becomes a fault.
    pub(super) fn push(&mut self, mention: Mention, draft: &mut Draft) {
        if !self.exceeds(&mention.text, mention.ty.as_deref(), mention.at, draft) {
            self.list.push(mention);
        }
    }
}

/// An answer under construction. Positions are byte offsets until [`Draft::finish`].
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) mentions: Mentions,
    /// The recognised layout.
    pub(super) layout: &'static str,
    /// What was repaired or skipped.
    pub(super) repairs: BTreeSet<&'static str>,
    /// What could not be read; at most [`MAX_FAULTS`].
    pub(super) faults: Vec<AnswerFault>,
    /// Number of faults that are not listed.
    more_faults: usize,
    /// The text without marks, for layouts that repeat it.
    pub(super) text: Option<String>,
    /// True if nothing could be read.
    pub(super) is_unreadable: bool,
    /// True if another layout should be preferred, as for lists of strings without types.
    pub(super) is_weak: bool,
    /// True if an unreadable answer contains JSON, rather than prose with brackets.
    pub(super) is_broken_json: bool,
}

impl Draft {
    /// A readable answer without mentions.
    pub(super) fn new(layout: &'static str) -> Self {
        Self {
            layout,
            ..Self::default()
        }
    }

    /// An answer that cannot be read, with the reason.
    pub(super) fn unreadable(code: &'static str, message: String, at: usize) -> Self {
        let mut draft = Self::new("unreadable");
        draft.is_unreadable = true;
        draft.fault(code, message, at);
        draft
    }

    /// Records that something was repaired or skipped.
    pub(super) fn repair(&mut self, name: &'static str) {
        self.repairs.insert(name);
    }

    /// Records something that could not be read, at a byte offset.
    pub(super) fn fault(&mut self, code: &'static str, message: impl Into<String>, at: usize) {
        if self.faults.len() < MAX_FAULTS {
            let message = message.into();
            self.faults.push(AnswerFault { code, message, at });
        } else {
            self.more_faults += 1;
        }
    }

    /// Adds a mention; a blank name is a fault.
    pub(super) fn mention(&mut self, mention: Mention) {
        if mention.text.trim().is_empty() {
            self.fault("empty_name", "the name is empty", mention.at);
            return;
        }
        let mut mentions = std::mem::take(&mut self.mentions);
        mentions.push(mention, self);
        self.mentions = mentions;
    }

    /// Adds a mention without offsets.
    pub(super) fn name(&mut self, ty: Option<&str>, text: &str, at: usize) {
        self.mention(Mention {
            ty: ty.map(str::to_owned),
            text: text.to_owned(),
            start: None,
            end: None,
            at,
        });
    }

    /// Adds mentions.
    pub(super) fn extend(&mut self, mentions: Mentions) {
        for mention in mentions.list {
            self.mention(mention);
        }
    }

    /// Appends what was read from a later part of the answer.
    pub(super) fn append(&mut self, later: Self) {
        self.extend(later.mentions);
        self.repairs.extend(later.repairs);
        for fault in later.faults {
            self.fault(fault.code, fault.message, fault.at);
        }
        self.more_faults += later.more_faults;
    }

    /// The position of the first mention.
    pub(super) fn start(&self) -> usize {
        let positions = self.mentions.list.iter().map(|mention| mention.at);
        positions.min().unwrap_or(0)
    }

    /// Records that the mentions of another block, which has other types, are not read.
    pub(super) fn skipped(&mut self, at: usize) {
        let message = "this block has other types than the block that is read, and is taken for a \
                       draft or an example; pass types= to read the blocks of all types";
        self.fault("skipped", message, at);
    }

    /// Moves all positions, for a draft of a part of the answer.
    pub(super) fn shift(&mut self, by: usize) {
        self.move_positions(|at| at + by);
    }

    /// Converts all positions.
    pub(super) fn move_positions(&mut self, convert: impl Fn(usize) -> usize) {
        let mentions = self.mentions.list.iter_mut().map(|mention| &mut mention.at);
        let faults = self.faults.iter_mut().map(|fault| &mut fault.at);
        mentions.chain(faults).for_each(|at| *at = convert(*at));
    }

    /// Converts byte offsets to characters, and sorts by them.
    pub(super) fn finish(mut self, answer: &str) -> Answer {
        let mut mentions = self.mentions.list;
        mentions.sort_by_key(|mention| mention.at);
        self.faults.sort_by_key(|fault| fault.at);
        if self.is_unreadable {
            mentions.clear();
        }
        let mut counter = Counter::new(answer);
        for mention in &mut mentions {
            mention.at = counter.characters(mention.at);
        }
        let mut counter = Counter::new(answer);
        for fault in &mut self.faults {
            fault.at = counter.characters(fault.at);
        }
        if self.more_faults > 0 {
            let message = format!("{} more faults are not listed", self.more_faults);
            let at = self.faults.last().map_or(0, |fault| fault.at);
            let code = "more_faults";
            self.faults.push(AnswerFault { code, message, at });
        }
        Answer {
            mentions,
            layout: self.layout,
            repairs: self.repairs,
            faults: self.faults,
            text: self.text,
            is_unreadable: self.is_unreadable,
        }
    }
}

/// Converts increasing byte offsets to characters in one pass.
pub(super) struct Counter<'a> {
    text: &'a str,
    byte: usize,
    character: usize,
}

impl<'a> Counter<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (byte, character) = (0, 0);
        Self {
            text,
            byte,
            character,
        }
    }

    /// The number of characters before a byte offset, which is at least the previous one.
    pub(super) fn characters(&mut self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        let passed = self.text.as_bytes().get(self.byte..byte);
        // Continuation bytes have the form 10xxxxxx.
        let starts = passed.map_or(0, |bytes| {
            bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
        });
        self.character += starts;
        self.byte = self.byte.max(byte);
        self.character
    }
}
