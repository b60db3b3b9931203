//! The x86-64 backends, and the tables that they share.

use super::ntt;

/// Declares kernels whose bodies are compiled with the backend's features.
macro_rules! kernels {
    (
        $features:tt;
        $(fn $name:ident(self, $($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)? $body:block)*
    ) => {
        $(
            #[inline]
            fn $name(self, $($arg: $type),*) $(-> $ret)? {
                #[target_feature(enable = $features)]
                fn kernel($($arg: $type),*) $(-> $ret)? $body
                simd!(kernel($($arg),*))
            }
        )*
    };
}

pub(super) mod avx2;
pub(super) mod avx512;

pub(super) use avx2::Avx2;
pub(super) type Avx512 = avx512::Avx512<avx512::Vbmi2>;
pub(super) type Avx512Bw = avx512::Avx512<avx512::Bw>;

/// 2^16 gamma of each pair of coefficients in the odd lanes, which a Montgomery reduction makes
/// gamma; zeros in the even lanes.
static GAMMAS: [i16; 256] = {
    let gammas = ntt::gammas(1 << 16);
    let mut odd = [0; 256];
    let mut i = 1;
    while i < 256 {
        odd[i] = gammas[i].value;
        i += 2;
    }
    odd
};

/// Where a shuffle finds the bytes of `N / 8` quadwords of 4 D bits each: of those that begin with
/// the byte, and, where a byte is shared by two quadwords (D is odd), of the second one.
const fn packing<const D: usize, const N: usize>() -> ([u8; N], [u8; N]) {
    let (mut first, mut second) = ([0xff; N], [0xff; N]);
    let mut quad = 0;
    while quad < N >> 3 {
        let (from, to) = (4 * D * quad, 4 * D * (quad + 1));
        let mut byte = from >> 3;
        while 8 * byte < to {
            let source = (8 * quad + byte - (from >> 3)) as u8;
            if 8 * byte < from {
                second[byte] = source;
            } else {
                first[byte] = source;
            }
            byte += 1;
        }
        quad += 1;
    }
    (first, second)
}
