//! Reading and changing the weights of one token, for dual coordinate ascent.

use super::{Packed, Table, Tokens};
use crate::features::Features;
use crate::simd::{LANES, add_multiple};

/// Which labels each dense row has a feature with: a bit for each label, [`LANES`] to a byte.
#[derive(Clone, Debug)]
pub(crate) struct Masks(Vec<u8>);

impl Packed {
    /// The labels of the dense rows. `features` are those of the groups.
    pub(crate) fn masks(&self, features: &Features) -> Masks {
        let mut masks = vec![0; self.rows * self.width / LANES];
        for (code, &group) in self.groups[..self.rows].iter().enumerate() {
            for &label in features.state(group as usize).1 {
                let bit = code * self.width + label as usize;
                masks[bit / LANES] |= 1 << (bit % LANES);
            }
        }
        Masks(masks)
    }

    /// Adds the scores of a token's items to a padded row, in 32 bits.
    #[inline(always)]
    pub(crate) fn gather(&self, tokens: Tokens, table: &Table<f32>, token: usize, row: &mut [f32]) {
        let (codes, values) = tokens.items(token);
        let items = (codes, values, tokens.dense(token));
        match values.is_empty() {
            true => self.gather_items::<false>(table, items, row),
            false => self.gather_items::<true>(table, items, row),
        }
    }

    /// Same as [`Packed::gather`]; without `VALUED` all values are 1.
    #[inline(always)]
    fn gather_items<const VALUED: bool>(
        &self,
        table: &Table<f32>,
        (codes, values, dense): (&[u32], &[f64], usize),
        row: &mut [f32],
    ) {
        let rows = (&codes[..dense], values);
        let mut column = 0;
        while row.len() - column >= 32 {
            self.gather_columns::<32, VALUED>(table, rows, column, row);
            column += 32;
        }
        if row.len() - column >= 16 {
            self.gather_columns::<16, VALUED>(table, rows, column, row);
            column += 16;
        }
        if row.len() - column >= LANES {
            self.gather_columns::<LANES, VALUED>(table, rows, column, row);
        }
        for (at, &code) in codes.iter().enumerate().skip(dense) {
            let value = if VALUED { values[at] as f32 } else { 1.0 };
            let code = code as usize;
            if code >= self.singles {
                let place = self.single(code);
                row[self.labels[place] as usize] += value * table.sparse[place];
                continue;
            }
            for place in self.run(code - self.rows) {
                row[self.labels[place] as usize] += value * table.sparse[place];
            }
        }
    }

    /// Adds `N` columns, from `column`, of dense rows; the sums stay in registers.
    #[inline(always)]
    fn gather_columns<const N: usize, const VALUED: bool>(
        &self,
        table: &Table<f32>,
        (codes, values): (&[u32], &[f64]),
        column: usize,
        row: &mut [f32],
    ) {
        let mut sums = [0.0; N];
        for (at, &code) in codes.iter().enumerate() {
            let weights = &table.dense[code as usize * self.width + column..][..N];
            let value = if VALUED { values[at] as f32 } else { 1.0 };
            for lane in 0..N {
                sums[lane] += value * weights[lane];
            }
        }
        for (score, sum) in row[column..][..N].iter_mut().zip(sums) {
            *score += sum;
        }
    }

    /// Adds a step of a token's label scores to the weights of its items, each times its value and
    /// the size of its group. Adds the change of the token's scores to `change`, if given. Both rows
    /// are padded.
    #[inline(always)]
    pub(crate) fn step(
        &self,
        table: &mut Table<f32>,
        masks: &Masks,
        (tokens, token): (Tokens, usize),
        step: &[f32],
        mut change: Option<&mut [f32]>,
    ) {
        let (codes, values) = tokens.items(token);
        for (at, &code) in codes.iter().enumerate() {
            let value = values.get(at).map_or(1.0, |&value| value as f32);
            let factor = value * self.sizes[code as usize];
            let code = code as usize;
            if code < self.rows {
                let row = &mut table.dense[code * self.width..][..self.width];
                let masks = &masks.0[code * self.width / LANES..][..self.width / LANES];
                let rows = row.as_chunks_mut::<LANES>().0.iter_mut();
                let steps = step.as_chunks::<LANES>().0;
                for (lanes, ((weights, step), &mask)) in rows.zip(steps).zip(masks).enumerate() {
                    let mut added = [0.0; LANES];
                    for lane in 0..LANES {
                        let bit = (u32::from(mask) >> lane) & 1;
                        added[lane] = bit as f32 * (factor * step[lane]);
                    }
                    add_multiple(weights, 1.0, &added);
                    if let Some(change) = &mut change {
                        add_multiple(&mut change.as_chunks_mut::<LANES>().0[lanes], value, &added);
                    }
                }
            } else {
                for place in self.run(code - self.rows) {
                    let label = self.labels[place] as usize;
                    let added = factor * step[label];
                    table.sparse[place] += added;
                    if let Some(change) = &mut change {
                        change[label] += value * added;
                    }
                }
            }
        }
    }

    /// The sum of the squared values of a token's attributes, those without a feature left out.
    pub(crate) fn squares(&self, tokens: Tokens, token: usize) -> f32 {
        let (codes, values) = tokens.items(token);
        let value = |at: usize| values.get(at).map_or(1.0, |&value| value as f32);
        let squares = codes.iter().enumerate();
        squares
            .map(|(at, &code)| self.sizes[code as usize] * value(at) * value(at))
            .sum()
    }

    /// The sum of the squared parameters of a table of scores.
    pub(crate) fn parameter_squares(&self, table: &Table<f32>) -> f64 {
        let mut sum = 0.0;
        for (code, scale) in self.scales.iter().enumerate() {
            let row = match code.checked_sub(self.rows) {
                None => &table.dense[code * self.width..][..self.width],
                Some(run) => &table.sparse[self.run(run)],
            };
            let squares: f32 = row.iter().map(|value| value * value).sum();
            sum += f64::from(squares) / (scale * scale);
        }
        sum
    }

    /// Copies a table of scores into parameters, the inverse of [`Packed::pack`].
    pub(crate) fn to_parameters(
        &self,
        features: &Features,
        table: &Table<f32>,
        parameters: &mut [f64],
    ) {
        for (code, (&group, scale)) in self.groups.iter().zip(&self.scales).enumerate() {
            let (start, labels) = features.state(group as usize);
            let parameters = &mut parameters[start..][..labels.len()];
            match code.checked_sub(self.rows) {
                None => {
                    let row = &table.dense[code * self.width..][..self.width];
                    for (parameter, label) in parameters.iter_mut().zip(labels) {
                        *parameter = f64::from(row[*label as usize]) / scale;
                    }
                }
                Some(run) => {
                    for (parameter, own) in parameters.iter_mut().zip(&table.sparse[self.run(run)])
                    {
                        *parameter = f64::from(*own) / scale;
                    }
                }
            }
        }
    }
}
