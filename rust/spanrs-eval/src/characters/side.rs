//! The spans of one side that are open at a position.

use std::collections::VecDeque;

use spanrs_base::Span;

/// The open spans of one side, by type.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenSpans {
    /// Number of open spans of each type.
    numbers: Vec<u32>,
    /// For each type, its open spans in the order in which they opened; spans behind the first may
    /// be closed already.
    queues: Vec<VecDeque<u32>>,
    /// The types with open spans, in the order in which they appeared.
    types: Vec<u32>,
    /// Whether `types` has a type without open spans.
    has_closed_type: bool,
    /// Whether each span is open.
    is_open: Vec<bool>,
}

impl OpenSpans {
    /// Resets the buffers for the spans of a document.
    pub(super) fn reset(&mut self, spans: &[Span<i64>]) {
        for ty in self.types.drain(..) {
            // Spans are left open only if a document was interrupted.
            self.numbers[ty as usize] = 0;
            self.queues[ty as usize].clear();
        }
        self.has_closed_type = false;
        self.is_open.clear();
        self.is_open.resize(spans.len(), false);
        let types = spans.iter().map(|span| span.ty as usize + 1).max();
        let types = types.unwrap_or_default().max(self.numbers.len());
        self.numbers.resize(types, 0);
        self.queues.resize(types, VecDeque::new());
    }

    /// Opens span number `at`, or its next run.
    pub(super) fn open(&mut self, at: u32, ty: u32) {
        if self.numbers[ty as usize] == 0 {
            self.types.push(ty);
        }
        self.numbers[ty as usize] += 1;
        self.queues[ty as usize].push_back(at);
        self.is_open[at as usize] = true;
    }

    /// Closes span number `at`, or its current run. [`OpenSpans::forget_closed`] must be called
    /// after the last span that closes at a position.
    pub(super) fn close(&mut self, at: u32, ty: u32) {
        self.is_open[at as usize] = false;
        let number = &mut self.numbers[ty as usize];
        *number -= 1;
        if *number == 0 {
            self.queues[ty as usize].clear();
            self.has_closed_type = true;
            return;
        }
        let queue = &mut self.queues[ty as usize];
        while queue.front().is_some_and(|&at| !self.is_open[at as usize]) {
            queue.pop_front();
        }
    }

    /// Removes the types without open spans: all at once, because many types may close at one
    /// position.
    pub(super) fn forget_closed(&mut self) {
        if self.has_closed_type {
            let numbers = &self.numbers;
            self.types.retain(|&ty| numbers[ty as usize] > 0);
            self.has_closed_type = false;
        }
    }

    /// Returns the types with open spans, in the order in which they appeared.
    pub(super) fn types(&self) -> &[u32] {
        &self.types
    }

    /// Returns whether a span of a type is open.
    pub(super) fn has(&self, ty: u32) -> bool {
        self.numbers
            .get(ty as usize)
            .is_some_and(|&number| number > 0)
    }

    /// Returns the open span of a type that opened first.
    pub(super) fn first(&self, ty: u32) -> Option<u32> {
        self.queues.get(ty as usize)?.front().copied()
    }

    /// Returns the first open span of the type that appeared first; None if no span is open.
    pub(super) fn first_of_all(&self) -> Option<u32> {
        self.first(*self.types.first()?)
    }
}
