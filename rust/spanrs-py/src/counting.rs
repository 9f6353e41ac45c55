//! What a `Counter` holds, and how it comes to a scheme.

use spanrs_eval::{Scorer, Side};
use spanrs_tags::{Detection, Evidence, Reader, Reading, Scheme};

use crate::error::Result;

/// Tokens of gold from which a scheme is guessed at first.
const SAMPLE: u64 = 1 << 16;

pub(crate) struct Counting {
    pub(crate) reader: Reader,
    pub(crate) scorer: Scorer,
    /// False while the scheme is still to be found out.
    pub(crate) decided: bool,
    pub(crate) detection: Option<Detection>,
}

impl Counting {
    /// Runs `count`, finding out the scheme first where that is still open.
    ///
    /// `evidence` gathers what speaks for a scheme on a side, from about so many tokens, and says whether
    /// that was everything. A scheme that a sample of gold suggests is kept if all of gold turns out not
    /// to violate it: every scheme preferred to it is violated by the sample already. Otherwise all of
    /// gold decides, so the result never depends on the size of the sample. Pred decides only where gold
    /// has no tag but `O`.
    pub(crate) fn run(
        &mut self,
        mut evidence: impl FnMut(&mut Reader, Side, u64) -> Result<(Evidence, bool)>,
        mut count: impl FnMut(&mut Reader, &mut Scorer) -> Result<()>,
    ) -> Result<()> {
        if self.decided {
            return self.count(&mut count);
        }
        let mut ask = |reader: &mut Reader, side, most| -> Result<(Detection, bool)> {
            let (evidence, whole) = evidence(reader, side, most)?;
            Ok((evidence.decide(reader.tags(), reader.dialect()), whole))
        };
        let (mut detection, mut whole) = ask(&mut self.reader, Side::Gold, SAMPLE)?;
        if !detection.decided && !whole {
            (detection, whole) = ask(&mut self.reader, Side::Gold, u64::MAX)?;
        }
        if !detection.decided {
            (detection, whole) = ask(&mut self.reader, Side::Pred, u64::MAX)?;
        }
        let undecided = self.reader.clone();
        self.take(&detection)?;
        let mut part = self.scorer.part(&self.reader);
        let mut result = count(&mut self.reader, &mut part);
        let violated = part.violations(Side::Gold).count > 0;
        // Nothing violates TOKEN, and a dialect may hide violations: then all of gold is asked too.
        let blind = detection.scheme == Scheme::Token || self.reader.dialect().unknown_is_outside;
        if result.is_ok() && !whole && (violated || blind) {
            let scheme = detection.scheme;
            (detection, _) = ask(&mut self.reader, Side::Gold, u64::MAX)?;
            if detection.scheme != scheme {
                self.take(&detection)?;
                part = self.scorer.part(&self.reader);
                result = count(&mut self.reader, &mut part);
            }
        }
        if let Err(error) = result {
            self.reader = undecided;
            self.decided = false;
            return Err(error);
        }
        self.scorer.add_part(part, &self.reader);
        self.detection = Some(detection);
        Ok(())
    }

    /// Counts by itself, and adds what was counted if all went well: a failed update counts nothing.
    fn count(
        &mut self,
        count: &mut impl FnMut(&mut Reader, &mut Scorer) -> Result<()>,
    ) -> Result<()> {
        let mut part = self.scorer.part(&self.reader);
        count(&mut self.reader, &mut part)?;
        self.scorer.add_part(part, &self.reader);
        Ok(())
    }

    /// Reads in a scheme from now on, if none was found out yet.
    pub(crate) fn settle(&mut self, scheme: Scheme) -> Result<()> {
        if !self.decided {
            self.read_in(scheme)?;
        }
        Ok(())
    }

    /// Only `O` was counted until now, so the ids of types may change.
    fn read_in(&mut self, scheme: Scheme) -> Result<()> {
        let tags = self.reader.tags().clone();
        let (reading, dialect) = (self.reader.reading(), self.reader.dialect().clone());
        self.scorer.change_reader(&self.reader);
        self.reader = Reader::with_vocabulary(tags, scheme, reading, dialect)?;
        self.decided = true;
        Ok(())
    }

    /// Reads in the detected scheme from now on. As long as nothing but `O` was seen nothing is decided,
    /// and no scheme reads anything else into it.
    fn take(&mut self, detection: &Detection) -> Result<()> {
        if detection.decided {
            self.read_in(detection.scheme)?;
        }
        Ok(())
    }

    /// Under `refuse`, raises if there is anything to refuse.
    pub(crate) fn refuse(&self) -> Result<()> {
        if self.reader.reading() != Reading::Refuse {
            return Ok(());
        }
        for (name, side) in [("gold", Side::Gold), ("pred", Side::Pred)] {
            let violations = self.scorer.violations(side);
            if violations.count > 0 {
                return Err(spanrs_jobs::Error::Malformed {
                    path: name.to_owned(),
                    scheme: self.reader.scheme(),
                    violations: violations.clone(),
                }
                .into());
            }
        }
        Ok(())
    }
}
