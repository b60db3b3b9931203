//! Small kernels at every input, and codecs at every bit.
//!
//! What works on one coefficient alone (reductions, compression, decompression) is tried at every
//! number in `asm::tests`.

use crate::asm::backend::{Kernels, NttPoly, Poly};
use crate::asm::portable::Portable;
use crate::kem::spec;
use std::vec;

/// Runs a check on every backend that this CPU has.
macro_rules! on_every_backend {
    ($($check:ident)*) => {
        $(
            #[test]
            fn $check() {
                fn run<B: Kernels>() {
                    if let Some(b) = B::detect() {
                        super::$check(b);
                    }
                }
                run::<Portable>();
                #[cfg(target_arch = "x86_64")]
                {
                    use crate::asm::x86_64::{Avx2, Avx512, Avx512Bw};
                    run::<Avx2>();
                    run::<Avx512>();
                    run::<Avx512Bw>();
                }
            }
        )*
    };
}

mod every_backend {
    use super::*;
    on_every_backend!(cbd_2 cbd_3 compressed codec_12);
}

/// Algorithm 8: the first `eta` bits less the other ones.
fn coefficient(eta: u32, bits: u32) -> i16 {
    let ones = (1 << eta) - 1;
    (bits & ones).count_ones() as i16 - (bits >> eta & ones).count_ones() as i16
}

/// Every byte in every place.
fn cbd_2<B: Kernels>(b: B) {
    for start in 0..=255u8 {
        let bytes: [u8; 128] = core::array::from_fn(|i| start.wrapping_add(i as u8));
        let mut f = Poly::ZERO;
        b.sample_poly_cbd(2, &bytes, &mut f);
        let expected = |i: usize| coefficient(2, u32::from(bytes[i / 2] >> (4 * (i % 2)) & 15));
        assert_eq!(f.0, core::array::from_fn(expected), "{bytes:?}");
    }
}

/// Every three bytes, which are four coefficients; and every coefficient's six bits in every place.
fn cbd_3<B: Kernels>(b: B) {
    let coefficients: [i16; 64] = core::array::from_fn(|bits| coefficient(3, bits as u32));
    for call in 0u32..1 << 18 {
        // Odd, so that the low bits that a place meets are not always the same.
        let group = |i: usize| (call * 64 + i as u32).wrapping_mul(0x9e_3779) & 0xff_ffff;
        let mut bytes = [0; 192];
        for (i, bytes) in bytes.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            bytes.copy_from_slice(&group(i).to_le_bytes()[..3]);
        }
        let mut f = Poly::ZERO;
        b.sample_poly_cbd(3, &bytes, &mut f);
        for (i, f) in f.0.as_chunks().0.iter().enumerate() {
            let bits = |j: usize| (group(i) >> (6 * j) & 63) as usize;
            assert_eq!(
                *f,
                [0, 1, 2, 3].map(|j| coefficients[bits(j)]),
                "{:x}",
                group(i)
            );
        }
    }
}

/// `d` bits a number: all zeros and all ones, each with one bit changed, in every place.
fn numbers(d: usize) -> impl Iterator<Item = spec::Poly> {
    [0, (1 << d) - 1].into_iter().flat_map(move |all| {
        (0..256 * d).map(move |bit| {
            let mut numbers = [all; 256];
            numbers[bit / d] ^= 1 << (bit % d);
            numbers
        })
    })
}

/// Every bit comes from its place, and goes back there.
fn compressed<B: Kernels>(b: B) {
    for d in [1, 4, 5, 10, 11] {
        for y in numbers(d) {
            let bytes = spec::byte_encode(d, &y);
            let mut f = Poly::ZERO;
            b.decompress(d, &bytes, &mut f);
            assert_eq!(f.0, y.map(|y| spec::decompress(d, y) as i16));
            let mut again = vec![0; 32 * d];
            b.compress(d, &f, &mut again);
            assert_eq!(again, bytes);
        }
    }
}

/// Likewise of 12 bits, the numbers from q on reduced.
fn codec_12<B: Kernels>(b: B) {
    for y in numbers(12) {
        let bytes = spec::byte_encode(12, &y).try_into().unwrap();
        let mut f_hat = NttPoly::ZERO;
        assert_eq!(
            b.byte_decode_12(&bytes, &mut f_hat),
            y.iter().all(|&y| y < 3329)
        );
        let mut again = [0; 384];
        b.byte_encode_12(&f_hat, &mut again);
        assert_eq!(again[..], spec::byte_encode(12, &y.map(|y| y % 3329)));
    }
}
