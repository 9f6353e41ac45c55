//! 16-bit floats for tables limited by memory bandwidth.

/// The upper half of a 32-bit float (bfloat16): 8 bits of precision, the range of `f32`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bf16(u16);

impl Bf16 {
    /// Rounds to the nearest bfloat16, ties to even. The canonical NaN stays NaN.
    #[inline(always)]
    pub(crate) fn of(value: f32) -> Self {
        let bits = value.to_bits();
        Self((bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16) as u16)
    }

    #[inline(always)]
    pub(crate) fn value(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

impl From<Bf16> for f64 {
    #[inline(always)]
    fn from(value: Bf16) -> Self {
        f64::from(value.value())
    }
}
