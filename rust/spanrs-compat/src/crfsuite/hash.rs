//! The hash function of CRFsuite's string database: Bob Jenkins' `hashlittle` (lookup3, 2006).
//!
//! The values are part of the file format: the hash of a name determines its table and first slot, and CRFsuite
//! searches only there. The function is not resistant to chosen collisions, which only affects the length of probe
//! sequences.

/// Hashes `key` with Bob Jenkins' `hashlittle` (lookup3, 2006) and initial value 0.
///
/// The key is read as little-endian words in blocks of twelve bytes; the last block, of one to twelve bytes, is padded
/// with zeros and mixed differently. CRFsuite hashes names including their final NUL byte.
///
/// Source: <https://burtleburtle.net/bob/c/lookup3.c>
pub(super) fn hashlittle(key: &[u8]) -> u32 {
    let mut state = [0xdead_beef_u32.wrapping_add(key.len() as u32); 3];
    let mut rest = key;
    while rest.len() > 12 {
        let (block, tail) = rest.split_at(12);
        add(&mut state, block);
        mix(&mut state);
        rest = tail;
    }
    if rest.is_empty() {
        return state[2];
    }
    add(&mut state, rest);
    finish(state)
}

/// Adds up to twelve bytes to the three words of the state.
fn add(state: &mut [u32; 3], block: &[u8]) {
    for (word, bytes) in state.iter_mut().zip(block.chunks(4)) {
        let mut padded = [0; 4];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = word.wrapping_add(u32::from_le_bytes(padded));
    }
}

/// Mixes the state between blocks: six rounds over the words in turn.
fn mix(state: &mut [u32; 3]) {
    for (round, rotation) in [4, 6, 8, 16, 19, 4].into_iter().enumerate() {
        let (this, next, last) = (round % 3, (round + 1) % 3, (round + 2) % 3);
        state[this] = state[this].wrapping_sub(state[last]) ^ state[last].rotate_left(rotation);
        state[last] = state[last].wrapping_add(state[next]);
    }
}

/// Mixes the state after the last block: seven rounds, starting with the third word. Returns the third word.
fn finish(mut state: [u32; 3]) -> u32 {
    for (round, rotation) in [14, 11, 25, 16, 4, 14, 24].into_iter().enumerate() {
        let (this, last) = ((round + 2) % 3, (round + 1) % 3);
        state[this] = (state[this] ^ state[last]).wrapping_sub(state[last].rotate_left(rotation));
    }
    state[2]
}

#[cfg(test)]
mod tests {
    use super::hashlittle;

    #[test]
    fn published_values() {
        assert_eq!(hashlittle(b""), 0xdead_beef);
        assert_eq!(hashlittle(b"Four score and seven years ago"), 0x1777_0551);
    }

    #[test]
    fn values_in_a_file_of_crfsuite() {
        assert_eq!(hashlittle(b"O\0"), 0xc877_80e6);
        assert_eq!(hashlittle(b"B\0"), 0xcb6d_5cb5);
        assert_eq!(hashlittle("I-ü\0".as_bytes()), 0xf5ae_47a4);
    }
}
