//! Times every kernel on every backend that this CPU can run. In this directory:
//! `cargo run --release -- --bench [FILTER]`.
//!
//! With `--count [FILTER]` it runs each kernel once between markers instead, on AArch64 those of
//! AWS-LC too. `cargo xtask cycles-aarch64` builds and runs that.

#[cfg(target_arch = "x86_64")]
mod aes_gcm;
#[allow(unused, reason = "it is pqbox's, and more than the kernels")]
#[path = "../../../src/asm/mod.rs"]
mod asm;
#[cfg(target_arch = "aarch64")]
mod aws_lc;
#[path = "../../counter/src/marker.rs"]
mod marker;

use asm::backend::{Factor, KeccakBatch, Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use asm::dispatch::{Backend, on};
use criterion::Criterion;
use std::array::from_fn;
use std::env;
use std::hint::black_box;

/// What the kernels know of pqbox's errors.
#[derive(Debug)]
pub enum Error {
    UnknownBackend,
}

/// What is done with each kernel.
enum Meter {
    Time(Criterion),
    /// Runs it between the markers, after its name, if that contains the string.
    Count(String),
}

impl Meter {
    fn kernel<T>(&mut self, name: &str, mut call: impl FnMut() -> T) {
        match self {
            Self::Time(criterion) => {
                criterion.bench_function(name, |bencher| bencher.iter(&mut call));
            }
            Self::Count(filter) if name.contains(&**filter) => {
                black_box(call());
                println!("{name}");
                marker::between(call);
            }
            Self::Count(_) => {}
        }
    }
}

fn main() {
    let mut arguments = env::args().skip(1);
    let mut meter = match arguments.next().as_deref() {
        Some("--count") => Meter::Count(arguments.next().unwrap_or_default()),
        _ => Meter::Time(Criterion::default().configure_from_args()),
    };
    for backend in Backend::available() {
        on!(backend, b => kernels(&mut meter, b));
    }
    #[cfg(target_arch = "x86_64")]
    aes_gcm::kernels(&mut meter);
    match meter {
        Meter::Time(criterion) => criterion.final_summary(),
        #[cfg(target_arch = "aarch64")]
        Meter::Count(_) => aws_lc::kernels(&mut meter),
        #[cfg(not(target_arch = "aarch64"))]
        Meter::Count(_) => {}
    }
}

/// Canonical coefficients, which every kernel takes, far from alike.
fn coefficients() -> [i16; 256] {
    from_fn(|i| (i * 1664 % Q as usize) as i16)
}

/// Bytes like those of a hash: sampling takes time that depends on them.
fn bytes<const N: usize>() -> [u8; N] {
    let mut state = 1_u32;
    from_fn(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
}

/// Three blocks of the XOF, which are enough for a polynomial nearly always.
fn blocks() -> [[u8; XOF_BLOCK]; 3] {
    let bytes: [u8; 3 * XOF_BLOCK] = bytes();
    from_fn(|i| {
        *bytes[i * XOF_BLOCK..]
            .first_chunk()
            .expect("the third ends there")
    })
}

/// Measures what runs between the calls of `black_box`, under the name of the kernel and the backend.
macro_rules! measure {
    ($meter:expr, $b:ident, $name:expr, [$($argument:ident = $value:expr),*] => $call:expr) => {{
        $(#[allow(unused_mut, reason = "not every argument is written")]
        let mut $argument = $value;)*
        $meter.kernel(&format!("{}/{}", $name, name($b)), || {
            $(black_box(&mut $argument);)*
            black_box($call)
        });
    }};
}

fn name<B: Kernels>(_: B) -> &'static str {
    B::NAME
}

fn kernels<B: Kernels>(m: &mut Meter, b: B) {
    let plain = || Poly(coefficients());
    let ntt = || NttPoly::<B>::new(coefficients());
    let product = || Product(ntt());

    measure!(m, b, "keccak_f1600", [state = [1; 25]] => b.keccak_f1600(&mut state));
    let batch = format!("keccak_f1600_batch of {}", B::KeccakBatch::WIDTH);
    measure!(m, b, batch, [states = B::KeccakBatch::zeroed()] => b.keccak_f1600_batch(&mut states));
    if B::NARROW < B::KeccakBatch::WIDTH {
        let narrow = format!("keccak_f1600_narrow of {}", B::NARROW);
        measure!(m, b, narrow, [states = B::KeccakBatch::zeroed()] => {
            b.keccak_f1600_narrow(&mut states)
        });
    }

    measure!(m, b, "squeeze", [states = B::KeccakBatch::zeroed(), blocks = B::KeccakBatch::ZERO_BLOCKS] => {
        b.squeeze(&states, &mut blocks)
    });

    measure!(m, b, "ntt", [f = plain(), f_hat = ntt()] => b.ntt(&f, &mut f_hat));
    measure!(m, b, "inv_ntt", [f_hat = product(), f = plain()] => b.inv_ntt(&f_hat, &mut f));
    let factor = || {
        let mut factor = Factor::ZERO;
        factor.f_hat = ntt();
        b.prepare(&mut factor);
        factor
    };
    if size_of::<B::Prepared>() > 0 {
        measure!(m, b, "prepare", [factor = factor()] => b.prepare(&mut factor));
    }
    for terms in 2..=4 {
        let label = format!("multiply_accumulate of {terms}");
        let (x, y) = ([ntt(); 4], [factor(); 4]);
        let pairs: [_; 4] = from_fn(|i| (&x[i], &y[i]));
        measure!(m, b, label, [pairs = &pairs[..terms], sum = product()] => {
            b.multiply_accumulate(pairs, &mut sum)
        });
    }
    measure!(m, b, "add_product", [x = product(), e = ntt(), sum = ntt()] => {
        b.add_product(&x, &e, &mut sum)
    });
    measure!(m, b, "canonicalize", [f_hat = ntt()] => b.canonicalize(&mut f_hat));
    measure!(m, b, "add", [f = plain(), zero = Poly::ZERO] => b.add(&mut f, &zero));
    measure!(m, b, "sub", [f = plain(), zero = Poly::ZERO] => b.sub(&mut f, &zero));

    measure!(m, b, "byte_encode_12", [f_hat = ntt(), out = [0; 384]] => {
        b.byte_encode_12(&f_hat, &mut out)
    });
    measure!(m, b, "byte_decode_12", [input = bytes(), f_hat = ntt()] => {
        b.byte_decode_12(&input, &mut f_hat)
    });
    for d in [1, 4, 5, 10, 11] {
        measure!(m, b, format!("compress to {d}"), [f = plain(), out = [0; 32 * 11]] => {
            b.compress(d, &f, &mut out[..32 * d])
        });
        measure!(m, b, format!("decompress from {d}"), [input = bytes::<{ 32 * 11 }>(), f = plain()] => {
            b.decompress(d, &input[..32 * d], &mut f)
        });
    }

    measure!(m, b, "sample_ntt_vartime", [block = bytes::<XOF_BLOCK>(), f_hat = ntt()] => {
        b.sample_ntt_vartime(&block, &mut f_hat, 0)
    });
    measure!(m, b, "sample_ntt_vartime of 3 blocks", [blocks = blocks(), f_hat = ntt()] => {
        blocks.iter().fold(0, |n, block| b.sample_ntt_vartime(block, &mut f_hat, n))
    });
    measure!(m, b, "reorder", [f_hat = ntt()] => b.reorder(&mut f_hat));
    for eta in [2, 3] {
        measure!(m, b, format!("sample_poly_cbd {eta}"), [input = bytes::<192>(), f = plain()] => {
            b.sample_poly_cbd(eta, &input[..64 * eta], &mut f)
        });
    }
}
