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
pub const CARTRIDGE_SIDE_MAX: u32 = 2_048;
/// One text inside a cartridge.
pub const CARTRIDGE_TEXT_BYTES_MAX: usize = 256 << 10;

/// Numbers that a compiled shader may hold at once; each takes half a KiB per thread.
pub const REGISTERS_MAX: u32 = 16_384;
/// Instructions of a compiled shader.
pub const INSTRUCTIONS_MAX: usize = 65_536;
/// Instructions that a tile of pixels may take; whatever takes more is taken to be endless.
pub const TILE_STEPS_MAX: u64 = 1 << 18;
/// Bytes between two `;`, `{` or `}` of a shader: what a compiler that recurses over an expression can be asked to bear.
pub const EXPRESSION_BYTES_MAX: usize = 4 << 10;
/// The stack of every thread that parses, breeds or paints, so that no nesting inside the limits runs out of it.
pub const STACK_BYTES: usize = 64 << 20;
/// Attempts to make a child that is a shader; after that its place stays empty.
pub const CHILD_ATTEMPTS_MAX: u32 = 16;
/// A child may always be this long, and always four times as long as its seed.
pub const CHILD_BYTES_MIN: usize = 4 << 10;
/// A tile of a child may always take this many instructions, and always eight times as many as its seed.
pub const CHILD_STEPS_MIN: u64 = 1 << 12;
