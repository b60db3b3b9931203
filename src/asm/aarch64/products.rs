//! Sums of products in T_q by instructions that are written down, so that the reductions for one pair
//! of vectors go on beside the multiplications of the next: the compiler puts one behind the other.
//!
//! Of each right factor b there is a table: b0, b1 and gamma b1, a vector of each, so that
//! c0 = a0 b0 + a1 (gamma b1) and c1 = a0 b1 + a1 b0. As with the rounds of Keccak, the instructions
//! have two readings, the text and what the proofs run:
//!
//! | | operands | what it does |
//! | --- | --- | --- |
//! | `pairs` | d e p | takes two vectors of `p`: even lanes into d, odd ones into e |
//! | `table` | d e f p | takes three vectors of `p` |
//! | `mul` | s t x y | the sums of 32 bits in s, for the low lanes, and t become the products of x and y |
//! | `mla` | s t x y | those are added |
//! | `reduce` | d s t | d becomes the Montgomery reduction of the sums, which are lost; 30 has q^-1, 31 q |
//! | `store` | d e | puts two vectors together, and into the result |

use super::super::backend::Q;
use super::super::multiply;
use core::arch::{aarch64::vdupq_n_s16, asm};
use zeroize::Zeroize;

/// Two vectors of every term, multiplied into the sums $a $b, which are c0, and $c $d, which are c1.
/// Behind the first term, those of the pair before, $p $q and $r $s, are reduced and stored.
#[rustfmt::skip]
macro_rules! pair {
    ($read:ident! $($state:ident)?; $terms:tt; $a:literal $b:literal $c:literal $d:literal;
     $($p:literal $q:literal $r:literal $s:literal)?) => {
        pair! { @more $read! $($state)?; $terms; $a $b $c $d;
            pairs 0 1 a0; table 2 3 4 b0;
            mul $a $b 0 2; mul $c $d 0 3; mla $a $b 1 4; mla $c $d 1 2;
            $(reduce 24 $p $q; reduce 25 $r $s; store 24 25;)?
            pairs 5 6 a1; table 26 27 28 b1;
            mla $a $b 5 26; mla $c $d 5 27; mla $a $b 6 28; mla $c $d 6 26;
        }
    };
    (@more $read:ident! $($state:ident)?; 2; $a:literal $b:literal $c:literal $d:literal; $($done:tt)*) => {
        $read! { $($state)? $($done)* }
    };
    (@more $read:ident! $($state:ident)?; 3; $a:literal $b:literal $c:literal $d:literal; $($done:tt)*) => {
        $read! { $($state)? $($done)*
            pairs 0 1 a2; table 2 3 4 b2;
            mla $a $b 0 2; mla $c $d 0 3; mla $a $b 1 4; mla $c $d 1 2;
        }
    };
    (@more $read:ident! $($state:ident)?; 4; $a:literal $b:literal $c:literal $d:literal; $($done:tt)*) => {
        pair! { @more $read! $($state)?; 3; $a $b $c $d; $($done)*
            pairs 5 6 a3; table 26 27 28 b3;
            mla $a $b 5 26; mla $c $d 5 27; mla $a $b 6 28; mla $c $d 6 26;
        }
    };
}

/// What is left when the last pair is multiplied.
macro_rules! end {
    ($read:ident! $($state:ident)?) => {
        $read! { $($state)? reduce 24 20 21; reduce 25 22 23; store 24 25; }
    };
}

/// The text of instructions.
macro_rules! text {
    ($($op:ident $($operand:literal)* $($place:ident)?;)*) => {
        concat!($(instruction!($op $($operand)* $($place)?), "\n"),*)
    };
}

#[rustfmt::skip]
macro_rules! instruction {
    (pairs $d:literal $e:literal $p:ident) => {
        concat!("ld2 {{v", $d, ".8h, v", $e, ".8h}}, [{", stringify!($p), "}], #32")
    };
    (table $d:literal $e:literal $f:literal $p:ident) => {
        concat!("ld1 {{v", $d, ".8h, v", $e, ".8h, v", $f, ".8h}}, [{", stringify!($p), "}], #48")
    };
    (mul $s:literal $t:literal $x:literal $y:literal) => {
        concat!(
            "smull v", $s, ".4s, v", $x, ".4h, v", $y, ".4h\n",
            "smull2 v", $t, ".4s, v", $x, ".8h, v", $y, ".8h"
        )
    };
    (mla $s:literal $t:literal $x:literal $y:literal) => {
        concat!(
            "smlal v", $s, ".4s, v", $x, ".4h, v", $y, ".4h\n",
            "smlal2 v", $t, ".4s, v", $x, ".8h, v", $y, ".8h"
        )
    };
    (reduce $d:literal $s:literal $t:literal) => {
        concat!(
            "uzp1 v", $d, ".8h, v", $s, ".8h, v", $t, ".8h\n",
            "mul v", $d, ".8h, v", $d, ".8h, v30.8h\n",
            "smlsl v", $s, ".4s, v", $d, ".4h, v31.4h\n",
            "smlsl2 v", $t, ".4s, v", $d, ".8h, v31.8h\n",
            "uzp2 v", $d, ".8h, v", $s, ".8h, v", $t, ".8h"
        )
    };
    (store $d:literal $e:literal) => {
        concat!("st2 {{v", $d, ".8h, v", $e, ".8h}}, [{sum}], #32")
    };
}

/// The table of a right factor.
#[derive(Clone, Copy)]
pub(crate) struct Table(pub(super) [i16; 384]);

impl Zeroize for Table {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

macro_rules! sum_of_products {
    ($name:ident: $terms:tt; $($i:literal $a:ident $b:ident),*) => {
        #[inline(always)]
        pub(super) fn $name(terms: [(&[i16; 256], &Table); $terms], sum: &mut [i16; 256]) {
            // SAFETY: of each a, two vectors are read sixteen times, of each table three, and two of the
            // sum are written, which is as many as they have; the registers that change are named.
            unsafe {
                asm!(
                    concat!(
                        pair!(text!; $terms; 16 17 18 19;),
                        "2:\n",
                        pair!(text!; $terms; 20 21 22 23; 16 17 18 19),
                        pair!(text!; $terms; 16 17 18 19; 20 21 22 23),
                        "subs {n}, {n}, #1\n",
                        "b.ne 2b\n",
                        pair!(text!; $terms; 20 21 22 23; 16 17 18 19),
                        end!(text!)
                    ),
                    $(
                        $a = inout(reg) terms[$i].0.as_ptr() => _,
                        $b = inout(reg) terms[$i].1.0.as_ptr() => _,
                    )*
                    sum = inout(reg) sum.as_mut_ptr() => _,
                    n = inout(reg) 7_u64 => _,
                    in("v30") vdupq_n_s16(multiply::Q_INVERSE), in("v31") vdupq_n_s16(Q),
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _,
                    out("v6") _, out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _,
                    out("v21") _, out("v22") _, out("v23") _, out("v24") _, out("v25") _, out("v26") _,
                    out("v27") _, out("v28") _,
                    options(nostack)
                );
            }
        }
    };
}

sum_of_products!(of_two: 2; 0 a0 b0, 1 a1 b1);
sum_of_products!(of_three: 3; 0 a0 b0, 1 a1 b1, 2 a2 b2);
sum_of_products!(of_four: 4; 0 a0 b0, 1 a1 b1, 2 a2 b2, 3 a3 b3);

/// The instructions as the proofs read them.
#[cfg(test)]
pub(in crate::asm) mod read {
    use super::super::super::lanes::Lanes;
    use core::slice;
    use std::vec::Vec;

    /// The registers, and how far it has got in what is read and written.
    struct Machine<'a, L: Lanes> {
        v: [L; 32],
        sums: [L::Wide; 32],
        left: Vec<slice::Iter<'a, [L; 2]>>,
        tables: Vec<slice::Iter<'a, [L; 3]>>,
        result: slice::IterMut<'a, [L; 2]>,
    }

    /// The number in a name such as `a0`.
    fn number(place: &str) -> usize {
        place[1..].parse().expect("a letter and a digit")
    }

    macro_rules! operations {
        ($m:ident $($op:ident $($operand:literal)* $($place:ident)?;)*) => {
            $(operation!($m $op $($operand)* $($place)?);)*
        };
    }

    #[rustfmt::skip]
    macro_rules! operation {
        ($m:ident pairs $d:literal $e:literal $p:ident) => {
            let pair = $m.left[number(stringify!($p))].next().expect("sixteen");
            ($m.v[$d], $m.v[$e]) = L::deinterleave::<1>(pair)
        };
        ($m:ident table $d:literal $e:literal $f:literal $p:ident) => {
            let entry = $m.tables[number(stringify!($p))].next().expect("sixteen");
            [$m.v[$d], $m.v[$e], $m.v[$f]] = *entry
        };
        ($m:ident mul $s:literal $t:literal $x:literal $y:literal) => {
            assert_eq!($s + 1, $t);
            $m.sums[$s] = $m.v[$x].mul_add_wide($m.v[$y], L::zero_wide())
        };
        ($m:ident mla $s:literal $t:literal $x:literal $y:literal) => {
            assert_eq!($s + 1, $t);
            $m.sums[$s] = $m.v[$x].mul_add_wide($m.v[$y], $m.sums[$s])
        };
        ($m:ident reduce $d:literal $s:literal $t:literal) => {
            assert_eq!($s + 1, $t);
            $m.v[$d] = L::montgomery_reduce($m.sums[$s])
        };
        ($m:ident store $d:literal $e:literal) => {
            let pair = $m.result.next().expect("sixteen");
            L::interleave::<1>($m.v[$d], $m.v[$e], pair)
        };
    }

    macro_rules! reading {
        ($m:ident $terms:tt) => {{
            pair!(operations! $m; $terms; 16 17 18 19;);
            for _ in 0..7 {
                pair!(operations! $m; $terms; 20 21 22 23; 16 17 18 19);
                pair!(operations! $m; $terms; 16 17 18 19; 20 21 22 23);
            }
            pair!(operations! $m; $terms; 20 21 22 23; 16 17 18 19);
            end!(operations! $m);
        }};
    }

    pub(in crate::asm) fn sum_of_products<L: Lanes>(
        terms: &[(Vec<L>, Vec<[L; 3]>)],
        sum: &mut [L],
    ) {
        let mut m = Machine {
            v: [L::splat(0); 32],
            sums: [L::zero_wide(); 32],
            left: terms.iter().map(|(a, _)| a.as_chunks().0.iter()).collect(),
            tables: terms.iter().map(|(_, table)| table.iter()).collect(),
            result: sum.as_chunks_mut().0.iter_mut(),
        };
        match terms.len() {
            2 => reading!(m 2),
            3 => reading!(m 3),
            4 => reading!(m 4),
            _ => unreachable!("two to four terms"),
        }
        assert!(m.result.next().is_none(), "all is written");
    }
}
