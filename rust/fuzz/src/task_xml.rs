//! Fuzz target for MAT's task.xml.

use std::collections::BTreeSet;

use spanrs_io::{Error, Task, read_tasks};

use crate::documents::check_error;

/// Asserts that reading twice gives the same result, that each type of a task has one entry, and that comments do not
/// affect the result.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let result = read_tasks("input", text);
    let tasks = match &result {
        Ok(tasks) => tasks,
        Err(error) => {
            check_error(data, error);
            let again = read_tasks("input", text).map_err(|error: Error| error.to_string());
            assert_eq!(again, Err(error.to_string()));
            return;
        }
    };
    assert!(!tasks.is_empty());
    for Task { tags, .. } in tasks {
        let names: BTreeSet<&str> = tags.iter().map(|tag| &*tag.name).collect();
        assert_eq!(names.len(), tags.len(), "each type has one entry");
    }
    assert_eq!(read_tasks("input", text).ok().as_ref(), Some(tasks));
    let commented = format!("{text}<!-- a comment -->");
    assert_eq!(read_tasks("input", &commented).ok().as_ref(), Some(tasks));
}
