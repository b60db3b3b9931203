//! Which backend runs: asked once per public operation, at the outermost call, so that everything
//! below is compiled for that backend.

#[cfg(target_arch = "aarch64")]
use super::aarch64::{Neon, NeonSha3};
use super::backend::Kernels;
use super::portable::Portable;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{Avx2, Avx512, Avx512Bw};
use crate::Error;
use core::sync::atomic::{AtomicU8, Ordering};

/// A set of kernels that this CPU can run. A value exists only where its instructions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(pub(crate) Token);

/// The token of one backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx512Bw(Avx512Bw),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "aarch64")]
    NeonSha3(NeonSha3),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    Portable(Portable),
}

/// A value that was made for one backend, beside that backend's token.
#[derive(Clone)]
pub(crate) enum Held<F: Family> {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512, F::Of<Avx512>),
    #[cfg(target_arch = "x86_64")]
    Avx512Bw(Avx512Bw, F::Of<Avx512Bw>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, F::Of<Avx2>),
    #[cfg(target_arch = "aarch64")]
    NeonSha3(NeonSha3, F::Of<NeonSha3>),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon, F::Of<Neon>),
    Portable(Portable, F::Of<Portable>),
}

/// A type for each backend.
pub(crate) trait Family {
    /// The type for `B`.
    type Of<B: Kernels>: Clone;
}

/// Runs the expression with `b` bound to the token of a [`Backend`], in a time independent of data
/// as far as the CPU has to be asked for it.
macro_rules! on {
    ($backend:expr, $b:ident => $body:expr) => {{
        let _timing = $crate::asm::timing::DataIndependentTiming::begin();
        match $backend.0 {
            #[cfg(target_arch = "x86_64")]
            $crate::asm::dispatch::Token::Avx512($b) => $body,
            #[cfg(target_arch = "x86_64")]
            $crate::asm::dispatch::Token::Avx512Bw($b) => $body,
            #[cfg(target_arch = "x86_64")]
            $crate::asm::dispatch::Token::Avx2($b) => $body,
            #[cfg(target_arch = "aarch64")]
            $crate::asm::dispatch::Token::NeonSha3($b) => $body,
            #[cfg(target_arch = "aarch64")]
            $crate::asm::dispatch::Token::Neon($b) => $body,
            $crate::asm::dispatch::Token::Portable($b) => $body,
        }
    }};
}

/// A token as a variant of [`Held`].
pub(crate) trait Holds: Kernels {
    /// Holds a value.
    fn hold<F: Family>(self, value: F::Of<Self>) -> Held<F>;
    /// The value that is held for this backend, if it is this one that one is held for.
    #[allow(
        dead_code,
        reason = "what asks for it is only there with the feature std"
    )]
    fn held<F: Family>(self, held: &Held<F>) -> Option<&F::Of<Self>>;
}

macro_rules! holds {
    ($($token:ident)*) => {
        $(
            impl Holds for $token {
                fn hold<F: Family>(self, value: F::Of<Self>) -> Held<F> {
                    Held::$token(self, value)
                }

                fn held<F: Family>(self, held: &Held<F>) -> Option<&F::Of<Self>> {
                    match held {
                        Held::$token(_, value) => Some(value),
                        _ => None,
                    }
                }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
holds!(Avx512 Avx512Bw Avx2);
#[cfg(target_arch = "aarch64")]
holds!(NeonSha3 Neon);
holds!(Portable);

/// Runs the expression, as [`on`] does, with `b` bound to the token and `value` to the value of a
/// reference to a [`Held`].
macro_rules! with_held {
    ($held:expr, ($b:ident, $value:ident) => $body:expr) => {{
        let _timing = $crate::asm::timing::DataIndependentTiming::begin();
        match $held {
            #[cfg(target_arch = "x86_64")]
            $crate::asm::dispatch::Held::Avx512($b, $value) => {
                let $b = *$b;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            $crate::asm::dispatch::Held::Avx512Bw($b, $value) => {
                let $b = *$b;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            $crate::asm::dispatch::Held::Avx2($b, $value) => {
                let $b = *$b;
                $body
            }
            #[cfg(target_arch = "aarch64")]
            $crate::asm::dispatch::Held::NeonSha3($b, $value) => {
                let $b = *$b;
                $body
            }
            #[cfg(target_arch = "aarch64")]
            $crate::asm::dispatch::Held::Neon($b, $value) => {
                let $b = *$b;
                $body
            }
            $crate::asm::dispatch::Held::Portable($b, $value) => {
                let $b = *$b;
                $body
            }
        }
    }};
}

pub(crate) use {on, with_held};

/// One more than the place in [`Backend::all`] of what [`Backend::select`] chose; 0 for nothing.
static SELECTED: AtomicU8 = AtomicU8::new(0);

impl Backend {
    /// Every backend that this build has, the fastest first; `None` where the CPU lacks it. The CPU
    /// is asked for each when its turn comes: under a hypervisor, that takes some 20 us.
    fn all() -> impl Iterator<Item = Option<Self>> {
        let detect: [fn() -> Option<Self>; _] = [
            #[cfg(target_arch = "x86_64")]
            || Avx512::detect().map(|b| Self(Token::Avx512(b))),
            #[cfg(target_arch = "x86_64")]
            || Avx512Bw::detect().map(|b| Self(Token::Avx512Bw(b))),
            #[cfg(target_arch = "x86_64")]
            || Avx2::detect().map(|b| Self(Token::Avx2(b))),
            #[cfg(target_arch = "aarch64")]
            || NeonSha3::detect().map(|b| Self(Token::NeonSha3(b))),
            #[cfg(target_arch = "aarch64")]
            || Neon::detect().map(|b| Self(Token::Neon(b))),
            || Portable::detect().map(|b| Self(Token::Portable(b))),
        ];
        detect.into_iter().map(|detect| detect())
    }

    /// All that this CPU can run, the fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::all().flatten()
    }

    /// The one that operations use: what [`Self::select`] chose, or else the fastest.
    ///
    /// # Panics
    /// Never: the portable backend runs everywhere.
    #[must_use]
    pub fn selected() -> Self {
        let chosen = match SELECTED.load(Ordering::Relaxed) {
            0 => Self::available().next(),
            place => Self::all().nth(usize::from(place) - 1).flatten(),
        };
        chosen.expect("the portable backend runs everywhere")
    }

    /// Makes this backend the one that later operations of the process use. A key that was parsed
    /// before keeps the backend that parsed it.
    pub fn select(self) {
        let place = Self::all().position(|backend| backend == Some(self));
        SELECTED.store(place.map_or(0, |place| place as u8 + 1), Ordering::Relaxed);
    }

    /// The backend of that name.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`] if no backend has the name or this CPU cannot run it.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::available()
            .find(|backend| backend.name() == name)
            .ok_or(Error::UnknownBackend)
    }

    /// Its name, for example `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        const fn name_of<B: Kernels>(_: B) -> &'static str {
            B::NAME
        }
        on!(self, b => name_of(b))
    }
}
