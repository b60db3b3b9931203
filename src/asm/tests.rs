//! Every kernel of every backend against the oracle, `kem::spec`; the kernels over lanes at every
//! width. One function a kernel, called for each backend.

use super::backend::{
    Factor, KeccakBatch, Kernels, NTT_BOUND, NttPoly, PRODUCT_BOUND, Poly, Product, Q,
};
use super::checked::Checked;
use super::compress::{compress_lanes, decompress_lanes};
use super::portable::Portable;
use super::reduce::{self, Constant};
use super::{keccak, multiply, ntt};
use crate::kem::spec;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

const ROUNDS: usize = 100;

/// Runs a test on every backend that this CPU has, with its contracts asserted.
macro_rules! on_every_backend {
    ($($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                fn run<B: Kernels>() {
                    if let Some(b) = Checked::<B>::detect() {
                        super::$test(b, &mut StdRng::seed_from_u64(1));
                    }
                }
                run::<Portable>();
                #[cfg(target_arch = "x86_64")]
                run::<crate::asm::x86_64::Avx2>();
                #[cfg(target_arch = "x86_64")]
                run::<crate::asm::x86_64::Avx512>();
                #[cfg(target_arch = "x86_64")]
                run::<crate::asm::x86_64::Avx512Bw>();
                #[cfg(target_arch = "aarch64")]
                run::<crate::asm::aarch64::Neon>();
                #[cfg(target_arch = "aarch64")]
                run::<crate::asm::aarch64::NeonSha3>();
            }
        )*
    };
}

mod every_backend {
    use super::*;
    on_every_backend!(
        keccak ntt inv_ntt multiply_accumulate add_product canonicalize codec_12 sample_ntt
        sample_poly_cbd compress decompress
    );
}

fn random_poly(rng: &mut StdRng, bound: i16) -> [i16; 256] {
    core::array::from_fn(|_| rng.random_range(-bound..=bound))
}

/// Random, and all the corners at once: extremes of either sign, alone and in every place.
fn polys(rng: &mut StdRng, bound: i16) -> Vec<[i16; 256]> {
    let mut polys: Vec<_> = (0..ROUNDS).map(|_| random_poly(rng, bound)).collect();
    polys.extend([[bound; 256], [-bound; 256]]);
    polys.extend((0..8).map(|_| core::array::from_fn(|_| [bound, -bound][rng.random_range(0..2)])));
    polys
}

fn to_spec(f: &[i16; 256]) -> spec::Poly {
    f.map(|x| i32::from(x).rem_euclid(i32::from(Q)) as u32)
}

/// A polynomial of the NTT domain in the order of the standard, as one of backend `B`.
fn from_standard<B: Kernels>(b: B, f: [i16; 256]) -> NttPoly<B> {
    let mut f_hat = NttPoly::new(f);
    b.reorder(&mut f_hat);
    f_hat
}

/// The residues of a polynomial of backend `B`, in the order of the standard.
fn to_standard<B: Kernels>(b: B, f_hat: &NttPoly<B>) -> spec::Poly {
    let (mut f_hat, mut bytes) = (*f_hat, [0; 384]);
    b.canonicalize(&mut f_hat);
    b.byte_encode_12(&f_hat, &mut bytes);
    spec::byte_decode(12, &bytes)
}

fn times(f: &spec::Poly, c: u32) -> spec::Poly {
    f.map(|x| x * c % 3329)
}

/// 2^16 mod q, and its inverse.
const R: u32 = 65536 % 3329;
const R_INVERSE: u32 = 169;

fn batch_states<B: Kernels>(batch: &B::KeccakBatch) -> Vec<[u64; 25]> {
    let state = |stream| core::array::from_fn(|lane| batch.lane(stream, lane));
    (0..B::KeccakBatch::WIDTH).map(state).collect()
}

fn keccak<B: Kernels>(b: B, rng: &mut StdRng) {
    let mut batch = B::KeccakBatch::zeroed();
    for _ in 0..ROUNDS {
        let states: Vec<[u64; 25]> = (0..B::KeccakBatch::WIDTH).map(|_| rng.random()).collect();
        for (stream, state) in states.iter().enumerate() {
            for (lane, &value) in state.iter().enumerate() {
                batch.xor(stream, lane, batch.lane(stream, lane) ^ value);
            }
        }
        let before = batch_states::<B>(&batch);
        b.keccak_f1600_narrow(&mut batch);
        let narrow = batch_states::<B>(&batch);
        for (stream, state) in before.iter().enumerate() {
            let mut expected = *state;
            if stream < B::NARROW {
                keccak::keccak_f1600(&mut expected);
            }
            assert_eq!(narrow[stream], expected, "stream {stream} of a narrow call");
            for (lane, &value) in state.iter().enumerate() {
                batch.set(stream, lane, value);
            }
        }
        b.keccak_f1600_batch(&mut batch);
        let mut blocks = B::KeccakBatch::ZERO_BLOCKS;
        b.squeeze(&batch, &mut blocks);
        for (stream, state) in states.iter().enumerate() {
            let mut alone = *state;
            b.keccak_f1600(&mut alone);
            assert_eq!(alone, core::array::from_fn(|lane| batch.lane(stream, lane)));
            let mut oracle = *state;
            keccak::keccak_f1600(&mut oracle);
            assert_eq!(alone, oracle);
            let bytes: Vec<u8> = alone[..24]
                .iter()
                .flat_map(|lane| lane.to_le_bytes())
                .collect();
            assert_eq!(blocks.as_ref()[stream].0[..], bytes);
        }
    }
}

fn ntt<B: Kernels>(b: B, rng: &mut StdRng) {
    for f in polys(rng, Q - 1) {
        let mut f_hat = NttPoly::ZERO;
        b.ntt(&Poly(f), &mut f_hat);
        assert_eq!(to_standard(b, &f_hat), spec::ntt(&to_spec(&f)));
    }
}

fn inv_ntt<B: Kernels>(b: B, rng: &mut StdRng) {
    for f_hat in polys(rng, PRODUCT_BOUND) {
        let mut f = Poly::ZERO;
        b.inv_ntt(&Product(from_standard(b, f_hat)), &mut f);
        assert_eq!(to_spec(&f.0), times(&spec::inv_ntt(&to_spec(&f_hat)), R));
    }
}

fn multiply_accumulate<B: Kernels>(b: B, rng: &mut StdRng) {
    for terms in 2..=4 {
        let (lhs, rhs) = (polys(rng, Q - 1), polys(rng, i16::MAX));
        for (lhs, rhs) in lhs.windows(terms).zip(rhs.windows(terms)) {
            let expected = lhs
                .iter()
                .zip(rhs)
                .fold([0; 256], |sum: spec::Poly, (f, g)| {
                    let product = spec::multiply_ntts(&to_spec(f), &to_spec(g));
                    core::array::from_fn(|i| (sum[i] + product[i]) % 3329)
                });
            let lhs: Vec<_> = lhs.iter().map(|f| from_standard(b, *f)).collect();
            let rhs: Vec<_> = rhs
                .iter()
                .map(|f| {
                    let mut factor = Factor::ZERO;
                    factor.f_hat = from_standard(b, *f);
                    b.prepare(&mut factor);
                    factor
                })
                .collect();
            let terms: Vec<_> = lhs.iter().zip(&rhs).collect();
            let mut sum = Product::ZERO;
            b.multiply_accumulate(&terms, &mut sum);
            assert_eq!(to_standard(b, &sum.0), times(&expected, R_INVERSE));
        }
    }
}

fn add_product<B: Kernels>(b: B, rng: &mut StdRng) {
    for (p, e) in polys(rng, PRODUCT_BOUND)
        .into_iter()
        .zip(polys(rng, NTT_BOUND))
    {
        let mut sum = NttPoly::ZERO;
        b.add_product(
            &Product(from_standard(b, p)),
            &from_standard(b, e),
            &mut sum,
        );
        let (p, e) = (times(&to_spec(&p), R), to_spec(&e));
        assert_eq!(
            to_standard(b, &sum),
            core::array::from_fn(|i| (p[i] + e[i]) % 3329)
        );
    }
}

fn canonicalize<B: Kernels>(b: B, _: &mut StdRng) {
    for start in (i16::MIN..=i16::MAX).step_by(256) {
        let f = core::array::from_fn(|i| start + i as i16);
        let mut f_hat = from_standard(b, f);
        b.canonicalize(&mut f_hat);
        assert_eq!(to_standard(b, &f_hat), to_spec(&f));
    }
}

fn codec_12<B: Kernels>(b: B, rng: &mut StdRng) {
    for round in 0..ROUNDS {
        let numbers: spec::Poly =
            core::array::from_fn(|_| rng.random_range(0..if round < 50 { 3329 } else { 4096 }));
        let bytes: [u8; 384] = spec::byte_encode(12, &numbers).try_into().unwrap();
        let mut f_hat = NttPoly::ZERO;
        let canonical = b.byte_decode_12(&bytes, &mut f_hat);
        assert_eq!(canonical, numbers.iter().all(|&x| x < 3329));
        let mut again = [0; 384];
        b.byte_encode_12(&f_hat, &mut again);
        assert_eq!(again[..], spec::byte_encode(12, &numbers.map(|x| x % 3329)));
    }
    // One number out of range, in every place.
    for i in 0..256 {
        for number in [3328, 3329, 4095] {
            let mut numbers = [0; 256];
            numbers[i] = number;
            let bytes = spec::byte_encode(12, &numbers).try_into().unwrap();
            assert_eq!(
                b.byte_decode_12(&bytes, &mut NttPoly::ZERO.clone()),
                number < 3329
            );
        }
    }
}

fn sample_ntt<B: Kernels>(b: B, rng: &mut StdRng) {
    use shake::Shake128;
    use shake::digest::{ExtendableOutput, Update, XofReader};
    let mut blocks = [0; 8];
    for _ in 0..20 * ROUNDS {
        let mut seed = [0; 34];
        rng.fill_bytes(&mut seed);
        let mut xof = Shake128::default();
        xof.update(&seed);
        let mut xof = xof.finalize_xof();
        let (mut f_hat, mut n, mut used) = (NttPoly::ZERO, 0, 0);
        while n < 256 {
            let mut block = [0; 168];
            xof.read(&mut block);
            n = b.sample_ntt_vartime(&block, &mut f_hat, n);
            used += 1;
        }
        b.reorder(&mut f_hat);
        assert_eq!(to_standard(b, &f_hat), spec::sample_ntt(&seed));
        blocks[used] += 1;
    }
    assert!(
        blocks[3] > 0 && blocks[4] > 0,
        "seeds that need a fourth block: {blocks:?}"
    );

    // All rejected, all accepted, and full in the middle of a pair.
    let mut f_hat = NttPoly::ZERO;
    assert_eq!(b.sample_ntt_vartime(&[0xff; 168], &mut f_hat, 7), 7);
    assert_eq!(b.sample_ntt_vartime(&[0; 168], &mut f_hat, 7), 119);
    assert_eq!(b.sample_ntt_vartime(&[0; 168], &mut f_hat, 255), 256);
    assert_eq!(b.sample_ntt_vartime(&[0; 168], &mut f_hat, 256), 256);
}

fn sample_poly_cbd<B: Kernels>(b: B, rng: &mut StdRng) {
    for eta in [2, 3] {
        let mut inputs: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte; 64 * eta]).collect();
        inputs.extend((0..ROUNDS).map(|_| {
            let mut bytes = vec![0; 64 * eta];
            rng.fill_bytes(&mut bytes);
            bytes
        }));
        for bytes in inputs {
            let mut f = Poly::ZERO;
            b.sample_poly_cbd(eta, &bytes, &mut f);
            assert_eq!(to_spec(&f.0), spec::sample_poly_cbd(eta, &bytes));
        }
    }
}

fn compress<B: Kernels>(b: B, rng: &mut StdRng) {
    for d in [1, 4, 5, 10, 11] {
        // Every value that the contract admits, then random ones.
        let all = (1 - 2 * Q..2 * Q)
            .step_by(250)
            .map(|start| Poly(core::array::from_fn(|i| (start + i as i16).min(2 * Q - 1))));
        let random: Vec<_> = (0..ROUNDS)
            .map(|_| Poly(random_poly(rng, 2 * Q - 1)))
            .collect();
        for f in all.chain(random) {
            let mut bytes = vec![0; 32 * d];
            b.compress(d, &f, &mut bytes);
            assert_eq!(
                bytes,
                spec::byte_encode(d, &to_spec(&f.0).map(|x| spec::compress(d, x)))
            );
        }
    }
}

fn decompress<B: Kernels>(b: B, rng: &mut StdRng) {
    for d in [1, 4, 5, 10, 11] {
        let all = (0u32..1 << d).step_by(256).map(|start| {
            spec::byte_encode(d, &core::array::from_fn(|i| (start + i as u32) % (1 << d)))
        });
        let random: Vec<_> = (0..ROUNDS)
            .map(|_| {
                let mut bytes = vec![0; 32 * d];
                rng.fill_bytes(&mut bytes);
                bytes
            })
            .collect();
        for bytes in all.chain(random) {
            let mut f = Poly::ZERO;
            b.decompress(d, &bytes, &mut f);
            let y = spec::byte_decode(d, &bytes);
            assert_eq!(to_spec(&f.0), y.map(|y| spec::decompress(d, y)));
        }
    }
}

/// The kernels over lanes compute the same at every width.
#[test]
fn every_width() {
    fn at_width<const N: usize>(rng: &mut StdRng) {
        for f in polys(rng, Q - 1) {
            let mut f_hat = [0; 256];
            ntt::ntt(f.as_chunks::<N>().0, f_hat.as_chunks_mut().0);
            assert_eq!(to_spec(&f_hat), spec::ntt(&to_spec(&f)), "NTT, {N} lanes");
        }
        for f_hat in polys(rng, PRODUCT_BOUND) {
            let mut f = [0; 256];
            ntt::inv_ntt(f_hat.as_chunks::<N>().0, f.as_chunks_mut().0);
            let expected = times(&spec::inv_ntt(&to_spec(&f_hat)), R);
            assert_eq!(to_spec(&f), expected, "inverse NTT, {N} lanes");
        }
        for (f, g) in polys(rng, Q - 1).iter().zip(&polys(rng, i16::MAX)) {
            let terms = [(f.as_chunks::<N>().0, g.as_chunks::<N>().0)];
            let mut product = [0; 256];
            multiply::multiply_accumulate(terms.into_iter(), product.as_chunks_mut::<N>().0);
            let expected = spec::multiply_ntts(&to_spec(f), &to_spec(g));
            assert_eq!(
                to_spec(&product),
                times(&expected, R_INVERSE),
                "product, {N} lanes"
            );
        }
    }
    let rng = &mut StdRng::seed_from_u64(2);
    at_width::<1>(rng);
    at_width::<2>(rng);
    at_width::<4>(rng);
    at_width::<8>(rng);
    at_width::<16>(rng);
    at_width::<32>(rng);
}

/// Keccak over lanes at several widths, against the `keccak` behind the `sha3` crate: SHA3-256 of
/// a message that fills the state's rate exactly once.
#[test]
fn keccak_is_that_of_fips_202() {
    use sha3::{Digest, Sha3_256};
    let rng = &mut StdRng::seed_from_u64(3);
    for _ in 0..ROUNDS {
        let message: [u64; 16] = rng.random();
        let mut state = [0; 25];
        state[..16].copy_from_slice(&message);
        state[16] = 0x8000_0000_0000_0006;
        let mut states: [[u64; 3]; 25] = core::array::from_fn(|i| [state[i], 0, !state[i]]);
        keccak::keccak_f1600(&mut state);
        keccak::keccak_f1600(&mut states);
        assert_eq!(states.map(|lanes| lanes[0]), state);
        let bytes: Vec<u8> = message.iter().flat_map(|lane| lane.to_le_bytes()).collect();
        let digest: Vec<u8> = state[..4]
            .iter()
            .flat_map(|lane| lane.to_le_bytes())
            .collect();
        assert_eq!(Sha3_256::digest(&bytes)[..], digest);
    }
}

/// Multiplication by every zeta-like constant over the whole range of 16 bits, and its bound.
#[test]
fn constant_multiplication_is_exhaustively_right() {
    for c in (-1664..=1664).step_by(13).chain([1, -1, 17, 512, 65536]) {
        let constant = Constant::new(c);
        for x in i16::MIN..=i16::MAX {
            let [product] = reduce::multiply([x], constant);
            let exact = i64::from(x) * c;
            assert_eq!(
                (exact - i64::from(product)).rem_euclid(3329),
                0,
                "{x} * {c}"
            );
            let bound = 3329 * (32768 + i32::from(x).abs());
            assert!(
                i32::from(product).abs() * 65536 <= bound,
                "{x} * {c} = {product}"
            );
        }
    }
}

#[test]
fn reduction_is_exhaustively_right() {
    for x in i16::MIN..=i16::MAX {
        let [reduced] = reduce::barrett_reduce([x]);
        assert_eq!(
            (i32::from(x) - i32::from(reduced)).rem_euclid(3329),
            0,
            "{x}"
        );
        assert!(
            i32::from(reduced).abs() * 65536 <= 3329 * (32768 + i32::from(x).abs()),
            "{x}"
        );
        let [canonical] = reduce::canonical([x]);
        assert_eq!(i32::from(canonical), i32::from(x).rem_euclid(3329), "{x}");
    }
}

#[test]
fn compression_is_exhaustively_right() {
    fn all<const D: usize>() {
        for x in 1 - 2 * Q..2 * Q {
            let expected = spec::compress(D, i32::from(x).rem_euclid(3329) as u32);
            let [y] = compress_lanes::<_, D>([x]);
            assert_eq!(y as u32, expected, "compress {D} {x}");
        }
        for y in 0..1 << D {
            let [x] = decompress_lanes::<_, D>([y]);
            assert_eq!(
                x as u32,
                spec::decompress(D, y as u32),
                "decompress {D} {y}"
            );
        }
    }
    all::<1>();
    all::<4>();
    all::<5>();
    all::<10>();
    all::<11>();
}
