//! The allocator. The system's allocator keeps memory after a peak; jemalloc returns it within seconds.

#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Lets a background thread return free memory to the system. Only for a hub: a command has ended by then.
pub fn give_back() {
    #[cfg(all(target_os = "linux", feature = "jemalloc"))]
    // If the thread cannot be started, memory is returned during later allocations.
    let _ = tikv_jemalloc_ctl::background_thread::write(true);
}
