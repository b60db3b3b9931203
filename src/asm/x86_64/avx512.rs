//! AVX-512: a polynomial in eight registers, eight Keccak states a call.
//!
//! What the file adds to the kernels over lanes: fields of any width are unpacked by `vpermb` and
//! `vpmultishiftqb`, packed by multiply-add and `vpermb`, sampled by table (`vpermb`) and by
//! `vpcompressw`.

use super::super::backend::{Block, Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use super::super::cbd::cbd_table;
use super::super::compress::{compress_lanes, decompress_lanes};
use super::super::keccak::Interleaved;
use super::super::lanes::Lanes;
use super::super::{multiply, ntt, reduce};
use super::{GAMMAS, packing};
use core::arch::x86_64::*;

pub(in crate::asm) mod keccak;

/// The token of the AVX-512 backend: F, BW, VL, VBMI and VBMI2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

/// 32 coefficients.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::asm) struct V(__m512i);

impl V {
    #[inline(always)]
    pub(in crate::asm) fn load(f: &[i16; 32]) -> Self {
        simd!(Self(_mm512_loadu_si512(f.as_ptr().cast())))
    }

    #[inline(always)]
    pub(in crate::asm) fn store(self, f: &mut [i16; 32]) {
        simd!(_mm512_storeu_si512(f.as_mut_ptr().cast(), self.0));
    }

    /// The lanes of two vectors at the places that `index` has; the second one's begin at 32.
    #[inline(always)]
    fn select(self, rhs: Self, index: &[i16; 32]) -> Self {
        simd!(Self(_mm512_permutex2var_epi16(
            self.0,
            Self::load(index).0,
            rhs.0
        )))
    }

    /// The bytes of a table at the places that `index` has, modulo 64.
    #[inline(always)]
    fn bytes_at(self, index: &[u8; 64]) -> Self {
        simd!(Self(_mm512_permutexvar_epi8(constant(index), self.0)))
    }
}

/// 64 constant bytes.
#[inline(always)]
fn constant(bytes: &[u8; 64]) -> __m512i {
    simd!(_mm512_loadu_si512(bytes.as_ptr().cast()))
}

/// 48 bytes, zeros behind them. In two loads: one with a constant mask becomes an expansion from
/// memory, which is slow.
#[inline(always)]
fn load_48(bytes: &[u8; 48]) -> V {
    simd!({
        let low = _mm512_zextsi256_si512(_mm256_loadu_si256(bytes.as_ptr().cast()));
        let high = _mm_loadu_si128(bytes[32..].as_ptr().cast());
        V(_mm512_inserti32x4::<2>(low, high))
    })
}

/// Stores the first `N <= 64` bytes of `v`.
#[inline(always)]
fn store_bytes<const N: usize>(v: V, bytes: &mut [u8; N]) {
    const { assert!(N <= 64) };
    simd!(_mm512_mask_storeu_epi8(
        bytes.as_mut_ptr().cast(),
        u64::MAX >> (64 - N),
        v.0
    ));
}

/// Where the lanes of the first (`from` = 0) or second (`from` = `block`) vector of a transposition
/// come from.
const fn transposed(block: usize, from: usize) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        let second = i & block != 0;
        index[i] = (i - (i & block) + from + if second { 32 } else { 0 }) as i16;
        i += 1;
    }
    index
}

/// Where the lanes of every second block are, from `from` on.
const fn deinterleaved(block: usize, from: usize) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        index[i] = (2 * (i - (i & (block - 1))) + (i & (block - 1)) + from) as i16;
        i += 1;
    }
    index
}

/// Where the lanes of interleaved blocks come from, from lane `from` on.
const fn interleaved(block: usize, from: usize) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        let (to, within) = (from + i, i & (block - 1));
        let of_odd = if to & block != 0 { 32 } else { 0 };
        index[i] = (((to - within) >> 1) - ((to & block) >> 1) + within + of_odd) as i16;
        i += 1;
    }
    index
}

impl Lanes for V {
    const WIDTH: usize = 32;
    type Wide = [__m512i; 2];

    #[inline(always)]
    fn splat(c: i16) -> Self {
        simd!(Self(_mm512_set1_epi16(c)))
    }

    #[inline(always)]
    fn constants(c: &[i16]) -> Self {
        Self::load(c.try_into().expect("32 constants"))
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        simd!(Self(_mm512_add_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        simd!(Self(_mm512_sub_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_low(self, rhs: Self) -> Self {
        simd!(Self(_mm512_mullo_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_round_high(self, rhs: Self) -> Self {
        simd!(Self(_mm512_mulhrs_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn where_negative(self, c: Self) -> Self {
        simd!(Self(_mm512_maskz_mov_epi16(
            _mm512_movepi16_mask(self.0),
            c.0
        )))
    }

    #[inline(always)]
    fn increment_where_above(self, x: Self, bound: i16) -> Self {
        simd!({
            let above = _mm512_cmpgt_epi16_mask(x.0, V::splat(bound).0);
            Self(_mm512_mask_sub_epi16(self.0, above, self.0, V::splat(-1).0))
        })
    }

    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        simd!(Self(_mm512_sllv_epi16(self.0, _mm512_set1_epi16(n as i16))))
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        simd!(Self(_mm512_and_si512(self.0, rhs.0)))
    }

    #[inline(always)]
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self) {
        let [first, second] = const { &[transposed(BLOCK, 0), transposed(BLOCK, BLOCK)] };
        (a.select(b, first), a.select(b, second))
    }

    #[inline(always)]
    fn deinterleave<const BLOCK: usize>(&[a, b]: &[Self; 2]) -> (Self, Self) {
        let [even, odd] = const { &[deinterleaved(BLOCK, 0), deinterleaved(BLOCK, BLOCK)] };
        (a.select(b, even), a.select(b, odd))
    }

    #[inline(always)]
    fn interleave<const BLOCK: usize>(even: Self, odd: Self, pair: &mut [Self; 2]) {
        let [first, second] = const { &[interleaved(BLOCK, 0), interleaved(BLOCK, 32)] };
        *pair = [even.select(odd, first), even.select(odd, second)];
    }

    #[inline(always)]
    fn barrier(v: &mut [Self]) {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn barrier(v: &mut [V; 8]) {
            let [a, b, c, d, e, f, g, h] = v;
            // SAFETY: the assembly is empty.
            unsafe {
                core::arch::asm!(
                    "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
                    inout(zmm_reg) a.0, inout(zmm_reg) b.0, inout(zmm_reg) c.0, inout(zmm_reg) d.0,
                    inout(zmm_reg) e.0, inout(zmm_reg) f.0, inout(zmm_reg) g.0, inout(zmm_reg) h.0,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
        }
        if let Ok(v) = v.try_into() {
            simd!(barrier(v));
        }
    }

    #[inline(always)]
    fn zero_wide() -> Self::Wide {
        simd!([_mm512_setzero_si512(); 2])
    }

    #[inline(always)]
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        simd!({
            let low = _mm512_mullo_epi16(self.0, rhs.0);
            let high = _mm512_mulhi_epi16(self.0, rhs.0);
            [
                _mm512_add_epi32(sum[0], _mm512_unpacklo_epi16(low, high)),
                _mm512_add_epi32(sum[1], _mm512_unpackhi_epi16(low, high)),
            ]
        })
    }

    #[inline(always)]
    fn montgomery_reduce(sum: Self::Wide) -> Self {
        simd!({
            let low_half = |x| _mm512_and_si512(x, _mm512_set1_epi32(0xffff));
            let low = _mm512_packus_epi32(low_half(sum[0]), low_half(sum[1]));
            let [a, b] = sum.map(|x| _mm512_srai_epi32::<16>(x));
            let m = _mm512_mullo_epi16(low, _mm512_set1_epi16(multiply::Q_INVERSE));
            let mq = _mm512_mulhi_epi16(m, _mm512_set1_epi16(Q));
            Self(_mm512_sub_epi16(_mm512_packs_epi32(a, b), mq))
        })
    }
}

/// Where the bits of eight fields of `D` bits, four to a quadword, are brought by `vpermb`, and the
/// offsets at which `vpmultishiftqb` then reads the low and high byte of each.
const fn unpacking<const D: usize>() -> ([u8; 64], [u8; 64]) {
    let (mut bytes, mut offsets) = ([0; 64], [0; 64]);
    let mut i = 0;
    while i < 64 {
        let (quad, byte) = (i >> 3, i & 7);
        let first_bit = 4 * D * quad;
        bytes[i] = ((first_bit >> 3) + byte) as u8 & 63;
        offsets[i] = ((first_bit & 7) + D * (byte >> 1) + 8 * (byte & 1)) as u8 & 63;
        i += 1;
    }
    (bytes, offsets)
}

/// 32 fields of `D` bits, from the 4 D bytes that `v` begins with.
#[inline(always)]
fn unpack<const D: usize>(v: V) -> V {
    let (bytes, offsets) = const { &unpacking::<D>() };
    let quads = v.bytes_at(bytes);
    let fields = simd!(V(_mm512_multishift_epi64_epi8(constant(offsets), quads.0)));
    fields.and(V::splat((1 << D) - 1))
}

/// The bytes at the places that `index` has; zeros where that is 0xff.
#[inline(always)]
fn select_bytes(v: V, index: &[u8; 64]) -> V {
    let index = constant(index);
    simd!(V(_mm512_maskz_permutexvar_epi8(
        !_mm512_movepi8_mask(index),
        index,
        v.0
    )))
}

/// 4 D bytes, from 32 fields of `D` bits.
#[inline(always)]
fn pack<const D: usize>(v: V) -> V {
    let (first, second) = const { &packing::<D, 64>() };
    let unused = (32 - 2 * D) as i64;
    let quads = simd!({
        let pairs = _mm512_madd_epi16(v.0, _mm512_set1_epi32(1 + (1 << (16 + D))));
        let adjacent = _mm512_sllv_epi32(pairs, _mm512_set1_epi64(unused));
        _mm512_srlv_epi64(adjacent, _mm512_set1_epi64(unused))
    });
    if D & 1 == 0 {
        return select_bytes(V(quads), first);
    }
    // Every second quadword begins in the middle of a byte.
    let quads = V(simd!(_mm512_sllv_epi64(
        quads,
        _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0)
    )));
    let (first, second) = (select_bytes(quads, first), select_bytes(quads, second));
    V(simd!(_mm512_or_si512(first.0, second.0)))
}

/// The vectors of a polynomial.
#[inline(always)]
fn vectors(f: &[i16; 256]) -> [V; 8] {
    core::array::from_fn(|i| V::load(&f.as_chunks().0[i]))
}

#[inline(always)]
fn store(v: [V; 8], f: &mut [i16; 256]) {
    for (v, f) in v.into_iter().zip(f.as_chunks_mut().0) {
        v.store(f);
    }
}

/// See `Kernels::multiply_accumulate`.
///
/// `vpmaddwd` adds the two products of a pair of lanes in 32 bits: a0 b0 + a1 b1, a1 b1 alone where
/// b0 is masked away, and a0 b1 + a1 b0 where b's halves change places. The sum of the a1 b1 is
/// reduced, into the odd lanes, to be multiplied by gamma.
#[inline(always)]
fn multiply_accumulate<const N: usize>(
    terms: [(&NttPoly<Avx512>, &NttPoly<Avx512>); N],
    sum: &mut Product<Avx512>,
) {
    for (i, sum) in sum.0.0.as_chunks_mut().0.iter_mut().enumerate() {
        simd!({
            let even = _mm512_set1_epi32(0xffff);
            let zero = _mm512_setzero_si512();
            let (mut both, mut high, mut mixed) = (zero, zero, zero);
            for (a, b) in terms {
                let [V(a), V(b)] = [a, b].map(|f| V::load(&f.0.as_chunks().0[i]));
                let odd = _mm512_andnot_si512(even, b);
                let swapped = _mm512_rol_epi32::<16>(b);
                both = _mm512_add_epi32(both, _mm512_madd_epi16(a, b));
                high = _mm512_add_epi32(high, _mm512_madd_epi16(a, odd));
                mixed = _mm512_add_epi32(mixed, _mm512_madd_epi16(a, swapped));
            }
            let low = _mm512_sub_epi32(both, high);
            // In the even lanes the sum becomes 0; in the odd ones, what is left is reduced.
            let m = _mm512_mullo_epi16(high, V::splat(multiply::Q_INVERSE).0);
            let mq = _mm512_madd_epi16(_mm512_and_si512(even, m), V::splat(Q).0);
            let high = _mm512_sub_epi32(high, mq);
            let gammas = V::load(&GAMMAS.as_chunks().0[i]).0;
            let low = _mm512_add_epi32(low, _mm512_madd_epi16(high, gammas));

            let odd = 0xaaaa_aaaa;
            let low_halves = _mm512_mask_blend_epi16(odd, low, _mm512_slli_epi32::<16>(mixed));
            let high_halves = _mm512_mask_blend_epi16(odd, _mm512_srli_epi32::<16>(low), mixed);
            let m = V(low_halves).mul_low(V::splat(multiply::Q_INVERSE));
            let mq = V(_mm512_mulhi_epi16(m.0, V::splat(Q).0));
            V(high_halves).sub(mq).store(sum);
        });
    }
}

#[inline(always)]
fn compress<const D: usize>(f: &[i16; 256], bytes: &mut [u8]) {
    for (f, bytes) in f.as_chunks().0.iter().zip(bytes.chunks_exact_mut(4 * D)) {
        let packed = pack::<D>(compress_lanes::<V, D>(V::load(f)));
        simd!(_mm512_mask_storeu_epi8(
            bytes.as_mut_ptr().cast(),
            const { u64::MAX >> (64 - 4 * D) },
            packed.0
        ));
    }
}

#[inline(always)]
fn decompress<const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    for (bytes, f) in bytes.chunks_exact(4 * D).zip(f.as_chunks_mut().0) {
        let packed = simd!(V(_mm512_maskz_loadu_epi8(
            const { u64::MAX >> (64 - 4 * D) },
            bytes.as_ptr().cast()
        )));
        decompress_lanes::<V, D>(unpack::<D>(packed)).store(f);
    }
}

/// SamplePolyCBD: a field of bits looked up in a register gives the coefficient's low byte, whose
/// sign is then extended. `D` = 2 `ETA`.
#[inline(always)]
fn sample_poly_cbd<const ETA: u32, const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    let table = constant(const { &cbd_table::<64>(ETA) });
    for (bytes, f) in bytes.chunks_exact(4 * D).zip(f.as_chunks_mut().0) {
        let packed = simd!(V(_mm512_maskz_loadu_epi8(
            const { u64::MAX >> (64 - 4 * D) },
            bytes.as_ptr().cast()
        )));
        let fields = unpack::<D>(packed);
        simd!({
            let low = _mm512_slli_epi16::<8>(_mm512_permutexvar_epi8(fields.0, table));
            V(_mm512_srai_epi16::<8>(low)).store(f);
        });
    }
}

/// Appends the lanes of `v` that are in `lanes` and below q to the `n` coefficients of `f`.
#[inline(always)]
fn append_vartime(V(v): V, lanes: u32, f: &mut [i16; 256], n: usize) -> usize {
    simd!({
        let accepted = lanes & _mm512_cmplt_epi16_mask(v, V::splat(Q).0);
        let v = V(_mm512_maskz_compress_epi16(accepted, v));
        let count = accepted.count_ones() as usize;
        let rest = &mut f[n..];
        if let Some(to) = rest.first_chunk_mut() {
            v.store(to);
            return n + count;
        }
        let room = rest.len();
        let places = (1 << room) - 1;
        _mm512_mask_storeu_epi16(rest.as_mut_ptr().cast(), places, v.0);
        n + count.min(room)
    })
}

impl Kernels for Avx512 {
    const NAME: &'static str = "avx512";

    type KeccakBatch = Interleaved<8>;

    const NARROW: usize = 4;

    fn detect() -> Option<Self> {
        cpufeatures::new!(
            features,
            "avx512f",
            "avx512bw",
            "avx512vl",
            "avx512vbmi",
            "avx512vbmi2"
        );
        features::get().then_some(Self(()))
    }

    kernels! {
        "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2";

        fn keccak_f1600(self, state: &mut [u64; 25]) {
            keccak::permute_one(state);
        }

        fn keccak_f1600_batch(self, states: &mut Interleaved<8>) {
            keccak::permute_eight(states);
        }

        fn keccak_f1600_narrow(self, states: &mut Interleaved<8>) {
            keccak::permute_four(states);
        }

        fn squeeze(self, states: &Interleaved<8>, blocks: &mut [Block; 8]) {
            keccak::squeeze(states, blocks);
        }

        fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Avx512>) {
            let mut v = [V::splat(0); 8];
            ntt::ntt(&vectors(&f.0), &mut v);
            store(v, &mut f_hat.0);
        }

        fn inv_ntt(self, f_hat: &Product<Avx512>, f: &mut Poly) {
            let mut v = [V::splat(0); 8];
            ntt::inv_ntt(&vectors(&f_hat.0.0), &mut v);
            store(v, &mut f.0);
        }

        fn multiply_accumulate(
            self,
            terms: &[(&NttPoly<Avx512>, &NttPoly<Avx512>)],
            sum: &mut Product<Avx512>,
        ) {
            match *terms {
                [a] => multiply_accumulate([a], sum),
                [a, b] => multiply_accumulate([a, b], sum),
                [a, b, c] => multiply_accumulate([a, b, c], sum),
                [a, b, c, d] => multiply_accumulate([a, b, c, d], sum),
                _ => unreachable!("one to four terms"),
            }
        }

        fn add_product(
            self,
            product: &Product<Avx512>,
            e_hat: &NttPoly<Avx512>,
            sum: &mut NttPoly<Avx512>,
        ) {
            let mut v = [V::splat(0); 8];
            multiply::add_product(&vectors(&product.0.0), &vectors(&e_hat.0), &mut v);
            store(v, &mut sum.0);
        }

        fn canonicalize(self, f_hat: &mut NttPoly<Avx512>) {
            store(vectors(&f_hat.0).map(reduce::canonical), &mut f_hat.0);
        }

        fn byte_encode_12(self, f_hat: &NttPoly<Avx512>, bytes: &mut [u8; 384]) {
            for (v, bytes) in vectors(&f_hat.0).into_iter().zip(bytes.as_chunks_mut::<48>().0) {
                store_bytes(pack::<12>(v), bytes);
            }
        }

        fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Avx512>) -> bool {
            let mut below_q = u32::MAX;
            for (bytes, f) in bytes.as_chunks::<48>().0.iter().zip(f_hat.0.as_chunks_mut().0) {
                // Below 2^12 < 2q, so one subtraction reduces.
                let x = unpack::<12>(load_48(bytes)).sub(V::splat(Q));
                below_q &= _mm512_movepi16_mask(x.0);
                x.add(x.where_negative(V::splat(Q))).store(f);
            }
            below_q == u32::MAX
        }

        fn sample_ntt_vartime(
            self,
            block: &[u8; XOF_BLOCK],
            f_hat: &mut NttPoly<Avx512>,
            n: usize,
        ) -> usize {
            let mut n = n;
            for bytes in block.as_chunks().0 {
                n = append_vartime(unpack::<12>(load_48(bytes)), u32::MAX, &mut f_hat.0, n);
            }
            // Half of such a chunk is left.
            let v = unpack::<12>(load_48(block.last_chunk().expect("longer than that")));
            append_vartime(v, 0xffff_0000, &mut f_hat.0, n)
        }

        fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
            match eta {
                2 => sample_poly_cbd::<2, 4>(bytes, &mut f.0),
                3 => sample_poly_cbd::<3, 6>(bytes, &mut f.0),
                _ => unreachable!("eta is 2 or 3"),
            }
        }

        fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
            match d {
                1 => {
                    for (f, bytes) in f.0.as_chunks().0.iter().zip(bytes.as_chunks_mut().0) {
                        let V(y) = compress_lanes::<V, 1>(V::load(f));
                        *bytes = _mm512_test_epi16_mask(y, y).to_le_bytes();
                    }
                }
                4 => compress::<4>(&f.0, bytes),
                5 => compress::<5>(&f.0, bytes),
                10 => compress::<10>(&f.0, bytes),
                11 => compress::<11>(&f.0, bytes),
                _ => unreachable!("d is 1, 4, 5, 10 or 11"),
            }
        }

        fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
            match d {
                1 => decompress::<1>(bytes, &mut f.0),
                4 => decompress::<4>(bytes, &mut f.0),
                5 => decompress::<5>(bytes, &mut f.0),
                10 => decompress::<10>(bytes, &mut f.0),
                11 => decompress::<11>(bytes, &mut f.0),
                _ => unreachable!("d is 1, 4, 5, 10 or 11"),
            }
        }

        fn add(self, f: &mut Poly, g: &Poly) {
            for (f, g) in f.0.as_chunks_mut().0.iter_mut().zip(g.0.as_chunks().0) {
                V::load(f).add(V::load(g)).store(f);
            }
        }

        fn sub(self, f: &mut Poly, g: &Poly) {
            for (f, g) in f.0.as_chunks_mut().0.iter_mut().zip(g.0.as_chunks().0) {
                V::load(f).sub(V::load(g)).store(f);
            }
        }
    }

    fn reorder(self, _: &mut NttPoly<Avx512>) {}
}
