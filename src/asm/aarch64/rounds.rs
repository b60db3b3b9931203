//! The 24 rounds of Keccak-f\[1600\] in registers, by instructions that are written down: left to
//! itself, the compiler lets some of the 25 lanes spill, in every round.
//!
//! Each round is one table of instructions with two readings. As text it is what runs; over
//! [`KeccakLanes`] it is what the proofs run. An instruction names its registers, the result first:
//!
//! | | registers | result |
//! | --- | --- | --- |
//! | `eor` | d a b | a ^ b |
//! | `eor3` | d a b c | a ^ b ^ c |
//! | `rax1` | d a b | a ^ rotl(b, 1) |
//! | `xar` | d a b n | rotr(a ^ b, n) |
//! | `bcax` | d a b c | a ^ (b & !c) |
//! | `rotl` | d a n | rotl(a, n), in two instructions: d is not a |
//! | `chi` | d a b c t | a ^ (b & !c), in two instructions: t, which is lost, is not a |
//! | `iota` | d t | d ^ the constant of the round; t is lost |
//!
//! Lane (x, y) is in register 5y + x before and after a round; 25 to 31 are free there. In between
//! it goes where a lane has just left. After rho and pi, three lanes of every row are where chi
//! leaves them. The two others are in the places that those of the next row will have (of rows 0,
//! 2, 1, 4 and 3, which is the order of chi; the last row's are in 25 and 29), so that when chi
//! begins with a row, two of its places are empty, and nothing is ever moved out of the way.

use super::super::keccak::ROUND_CONSTANTS;
#[cfg(test)]
use super::super::lanes::KeccakLanes;
use core::arch::{aarch64::uint64x2_t, asm};

/// A round of the SHA-3 instructions.
#[rustfmt::skip]
macro_rules! sha3_round {
    ($read:ident! $($state:ident)?) => {
        $read! { $($state)?
            // theta: the parities of the columns, and what they add up to: 30, 31, 26, 27, 28.
            eor3 25 0 5 10; eor3 26 1 6 11; eor3 27 2 7 12; eor3 28 3 8 13; eor3 29 4 9 14;
            eor3 25 25 15 20; eor3 26 26 16 21; eor3 27 27 17 22; eor3 28 28 18 23; eor3 29 29 19 24;
            rax1 30 29 26; rax1 31 25 27; rax1 26 26 28; rax1 27 27 29; rax1 28 28 25;
            // That is added; rho and pi.
            eor 0 0 30;
            xar 25 17 26 49; xar 17 15 30 23; xar 15 4 28 37; xar 4 24 28 50; xar 24 21 31 62; xar 21 8 27 9;
            xar 8 13 27 39; xar 13 12 26 21; xar 12 18 27 43; xar 18 14 28 25; xar 14 20 30 46; xar 20 2 26 2;
            xar 29 11 31 54; xar 11 7 26 58; xar 7 19 28 56; xar 19 23 27 8; xar 23 10 30 61; xar 10 1 31 63;
            xar 1 6 31 20; xar 6 9 28 44; xar 9 22 26 3; xar 22 16 31 19; xar 16 5 30 28; xar 5 3 27 36;
            // chi and iota.
            bcax 2 13 4 12; bcax 3 12 0 4; bcax 4 4 1 0; bcax 0 0 13 1; bcax 1 1 12 13;
            iota 0 26;
            bcax 12 8 14 7; bcax 13 7 10 14; bcax 14 14 11 10; bcax 10 10 8 11; bcax 11 11 7 8;
            bcax 7 23 9 22; bcax 8 22 5 9; bcax 9 9 6 5; bcax 5 5 23 6; bcax 6 6 22 23;
            bcax 22 18 24 17; bcax 23 17 20 24; bcax 24 24 21 20; bcax 20 20 18 21; bcax 21 21 17 18;
            bcax 17 29 19 25; bcax 18 25 15 19; bcax 19 19 16 15; bcax 15 15 29 16; bcax 16 16 25 29;
        }
    };
}

/// A round of plain NEON.
#[rustfmt::skip]
macro_rules! neon_round {
    ($read:ident! $($state:ident)?) => {
        $read! { $($state)?
            // theta: the parities of the columns.
            eor 25 0 5; eor 26 1 6; eor 27 2 7; eor 28 3 8; eor 29 4 9;
            eor 25 25 10; eor 26 26 11; eor 27 27 12; eor 28 28 13; eor 29 29 14;
            eor 25 25 15; eor 26 26 16; eor 27 27 17; eor 28 28 18; eor 29 29 19;
            eor 25 25 20; eor 26 26 21; eor 27 27 22; eor 28 28 23; eor 29 29 24;
            // What they add up to is added.
            rotl 30 26 1; eor 30 30 29; eor 0 0 30; eor 5 5 30; eor 10 10 30; eor 15 15 30; eor 20 20 30;
            rotl 31 27 1; eor 31 31 25; eor 1 1 31; eor 6 6 31; eor 11 11 31; eor 16 16 31; eor 21 21 31;
            rotl 30 28 1; eor 30 30 26; eor 2 2 30; eor 7 7 30; eor 12 12 30; eor 17 17 30; eor 22 22 30;
            rotl 31 29 1; eor 31 31 27; eor 3 3 31; eor 8 8 31; eor 13 13 31; eor 18 18 31; eor 23 23 31;
            rotl 30 25 1; eor 30 30 28; eor 4 4 30; eor 9 9 30; eor 14 14 30; eor 19 19 30; eor 24 24 30;
            // rho and pi.
            rotl 25 17 15; rotl 17 15 41; rotl 15 4 27; rotl 4 24 14; rotl 24 21 2; rotl 21 8 55;
            rotl 8 13 25; rotl 13 12 43; rotl 12 18 21; rotl 18 14 39; rotl 14 20 18; rotl 20 2 62;
            rotl 29 11 10; rotl 11 7 6; rotl 7 19 8; rotl 19 23 56; rotl 23 10 3; rotl 10 1 1;
            rotl 1 6 44; rotl 6 9 20; rotl 9 22 61; rotl 22 16 45; rotl 16 5 36; rotl 5 3 28;
            // chi and iota.
            chi 2 13 4 12 26; chi 3 12 0 4 27; chi 4 4 1 0 28; chi 0 0 13 1 30; chi 1 1 12 13 31;
            iota 0 26;
            chi 12 8 14 7 26; chi 13 7 10 14 27; chi 14 14 11 10 28; chi 10 10 8 11 30; chi 11 11 7 8 31;
            chi 7 23 9 22 26; chi 8 22 5 9 27; chi 9 9 6 5 28; chi 5 5 23 6 30; chi 6 6 22 23 31;
            chi 22 18 24 17 26; chi 23 17 20 24 27; chi 24 24 21 20 28; chi 20 20 18 21 30; chi 21 21 17 18 31;
            chi 17 29 19 25 26; chi 18 25 15 19 27; chi 19 19 16 15 28; chi 15 15 29 16 30; chi 16 16 25 29 31;
        }
    };
}

/// The text of a table.
macro_rules! text {
    ($($op:ident $($number:literal)*;)*) => { concat!($(instruction!($op $($number)*), "\n"),*) };
}

#[rustfmt::skip]
macro_rules! instruction {
    (eor $d:literal $a:literal $b:literal) => {
        concat!("eor v", $d, ".16b, v", $a, ".16b, v", $b, ".16b")
    };
    (eor3 $d:literal $a:literal $b:literal $c:literal) => {
        concat!("eor3 v", $d, ".16b, v", $a, ".16b, v", $b, ".16b, v", $c, ".16b")
    };
    (rax1 $d:literal $a:literal $b:literal) => {
        concat!("rax1 v", $d, ".2d, v", $a, ".2d, v", $b, ".2d")
    };
    (xar $d:literal $a:literal $b:literal $n:literal) => {
        concat!("xar v", $d, ".2d, v", $a, ".2d, v", $b, ".2d, #", $n)
    };
    (bcax $d:literal $a:literal $b:literal $c:literal) => {
        concat!("bcax v", $d, ".16b, v", $a, ".16b, v", $b, ".16b, v", $c, ".16b")
    };
    (rotl $d:literal $a:literal $n:literal) => {
        concat!(
            "shl v", $d, ".2d, v", $a, ".2d, #", $n, "\n",
            "sri v", $d, ".2d, v", $a, ".2d, #64 - ", $n
        )
    };
    (chi $d:literal $a:literal $b:literal $c:literal $t:literal) => {
        concat!(
            "bic v", $t, ".16b, v", $b, ".16b, v", $c, ".16b\n",
            "eor v", $d, ".16b, v", $a, ".16b, v", $t, ".16b"
        )
    };
    (iota $d:literal $t:literal) => {
        concat!(
            "ld1r {{v", $t, ".2d}}, [{constant}], #8\n",
            "eor v", $d, ".16b, v", $d, ".16b, v", $t, ".16b"
        )
    };
}

/// A text twice. (`.rept` would hide from the compiler how far its branches have to go.)
macro_rules! twice {
    ($text:expr) => {
        concat!($text, $text)
    };
}

/// A function that runs a table 24 times, with no loop.
macro_rules! rounds {
    ($(#[$doc:meta])* $name:ident: $round:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(a: &mut [uint64x2_t; 25]) {
            // SAFETY: it reads the constants alone, and every register that it changes is named.
            unsafe {
                asm!(
                    twice!(twice!(twice!(concat!(
                        $round!(text!),
                        $round!(text!),
                        $round!(text!)
                    )))),
                    constant = inout(reg) ROUND_CONSTANTS.as_ptr() => _,
                    inout("v0") a[0], inout("v1") a[1], inout("v2") a[2], inout("v3") a[3],
                    inout("v4") a[4], inout("v5") a[5], inout("v6") a[6], inout("v7") a[7],
                    inout("v8") a[8], inout("v9") a[9], inout("v10") a[10], inout("v11") a[11],
                    inout("v12") a[12], inout("v13") a[13], inout("v14") a[14], inout("v15") a[15],
                    inout("v16") a[16], inout("v17") a[17], inout("v18") a[18], inout("v19") a[19],
                    inout("v20") a[20], inout("v21") a[21], inout("v22") a[22], inout("v23") a[23],
                    inout("v24") a[24], out("v25") _, out("v26") _, out("v27") _, out("v28") _,
                    out("v29") _, out("v30") _, out("v31") _,
                    options(readonly, nostack)
                );
            }
        }
    };
}

rounds! {
    /// Two states by the SHA-3 instructions, which its caller has enabled.
    sha3: sha3_round
}
rounds! {
    /// Two states.
    neon: neon_round
}

/// The tables as the proofs read them.
#[cfg(test)]
pub(in crate::asm) mod read {
    use super::*;

    macro_rules! operations {
        ($v:ident $($op:ident $($number:literal)*;)*) => { $(operation!($v $op $($number)*);)* };
    }

    #[rustfmt::skip]
    macro_rules! operation {
        ($v:ident eor $d:literal $a:literal $b:literal) => {
            $v[$d] = $v[$a].xor_rotate::<0>($v[$b])
        };
        ($v:ident eor3 $d:literal $a:literal $b:literal $c:literal) => {
            $v[$d] = $v[$a].xor3($v[$b], $v[$c])
        };
        ($v:ident rax1 $d:literal $a:literal $b:literal) => {
            $v[$d] = $v[$a].xor_rotated($v[$b])
        };
        ($v:ident xar $d:literal $a:literal $b:literal $n:literal) => {
            $v[$d] = $v[$a].xor_rotate::<{ 64 - $n }>($v[$b])
        };
        ($v:ident bcax $d:literal $a:literal $b:literal $c:literal) => {
            $v[$d] = $v[$a].xor_clear($v[$c], $v[$b])
        };
        ($v:ident rotl $d:literal $a:literal $n:literal) => {{
            assert_ne!($d, $a);
            let zero = $v[$a].xor_rotate::<0>($v[$a]);
            $v[$d] = zero.xor_rotate::<$n>($v[$a]);
        }};
        ($v:ident chi $d:literal $a:literal $b:literal $c:literal $t:literal) => {{
            let zero = $v[$a].xor_rotate::<0>($v[$a]);
            $v[$t] = zero.xor_clear($v[$c], $v[$b]);
            $v[$d] = $v[$a].xor_rotate::<0>($v[$t]);
        }};
        ($v:ident iota $d:literal $t:literal) => {
            $v[$d] = $v[$d].xor_constant($v.constant)
        };
    }

    /// The registers, and the constant of the round.
    struct Registers<L> {
        v: [L; 32],
        constant: u64,
    }

    impl<L> core::ops::Index<usize> for Registers<L> {
        type Output = L;

        fn index(&self, i: usize) -> &L {
            &self.v[i]
        }
    }

    impl<L> core::ops::IndexMut<usize> for Registers<L> {
        fn index_mut(&mut self, i: usize) -> &mut L {
            &mut self.v[i]
        }
    }

    macro_rules! reading {
        ($name:ident: $round:ident) => {
            pub(in crate::asm) fn $name<L: KeccakLanes>(a: &mut [L; 25]) {
                let v = core::array::from_fn(|i| a[if i < 25 { i } else { 0 }]);
                let mut registers = Registers { v, constant: 0 };
                for constant in ROUND_CONSTANTS {
                    registers.constant = constant;
                    $round!(operations! registers);
                }
                a.copy_from_slice(&registers.v[..25]);
            }
        };
    }

    reading!(sha3: sha3_round);
    reading!(neon: neon_round);
}
