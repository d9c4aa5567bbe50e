//! What is kept of results: every byte stays what it was.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::thread;

use bowshot_memory::{Memory, keeps, of_result};

#[global_allocator]
static MEMORY: Memory = Memory;

/// A generator of numbers that needs no crate: xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

fn array(size: usize, byte: u8) -> Vec<u8> {
    let mut array = of_result(|| Vec::with_capacity(size));
    array.resize(size, byte);
    array
}

#[test]
fn zeroes_are_zeroes_after_others_were_there() {
    keeps(true);
    for round in 0..5 {
        let full: Vec<Vec<u8>> = (0..40).map(|_| array(3_000_000, 0xff)).collect();
        drop(full);
        let zeroes: Vec<Vec<u8>> = (0..40).map(|_| of_result(|| vec![0_u8; 2_900_000 + round])).collect();
        assert!(zeroes.iter().all(|zeroes| zeroes.iter().all(|byte| *byte == 0)));
    }
}

#[test]
fn blocks_of_every_size_grow_and_shrink() {
    keeps(true);
    let mut array: Vec<u32> = of_result(|| Vec::with_capacity(2_000));
    for number in 0..3_000_000 {
        array.push(number);
    }
    for size in [2_000_000, 1_500_000, 300_000, 5_000, 1_000, 10] {
        array.truncate(size);
        array.shrink_to_fit();
        assert!(array.iter().copied().eq(0..u32::try_from(size).unwrap()), "{size}");
    }
    array.extend(10..400_000);
    assert!(array.into_iter().eq(0..400_000));
}

#[test]
fn what_is_let_go_of_batch_by_batch_is_the_systems() {
    let place = |array: &Vec<u8>| array.as_ptr().addr();
    let (first, second) = (array(100_000, 1), of_result(|| vec![0_u8; 100_000]));
    keeps(true);
    let third = array(100_000, 1);
    let other = vec![0_u8; 100_000];
    // The range of the areas is far from everything else.
    let distance = |one: &Vec<u8>| place(one).abs_diff(place(&third));
    assert!([&first, &second, &other].into_iter().all(|one| distance(one) > 32 << 20));
}

#[test]
fn threads_have_their_blocks_to_themselves() {
    let worker = |seed: u64| {
        keeps(true);
        let mut numbers = Numbers(seed);
        let mut held: Vec<(Vec<u64>, u64)> = Vec::new();
        for round in 0..4_000_u64 {
            if held.len() > 20 {
                let (array, number) = held.swap_remove(numbers.below(20));
                assert!(array.iter().all(|found| *found == number), "{seed} {round}");
                if round % 3 == 0 {
                    // Given back by another thread.
                    thread::spawn(move || drop(array)).join().unwrap();
                }
            }
            let size = 1 << numbers.below(19);
            let number = seed ^ round;
            let mut array = of_result(|| Vec::with_capacity(size));
            array.resize(size + numbers.below(size), number);
            held.push((array, number));
        }
        held.into_iter().all(|(array, number)| array.iter().all(|found| *found == number))
    };
    let workers: Vec<_> = (1..5).map(|seed| thread::spawn(move || worker(seed * 7919))).collect();
    assert!(workers.into_iter().all(|worker| worker.join().unwrap()));
}
