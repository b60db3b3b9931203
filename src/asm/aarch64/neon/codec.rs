//! Numbers of D bits as bytes: shifts that insert push them together, table look-ups take them apart.

use super::super::super::backend::Q;
use super::super::super::lanes::Lanes;
use super::lanes::V;
use core::arch::aarch64::*;

/// Unsigned views of the even and the odd coefficients of two vectors.
#[inline(always)]
fn pairs(f: &[V; 2]) -> (uint16x8_t, uint16x8_t) {
    let (V(even), V(odd)) = V::deinterleave::<1>(f);
    simd!((vreinterpretq_u16_s16(even), vreinterpretq_u16_s16(odd)))
}

/// The even bytes of two vectors.
#[inline(always)]
fn even_bytes(a: uint16x8_t, b: uint16x8_t) -> uint8x16_t {
    simd!(vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b)))
}

/// See `Kernels::byte_encode_12`.
#[inline(always)]
pub(super) fn byte_encode_12(f: &[V; 32], bytes: &mut [u8; 384]) {
    for (f, bytes) in f
        .as_chunks::<4>()
        .0
        .iter()
        .zip(bytes.as_chunks_mut::<48>().0)
    {
        let [(e0, o0), (e1, o1)] = [pairs(&[f[0], f[1]]), pairs(&[f[2], f[3]])];
        simd!({
            let middle = |even, odd| vsliq_n_u16::<4>(vshrq_n_u16::<8>(even), odd);
            let first = even_bytes(e0, e1);
            let second = even_bytes(middle(e0, o0), middle(e1, o1));
            let third = vshrn_high_n_u16::<4>(vshrn_n_u16::<4>(o0), o1);
            vst3q_u8(bytes.as_mut_ptr(), uint8x16x3_t(first, second, third));
        });
    }
}

/// The even and the odd ones of the 12-bit numbers in the first half of the bytes; and in the
/// second half.
#[inline(always)]
pub(super) fn fields_12(bytes: &[u8; 48]) -> [(uint16x8_t, uint16x8_t); 2] {
    simd!({
        let uint8x16x3_t(first, second, third) = vld3q_u8(bytes.as_ptr());
        let high = vandq_u8(second, vdupq_n_u8(15));
        let even = [vzip1q_u8(first, high), vzip2q_u8(first, high)];
        let odd = [vzip1q_u8(second, third), vzip2q_u8(second, third)];
        core::array::from_fn(|half| {
            (
                vreinterpretq_u16_u8(even[half]),
                vshrq_n_u16::<4>(vreinterpretq_u16_u8(odd[half])),
            )
        })
    })
}

/// See `Kernels::byte_decode_12`.
#[inline(always)]
pub(super) fn byte_decode_12(bytes: &[u8; 384], f: &mut [V; 32]) -> bool {
    let q = simd!(vdupq_n_u16(Q as u16));
    let mut below_q = simd!(vdupq_n_u16(u16::MAX));
    // Below 2^12 < 2q, so one subtraction reduces: it wraps where it should not be.
    let mut reduce = |y| {
        simd!({
            let x = vsubq_u16(y, q);
            below_q = vandq_u16(below_q, x);
            V(vreinterpretq_s16_u16(vminq_u16(x, y)))
        })
    };
    for (bytes, f) in bytes
        .as_chunks::<48>()
        .0
        .iter()
        .zip(f.as_chunks_mut::<4>().0)
    {
        for ((even, odd), pair) in fields_12(bytes).into_iter().zip(f.as_chunks_mut().0) {
            V::interleave::<1>(reduce(even), reduce(odd), pair);
        }
    }
    simd!(vmaxvq_s16(vreinterpretq_s16_u16(below_q))) < 0
}

/// Compress_D of any x with |x| < 2q, in the low D bits; anything above them.
///
/// The estimate floor(x factor / 2^15) of 2^D x / q is too low by less than 1.15 and too high by
/// less than 0.15, since the factor is rounded down; so it is right, or, where more than q/2
/// remains, too low by 1.
#[inline(always)]
fn compress<const D: i32>(V(x): V) -> uint16x8_t {
    let factor = const { ((1 << (15 + D)) as i64).div_euclid(Q as i64) as i16 };
    simd!({
        let estimate = vqdmulhq_n_s16(x, factor);
        let remainder = vmlsq_n_s16(vshlq_n_s16::<D>(x), estimate, Q);
        let too_low = vcgtq_s16(remainder, vdupq_n_s16(Q >> 1));
        // A lane that is true is -1.
        vsubq_u16(vreinterpretq_u16_s16(estimate), too_low)
    })
}

/// Decompress_D of y 2^(15 - D), y < 2^D: round(q y / 2^D), ties up.
#[inline(always)]
fn decompress(y: uint16x8_t) -> V {
    V(simd!(vqrdmulhq_n_s16(vreinterpretq_s16_u16(y), Q)))
}

/// The compressed even and odd coefficients of two vectors.
#[inline(always)]
fn compress_pairs<const D: i32>(f: &[V; 2]) -> (uint16x8_t, uint16x8_t) {
    let (even, odd) = V::deinterleave::<1>(f);
    (compress::<D>(even), compress::<D>(odd))
}

/// Writes the first `LEN` bytes of a vector for each element, one after the other.
#[inline(always)]
fn put<const LEN: usize, T>(from: &[T], bytes: &mut [u8], vector: impl Fn(&T) -> uint8x16_t) {
    let (last, others) = from.split_last().expect("not empty");
    for (i, from) in others.iter().enumerate() {
        let to = bytes[LEN * i..]
            .first_chunk_mut::<16>()
            .expect("more follow");
        simd!(vst1q_u8(to.as_mut_ptr(), vector(from)));
    }
    let mut padded = [0; 16];
    simd!(vst1q_u8(padded.as_mut_ptr(), vector(last)));
    bytes[LEN * others.len()..].copy_from_slice(&padded[..LEN]);
}

/// Makes every element of a vector whose first `LEN` bytes come one after the other.
#[inline(always)]
fn get<const LEN: usize, T>(
    bytes: &[u8],
    to: &mut [T],
    mut element: impl FnMut(uint8x16_t, &mut T),
) {
    let (last, others) = to.split_last_mut().expect("not empty");
    let mut padded = [0; 16];
    padded[..LEN].copy_from_slice(&bytes[LEN * others.len()..]);
    for (i, to) in others.iter_mut().enumerate() {
        let from = bytes[LEN * i..].first_chunk::<16>().expect("more follow");
        element(simd!(vld1q_u8(from.as_ptr())), to);
    }
    element(simd!(vld1q_u8(padded.as_ptr())), last);
}

/// The low 20 bits of every 32-bit lane, eight of which are 20 bytes, made 10 bytes at the front.
#[inline(always)]
fn join_20(v: uint32x4_t) -> uint8x16_t {
    const FIVE_OF_EIGHT: [u8; 16] = [0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0];
    simd!({
        let v = vreinterpretq_u64_u32(v);
        let v = vsliq_n_u64::<20>(v, vshrq_n_u64::<32>(v));
        vqtbl1q_u8(vreinterpretq_u8_u64(v), vld1q_u8(FIVE_OF_EIGHT.as_ptr()))
    })
}

/// The low 10 bits of every lane, made 10 bytes at the front.
#[inline(always)]
fn join_10(v: uint16x8_t) -> uint8x16_t {
    simd!({
        let v = vreinterpretq_u32_u16(v);
        join_20(vsliq_n_u32::<10>(v, vshrq_n_u32::<16>(v)))
    })
}

/// The low 11 bits of every lane, made 11 bytes at the front.
#[inline(always)]
fn join_11(v: uint16x8_t) -> uint8x16_t {
    simd!({
        let v = vreinterpretq_u32_u16(v);
        let v = vreinterpretq_u64_u32(vsliq_n_u32::<11>(v, vshrq_n_u32::<16>(v)));
        let v = vsliq_n_u64::<22>(v, vshrq_n_u64::<32>(v));
        // Two times 44 bits.
        let low = vsliq_n_u64::<44>(v, vextq_u64::<1>(v, v));
        vreinterpretq_u8_u64(vcopyq_laneq_u64::<1, 1>(low, vshrq_n_u64::<20>(v)))
    })
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress_1(f: &[V; 32], bytes: &mut [u8; 32]) {
    // Of 32 coefficients, the bits of eight in the low byte of every 32-bit lane.
    let join = |f: &[V; 4]| {
        simd!({
            let int16x8x4_t(a, b, c, d) = vld4q_s16(f.as_ptr().cast());
            let [a, b, c, d] = [a, b, c, d].map(|x| compress::<1>(V(x)));
            let low = vsliq_n_u16::<1>(a, b);
            let high = vsliq_n_u16::<1>(c, d);
            let half = vreinterpretq_u32_u16(vsliq_n_u16::<2>(low, high));
            vreinterpretq_u16_u32(vsliq_n_u32::<4>(half, vshrq_n_u32::<16>(half)))
        })
    };
    for (f, bytes) in f
        .as_chunks::<16>()
        .0
        .iter()
        .zip(bytes.as_chunks_mut::<16>().0)
    {
        let [a, b, c, d] = f.as_chunks().0 else {
            unreachable!("16 vectors")
        };
        simd!({
            let low = vuzp1q_u16(join(a), join(b));
            let high = vuzp1q_u16(join(c), join(d));
            vst1q_u8(bytes.as_mut_ptr(), even_bytes(low, high));
        });
    }
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress_4(f: &[V; 32], bytes: &mut [u8; 128]) {
    let join = |f| {
        let (even, odd) = compress_pairs::<4>(f);
        simd!(vsliq_n_u16::<4>(even, odd))
    };
    for (pairs, bytes) in f
        .as_chunks::<2>()
        .0
        .as_chunks()
        .0
        .iter()
        .zip(bytes.as_chunks_mut::<16>().0)
    {
        let [a, b] = pairs;
        simd!(vst1q_u8(bytes.as_mut_ptr(), even_bytes(join(a), join(b))));
    }
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress_5(f: &[V; 32], bytes: &mut [u8; 160]) {
    put::<10, _>(f.as_chunks::<2>().0, bytes, |pair| {
        let (even, odd) = compress_pairs::<5>(pair);
        join_10(simd!(vsliq_n_u16::<5>(even, odd)))
    });
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress_10(f: &[V; 32], bytes: &mut [u8; 320]) {
    put::<10, _>(f, bytes, |v| join_10(compress::<10>(*v)));
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress_11(f: &[V; 32], bytes: &mut [u8; 352]) {
    put::<11, _>(f, bytes, |v| join_11(compress::<11>(*v)));
}

/// How eight D-bit numbers are brought from their bytes to the top of their lanes below the sign.
struct Fields {
    /// The two bytes that each number begins in.
    bytes: [u8; 16],
    /// The shift of those.
    shift: [i16; 8],
    /// A third byte, where the number reaches that far.
    third: [u8; 16],
    /// The shift of that.
    third_shift: [i16; 8],
}

impl Fields {
    /// Those of `d` bits each that begin with byte `start` of a vector.
    const fn new(d: usize, start: usize) -> Self {
        let mut fields = Self {
            bytes: [0; 16],
            shift: [0; 8],
            third: [0xff; 16],
            third_shift: [0; 8],
        };
        let mut i = 0;
        while i < 8 {
            let (byte, bit) = (start + (d * i >> 3), d * i & 7);
            fields.bytes[2 * i] = byte as u8;
            fields.bytes[2 * i + 1] = byte as u8 + 1;
            fields.shift[i] = 15 - (d + bit) as i16;
            if bit + d > 16 {
                fields.third[2 * i] = byte as u8 + 2;
                fields.third_shift[i] = fields.shift[i] + 16;
            }
            i += 1;
        }
        fields
    }

    /// The numbers of D bits, times 2^(15 - D).
    #[inline(always)]
    fn of<const D: i32>(&self, bytes: uint8x16_t) -> uint16x8_t {
        let look_up = |index: &[u8; 16], shift: &[i16; 8]| {
            simd!({
                let window = vqtbl1q_u8(bytes, vld1q_u8(index.as_ptr()));
                vshlq_u16(vreinterpretq_u16_u8(window), vld1q_s16(shift.as_ptr()))
            })
        };
        let mut fields = look_up(&self.bytes, &self.shift);
        if D > 10 {
            fields = simd!(vorrq_u16(fields, look_up(&self.third, &self.third_shift)));
        }
        let ones = ((1 << D) - 1) << (15 - D);
        simd!(vandq_u16(fields, vdupq_n_u16(ones)))
    }
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress_1(bytes: &[u8; 32], f: &mut [V; 32]) {
    const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    for (byte, f) in bytes.iter().zip(f) {
        simd!({
            let bits = vreinterpretq_u16_u8(vld1q_dup_u8(byte));
            let ones = vtstq_u16(bits, vld1q_u16(BITS.as_ptr()));
            let half_q = vdupq_n_u16((Q as u16 + 1) >> 1);
            *f = V(vreinterpretq_s16_u16(vandq_u16(ones, half_q)));
        });
    }
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress_4(bytes: &[u8; 128], f: &mut [V; 32]) {
    let pairs = f.as_chunks_mut::<2>().0;
    for (bytes, pairs) in bytes
        .as_chunks::<16>()
        .0
        .iter()
        .zip(pairs.as_chunks_mut().0)
    {
        let bytes = simd!(vld1q_u8(bytes.as_ptr()));
        // The upper number of a byte ends below the sign.
        let upper = simd!([
            vshll_n_u8::<7>(vget_low_u8(bytes)),
            vshll_high_n_u8::<7>(bytes)
        ]);
        let pairs: &mut [_; 2] = pairs;
        for (upper, pair) in upper.into_iter().zip(pairs) {
            simd!({
                let number = vdupq_n_u16(15 << 11);
                let even = decompress(vandq_u16(vshlq_n_u16::<4>(upper), number));
                V::interleave::<1>(even, decompress(vandq_u16(upper, number)), pair);
            });
        }
    }
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress_5(bytes: &[u8; 160], f: &mut [V; 32]) {
    const FIELDS: [Fields; 2] = [Fields::new(5, 0), Fields::new(5, 5)];
    get::<10, _>(bytes, f.as_chunks_mut().0, |bytes, pair: &mut [_; 2]| {
        *pair = [0, 1].map(|i| decompress(const { &FIELDS }[i].of::<5>(bytes)));
    });
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress_10(bytes: &[u8; 320], f: &mut [V; 32]) {
    get::<10, _>(bytes, f, |bytes, v| {
        *v = decompress(const { &Fields::new(10, 0) }.of::<10>(bytes));
    });
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress_11(bytes: &[u8; 352], f: &mut [V; 32]) {
    get::<11, _>(bytes, f, |bytes, v| {
        *v = decompress(const { &Fields::new(11, 0) }.of::<11>(bytes));
    });
}
