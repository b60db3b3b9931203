//! Bit packing, FIPS 203 Algorithms 5 and 6, in plain Rust: eight D-bit numbers are D bytes.

/// ByteEncode_D of `number(x)` for every x of `f`; the numbers are below 2^D.
#[inline(always)]
pub(super) fn byte_encode<const D: usize>(
    f: &[i16; 256],
    bytes: &mut [u8],
    number: impl Fn(i16) -> u16,
) {
    for (f, bytes) in f
        .as_chunks::<8>()
        .0
        .iter()
        .zip(bytes.as_chunks_mut::<D>().0)
    {
        let mut bits = 0;
        for (i, &x) in f.iter().enumerate() {
            bits |= u128::from(number(x)) << (D * i);
        }
        bytes.copy_from_slice(&bits.to_le_bytes()[..D]);
    }
}

/// `coefficient(y)` for every y of ByteDecode_D, without the reduction that D = 12 asks for.
#[inline(always)]
pub(super) fn byte_decode<const D: usize>(
    bytes: &[u8],
    f: &mut [i16; 256],
    mut coefficient: impl FnMut(u16) -> i16,
) {
    for (bytes, f) in bytes
        .as_chunks::<D>()
        .0
        .iter()
        .zip(f.as_chunks_mut::<8>().0)
    {
        let mut padded = [0; 16];
        padded[..D].copy_from_slice(bytes);
        let bits = u128::from_le_bytes(padded);
        for (i, x) in f.iter_mut().enumerate() {
            *x = coefficient((bits >> (D * i)) as u16 & ((1 << D) - 1));
        }
    }
}
