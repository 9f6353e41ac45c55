//! Index of whitespace positions, computed 64 bytes at a time.
//!
//! A branch on every byte of a line is slow, because it is often mispredicted. The positions of all
//! bytes that are at most `b' '` are therefore collected first, one chunk at a time and almost
//! without branches; lines and columns are then split at these positions without reading the bytes
//! in between.
//!
//! Eight bytes are tested at once in a 64-bit word (SWAR): adding 0x5F to the low seven bits of
//! each byte sets its high bit if the value exceeds 0x20, and one multiplication moves the eight
//! results into one byte of a bit mask. Bytes of 0x80 and above, which are parts of multi-byte
//! characters, are never whitespace here. A block of 64 bytes yields a 64-bit mask, whose set bits
//! are converted to positions. This works on all processors without intrinsics.
//!
//! For `a O\n` at offset 10 the index is `[11, 13]`. Memory is 4 bytes per whitespace byte of the
//! chunk.

/// Sets `positions` to the ascending positions of all bytes of `text` that are at most `b' '`: line
/// ends, tabs, spaces and control characters.
///
/// `start` is the position of the first byte of `text`; `start + text.len()` must be less than
/// 2^32.
pub(crate) fn gather(text: &[u8], start: usize, positions: &mut Vec<u32>) {
    positions.clear();
    let blocks = text.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    let mut base = start as u32;
    for block in blocks {
        let mut bits = 0_u64;
        for (at, word) in block.chunks_exact(8).enumerate() {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            bits |= low_bytes(u64::from_le_bytes(bytes)) << (8 * at);
        }
        write(bits, base, positions);
        base += BLOCK as u32;
    }
    for (at, &byte) in rest.iter().enumerate() {
        if byte <= b' ' {
            positions.push(base + at as u32);
        }
    }
}

/// Number of bytes per 64-bit mask.
const BLOCK: usize = 64;
/// Number of positions written at once; most blocks of text have fewer whitespace bytes.
const BURST: usize = 16;

/// Returns a bit for each of eight bytes, with the first byte in the lowest bit: 1 if the byte is
/// at most `b' '`.
///
/// | byte of `word` | `a` | ` ` | `O` | `\n` | `b` | `\t` | `X` | `\n` |
/// |---|---|---|---|---|---|---|---|---|
/// | value | 61 | 20 | 4F | 0A | 62 | 09 | 58 | 0A |
/// | low seven bits + 5F | C0 | 7F | AE | 69 | C1 | 68 | B7 | 69 |
/// | high bit clear | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 |
///
/// The result is 0b1010_1010: bit 1 for the space, bit 3 for the line feed, and so on.
#[inline(always)]
fn low_bytes(word: u64) -> u64 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const LOW: u64 = !HIGH;
    // The high bit of each byte of the sum is set if the low seven bits exceed b' '; the sum cannot
    // carry into the next byte. Bytes with a set high bit also exceed b' '.
    let above = ((word & LOW) + 0x5F5F_5F5F_5F5F_5F5F) | word;
    let low = !above & HIGH;
    // The multiplication moves the eight high bits into the top byte, in order.
    ((low >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56
}

/// Appends the positions of the set bits in `bits`; bit 0 is at position `base`.
///
/// [`BURST`] positions are always written, and positions beyond the number of set bits are removed
/// again, so that the number of iterations is fixed for most blocks. The loop takes the lowest set
/// bit and clears it; when no bit is left, the loop writes positions that are removed later.
#[inline(always)]
fn write(mut bits: u64, base: u32, positions: &mut Vec<u32>) {
    let count = bits.count_ones() as usize;
    let end = positions.len() + count;
    // A fixed number of positions is written and then truncated to the count, so that the loop has
    // no unpredictable branch.
    let mut burst = [0; BURST];
    for place in &mut burst {
        *place = base + bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
    }
    positions.extend_from_slice(&burst);
    while bits != 0 {
        positions.push(base + bits.trailing_zeros());
        bits &= bits - 1;
    }
    positions.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_same_bytes_as_a_scan() {
        let mut state = 7_u32;
        for length in 0..300 {
            let text: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // All byte values, with many spaces.
                    if state >> 30 == 0 {
                        b' '
                    } else {
                        (state >> 16) as u8
                    }
                })
                .collect();
            let expected: Vec<u32> = (0..length).filter(|&i| text[i as usize] <= b' ').collect();
            let mut positions = vec![99];
            gather(&text, 0, &mut positions);
            assert_eq!(positions, expected);
        }
        let mut positions = Vec::new();
        gather(&[b'\n'; 130], 0, &mut positions);
        assert_eq!(positions.len(), 130);
    }

    #[test]
    fn every_byte_is_classified_at_every_position() {
        for byte in 0..=255_u8 {
            for at in 0..8 {
                let mut word = [b'a'; 8];
                word[at] = byte;
                let expected = u64::from(byte <= b' ') << at;
                assert_eq!(low_bytes(u64::from_le_bytes(word)), expected);
            }
        }
    }
}
