//! The kernels in AWS-LC's object code, under the names that ours have. Which instructions they run
//! does not depend on the tables that they are given, which AWS-LC keeps to itself: zeros do.

extern crate aws_lc_sys as _;

use crate::{Meter, blocks, coefficients};
use std::ffi::c_uint;
use std::hint::black_box;

/// Declares functions with the prefix of AWS-LC's version.
macro_rules! external {
    ($(fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        unsafe extern "C" {
            $(#[link_name = concat!("aws_lc_0_47_0_", stringify!($name))]
            fn $name($($argument: $type),*);)*
        }
    };
}

type Poly = [i16; 256];

external! {
    fn KeccakF1600_hw(state: &mut [u64; 25]);
    fn sha3_keccak_f1600(state: &mut [u64; 25], constants: &[u64; 24]);
    fn sha3_keccak_f1600_alt(state: &mut [u64; 25], constants: &[u64; 24]);
    fn sha3_keccak2_f1600(states: &mut [u64; 50], constants: &[u64; 24]);
    fn sha3_keccak4_f1600_alt(states: &mut [u64; 100], constants: &[u64; 24]);
    fn sha3_keccak4_f1600_alt2(states: &mut [u64; 100], constants: &[u64; 24]);
    fn mlkem_ntt_aarch64_asm(f: &mut Poly, zetas: &[i16; 80], more_zetas: &[i16; 384]);
    fn mlkem_intt_aarch64_asm(f: &mut Poly, zetas: &[i16; 80], more_zetas: &[i16; 384]);
    fn mlkem_poly_reduce_aarch64_asm(f: &mut Poly);
    fn mlkem_poly_tobytes_aarch64_asm(bytes: &mut [u8; 384], f: &Poly);
    fn mlkem_poly_mulcache_compute_aarch64_asm(
        cache: &mut [i16; 128], f: &Poly, zetas: &[i16; 128], more_zetas: &[i16; 128]
    );
    fn mlkem_polyvec_basemul_acc_montgomery_cached_k2_aarch64_asm(
        sum: &mut Poly, a: &[Poly; 4], b: &[Poly; 4], b_cache: &[[i16; 128]; 4]
    );
    fn mlkem_polyvec_basemul_acc_montgomery_cached_k3_aarch64_asm(
        sum: &mut Poly, a: &[Poly; 4], b: &[Poly; 4], b_cache: &[[i16; 128]; 4]
    );
    fn mlkem_polyvec_basemul_acc_montgomery_cached_k4_aarch64_asm(
        sum: &mut Poly, a: &[Poly; 4], b: &[Poly; 4], b_cache: &[[i16; 128]; 4]
    );
    fn mlkem_rej_uniform_aarch64_asm(
        f: &mut Poly, bytes: *const u8, len: c_uint, table: &[u8; 4096]
    );
}

/// Measures one call. After the kernel's name stands which of several codes it is.
macro_rules! measure {
    ($meter:expr, $name:literal, $function:ident($($argument:expr),*)) => {
        $meter.kernel($name, || {
            // SAFETY: the arrays have the lengths that AWS-LC's headers give.
            unsafe { $function($(black_box($argument)),*) }
        });
    };
}

pub fn kernels(m: &mut Meter) {
    let rc = &[0; 24];
    let (one, two, four) = (&mut [1; 25], &mut [1; 50], &mut [1; 100]);
    measure!(m, "keccak_f1600/aws-lc", KeccakF1600_hw(one));
    measure!(
        m,
        "keccak_f1600/aws-lc, lazy rotations",
        sha3_keccak_f1600(one, rc)
    );
    measure!(
        m,
        "keccak_f1600/aws-lc, SHA-3",
        sha3_keccak_f1600_alt(one, rc)
    );
    measure!(
        m,
        "keccak_f1600_batch of 2/aws-lc, SHA-3",
        sha3_keccak2_f1600(two, rc)
    );
    measure!(
        m,
        "keccak_f1600_batch of 4/aws-lc",
        sha3_keccak4_f1600_alt(four, rc)
    );
    measure!(
        m,
        "keccak_f1600_batch of 4/aws-lc, SHA-3",
        sha3_keccak4_f1600_alt2(four, rc)
    );

    let f = &mut coefficients();
    let (zetas, more) = (&[0; 80], &[0; 384]);
    measure!(m, "ntt/aws-lc", mlkem_ntt_aarch64_asm(f, zetas, more));
    measure!(m, "inv_ntt/aws-lc", mlkem_intt_aarch64_asm(f, zetas, more));
    measure!(m, "canonicalize/aws-lc", mlkem_poly_reduce_aarch64_asm(f));
    measure!(
        m,
        "byte_encode_12/aws-lc",
        mlkem_poly_tobytes_aarch64_asm(&mut [0; 384], f)
    );

    let (x, cache) = (&[coefficients(); 4], &mut [[0; 128]; 4]);
    measure!(
        m,
        "prepare/aws-lc",
        mlkem_poly_mulcache_compute_aarch64_asm(&mut cache[0], f, &[0; 128], &[0; 128])
    );
    measure!(
        m,
        "multiply_accumulate of 2/aws-lc",
        mlkem_polyvec_basemul_acc_montgomery_cached_k2_aarch64_asm(f, x, x, cache)
    );
    measure!(
        m,
        "multiply_accumulate of 3/aws-lc",
        mlkem_polyvec_basemul_acc_montgomery_cached_k3_aarch64_asm(f, x, x, cache)
    );
    measure!(
        m,
        "multiply_accumulate of 4/aws-lc",
        mlkem_polyvec_basemul_acc_montgomery_cached_k4_aarch64_asm(f, x, x, cache)
    );

    let blocks = blocks();
    let bytes = blocks.as_flattened();
    measure!(
        m,
        "sample_ntt_vartime of 3 blocks/aws-lc",
        mlkem_rej_uniform_aarch64_asm(f, bytes.as_ptr(), bytes.len() as c_uint, &[0; 4096])
    );
}
