//! Rejection sampling, the loop of FIPS 203 Algorithm 7, in plain Rust.

use super::backend::{Q, XOF_BLOCK};

/// See `Kernels::sample_ntt_vartime`.
pub(super) fn sample_ntt_vartime(
    block: &[u8; XOF_BLOCK],
    f: &mut [i16; 256],
    mut n: usize,
) -> usize {
    for &[c0, c1, c2] in block.as_chunks().0 {
        let d1 = i16::from(c0) | (i16::from(c1 & 15) << 8);
        let d2 = i16::from(c1 >> 4) | (i16::from(c2) << 4);
        for d in [d1, d2] {
            // Written in any case and kept if it is below q: a branch less on a coin toss.
            if n == f.len() {
                return n;
            }
            f[n] = d;
            n += usize::from(d < Q);
        }
    }
    n
}

/// For every set of lanes, the bytes that bring those of eight lanes to the front.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) static COMPACTION: [[u8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut to) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set][to] = 2 * lane;
                table[set][to + 1] = 2 * lane + 1;
                to += 2;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};
