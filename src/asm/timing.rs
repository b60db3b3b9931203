//! Timing that does not depend on data, where a CPU has to be asked for it.

use core::marker::PhantomData;

/// While it lives, this thread runs with `PSTATE.DIT` set, if the CPU has FEAT_DIT: the
/// instructions that Arm lists then take a time independent of the data in their registers. What it
/// was before comes back with the guard's end. On other CPUs it does nothing.
///
/// It says nothing about addresses and branches: those the kernels have to keep free of secrets.
#[must_use = "it ends when it is dropped"]
pub(crate) struct DataIndependentTiming {
    /// Whether this guard set what was not set.
    #[cfg(target_arch = "aarch64")]
    set: bool,
    /// The state is the thread's.
    _thread: PhantomData<*mut ()>,
}

impl DataIndependentTiming {
    #[inline(always)]
    pub(crate) fn begin() -> Self {
        Self {
            #[cfg(target_arch = "aarch64")]
            set: dit::is_set() == Some(false) && {
                dit::write(true);
                true
            },
            _thread: PhantomData,
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl Drop for DataIndependentTiming {
    #[inline(always)]
    fn drop(&mut self) {
        if self.set {
            dit::write(false);
        }
    }
}

/// The register, by its encoding: assemblers know the name for newer CPUs alone.
#[cfg(target_arch = "aarch64")]
mod dit {
    use core::arch::asm;

    const BIT: u64 = 1 << 24;

    /// `None` where there is none.
    #[inline(always)]
    pub(super) fn is_set() -> Option<bool> {
        cpufeatures::new!(features, "dit");
        features::get().then(|| {
            let register: u64;
            // SAFETY: the CPU has the register, and programs may read it.
            unsafe {
                asm!("mrs {}, s3_3_c4_c2_5", out(reg) register, options(nomem, nostack, preserves_flags));
            }
            register & BIT != 0
        })
    }

    /// To be called where [`is_set`] is not `None`.
    #[inline(always)]
    pub(super) fn write(set: bool) {
        let register = if set { BIT } else { 0 };
        // SAFETY: the CPU has the register, and programs may write it. That memory is not named
        // keeps the accesses of a kernel between its guard's ends.
        unsafe {
            asm!("msr s3_3_c4_c2_5, {}", in(reg) register, options(nostack, preserves_flags));
        }
    }
}

#[cfg(all(test, target_arch = "aarch64"))]
mod tests {
    use super::*;

    #[test]
    fn guards_nest_and_restore() {
        let before = dit::is_set();
        let expected = before.map(|_| true);
        let outer = DataIndependentTiming::begin();
        assert_eq!(dit::is_set(), expected);
        drop(DataIndependentTiming::begin());
        assert_eq!(dit::is_set(), expected);
        drop(outer);
        assert_eq!(dit::is_set(), before);
    }
}
