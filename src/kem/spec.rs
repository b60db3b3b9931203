//! FIPS 203, transcribed line by line: slow, not constant-time, for tests only. The oracle.
//!
//! Algorithm numbers are those of the final standard. Hashes come from the `sha3` and `shake`
//! crates, so that nothing here is shared with what it checks.

use sha3::{Digest, Sha3_256, Sha3_512};
use shake::digest::{ExtendableOutput, Update, XofReader};
use shake::{Shake128, Shake256};
use std::vec::Vec;

const Q: u32 = 3329;
const ZETA: u32 = 17;

/// A polynomial of R_q, or its NTT in T_q, coefficients in 0..q.
pub(crate) type Poly = [u32; 256];

/// Table 2.
#[derive(Clone, Copy)]
pub(crate) struct Params {
    pub(crate) k: usize,
    pub(crate) eta1: usize,
    pub(crate) eta2: usize,
    pub(crate) du: usize,
    pub(crate) dv: usize,
}

impl Params {
    pub(crate) const fn of<P: super::ParameterSet>() -> Self {
        Self {
            k: P::K,
            eta1: P::ETA1,
            eta2: P::ETA2,
            du: P::DU,
            dv: P::DV,
        }
    }
}

/// (4.2) PRF.
fn prf(eta: usize, s: &[u8; 32], b: u8) -> Vec<u8> {
    let mut hasher = Shake256::default();
    hasher.update(s);
    hasher.update(&[b]);
    let mut out = vec![0; 64 * eta];
    hasher.finalize_xof().read(&mut out);
    out
}

/// (4.4) H.
fn h(s: &[u8]) -> [u8; 32] {
    Sha3_256::digest(s).into()
}

/// (4.4) J.
fn j(s: &[u8]) -> [u8; 32] {
    let mut hasher = Shake256::default();
    hasher.update(s);
    let mut out = [0; 32];
    hasher.finalize_xof().read(&mut out);
    out
}

/// (4.5) G.
fn g(c: &[u8]) -> ([u8; 32], [u8; 32]) {
    let out = Sha3_512::digest(c);
    (out[..32].try_into().unwrap(), out[32..].try_into().unwrap())
}

/// Algorithm 3.
fn bits_to_bytes(b: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; b.len() / 8];
    for (i, bit) in b.iter().enumerate() {
        bytes[i / 8] += bit * (1 << (i % 8));
    }
    bytes
}

/// Algorithm 4.
fn bytes_to_bits(bytes: &[u8]) -> Vec<u8> {
    let mut b = vec![0; 8 * bytes.len()];
    for (i, byte) in bytes.iter().enumerate() {
        for j in 0..8 {
            b[8 * i + j] = (byte >> j) & 1;
        }
    }
    b
}

/// (4.7) Compress_d: round(2^d / q * x) mod 2^d, ties up.
pub(crate) fn compress(d: usize, x: u32) -> u32 {
    ((2 * (x << d) + Q) / (2 * Q)) % (1 << d)
}

/// (4.8) Decompress_d: round(q / 2^d * y), ties up.
pub(crate) fn decompress(d: usize, y: u32) -> u32 {
    (2 * Q * y + (1 << d)) / (2 << d)
}

/// Algorithm 5.
pub(crate) fn byte_encode(d: usize, f: &Poly) -> Vec<u8> {
    let mut b = vec![0; 256 * d];
    for i in 0..256 {
        let mut a = f[i];
        for j in 0..d {
            b[i * d + j] = (a % 2) as u8;
            a = (a - u32::from(b[i * d + j])) / 2;
        }
    }
    bits_to_bytes(&b)
}

/// Algorithm 6.
pub(crate) fn byte_decode(d: usize, bytes: &[u8]) -> Poly {
    let m = if d < 12 { 1 << d } else { Q };
    let b = bytes_to_bits(bytes);
    core::array::from_fn(|i| (0..d).map(|j| u32::from(b[i * d + j]) << j).sum::<u32>() % m)
}

/// Algorithm 7.
pub(crate) fn sample_ntt(b: &[u8; 34]) -> Poly {
    let mut ctx = Shake128::default();
    ctx.update(b);
    let mut ctx = ctx.finalize_xof();
    let mut a = [0; 256];
    let mut j = 0;
    while j < 256 {
        let mut c = [0; 3];
        ctx.read(&mut c);
        let c = c.map(u32::from);
        let d1 = c[0] + 256 * (c[1] % 16);
        let d2 = c[1] / 16 + 16 * c[2];
        if d1 < Q {
            a[j] = d1;
            j += 1;
        }
        if d2 < Q && j < 256 {
            a[j] = d2;
            j += 1;
        }
    }
    a
}

/// Algorithm 8.
pub(crate) fn sample_poly_cbd(eta: usize, bytes: &[u8]) -> Poly {
    let b = bytes_to_bits(bytes);
    core::array::from_fn(|i| {
        let x: u32 = (0..eta).map(|j| u32::from(b[2 * i * eta + j])).sum();
        let y: u32 = (0..eta).map(|j| u32::from(b[2 * i * eta + eta + j])).sum();
        (x + Q - y) % Q
    })
}

/// zeta^n mod q.
fn zeta_pow(n: u32) -> u32 {
    (0..n).fold(1, |power, _| power * ZETA % Q)
}

/// BitRev_7.
fn bit_rev7(i: u32) -> u32 {
    i.reverse_bits() >> 25
}

/// Algorithm 9.
pub(crate) fn ntt(f: &Poly) -> Poly {
    let mut f = *f;
    let mut i = 1;
    let mut len = 128;
    while len >= 2 {
        for start in (0..256).step_by(2 * len) {
            let zeta = zeta_pow(bit_rev7(i));
            i += 1;
            for j in start..start + len {
                let t = zeta * f[j + len] % Q;
                f[j + len] = (f[j] + Q - t) % Q;
                f[j] = (f[j] + t) % Q;
            }
        }
        len /= 2;
    }
    f
}

/// Algorithm 10.
pub(crate) fn inv_ntt(f: &Poly) -> Poly {
    let mut f = *f;
    let mut i = 127;
    let mut len = 2;
    while len <= 128 {
        for start in (0..256).step_by(2 * len) {
            let zeta = zeta_pow(bit_rev7(i));
            i -= 1;
            for j in start..start + len {
                let t = f[j];
                f[j] = (t + f[j + len]) % Q;
                f[j + len] = zeta * (f[j + len] + Q - t) % Q;
            }
        }
        len *= 2;
    }
    f.map(|x| x * 3303 % Q)
}

/// Algorithms 11 and 12.
pub(crate) fn multiply_ntts(f: &Poly, g: &Poly) -> Poly {
    let mut h = [0; 256];
    for i in 0..128 {
        let gamma = zeta_pow(2 * bit_rev7(i as u32) + 1);
        let (a0, a1, b0, b1) = (f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]);
        h[2 * i] = (a0 * b0 + a1 * b1 % Q * gamma) % Q;
        h[2 * i + 1] = (a0 * b1 + a1 * b0) % Q;
    }
    h
}

fn add(f: &Poly, g: &Poly) -> Poly {
    core::array::from_fn(|i| (f[i] + g[i]) % Q)
}

fn sub(f: &Poly, g: &Poly) -> Poly {
    core::array::from_fn(|i| (f[i] + Q - g[i]) % Q)
}

fn dot(f: &[Poly], g: &[Poly]) -> Poly {
    f.iter()
        .zip(g)
        .fold([0; 256], |sum, (f, g)| add(&sum, &multiply_ntts(f, g)))
}

/// The matrix of Algorithms 13 and 14: A[i][j] from rho || j || i.
fn sample_matrix(p: Params, rho: &[u8; 32]) -> Vec<Vec<Poly>> {
    let entry = |i: usize, j: usize| {
        let mut b = [0; 34];
        b[..32].copy_from_slice(rho);
        b[32] = j as u8;
        b[33] = i as u8;
        sample_ntt(&b)
    };
    (0..p.k)
        .map(|i| (0..p.k).map(|j| entry(i, j)).collect())
        .collect()
}

/// Algorithm 13.
pub(crate) fn k_pke_keygen(p: Params, d: &[u8; 32]) -> (Vec<u8>, Vec<u8>) {
    let mut seed = d.to_vec();
    seed.push(p.k as u8);
    let (rho, sigma) = g(&seed);
    let a_hat = sample_matrix(p, &rho);
    let noise = |n: usize| sample_poly_cbd(p.eta1, &prf(p.eta1, &sigma, n as u8));
    let s_hat: Vec<Poly> = (0..p.k).map(|i| ntt(&noise(i))).collect();
    let e_hat: Vec<Poly> = (0..p.k).map(|i| ntt(&noise(p.k + i))).collect();
    let t_hat: Vec<Poly> = (0..p.k)
        .map(|i| add(&dot(&a_hat[i], &s_hat), &e_hat[i]))
        .collect();
    let mut ek: Vec<u8> = t_hat.iter().flat_map(|f| byte_encode(12, f)).collect();
    ek.extend(rho);
    (ek, s_hat.iter().flat_map(|f| byte_encode(12, f)).collect())
}

/// Algorithm 14.
pub(crate) fn k_pke_encrypt(p: Params, ek: &[u8], m: &[u8; 32], r: &[u8; 32]) -> Vec<u8> {
    let t_hat: Vec<Poly> = (0..p.k)
        .map(|i| byte_decode(12, &ek[384 * i..][..384]))
        .collect();
    let a_hat = sample_matrix(p, ek[384 * p.k..].try_into().unwrap());
    let noise = |eta: usize, n: usize| sample_poly_cbd(eta, &prf(eta, r, n as u8));
    let y_hat: Vec<Poly> = (0..p.k).map(|i| ntt(&noise(p.eta1, i))).collect();
    let e2 = noise(p.eta2, 2 * p.k);
    let mut c = Vec::new();
    for i in 0..p.k {
        let column: Vec<Poly> = a_hat.iter().map(|row| row[i]).collect();
        let u = add(&inv_ntt(&dot(&column, &y_hat)), &noise(p.eta2, p.k + i));
        c.extend(byte_encode(p.du, &u.map(|x| compress(p.du, x))));
    }
    let mu = byte_decode(1, m).map(|x| decompress(1, x));
    let v = add(&add(&inv_ntt(&dot(&t_hat, &y_hat)), &e2), &mu);
    c.extend(byte_encode(p.dv, &v.map(|x| compress(p.dv, x))));
    c
}

/// Algorithm 15.
pub(crate) fn k_pke_decrypt(p: Params, dk: &[u8], c: &[u8]) -> [u8; 32] {
    let (c1, c2) = c.split_at(32 * p.du * p.k);
    let u = c1
        .chunks(32 * p.du)
        .map(|c| byte_decode(p.du, c).map(|y| decompress(p.du, y)));
    let v = byte_decode(p.dv, c2).map(|y| decompress(p.dv, y));
    let s_hat: Vec<Poly> = (0..p.k)
        .map(|i| byte_decode(12, &dk[384 * i..][..384]))
        .collect();
    let u_hat: Vec<Poly> = u.map(|u| ntt(&u)).collect();
    let w = sub(&v, &inv_ntt(&dot(&s_hat, &u_hat)));
    byte_encode(1, &w.map(|x| compress(1, x)))
        .try_into()
        .unwrap()
}

/// Algorithm 16.
pub(crate) fn keygen_internal(p: Params, d: &[u8; 32], z: &[u8; 32]) -> (Vec<u8>, Vec<u8>) {
    let (ek, dk_pke) = k_pke_keygen(p, d);
    let dk = [&dk_pke[..], &ek, &h(&ek), z].concat();
    (ek, dk)
}

/// Algorithm 17.
pub(crate) fn encaps_internal(p: Params, ek: &[u8], m: &[u8; 32]) -> ([u8; 32], Vec<u8>) {
    let (k, r) = g(&[&m[..], &h(ek)].concat());
    (k, k_pke_encrypt(p, ek, m, &r))
}

/// Algorithm 18.
pub(crate) fn decaps_internal(p: Params, dk: &[u8], c: &[u8]) -> [u8; 32] {
    let (dk_pke, rest) = dk.split_at(384 * p.k);
    let (ek_pke, rest) = rest.split_at(384 * p.k + 32);
    let (h, z) = rest.split_at(32);
    let m = k_pke_decrypt(p, dk_pke, c);
    let (k, r) = g(&[&m[..], h].concat());
    let k_bar = j(&[z, c].concat());
    if c == k_pke_encrypt(p, ek_pke, &m, &r) {
        k
    } else {
        k_bar
    }
}

/// Section 7.2, the encapsulation key check.
pub(crate) fn check_ek(p: Params, ek: &[u8]) -> bool {
    ek.len() == 384 * p.k + 32
        && ek[..384 * p.k]
            .chunks(384)
            .all(|t| byte_encode(12, &byte_decode(12, t)) == t)
}

/// Section 7.3, the decapsulation key check.
pub(crate) fn check_dk(p: Params, dk: &[u8]) -> bool {
    dk.len() == 768 * p.k + 96
        && h(&dk[384 * p.k..768 * p.k + 32]) == dk[768 * p.k + 32..768 * p.k + 64]
}
