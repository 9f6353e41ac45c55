//! An answer under construction, with positions in bytes.

use std::collections::BTreeSet;

use super::{Answer, AnswerFault, MAX_FAULTS, MAX_VALUES, Mention};

/// An answer under construction. Positions are byte offsets until [`Draft::finish`].
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) mentions: Vec<Mention>,
    pub(super) layout: &'static str,
    pub(super) repairs: BTreeSet<&'static str>,
    pub(super) faults: Vec<AnswerFault>,
    /// Number of faults that are not listed.
    more_faults: usize,
    pub(super) text: Option<String>,
    pub(super) is_unreadable: bool,
    /// True if another layout should be preferred, as for lists of strings without types.
    pub(super) is_weak: bool,
    /// True if an unreadable answer contains JSON, rather than prose with brackets.
    pub(super) is_broken_json: bool,
}

impl Draft {
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

    pub(super) fn repair(&mut self, name: &'static str) {
        self.repairs.insert(name);
    }

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
        } else if self.mentions.len() >= MAX_VALUES {
            let message = format!("more than {MAX_VALUES} mentions; this one is not read");
            self.fault("too_many", message, mention.at);
        } else {
            self.mentions.push(mention);
        }
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

    /// Appends what was read from a later part of the answer.
    pub(super) fn append(&mut self, later: Self) {
        for mention in later.mentions {
            self.mention(mention);
        }
        self.repairs.extend(later.repairs);
        for fault in later.faults {
            self.fault(fault.code, fault.message, fault.at);
        }
        self.more_faults += later.more_faults;
    }

    /// Moves all positions, for a draft of a part of the answer.
    pub(super) fn shift(&mut self, by: usize) {
        let mentions = self.mentions.iter_mut().map(|mention| &mut mention.at);
        let faults = self.faults.iter_mut().map(|fault| &mut fault.at);
        mentions.chain(faults).for_each(|at| *at += by);
    }

    /// Converts byte offsets to characters, and sorts by them.
    pub(super) fn finish(mut self, answer: &str) -> Answer {
        self.mentions.sort_by_key(|mention| mention.at);
        self.faults.sort_by_key(|fault| fault.at);
        if self.is_unreadable {
            self.mentions.clear();
        }
        let mut counter = Counter::new(answer);
        for mention in &mut self.mentions {
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
            mentions: self.mentions,
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
