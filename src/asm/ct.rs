//! Comparison and selection of secrets without a branch.

/// All ones or all zeros; nothing tells the optimiser which.
#[derive(Clone, Copy)]
pub(crate) struct Mask(u64);

impl Mask {
    /// Whether it is all ones: for an answer that is public.
    pub(crate) fn is_set(self) -> bool {
        self.0 != 0
    }
}

/// Hides from the optimiser what it knows of `x`, so that it cannot turn a mask back into a branch.
#[inline(always)]
pub(super) fn barrier(x: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut x = x;
        // SAFETY: the assembly is empty; it only claims to have changed x.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    core::hint::black_box(x)
}

/// Whether two byte strings of one length are equal. The time depends on the length alone.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> Mask {
    assert_eq!(a.len(), b.len(), "lengths are public and equal");
    let (a8, a1) = a.as_chunks();
    let (b8, b1) = b.as_chunks();
    let words = a8
        .iter()
        .zip(b8)
        .map(|(a, b)| u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b));
    let bytes = a1.iter().zip(b1).map(|(a, b)| u64::from(a ^ b));
    let difference = barrier(words.chain(bytes).fold(0, |all, x| all | x));
    // The top bit of x | -x is set unless x is 0.
    Mask(barrier(
        ((difference | difference.wrapping_neg()) >> 63).wrapping_sub(1),
    ))
}

/// Copies `from` over `to` where the mask is ones; leaves `to` where it is zeros.
pub(crate) fn copy_if(mask: Mask, to: &mut [u8; 32], from: &[u8; 32]) {
    let mask = barrier(mask.0) as u8;
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= mask & (*to ^ from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_bit_counts() {
        let a = [0x5a; 1088 + 3];
        for bit in 0..8 * a.len() {
            let mut b = a;
            b[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(equal(&a, &b).0, 0, "bit {bit}");
        }
        assert_eq!(equal(&a, &a).0, u64::MAX);
        assert_eq!(equal(&[], &[]).0, u64::MAX);
    }

    #[test]
    fn copies_all_or_nothing() {
        let (from, mut to) = ([7; 32], [1; 32]);
        copy_if(equal(&[1], &[2]), &mut to, &from);
        assert_eq!(to, [1; 32]);
        copy_if(equal(&[1], &[1]), &mut to, &from);
        assert_eq!(to, from);
    }
}
