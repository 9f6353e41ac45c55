//! A tolerant scanner of JSON and Python literals.
//!
//! The scanner never fails: it returns what it read of a value, whether the value is complete, and
//! faults for everything that it skipped. It moves only forwards, except within one string.

use memchr::{memchr, memchr2};

use super::draft::Draft;
use super::json_strings::{Text, opening_quote, scan};
use super::{MAX_DEPTH, MAX_VALUES};

/// Bytes within which the scanner looks for the end of something unreadable.
const MAX_GARBAGE: usize = 200;

/// A value and where it begins.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) at: usize,
    /// False if the answer ends, or becomes unreadable, before the closing bracket.
    pub(super) is_complete: bool,
    pub(super) data: Data,
}

#[derive(Debug)]
pub(super) enum Data {
    Text(Text),
    /// A number; None if it is not a whole number.
    Number(Option<u64>),
    Null,
    /// Not a name: a boolean, or something unreadable that has a fault of its own.
    Other,
    List(Vec<Value>),
    Object(Vec<Entry>),
    /// A call of a constructor: its name and arguments.
    Call(Text, Vec<Entry>),
}

/// An entry of an object, or an argument of a call, which may have no key.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Option<Text>,
    pub(super) value: Value,
}

/// Reads values from a text.
pub(super) struct Scanner<'a> {
    source: &'a str,
    /// Byte offset of the next value.
    pub(super) at: usize,
    /// Repairs and faults so far.
    pub(super) draft: Draft,
    /// Closing brackets of the open containers.
    closers: Vec<u8>,
    /// Number of values so far.
    values: usize,
    /// The next bracket and the end of the line; searched again once they are passed.
    bracket: usize,
    line_end: usize,
    /// True after something unreadable; all open containers end.
    is_broken: bool,
    is_truncated: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            draft: Draft::default(),
            closers: Vec::new(),
            values: 0,
            bracket: 0,
            line_end: 0,
            is_broken: false,
            is_truncated: false,
        }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    /// True if no more values can be read.
    fn is_exhausted(&self) -> bool {
        self.values >= MAX_VALUES
    }

    /// The next list, object or call at or after the current position, skipping prose.
    pub(super) fn next_value(&mut self) -> Option<Value> {
        while self.at < self.source.len() && !self.is_exhausted() {
            if self.bracket <= self.at {
                let next = memchr2(b'[', b'{', self.rest().as_bytes());
                self.bracket = next.map_or(self.source.len(), |at| self.at + at);
            }
            let bracket = self.bracket;
            let start = match self.call_before(bracket) {
                Some(call) => call,
                None if bracket < self.source.len() => bracket,
                None => break,
            };
            self.at = start;
            if !is_start(self.rest()) {
                self.at += 1;
                continue;
            }
            self.is_broken = false;
            let value = self.value();
            self.closers.clear();
            return Some(value);
        }
        self.at = self.source.len();
        None
    }

    /// The next call or tuple of strings before an offset, directly after a value or at the start
    /// of a line.
    fn call_before(&mut self, end: usize) -> Option<usize> {
        let next = self
            .rest()
            .trim_start_matches([' ', ',', ';', '\n', '\r', '\t']);
        if self.values > 0 && (is_call(next) || is_tuple(next)) {
            return Some(self.source.len() - next.len());
        }
        let before = self.source[..self.at].trim_end_matches([' ', '\t']);
        let mut line = match before.is_empty() || before.ends_with('\n') {
            true => self.at,
            false => self.next_line(self.at),
        };
        while line < end {
            let text = self.source[line..].trim_start();
            let at = self.source.len() - text.len();
            if at < end && (is_call(text) || is_tuple(text)) {
                return Some(at);
            }
            line = self.next_line(at);
        }
        None
    }

    /// The start of the line after an offset.
    fn next_line(&mut self, at: usize) -> usize {
        if self.line_end <= at {
            let end = memchr(b'\n', &self.source.as_bytes()[at..]);
            self.line_end = end.map_or(self.source.len(), |end| at + end + 1);
        }
        self.line_end
    }

    /// Skips white space and comments.
    fn blanks(&mut self) {
        loop {
            self.at = self.source.len() - self.rest().trim_start().len();
            let rest = self.rest();
            let len = if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            } else if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                return;
            };
            self.draft.repair("comments");
            self.at += len;
        }
    }

    /// Reads the value at the current position, which is not the end.
    fn value(&mut self) -> Value {
        self.values += 1;
        let at = self.at;
        let rest = self.rest();
        if self.closers.len() >= MAX_DEPTH || self.is_exhausted() {
            return self.refuse();
        }
        match self.peek() {
            Some(b'[') => self.list(b']'),
            Some(b'(') => {
                self.draft.repair("python");
                self.list(b')')
            }
            Some(b'{') => self.object(),
            _ if opening_quote(rest).is_some() => match self.string(false) {
                Some(text) => complete(text.start, Data::Text(text)),
                None => incomplete(at, Data::Other),
            },
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    /// Stops at a limit.
    fn refuse(&mut self) -> Value {
        let at = self.at;
        let (code, message) = match self.is_exhausted() {
            true => (
                "too_many",
                format!("more than {MAX_VALUES} values; the rest is not read"),
            ),
            false => (
                "too_deep",
                format!("nested deeper than {MAX_DEPTH}; the rest is not read"),
            ),
        };
        self.draft.fault(code, message, at);
        self.values = MAX_VALUES;
        self.is_broken = true;
        incomplete(at, Data::Other)
    }

    /// Reads a string; None if it has no end.
    fn string(&mut self, is_key: bool) -> Option<Text> {
        let quote = self.rest().chars().next();
        let Some(scanned) = scan(self.source, self.at, is_key) else {
            self.truncate("the answer ends inside a string, which is not read");
            return None;
        };
        match quote {
            Some('"') => {}
            Some('\'') => self.draft.repair("python"),
            _ => self.draft.repair("quotes"),
        }
        if scanned.has_quotes {
            self.draft.repair("quotes");
        }
        if scanned.has_controls {
            self.draft.repair("control-characters");
        }
        self.at = scanned.after;
        Some(scanned.text)
    }

    /// Reports the end of the answer inside a value, once.
    fn truncate(&mut self, message: &str) {
        if !self.is_truncated && !self.is_broken {
            self.draft.fault("truncated", message, self.at);
            self.draft.repair("truncated");
        }
        self.is_truncated = true;
        self.at = self.source.len();
    }

    fn number(&mut self) -> Value {
        let at = self.at;
        let rest = self.rest();
        let len = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c))
            .unwrap_or(rest.len());
        self.at += len;
        let digits = &rest[..len];
        let whole = digits.parse().ok().or_else(|| {
            let number: f64 = digits.parse().ok()?;
            let is_whole = number.fract() == 0.0 && (0.0..9e15).contains(&number);
            is_whole.then_some(number as u64)
        });
        if digits.ends_with("Infinity") {
            self.draft.repair("python");
        }
        if digits.parse::<f64>().is_err() {
            self.draft
                .fault("not_a_value", "this is neither a string nor a number", at);
            return complete(at, Data::Other);
        }
        complete(at, Data::Number(whole))
    }

    /// Reads a literal, a call, or an unquoted word, which is a fault.
    fn word(&mut self) -> Value {
        let at = self.at;
        let len = word_len(self.rest());
        let word = &self.rest()[..len];
        if is_call(self.rest()) {
            self.at += self.rest().find('(').unwrap_or(len);
            return self.call(Text::plain(at, at + len));
        }
        let literal = match word {
            "null" => Data::Null,
            "true" | "false" => Data::Other,
            "None" | "nil" | "undefined" => {
                self.draft.repair("python");
                Data::Null
            }
            "NaN" | "Infinity" => {
                self.draft.repair("python");
                Data::Number(None)
            }
            "True" | "False" => {
                self.draft.repair("python");
                Data::Other
            }
            _ => {
                self.skip_garbage();
                return incomplete(at, Data::Other);
            }
        };
        self.at += len;
        complete(at, literal)
    }

    /// Reads the elements of a list or tuple.
    fn list(&mut self, closer: u8) -> Value {
        let at = self.at;
        self.at += 1;
        self.closers.push(closer);
        let mut items: Vec<Value> = Vec::new();
        let mut separated = true;
        let is_complete = loop {
            if let Some(is_complete) = self.at_end(closer, &mut separated, items.is_empty()) {
                break is_complete;
            }
            if !separated && !self.starts_value() {
                spoil(items.last_mut());
                self.skip_garbage();
                continue;
            }
            if !separated {
                self.draft.repair("commas");
            }
            items.push(self.value());
            separated = false;
        };
        self.closers.pop();
        Value {
            at,
            is_complete,
            data: Data::List(items),
        }
    }

    /// Reads an object, or a Python set.
    fn object(&mut self) -> Value {
        let at = self.at;
        self.at += 1;
        let (entries, is_complete) = self.entries(b'}');
        let is_set = !entries.is_empty() && entries.iter().all(|entry| entry.key.is_none());
        let data = match is_set {
            true => Data::List(entries.into_iter().map(|entry| entry.value).collect()),
            false => Data::Object(entries),
        };
        Value {
            at,
            is_complete,
            data,
        }
    }

    /// Reads the arguments of a call.
    fn call(&mut self, name: Text) -> Value {
        self.at += 1;
        let (entries, is_complete) = self.entries(b')');
        Value {
            at: name.start,
            is_complete,
            data: Data::Call(name, entries),
        }
    }

    fn entries(&mut self, closer: u8) -> (Vec<Entry>, bool) {
        self.closers.push(closer);
        let mut entries: Vec<Entry> = Vec::new();
        let mut separated = true;
        let is_complete = loop {
            if let Some(is_complete) = self.at_end(closer, &mut separated, entries.is_empty()) {
                break is_complete;
            }
            if !separated && !self.starts_value() && !self.starts_key() {
                spoil(entries.last_mut().map(|entry| &mut entry.value));
                self.skip_garbage();
                continue;
            }
            if !separated {
                self.draft.repair("commas");
            }
            separated = false;
            if let Some(entry) = self.entry(closer) {
                entries.push(entry);
            }
        };
        self.closers.pop();
        (entries, is_complete)
    }

    /// Reads a key and its value, or a value without a key.
    fn entry(&mut self, closer: u8) -> Option<Entry> {
        let at = self.at;
        let is_quoted = opening_quote(self.rest()).is_some();
        let key = if is_quoted {
            self.string(closer == b'}' || closer == b')')?
        } else {
            let len = word_len(self.rest());
            if len == 0 || is_call(self.rest()) {
                let value = self.value();
                return Some(Entry { key: None, value });
            }
            self.at += len;
            Text::plain(at, at + len)
        };
        self.blanks();
        let rest = self.rest();
        if let Some(after) = rest.strip_prefix([':', '=']) {
            let after = after.strip_prefix('>').unwrap_or(after);
            self.at = self.source.len() - after.len();
            if !is_quoted && closer == b'}' {
                self.draft.repair("quotes");
            }
        } else if is_quoted && rest.starts_with([',', '}', ')', ']']) {
            let value = complete(key.start, Data::Text(key));
            return Some(Entry { key: None, value });
        } else if rest.is_empty() {
            return None;
        } else {
            self.skip_garbage();
            return None;
        }
        self.blanks();
        let value = match self.peek() {
            None => return None,
            Some(b',' | b'}' | b')' | b']') => {
                self.draft.fault("no_value", "the key has no value", at);
                complete(at, Data::Other)
            }
            Some(_) => self.value(),
        };
        let key = Some(key);
        Some(Entry { key, value })
    }

    /// Moves to the next item; returns whether the container is complete if it has no more items.
    fn at_end(&mut self, closer: u8, separated: &mut bool, is_empty: bool) -> Option<bool> {
        loop {
            if self.is_broken || self.is_truncated {
                return Some(false);
            }
            self.blanks();
            let Some(byte) = self.peek() else {
                self.truncate("the answer ends here; the last item may be missing");
                return Some(false);
            };
            match byte {
                b',' | b';' => {
                    if *separated && !is_empty {
                        self.draft.repair("commas");
                    }
                    *separated = true;
                    self.at += 1;
                }
                _ if byte == closer => {
                    if *separated && !is_empty {
                        self.draft.repair("commas");
                    }
                    self.at += 1;
                    return Some(true);
                }
                b']' | b'}' | b')' => {
                    self.draft.repair("brackets");
                    let outer = &self.closers[..self.closers.len().saturating_sub(1)];
                    if outer.contains(&byte) {
                        return Some(true);
                    }
                    self.at += 1;
                }
                _ => return None,
            }
        }
    }

    /// True before a key without quotes.
    fn starts_key(&self) -> bool {
        let len = word_len(self.rest());
        len > 0 && self.rest()[len..].trim_start().starts_with([':', '='])
    }

    fn starts_value(&self) -> bool {
        let rest = self.rest();
        rest.starts_with(['[', '{', '(', '-'])
            || rest.starts_with(|c: char| c.is_ascii_digit())
            || opening_quote(rest).is_some()
            || is_call(rest)
    }

    /// Skips unreadable text up to the next comma or closing bracket on the line; without one, all
    /// open containers end.
    fn skip_garbage(&mut self) {
        let rest = self.rest();
        let message = "this is not JSON; strings need quotes, and items commas";
        self.draft.fault("not_a_value", message, self.at);
        let window = &rest.as_bytes()[..rest.len().min(MAX_GARBAGE)];
        let end = window
            .iter()
            .position(|byte| matches!(byte, b',' | b']' | b'}' | b')' | b'\n'));
        match end {
            Some(end) if window[end] != b'\n' => self.at += end.max(1),
            _ if rest.len() <= MAX_GARBAGE && end.is_none() => {
                self.is_truncated = true;
                self.draft.repair("truncated");
                self.at = self.source.len();
            }
            _ => {
                self.is_broken = true;
                self.at += rest.chars().next().map_or(0, char::len_utf8);
            }
        }
    }
}

fn complete(at: usize, data: Data) -> Value {
    Value {
        at,
        is_complete: true,
        data,
    }
}

fn incomplete(at: usize, data: Data) -> Value {
    Value {
        at,
        is_complete: false,
        data,
    }
}

/// Discards a string that is followed by something unreadable: its end is unknown.
fn spoil(value: Option<&mut Value>) {
    if let Some(value) = value
        && matches!(value.data, Data::Text(_))
    {
        *value = incomplete(value.at, Data::Other);
    }
}

/// Length of the identifier at the start of a text.
fn word_len(text: &str) -> usize {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_$-".contains(c));
    match starts {
        true => end.unwrap_or(text.len()),
        false => 0,
    }
}

/// True if a text begins with a call whose first argument has a name or is a literal.
fn is_call(text: &str) -> bool {
    let len = word_len(text);
    let Some(rest) = text[len..].strip_prefix('(') else {
        return false;
    };
    let rest = rest.trim_start();
    let argument = word_len(rest);
    len > 0
        && (opening_quote(rest).is_some()
            || rest.starts_with(['[', '{'])
            || argument > 0 && rest[argument..].trim_start().starts_with('='))
}

/// True if a text begins with a tuple of strings.
fn is_tuple(text: &str) -> bool {
    let rest = text.strip_prefix('(').map(str::trim_start);
    rest.is_some_and(|rest| opening_quote(rest).is_some())
}

/// True if a bracket begins a value rather than prose.
fn is_start(text: &str) -> bool {
    if !text.starts_with(['[', '{']) {
        return is_call(text) || is_tuple(text);
    }
    let rest = text[1..].trim_start();
    let Some(first) = rest.chars().next() else {
        return true;
    };
    if opening_quote(rest).is_some() || rest.starts_with("//") || rest.starts_with("/*") {
        return true;
    }
    if text.starts_with('{') {
        let len = word_len(rest);
        let after = rest[len..].trim_start();
        return first == '}' || len > 0 && after.starts_with([':', '=']);
    }
    let is_literal = [
        "null", "None", "true", "false", "True", "False", "NaN", "Infinity",
    ]
    .iter()
    .any(|literal| rest.starts_with(literal));
    "[{(]-".contains(first) || first.is_ascii_digit() || is_literal || is_call(rest)
}
