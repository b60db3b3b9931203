//! Which backend runs: asked once per public operation.

use crate::Error;

/// A set of kernels that this CPU can run. A value exists only where its instructions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// Plain Rust, on every CPU.
    Portable,
}

impl Backend {
    /// All that this CPU can run, the fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Portable].into_iter()
    }

    /// The one that operations use: the fastest, or what [`Self::select`] chose.
    #[must_use]
    pub fn selected() -> Self {
        Self::Portable
    }

    /// Makes this backend the one that later operations of the process use.
    pub fn select(self) {}

    /// The backend of that name.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`] if no backend has the name or this CPU cannot run it.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::available()
            .find(|backend| backend.name() == name)
            .ok_or(Error::UnknownBackend)
    }

    /// Its name: `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        "portable"
    }
}
