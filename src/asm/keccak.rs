//! `Keccak-f[1600]`, FIPS 202 section 3.3, over lanes; and batches of interleaved states.

use super::backend::{Block, KeccakBatch};
use super::lanes::KeccakLanes;
use zeroize::Zeroize;

/// The constants of iota, FIPS 202 Algorithm 5: the bits of a linear feedback shift register.
pub(super) static ROUND_CONSTANTS: [u64; 24] = {
    let mut constants = [0; 24];
    let mut register: u8 = 1;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j <= 6 {
            constants[round] |= ((register & 1) as u64) << ((1 << j) - 1);
            register = (register << 1) ^ ((register >> 7) * 0x71);
            j += 1;
        }
        round += 1;
    }
    constants
};

/// See `Kernels::keccak_f1600`. Lane (x, y) of FIPS 202 is `a[5 * y + x]`.
#[inline(always)]
pub(super) fn keccak_f1600<L: KeccakLanes>(a: &mut [L; 25]) {
    for constant in ROUND_CONSTANTS {
        round(a);
        a[0] = a[0].xor_constant(constant);
    }
}

/// The parity of column x.
#[inline(always)]
fn column<L: KeccakLanes>(a: &[L; 25], x: usize) -> L {
    a[x].xor3(a[x + 5], a[x + 10]).xor3(a[x + 15], a[x + 20])
}

/// theta, rho, pi and chi. The offsets of rho are those of FIPS 202 Table 2, modulo 64.
#[inline(always)]
fn round<L: KeccakLanes>(a: &mut [L; 25]) {
    let c = [
        column(a, 0),
        column(a, 1),
        column(a, 2),
        column(a, 3),
        column(a, 4),
    ];
    let d = [
        c[4].xor_rotated(c[1]),
        c[0].xor_rotated(c[2]),
        c[1].xor_rotated(c[3]),
        c[2].xor_rotated(c[4]),
        c[3].xor_rotated(c[0]),
    ];
    // Row y of the state after rho and pi.
    let b = [
        [
            a[0].xor_rotate::<0>(d[0]),
            a[6].xor_rotate::<44>(d[1]),
            a[12].xor_rotate::<43>(d[2]),
            a[18].xor_rotate::<21>(d[3]),
            a[24].xor_rotate::<14>(d[4]),
        ],
        [
            a[3].xor_rotate::<28>(d[3]),
            a[9].xor_rotate::<20>(d[4]),
            a[10].xor_rotate::<3>(d[0]),
            a[16].xor_rotate::<45>(d[1]),
            a[22].xor_rotate::<61>(d[2]),
        ],
        [
            a[1].xor_rotate::<1>(d[1]),
            a[7].xor_rotate::<6>(d[2]),
            a[13].xor_rotate::<25>(d[3]),
            a[19].xor_rotate::<8>(d[4]),
            a[20].xor_rotate::<18>(d[0]),
        ],
        [
            a[4].xor_rotate::<27>(d[4]),
            a[5].xor_rotate::<36>(d[0]),
            a[11].xor_rotate::<10>(d[1]),
            a[17].xor_rotate::<15>(d[2]),
            a[23].xor_rotate::<56>(d[3]),
        ],
        [
            a[2].xor_rotate::<62>(d[2]),
            a[8].xor_rotate::<55>(d[3]),
            a[14].xor_rotate::<39>(d[4]),
            a[15].xor_rotate::<41>(d[0]),
            a[21].xor_rotate::<2>(d[1]),
        ],
    ];
    for (row, b) in a.as_chunks_mut().0.iter_mut().zip(b) {
        *row = [
            b[0].xor_clear(b[1], b[2]),
            b[1].xor_clear(b[2], b[3]),
            b[2].xor_clear(b[3], b[4]),
            b[3].xor_clear(b[4], b[0]),
            b[4].xor_clear(b[0], b[1]),
        ];
    }
}

/// `N` states, lane by lane: lane i of all of them lies together.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Interleaved<const N: usize>(pub(super) [[u64; N]; 25]);

impl<const N: usize> KeccakBatch for Interleaved<N> {
    const WIDTH: usize = N;
    type Blocks = [Block; N];
    const ZERO_BLOCKS: [Block; N] = [Block::ZERO; N];

    #[inline(always)]
    fn zeroed() -> Self {
        Self([[0; N]; 25])
    }

    #[inline(always)]
    fn set(&mut self, stream: usize, lane: usize, value: u64) {
        self.0[lane][stream] = value;
    }

    #[inline(always)]
    fn xor(&mut self, stream: usize, lane: usize, value: u64) {
        self.0[lane][stream] ^= value;
    }

    #[inline(always)]
    fn lane(&self, stream: usize, lane: usize) -> u64 {
        self.0[lane][stream]
    }
}

impl<const N: usize> Zeroize for Interleaved<N> {
    fn zeroize(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}
