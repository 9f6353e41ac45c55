//! The parser of template files: recursive descent over one line at a time.
//!
//! ```text
//! template  =  { line newline }
//! line      =  "#" anything | "" | ("U" | "u" | "*") { literal | macro } | ("B" | "b") literal
//! macro     =  "%" name "[" position "," column [ "," argument ] "]"
//! position  =  [ "@" ] [ "+" | "-" ] number
//! argument  =  number of characters (prefix, suffix) | '"' regular expression '"' (t, T, m, M)
//!            | lexicon (in) | lexicon [ "," number of characters ] (cluster)
//! ```
//!
//! Spaces and tabs are allowed after the name of a macro and before each part in the brackets.
//! Everything outside macros is literal text, including spaces. A line that begins with `B` or `*`
//! may not contain `%`. Numbers are at most [`MAX_NUMBER`].

use super::error::TemplateError;
use super::fingerprint::Fingerprint;
use super::program::{Function, LexiconUse, Line, Position, Program};
use super::regex_dialect;
use crate::lexicon::LexiconKind;

/// Largest offset, column and number of characters.
const MAX_NUMBER: usize = 999;

/// Names of the macros, as listed in the error for an unknown macro.
const FUNCTIONS: [&str; 15] = [
    "x",
    "X",
    "t",
    "T",
    "m",
    "M",
    "lower",
    "shape",
    "short_shape",
    "prefix",
    "suffix",
    "length",
    "kind",
    "in",
    "cluster",
];

/// Parses the text of a template into a program.
///
/// # Errors
/// [`TemplateError`] with the position of the first error; line 1, column 1 if there are only
/// comments.
pub(super) fn parse(text: &str) -> Result<Program, TemplateError> {
    let mut program = Program::new();
    let mut empty = true;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        empty = false;
        let mut parser = Parser {
            line,
            number: index + 1,
            at: 0,
        };
        if let Some(line) = parser.line(&mut program)? {
            program.lines.push(line);
        }
    }
    match empty {
        false => Ok(program),
        true => Err(TemplateError {
            line: 1,
            column: 1,
            message: "the template is empty; write one attribute per line, such as U00:%x[0,0]"
                .to_owned(),
        }),
    }
}

/// Reader of one line.
struct Parser<'a> {
    /// The line, without its end.
    line: &'a str,
    /// Line number, from 1.
    number: usize,
    /// Number of bytes read.
    at: usize,
}

impl<'a> Parser<'a> {
    /// The attribute of the line; `None` for label transitions.
    fn line(&mut self, program: &mut Program) -> Result<Option<Line>, TemplateError> {
        let macros = self.line.contains('%');
        match self.line.as_bytes().first() {
            Some(b'U' | b'u') => self.attribute(program).map(Some),
            Some(b'B' | b'b' | b'*') if macros => Err(self.error(
                "label transitions cannot depend on tokens: spanrs has one score per pair of labels; \
                 begin the line with U to make this an attribute of the token, \
                 and write B alone for label transitions",
            )),
            Some(b'B' | b'b') => Ok(None),
            Some(b'*') => self.attribute(program).map(Some),
            _ => Err(self.error(
                "a line must begin with U (attribute), B (label transitions), * (both) or # (comment)",
            )),
        }
    }

    /// Reads literal text and macros up to the end of the line.
    fn attribute(&mut self, program: &mut Program) -> Result<Line, TemplateError> {
        let mut pieces = Vec::new();
        loop {
            let literal = self.take_while(|c| c != '%');
            if self.rest().is_empty() {
                return Ok(Line {
                    pieces: pieces.into(),
                    tail: literal.into(),
                    tail_fingerprint: Fingerprint::of(literal),
                });
            }
            let (function, column, position) = self.macro_call(program)?;
            pieces.push(program.piece(literal, function, column, position));
        }
    }

    /// Reads a macro such as `%prefix[-1,0,3]`; `at` is the position of the percent sign. Returns
    /// its function, column and position.
    fn macro_call(
        &mut self,
        program: &mut Program,
    ) -> Result<(Function, usize, Position), TemplateError> {
        let start = self.at;
        self.at += 1;
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
        if !FUNCTIONS.contains(&name) {
            self.at = start;
            let known = FUNCTIONS.map(|known| format!("%{known}")).join(", ");
            return Err(match name {
                "" => self.error("expected a function after %, such as %x[0,0]"),
                _ => self.error(&format!(
                    "unknown function %{name}; expected one of {known}"
                )),
            });
        }
        self.expect('[', "[offset,column] after the name of the function")?;
        let position = self.position()?;
        self.expect(
            ',',
            "a comma and the column after the offset, such as %x[-1,0]",
        )?;
        let column = self.number("the column, a number from 0")?;
        let function = match name {
            "x" => Function::Value,
            "X" | "lower" => Function::Lower,
            "shape" => Function::Shape,
            "short_shape" => Function::ShortShape,
            "length" => Function::Length,
            "kind" => Function::Kind,
            "prefix" => Function::Prefix(self.characters()?),
            "suffix" => Function::Suffix(self.characters()?),
            "in" => Function::In(self.lexicon(program, LexiconKind::Gazetteer)?),
            "cluster" => self.cluster(program)?,
            _ => {
                let regex = self.regex(program)?;
                match name {
                    "m" => Function::Match(regex),
                    "M" => Function::LowerMatch(regex),
                    _ => Function::Test(regex),
                }
            }
        };
        self.expect(']', "] after the arguments")?;
        Ok((function, column, position))
    }

    /// Reads an offset, or a position that begins with `@`: `@1` is the first token, `@-1` the last
    /// token.
    fn position(&mut self) -> Result<Position, TemplateError> {
        self.skip_spaces();
        let start = self.at;
        if self.rest().starts_with('*') {
            return Err(self.error(
                "offsets read from a column (*) are not supported; write a number, such as -1",
            ));
        }
        let absolute = self.skip('@');
        let negative = self.skip('-') || {
            self.skip('+');
            false
        };
        let number = self.number("an offset, such as -1, 0 or 1")? as isize;
        let signed = if negative { -number } else { number };
        match (absolute, signed) {
            (false, _) => Ok(Position::Relative(signed)),
            (true, 0) => {
                self.at = start;
                Err(self
                    .error("@ counts from 1: write @1 for the first token and @-1 for the last"))
            }
            (true, 1..) => Ok(Position::Start(signed - 1)),
            (true, _) => Ok(Position::End(signed)),
        }
    }

    /// Reads a comma and the number of characters of a prefix or suffix, at least 1.
    fn characters(&mut self) -> Result<usize, TemplateError> {
        self.expect(
            ',',
            "a comma and the number of characters, such as %prefix[0,0,3]",
        )?;
        self.skip_spaces();
        let start = self.at;
        match self.number("the number of characters, from 1")? {
            0 => {
                self.at = start;
                Err(self.error("the number of characters must be at least 1"))
            }
            number => Ok(number),
        }
    }

    /// Reads a comma and the name of clusters and, if there is another comma, the number of
    /// characters.
    fn cluster(&mut self, program: &mut Program) -> Result<Function, TemplateError> {
        let lexicon = self.lexicon(program, LexiconKind::Clusters)?;
        self.skip_spaces();
        let len = match self.rest().starts_with(',') {
            true => self.characters()?,
            false => usize::MAX,
        };
        Ok(Function::Cluster { lexicon, len })
    }

    /// Reads a comma and the name of a lexicon, and returns its index in the program.
    fn lexicon(
        &mut self,
        program: &mut Program,
        kind: LexiconKind,
    ) -> Result<usize, TemplateError> {
        let function = kind.function();
        let wanted = format!("a comma and the name of the lexicon, such as %{function}[0,0,name]");
        self.expect(',', &wanted)?;
        self.skip_spaces();
        let start = self.at;
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let known = program.lexicons.iter().position(|used| *used.name == *name);
        let message = match known.map(|known| (known, program.lexicons[known].kind)) {
            _ if !is_name => {
                "expected the name of the lexicon: a letter or _, then letters, digits, _ or -"
                    .to_owned()
            }
            Some((known, before)) if before == kind => return Ok(known),
            Some((_, before)) => format!(
                "%{} also uses the lexicon {name}; a lexicon is a gazetteer (%in) or clusters (%cluster)",
                before.function()
            ),
            None => {
                program.lexicons.push(LexiconUse {
                    name: name.into(),
                    kind,
                    line: self.number,
                    column: self.line[..start].chars().count() + 1,
                });
                return Ok(program.lexicons.len() - 1);
            }
        };
        self.at = start;
        Err(self.error(&message))
    }

    /// Reads a comma and a regular expression in double quotes, and returns its index in the
    /// program. A backslash escapes the next character, including a quote.
    fn regex(&mut self, program: &mut Program) -> Result<usize, TemplateError> {
        let wanted =
            "a comma and a regular expression in double quotes, such as %t[0,0,\"^[A-Z]\"]";
        self.expect(',', wanted)?;
        self.expect(
            '"',
            "a regular expression in double quotes, such as \"^[A-Z]\"",
        )?;
        let start = self.at;
        let mut escaped = false;
        let pattern = self.take_while(|c| {
            let end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            !end
        });
        if !self.skip('"') {
            self.at = start - 1;
            return Err(self.error("the regular expression has no closing double quote"));
        }
        regex_dialect::compile(pattern)
            .map(|regex| program.regex(regex))
            .map_err(|reason| {
                self.at = start;
                self.error(&format!(
                    "the regular expression \"{pattern}\" is not valid: {reason}"
                ))
            })
    }

    /// Reads a number without sign, after spaces. `wanted` describes the expected input in the
    /// error.
    fn number(&mut self, wanted: &str) -> Result<usize, TemplateError> {
        self.skip_spaces();
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) if number <= MAX_NUMBER => Ok(number),
            _ => {
                self.at = start;
                Err(match digits {
                    "" => self.error(&format!("expected {wanted}")),
                    _ => self.error(&format!("{digits} is too large; the limit is {MAX_NUMBER}")),
                })
            }
        }
    }

    /// Reads a required character, after spaces. `wanted` describes the expected input in the
    /// error.
    fn expect(&mut self, c: char, wanted: &str) -> Result<(), TemplateError> {
        self.skip_spaces();
        match self.skip(c) {
            true => Ok(()),
            false => Err(self.error(&format!("expected {wanted}"))),
        }
    }

    /// Reads a character if it is next; returns whether it was read.
    fn skip(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    /// Skips spaces and tabs.
    fn skip_spaces(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t');
    }

    /// Reads and returns characters while `keep` accepts them.
    fn take_while(&mut self, mut keep: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !keep(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The rest of the line.
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    /// An error at the current position.
    fn error(&self, message: &str) -> TemplateError {
        TemplateError {
            line: self.number,
            column: self.line[..self.at].chars().count() + 1,
            message: message.to_owned(),
        }
    }
}
