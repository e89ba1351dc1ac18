//! Every limit of geometry, by name. Units and extremes stand last in a name; a test stands at each edge.

/// Runs of evolution at once; each uses all cores, so more of them only share these.
pub const RUNS_MAX: usize = 2;
/// Runs that wait for their turn.
pub const RUNS_WAITING_MAX: usize = 16;
/// Runs of one connection, under way or waiting.
pub const RUNS_OF_CONNECTION_MAX: usize = 8;
/// Generations that may be asked for over the wire: the seed's bound.
pub const ASKED_GENERATIONS_MAX: u64 = 100;
/// Shaders alive at once that may be asked for over the wire.
pub const ASKED_POPULATION_MAX: u64 = 200;
/// How long a run may take when it does not say: less than the 60 s that a page waits.
pub const TIME_BUDGET_DEFAULT_MS: u64 = 55_000;
/// The least that a run may ask for.
pub const TIME_BUDGET_MIN_MS: u64 = 100;
/// The most that a run may ask for.
pub const TIME_BUDGET_MAX_MS: u64 = 600_000;
/// Pixels per side of the picture that a run scores.
pub const SCORED_SIDE: u32 = 64;
/// Pixels per side of a stored cartridge.
pub const STORED_SIDE: u32 = 256;
/// A request's id, as JSON.
pub const REQUEST_ID_BYTES_MAX: usize = 256;

/// Cartridges in the store; the oldest gives way.
pub const STORE_LEN_MAX: usize = 256;
/// Their files, summed.
pub const STORE_BYTES_MAX: u64 = 64 << 20;
/// A cartridge's id.
pub const CARTRIDGE_ID_BYTES_MAX: usize = 64;

/// Area agents of one session that have not ended.
pub const AGENTS_OF_SESSION_MAX: usize = 16;
/// Area agents of one hub that have not ended.
pub const AGENTS_MAX: usize = 64;
/// Area agents that have ended and are still told of.
pub const AGENTS_ENDED_LEN_MAX: usize = 64;
/// How often an agent may look at its region.
pub const INTERVAL_MIN_MS: u64 = 200;
/// The longest pause between two looks.
pub const INTERVAL_MAX_MS: u64 = 3_600_000;
/// The pause when an agent does not say.
pub const INTERVAL_DEFAULT_MS: u64 = 1_000;
/// The pause between two signs of life, when an agent does not say.
pub const HEARTBEAT_DEFAULT_S: f64 = 5.0;
/// The shortest such pause.
pub const HEARTBEAT_MIN_S: f64 = 1.0;
/// The longest such pause.
pub const HEARTBEAT_MAX_S: f64 = 3_600.0;
/// Times that an executor may run its program; more is asked for by 0, which runs until it is stopped.
pub const RUNS_OF_PROGRAM_MAX: u64 = 100_000;
/// A pixel program.
pub const PROGRAM_BYTES_MAX: usize = 256 << 10;
/// Arguments of a pixel program beyond its region.
pub const PROGRAM_ARGS_LEN_MAX: usize = 28;
/// Times that one evolver may breed.
pub const ROUNDS_MAX: u64 = 100;
/// An agent that fails so often in a row ends.
pub const FAILURES_MAX: u32 = 3;
/// How soon a failed turn is tried again, at least.
pub const RETRY_MS: u64 = 1_000;
/// The most map pixels that a region may span, each way.
pub const REGION_SIDE_MAX: f64 = 1e9;
/// The most pixels that a page may give of a region, each way; it leaves out rows and columns to keep it.
pub const REGION_PIXELS_SIDE_MAX: u32 = 512;

/// A shader's source.
pub const SHADER_BYTES_MAX: usize = 64 << 10;
/// Generations of one run.
pub const GENERATIONS_MAX: u32 = 1_000;
/// Shaders alive at once in one run.
pub const POPULATION_MAX: usize = 1_000;
/// The smallest population from which parents can be chosen.
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
/// Bytes between two `;`, `{` or `}` of a shader: what a compiler that recurses over an expression can be asked to
/// bear.
pub const EXPRESSION_BYTES_MAX: usize = 4 << 10;
/// The stack of every thread that parses, breeds or paints, so that no nesting inside the limits runs out of it.
pub const STACK_BYTES: usize = 64 << 20;
/// Attempts to make a child that is a shader; after that its place stays empty.
pub const CHILD_ATTEMPTS_MAX: u32 = 16;
/// A child may always be this long, and always four times as long as its seed.
pub const CHILD_BYTES_MIN: usize = 4 << 10;
/// A tile of a child may always take this many instructions, and always eight times as many as its seed.
pub const CHILD_STEPS_MIN: u64 = 1 << 12;
