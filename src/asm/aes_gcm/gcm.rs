//! Counter mode and GHASH, SP 800-38D, over vectors of blocks.
//!
//! In batches of [`BATCH`] vectors: while the CPU encrypts the counters of one, it hashes another,
//! between the rounds. A batch of n blocks is multiplied by the powers n to 1 of the hash key, so
//! that the sum needs one reduction.
//!
//! A product of two numbers in GHASH's order of bits has every coefficient one bit too low, which is
//! one power of x too high. So the powers are kept divided by x (modulo GHASH's polynomial). Products
//! are Karatsuba's, of three multiplications; the sum of a power's halves, which the third one takes,
//! is kept too.

use super::TAG_LEN;
use super::blocks::{Blocks, MAX_WIDTH, RoundKeys};
use zeroize::{Zeroize, Zeroizing};

/// Vectors in a batch: enough chains of AES rounds for a latency of eight times their throughput.
const BATCH: usize = 8;

/// The most bytes in a batch.
const MAX_BATCH_LEN: usize = 16 * BATCH * MAX_WIDTH;

/// A number.
type Block = [u8; 16];

/// A number for each power of the hash key as a batch needs them: BATCH * WIDTH, ..., 1. Behind them
/// zeros, which the last vector of what is less than a batch may meet.
type Powers = [Block; BATCH * MAX_WIDTH + MAX_WIDTH];

/// A key, expanded for vectors of some width. Zeroized when dropped.
pub(super) struct Key {
    rounds: [Block; 15],
    powers: Powers,
    /// The sum of each power's halves, in both halves.
    sums: Powers,
}

impl Key {
    /// The powers from number `i` on, and their sums.
    #[inline(always)]
    fn powers<V: Blocks>(&self, i: usize) -> (V, V) {
        let load = |all: &Powers| V::load(&all.as_flattened()[16 * i..16 * (i + V::WIDTH)]);
        (load(&self.powers), load(&self.sums))
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.rounds.as_flattened_mut().zeroize();
        self.powers.as_flattened_mut().zeroize();
        self.sums.as_flattened_mut().zeroize();
    }
}

/// KeyExpansion, FIPS 197 Algorithm 2, and the powers of the hash key.
#[inline(always)]
pub(super) fn expand<V: Blocks>(key: &[u8; 32]) -> Key {
    let mut expanded = Key {
        rounds: [[0; 16]; 15],
        powers: [[0; 16]; _],
        sums: [[0; 16]; _],
    };
    let (words, _) = expanded.rounds.as_flattened_mut().as_chunks_mut::<4>();
    words.as_flattened_mut()[..32].copy_from_slice(key);
    let mut constant = 1;
    for i in 8..words.len() {
        let mut word = u32::from_le_bytes(words[i - 1]);
        match i & 7 {
            0 => {
                word = V::sub_word(word.rotate_right(8)) ^ constant;
                constant <<= 1;
            }
            4 => word = V::sub_word(word),
            _ => {}
        }
        word ^= u32::from_le_bytes(words[i - 8]);
        words[i] = word.to_le_bytes();
    }

    let hash_key = V::broadcast(&[0; 16]);
    let hash_key = encrypt(&round_keys(&expanded), hash_key).reversed();
    let hash_key = u128::from_le_bytes(first(hash_key));
    // Divided by x: a bit goes one place up, and the coefficient of 1, which was the highest, to
    // 1/x = x^127 + x^6 + x + 1.
    let carry = (hash_key >> 127).wrapping_neg();
    let hash_key = (hash_key << 1) ^ (carry & (POLYNOMIAL << 64 | 1));
    let hash_key = V::broadcast(&hash_key.to_le_bytes());
    let mut power = hash_key;
    for i in (0..BATCH * V::WIDTH).rev() {
        expanded.powers[i] = first(power);
        expanded.sums[i] = first(halves(power));
        let mut product = Sum::zero();
        product.add(power, (hash_key, halves(hash_key)));
        power = product.reduce();
    }
    expanded
}

/// Encrypts `data`, and gives the tag.
#[inline(always)]
pub(super) fn seal<V: Blocks>(key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
    let mut stream = Stream::<V>::new(key, nonce);
    let mask = stream.mask;
    let len = data.len();
    let mut hash = V::first(&[0; 16]);
    let (mut batches, rest) = batches_mut::<V>(data);
    if let Some(mut last) = batches.next() {
        xor(last, &stream.next(|_| {}));
        for batch in batches {
            let mut sum = Sum::zero();
            let key_stream =
                stream.next(|i| sum.add_vector(i, last, hash, key.powers(i * V::WIDTH)));
            hash = sum.reduce().sum();
            xor(batch, &key_stream);
            last = batch;
        }
        let mut sum = Sum::zero();
        (0..BATCH).for_each(|i| sum.add_vector(i, last, hash, key.powers(i * V::WIDTH)));
        hash = sum.reduce().sum();
    }
    if !rest.is_empty() {
        let mut block = Zeroizing::new([0; MAX_BATCH_LEN]);
        block[..rest.len()].copy_from_slice(rest);
        let key_stream = stream.next(|_| {});
        xor(&mut block[..16 * BATCH * V::WIDTH], &key_stream);
        rest.copy_from_slice(&block[..rest.len()]);
        block[rest.len()..].fill(0);
        hash = hash_blocks(key, &block[..], rest.len().div_ceil(16), hash);
    }
    tag(key, hash, len, mask)
}

/// Decrypts `data`, and gives the tag that it should have had.
#[inline(always)]
pub(super) fn open<V: Blocks>(key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
    let mut stream = Stream::<V>::new(key, nonce);
    let mask = stream.mask;
    let len = data.len();
    let mut hash = V::first(&[0; 16]);
    let (batches, rest) = batches_mut::<V>(data);
    for batch in batches {
        let mut sum = Sum::zero();
        let key_stream = stream.next(|i| sum.add_vector(i, batch, hash, key.powers(i * V::WIDTH)));
        hash = sum.reduce().sum();
        xor(batch, &key_stream);
    }
    if !rest.is_empty() {
        let mut block = Zeroizing::new([0; MAX_BATCH_LEN]);
        block[..rest.len()].copy_from_slice(rest);
        hash = hash_blocks(key, &block[..], rest.len().div_ceil(16), hash);
        let key_stream = stream.next(|_| {});
        xor(&mut block[..16 * BATCH * V::WIDTH], &key_stream);
        rest.copy_from_slice(&block[..rest.len()]);
    }
    tag(key, hash, len, mask)
}

/// Whole batches, and what is less than one.
#[inline(always)]
fn batches_mut<V: Blocks>(data: &mut [u8]) -> (impl Iterator<Item = &mut [u8]>, &mut [u8]) {
    let batch_len = 16 * BATCH * V::WIDTH;
    let whole = data.len() & !(batch_len - 1);
    let (whole, rest) = data.split_at_mut(whole);
    (whole.chunks_exact_mut(batch_len), rest)
}

#[inline(always)]
fn xor<V: Blocks>(batch: &mut [u8], key_stream: &[V; BATCH]) {
    for (bytes, x) in batch.chunks_exact_mut(16 * V::WIDTH).zip(key_stream) {
        V::load(bytes).xor(*x).store(bytes);
    }
}

/// GHASH of `count` more blocks, at most a batch, behind which are zeros.
#[inline(always)]
fn hash_blocks<V: Blocks>(key: &Key, blocks: &[u8], count: usize, hash: V) -> V {
    let mut sum = Sum::zero();
    for i in 0..count.div_ceil(V::WIDTH) {
        sum.add_vector(i, blocks, hash, key.powers((BATCH + i) * V::WIDTH - count));
    }
    sum.reduce().sum()
}

/// The tag of `len` bytes whose blocks gave `hash`.
#[inline(always)]
fn tag<V: Blocks>(key: &Key, hash: V, len: usize, mask: V) -> [u8; TAG_LEN] {
    let mut block = [0; 16 * MAX_WIDTH];
    block[8..16].copy_from_slice(&(8 * len as u64).to_be_bytes());
    first(hash_blocks(key, &block, 1, hash).reversed().xor(mask))
}

/// The first block.
#[inline(always)]
fn first<V: Blocks>(x: V) -> Block {
    let mut blocks = [0; 16 * MAX_WIDTH];
    x.store(&mut blocks[..16 * V::WIDTH]);
    *blocks.first_chunk().expect("four blocks")
}

#[inline(always)]
fn round_keys<V: Blocks>(key: &Key) -> RoundKeys<V> {
    key.rounds.each_ref().map(V::broadcast)
}

/// AES of every block.
#[inline(always)]
fn encrypt<V: Blocks>(keys: &RoundKeys<V>, x: V) -> V {
    (0..13)
        .fold(x.start(keys), |x, i| x.round(keys, i))
        .end(keys)
}

/// The key stream of a message.
struct Stream<V> {
    keys: RoundKeys<V>,
    /// The counters of the next vector, as numbers.
    counters: V,
    /// What the tag is encrypted with, in every place.
    mask: V,
}

impl<V: Blocks> Stream<V> {
    #[inline(always)]
    fn new(key: &Key, nonce: &[u8; 12]) -> Self {
        let keys = round_keys(key);
        let mut block = [0; 16];
        block[..12].copy_from_slice(nonce);
        let number = u128::from_be_bytes(block);
        let mut counters = [[0; 16]; MAX_WIDTH];
        for (counter, i) in counters.iter_mut().zip(2..) {
            *counter = (number + i).to_le_bytes();
        }
        let mask = V::broadcast(&(number + 1).to_be_bytes());
        Self {
            mask: encrypt(&keys, mask),
            keys,
            counters: V::load(&counters.as_flattened()[..16 * V::WIDTH]),
        }
    }

    /// The key stream of a batch. `beside` is called for each of its vectors, between the rounds.
    #[inline(always)]
    fn next(&mut self, mut beside: impl FnMut(usize)) -> [V; BATCH] {
        let keys = &self.keys;
        let mut x: [V; BATCH] = core::array::from_fn(|i| {
            let counters = self.counters.count((i * V::WIDTH) as u32);
            counters.reversed().start(keys)
        });
        self.counters = self.counters.count((BATCH * V::WIDTH) as u32);
        for round in 0..13 {
            x = x.map(|x| x.round(keys, round));
            if round < BATCH {
                beside(round);
            }
        }
        x.map(|x| x.end(keys))
    }
}

/// GHASH's polynomial divided by x, which is x^127 + x^6 + x + 1 + 1/x, as a number: the upper half of
/// its lower 128 bits. The lower half of them is 1, and the bit above them, 1/x, is 1.
const POLYNOMIAL: u128 = 0xc200_0000_0000_0000;

/// The sum of the halves of every block, in both.
#[inline(always)]
fn halves<V: Blocks>(x: V) -> V {
    x.xor(x.swap_halves())
}

/// A sum of products, not yet reduced: what is at x^0, x^64 and x^128 of the numbers.
struct Sum<V> {
    low: V,
    middle: V,
    high: V,
}

impl<V: Blocks> Sum<V> {
    #[inline(always)]
    fn zero() -> Self {
        let zero = V::first(&[0; 16]);
        Self {
            low: zero,
            middle: zero,
            high: zero,
        }
    }

    /// Adds a b, where the sum of b's halves is `b_halves`. What is in the middle takes
    /// [`Self::reduce`] to be complete.
    #[inline(always)]
    fn add(&mut self, a: V, (b, b_halves): (V, V)) {
        self.low = self.low.xor(a.multiply::<0, 0>(b));
        self.high = self.high.xor(a.multiply::<1, 1>(b));
        self.middle = self.middle.xor(halves(a).multiply::<0, 0>(b_halves));
    }

    /// Adds the product of vector `i` of some blocks; the hash of what is before them goes with the
    /// first.
    #[inline(always)]
    fn add_vector(&mut self, i: usize, blocks: &[u8], hash: V, powers: (V, V)) {
        let x = V::load(&blocks[16 * i * V::WIDTH..16 * (i + 1) * V::WIDTH]).reversed();
        self.add(if i == 0 { x.xor(hash) } else { x }, powers);
    }

    /// The sum modulo GHASH's polynomial. Its multiples by the lowest and the second quarter take
    /// those quarters away.
    #[inline(always)]
    fn reduce(self) -> V {
        let polynomial = V::broadcast(&POLYNOMIAL.to_le_bytes());
        let fold = |low: V, high: V| {
            let product = low.multiply::<0, 0>(polynomial);
            high.xor(low.swap_halves()).xor(product)
        };
        let middle = self.middle.xor(self.low).xor(self.high);
        fold(fold(self.low, middle), self.high)
    }
}
