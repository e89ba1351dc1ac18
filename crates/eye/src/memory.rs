//! Where memory comes from. The system's own allocator keeps what a peak took; this one gives it back within seconds.

#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Lets a thread of its own give free memory back to the system. For a hub: a command has ended by then.
pub fn give_back() {
    #[cfg(all(target_os = "linux", feature = "jemalloc"))]
    // Without that thread memory is given back with later work.
    let _ = tikv_jemalloc_ctl::background_thread::write(true);
}
