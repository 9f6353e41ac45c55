//! Positions in input files, for error messages.

use std::fmt;

/// A position in an input file, as shown to the user.
///
/// Lines and columns are 1-based; 0 means "unknown". Columns count bytes, not characters.
///
/// Displayed as `path`, `path:line` or `path:line:column`, which editors and terminals turn into
/// links. A column is shown only if the line is known.
///
/// # Examples
///
/// ```
/// use spanrs_base::Position;
/// let position = Position { column: 7, ..Position::line("gold.conll", 3) };
/// assert_eq!(position.to_string(), "gold.conll:3:7");
/// assert_eq!(Position::file("gold.conll").to_string(), "gold.conll");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The path as the user wrote it; `<stdin>` for standard input.
    pub path: String,
    /// Line number, 1-based; 0 if the position is the whole file.
    pub line: u64,
    /// Byte column in the line, 1-based; 0 if the position is the whole line.
    pub column: u64,
}

impl Position {
    /// Creates the position of a whole line; `line` is 1-based.
    pub fn line(path: &str, line: u64) -> Self {
        Self {
            path: path.to_owned(),
            line,
            column: 0,
        }
    }

    /// Creates the position of a whole file.
    pub fn file(path: &str) -> Self {
        Self::line(path, 0)
    }
}

impl fmt::Display for Position {
    /// Writes `path`, `path:line` or `path:line:column`, depending on the known parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parts_are_left_out() {
        assert_eq!(Position::file("a.conll").to_string(), "a.conll");
        assert_eq!(Position::line("a.conll", 3).to_string(), "a.conll:3");
        let place = Position {
            column: 7,
            ..Position::line("a.conll", 3)
        };
        assert_eq!(place.to_string(), "a.conll:3:7");
    }
}
