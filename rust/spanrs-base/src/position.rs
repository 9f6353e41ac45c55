use std::fmt;

/// A place in a file for a person to go to.
///
/// Lines and columns count from 1; 0 means "not known". Columns count bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The file as the user named it; `<stdin>` for standard input.
    pub path: String,
    /// Line, from 1; 0 where the place is the whole file.
    pub line: u64,
    /// Byte column in the line, from 1; 0 where the place is the whole line.
    pub column: u64,
}

impl Position {
    /// A place that is a whole line.
    pub fn line(path: &str, line: u64) -> Self {
        Self {
            path: path.to_owned(),
            line,
            column: 0,
        }
    }

    /// A place that is a whole file.
    pub fn file(path: &str) -> Self {
        Self::line(path, 0)
    }
}

impl fmt::Display for Position {
    /// `path`, `path:line` or `path:line:column`, the form editors and terminals make clickable.
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
