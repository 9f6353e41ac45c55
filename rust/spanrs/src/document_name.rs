//! Names of documents in column files.

/// Returns the name of a document from its first line; None if there is no name or an empty name.
/// `-DOCSTART-` may be followed by tags instead of a name.
///
/// | first line | name |
/// |---|---|
/// | `# newdoc id = news 3` | `news 3` |
/// | `# newdoc` | none |
/// | `-DOCSTART- (1 EU)` | `1 EU` |
/// | `-DOCSTART- -X- O` | none |
pub(crate) fn document_name(line: &str) -> Option<String> {
    let line = line.trim();
    let name = match line.strip_prefix("# newdoc") {
        Some(rest) => rest
            .trim_start()
            .strip_prefix("id")?
            .trim_start()
            .strip_prefix('=')?,
        // Files have either a name or tags after `-DOCSTART-`.
        None => line
            .strip_prefix("-DOCSTART-")?
            .trim_start()
            .strip_prefix('(')?
            .strip_suffix(')')?,
    }
    .trim();
    (!name.is_empty()).then(|| name.to_owned())
}
