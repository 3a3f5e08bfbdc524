//! Little address space: what there is goes to the threads first, then to the table.

use std::time::{Duration, Instant};

use super::driver::Driver;
use crate::runner::Text;

#[test]
fn the_table_gives_way_to_the_threads() {
    let mut driver = Driver::with_space(600_000);
    driver.set("Threads", 1);
    driver.set("USI_Hash", 512);
    let told = driver.is_ready().concat();
    told.must_have("error: no memory for a hash table of 512 MB, it has ")
        .must_lack("search thread");
    let lines = driver.go("position startpos\ngo nodes 3000").concat();
    lines.must_have(" nodes 3000 ").must_lack("error");
}

#[test]
fn without_memory_for_a_thread_moves_are_still_searched() {
    let mut driver = Driver::with_space(180_000);
    driver.set("Threads", 1);
    driver
        .is_ready()
        .concat()
        .must_have("no memory for 1 search thread")
        .must_have("moves come from a small search");
    // A gold mates, and a rook hangs.
    for (sfen, best) in
        [("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"), ("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1", "5f5e")]
    {
        assert_eq!(driver.best(&format!("position sfen {sfen}\ngo nodes 3000")), best);
    }
}

#[test]
fn more_threads_than_fit_do_not_take_time() {
    let mut driver = Driver::with_space(1_500_000);
    driver.set("Threads", 8);
    driver.is_ready();
    let begun = Instant::now();
    driver.go("position startpos\ngo movetime 300").concat().must_have("info depth");
    assert!(begun.elapsed() < Duration::from_secs(10));
}
