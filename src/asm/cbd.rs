//! The centered binomial distribution, FIPS 203 Algorithm 8, in plain Rust.

/// SamplePolyCBD_2. See `Kernels::sample_poly_cbd`.
///
/// A byte holds two coefficients of four bits. Adding neighbouring bits gives 2-bit sums x and y of
/// each, in all bytes of a word at once.
pub(super) fn sample_poly_cbd_2(bytes: &[u8; 128], f: &mut [i16; 256]) {
    for (bytes, f) in bytes.as_chunks().0.iter().zip(f.as_chunks_mut::<8>().0) {
        let bits = u32::from_le_bytes(*bytes);
        let sums = (bits & 0x5555_5555) + ((bits >> 1) & 0x5555_5555);
        for (i, f) in f.iter_mut().enumerate() {
            *f = ((sums >> (4 * i)) & 3) as i16 - ((sums >> (4 * i + 2)) & 3) as i16;
        }
    }
}

/// SamplePolyCBD_3. Three bytes hold four coefficients of six bits.
pub(super) fn sample_poly_cbd_3(bytes: &[u8; 192], f: &mut [i16; 256]) {
    for (bytes, f) in bytes
        .as_chunks::<3>()
        .0
        .iter()
        .zip(f.as_chunks_mut::<4>().0)
    {
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        let ones = 0o11111111;
        let sums = (bits & ones) + ((bits >> 1) & ones) + ((bits >> 2) & ones);
        for (i, f) in f.iter_mut().enumerate() {
            *f = ((sums >> (6 * i)) & 7) as i16 - ((sums >> (6 * i + 3)) & 7) as i16;
        }
    }
}

/// The coefficient that eta + eta bits stand for, as a byte, in all tables of `N` bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const fn cbd_table<const N: usize>(eta: u32) -> [u8; N] {
    let mut table = [0; N];
    let mut bits = 0;
    while bits < N {
        let ones = (1 << eta) - 1;
        let (x, y) = (
            (bits & ones).count_ones(),
            ((bits >> eta) & ones).count_ones(),
        );
        table[bits] = (x as u8).wrapping_sub(y as u8);
        bits += 1;
    }
    table
}
