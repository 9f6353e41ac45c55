//! Counts of records that are not read, for notices.

/// Number of items of one kind, and the location of the first.
///
/// ```text
/// 3 rejected records are not read (first: line 7)
/// ```
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    number: u64,
    /// Location of the first item.
    first: String,
}

impl Counted {
    /// Adds an item; `place` is called for the first item only.
    pub(super) fn add(&mut self, place: impl FnOnce() -> String) {
        if self.number == 0 {
            self.first = place();
        }
        self.number += 1;
    }

    /// Returns the number of items.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the location of the first item.
    pub(super) fn first(&self) -> &str {
        &self.first
    }

    /// Returns the sentence for the items, which follows their number; None if there are none.
    pub(super) fn notice(&self, one: &str, several: &str) -> Option<String> {
        let Self { number, first } = self;
        match number {
            0 => None,
            1 => Some(format!("1 {one} ({first})")),
            _ => Some(format!("{number} {several} (first: {first})")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_have_the_number_and_the_first_place() {
        let mut counted = Counted::default();
        assert_eq!(counted.notice("task is", "tasks are"), None);
        counted.add(|| "task 3".to_owned());
        assert_eq!(
            counted.notice("task is", "tasks are").as_deref(),
            Some("1 task is (task 3)")
        );
        counted.add(|| "task 4".to_owned());
        assert_eq!(
            counted.notice("task is", "tasks are").as_deref(),
            Some("2 tasks are (first: task 3)")
        );
    }
}
