use super::Row;

/// How many measures there are: three everywhere, and four more where elements are counted.
pub const MEASURES: usize = 7;

/// What a row of counts says, in fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Precision, recall, fmeasure; then tag-sensitive accuracy and error rate, tag-blind accuracy and error
    /// rate.
    pub all: [f64; MEASURES],
}

impl Measures {
    /// The measures of a row; `elements` is the number of elements of the text.
    ///
    /// Precision without anything in hyp is 1, recall without anything in ref is 1; fmeasure is 0 where both
    /// are 0. The accuracy of nothing is 1.
    pub fn of(row: &Row, elements: u64) -> Self {
        let share = |part: u64, whole: u64| match whole {
            0 => 1.0,
            _ => part as f64 / whole as f64,
        };
        let precision = share(row.matched, row.matched + row.hyp_clash + row.spurious);
        let recall = share(row.matched, row.matched + row.ref_clash + row.missing);
        let fmeasure = match precision + recall {
            0.0 => 0.0,
            sum => 2.0 * ((precision * recall) / sum),
        };
        // Where annotations of one side overlap, elements count more than once, and this falls below 0.
        let accuracy = |wrong: u64| match elements {
            0 => 1.0,
            _ => (elements as f64 - wrong as f64) / elements as f64,
        };
        let sensitive = accuracy(row.missing + row.spurious + row.ref_clash);
        let blind = accuracy(row.missing + row.spurious);
        Self {
            all: [
                precision,
                recall,
                fmeasure,
                sensitive,
                1.0 - sensitive,
                blind,
                1.0 - blind,
            ],
        }
    }
}
