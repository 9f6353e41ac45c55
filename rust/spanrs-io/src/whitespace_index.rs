//! Offsets of white space, found eight bytes at a time.
//!
//! A branch on every byte of a line is slow, because it is often mispredicted. So the offsets of all bytes up to `b' '`
//! are collected first, a chunk at a time and without branches, and lines and columns are split there.

/// Replaces `positions` by the offsets of all bytes of `text` that are at most `b' '`: line ends, tabs, spaces, controls.
/// `start` is the offset of the first byte.
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

const BLOCK: usize = 64;
/// Offsets written at once; most blocks have fewer.
const BURST: usize = 16;

/// A bit for each of eight bytes: 1 if it is at most `b' '`.
#[inline(always)]
fn low_bytes(word: u64) -> u64 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const LOW: u64 = !HIGH;
    // The high bit of each byte of the sum is set if the low seven bits are above b' '; the sum cannot carry into the
    // next byte. Bytes whose high bit is set are above as well.
    let above = ((word & LOW) + 0x5F5F_5F5F_5F5F_5F5F) | word;
    let low = !above & HIGH;
    // The multiplication moves the eight high bits into the top byte, in order.
    ((low >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56
}

/// Appends the offsets of the bits that are set.
#[inline(always)]
fn write(mut bits: u64, base: u32, positions: &mut Vec<u32>) {
    let count = bits.count_ones() as usize;
    let end = positions.len() + count;
    // A fixed number of offsets is written and then truncated to the count, so that the loop has no unpredictable branch.
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
