//! Every limit of geometry, by name. Units and extremes stand last in a name; a test stands at each edge.

/// A shader's source.
pub const SHADER_BYTES_MAX: usize = 64 << 10;
/// Generations of one run.
pub const GENERATIONS_MAX: u32 = 1_000;
/// Shaders alive at once in one run.
pub const POPULATION_MAX: usize = 1_000;
/// The least population that has anybody to choose from.
pub const POPULATION_MIN: usize = 2;
/// Pixels per side of a scored or rendered picture.
pub const PICTURE_SIDE_MAX: u32 = 1_024;
/// The least side of a picture with a neighbourhood to look at.
pub const PICTURE_SIDE_MIN: u32 = 4;
/// Threads of one run.
pub const THREADS_MAX: usize = 64;
/// A cartridge's file.
pub const CARTRIDGE_BYTES_MAX: usize = 16 << 20;
/// Pixels per side of a cartridge.
pub const CARTRIDGE_SIDE_MAX: u32 = 4_096;
/// One text inside a cartridge.
pub const CARTRIDGE_TEXT_BYTES_MAX: usize = 256 << 10;
