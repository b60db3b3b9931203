//! Times every kernel on every backend that this CPU can run. In this directory:
//! `cargo run --release -- --bench [FILTER]`.

#[allow(unused, reason = "it is pqbox's, and more than the kernels")]
#[path = "../../../src/asm/mod.rs"]
mod asm;

use asm::backend::{KeccakBatch, Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use asm::dispatch::{Backend, on};
use criterion::Criterion;
use std::array::from_fn;
use std::hint::black_box;

/// What the kernels know of pqbox's errors.
#[derive(Debug)]
pub enum Error {
    UnknownBackend,
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for backend in Backend::available() {
        on!(backend, b => kernels(&mut criterion, b));
    }
    criterion.final_summary();
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

/// Times what runs between the calls of `black_box`, under the name of the kernel and the backend.
macro_rules! time {
    ($criterion:expr, $b:ident, $name:expr, [$($argument:ident = $value:expr),*] => $call:expr) => {{
        $(#[allow(unused_mut, reason = "not every argument is written")]
        let mut $argument = $value;)*
        $criterion.bench_function(&format!("{}/{}", $name, name($b)), |bencher| {
            bencher.iter(|| {
                $(black_box(&mut $argument);)*
                black_box($call)
            })
        });
    }};
}

fn name<B: Kernels>(_: B) -> &'static str {
    B::NAME
}

fn kernels<B: Kernels>(c: &mut Criterion, b: B) {
    let plain = || Poly(coefficients());
    let ntt = || NttPoly::<B>::new(coefficients());
    let product = || Product(ntt());

    time!(c, b, "keccak_f1600", [state = [1; 25]] => b.keccak_f1600(&mut state));
    let batch = format!("keccak_f1600_batch of {}", B::KeccakBatch::WIDTH);
    time!(c, b, batch, [states = B::KeccakBatch::zeroed()] => b.keccak_f1600_batch(&mut states));

    time!(c, b, "ntt", [f = plain(), f_hat = ntt()] => b.ntt(&f, &mut f_hat));
    time!(c, b, "inv_ntt", [f_hat = product(), f = plain()] => b.inv_ntt(&f_hat, &mut f));
    for terms in 2..=4 {
        let label = format!("multiply_accumulate of {terms}");
        time!(c, b, label, [x = [ntt(); 4], y = [ntt(); 4], sum = product()] => {
            let pairs: [_; 4] = from_fn(|i| (&x[i], &y[i]));
            b.multiply_accumulate(&pairs[..terms], &mut sum)
        });
    }
    time!(c, b, "add_product", [x = product(), e = ntt(), sum = ntt()] => {
        b.add_product(&x, &e, &mut sum)
    });
    time!(c, b, "canonicalize", [f_hat = ntt()] => b.canonicalize(&mut f_hat));
    time!(c, b, "add", [f = plain(), zero = Poly::ZERO] => b.add(&mut f, &zero));
    time!(c, b, "sub", [f = plain(), zero = Poly::ZERO] => b.sub(&mut f, &zero));

    time!(c, b, "byte_encode_12", [f_hat = ntt(), out = [0; 384]] => {
        b.byte_encode_12(&f_hat, &mut out)
    });
    time!(c, b, "byte_decode_12", [input = bytes(), f_hat = ntt()] => {
        b.byte_decode_12(&input, &mut f_hat)
    });
    for d in [1, 4, 5, 10, 11] {
        time!(c, b, format!("compress to {d}"), [f = plain(), out = [0; 32 * 11]] => {
            b.compress(d, &f, &mut out[..32 * d])
        });
        time!(c, b, format!("decompress from {d}"), [input = bytes::<{ 32 * 11 }>(), f = plain()] => {
            b.decompress(d, &input[..32 * d], &mut f)
        });
    }

    time!(c, b, "sample_ntt_vartime", [block = bytes::<XOF_BLOCK>(), f_hat = ntt()] => {
        b.sample_ntt_vartime(&block, &mut f_hat, 0)
    });
    time!(c, b, "reorder", [f_hat = ntt()] => b.reorder(&mut f_hat));
    for eta in [2, 3] {
        time!(c, b, format!("sample_poly_cbd {eta}"), [input = bytes::<192>(), f = plain()] => {
            b.sample_poly_cbd(eta, &input[..64 * eta], &mut f)
        });
    }
}
