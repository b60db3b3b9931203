//! The parameter sets, FIPS 203 section 8, Table 2 and Table 3.

use core::fmt::Debug;
use zeroize::Zeroize;

/// A byte string of fixed length.
pub trait ByteArray: AsRef<[u8]> + AsMut<[u8]> + Copy + Debug + Eq + Send + Sync + Zeroize {
    /// All zeros.
    const ZEROED: Self;
    /// The bytes in place, if they are as many.
    fn of(bytes: &[u8]) -> Option<&Self>;
}

impl<const N: usize> ByteArray for [u8; N]
where
    Self: Zeroize,
{
    const ZEROED: Self = [0; N];

    fn of(bytes: &[u8]) -> Option<&Self> {
        bytes.try_into().ok()
    }
}

/// `K` values of one kind: a vector over the module.
pub trait Vector<T>: AsRef<[T]> + AsMut<[T]> {
    /// The values of `f` at `0..K`.
    fn from_fn(f: impl FnMut(usize) -> T) -> Self;
}

impl<T, const K: usize> Vector<T> for [T; K] {
    fn from_fn(f: impl FnMut(usize) -> T) -> Self {
        core::array::from_fn(f)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// One of FIPS 203's three parameter sets. Sealed: [`MlKem512`], [`MlKem768`], [`MlKem1024`].
///
/// The primary parameters are those of Table 2; the rest follows from them.
pub trait ParameterSet: sealed::Sealed + Copy + Debug + Eq + Send + Sync + 'static {
    /// The name in FIPS 203, for example `ML-KEM-768`.
    const NAME: &'static str;
    /// Rank of the module.
    const K: usize;
    /// Width of the noise of s, e and y.
    const ETA1: usize;
    /// Width of the noise of e1 and e2.
    const ETA2: usize = 2;
    /// Bits a coefficient of u keeps.
    const DU: usize;
    /// Bits a coefficient of v keeps.
    const DV: usize;

    /// Bytes of an encapsulation key.
    const EK_LEN: usize = 384 * Self::K + 32;
    /// Bytes of an expanded decapsulation key.
    const DK_LEN: usize = 768 * Self::K + 96;
    /// Bytes of a ciphertext.
    const CT_LEN: usize = 32 * (Self::DU * Self::K + Self::DV);

    /// An encapsulation key as bytes.
    type Ek: ByteArray;
    /// An expanded decapsulation key as bytes.
    type Dk: ByteArray;
    /// A ciphertext as bytes.
    type Ct: ByteArray;
    /// `K` values.
    type Vector<T>: Vector<T>;
}

macro_rules! parameter_set {
    ($set:ident, $name:literal, k $k:literal, eta1 $eta1:literal, du $du:literal, dv $dv:literal,
     ek $ek:literal, dk $dk:literal, ct $ct:literal) => {
        #[doc = concat!($name, ", FIPS 203 section 8.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $set;

        impl sealed::Sealed for $set {}

        impl ParameterSet for $set {
            const NAME: &'static str = $name;
            const K: usize = $k;
            const ETA1: usize = $eta1;
            const DU: usize = $du;
            const DV: usize = $dv;
            type Ek = [u8; $ek];
            type Dk = [u8; $dk];
            type Ct = [u8; $ct];
            type Vector<T> = [T; $k];
        }

        // Table 3 beside what follows from Table 2.
        const _: () = assert!($set::EK_LEN == $ek && $set::DK_LEN == $dk && $set::CT_LEN == $ct);
    };
}

parameter_set!(MlKem512, "ML-KEM-512", k 2, eta1 3, du 10, dv 4, ek 800, dk 1632, ct 768);
parameter_set!(MlKem768, "ML-KEM-768", k 3, eta1 2, du 10, dv 4, ek 1184, dk 2400, ct 1088);
parameter_set!(MlKem1024, "ML-KEM-1024", k 4, eta1 2, du 11, dv 5, ek 1568, dk 3168, ct 1568);

/// A parameter set as a value, where it is known at run time alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetId {
    /// [`MlKem512`]
    MlKem512,
    /// [`MlKem768`]
    MlKem768,
    /// [`MlKem1024`]
    MlKem1024,
}

impl SetId {
    /// All three, the smallest first.
    pub const ALL: [Self; 3] = [Self::MlKem512, Self::MlKem768, Self::MlKem1024];

    /// The name in FIPS 203, for example `ML-KEM-768`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MlKem512 => MlKem512::NAME,
            Self::MlKem768 => MlKem768::NAME,
            Self::MlKem1024 => MlKem1024::NAME,
        }
    }
}
