//! All limits of geometry. Each has a test at its edge. Units and extremes come last in a name.

/// Evolution runs at once. Each uses all cores, so more of them would only share these.
pub const RUNS_MAX: usize = 2;
/// Runs that may wait for their turn.
pub const RUNS_WAITING_MAX: usize = 16;
/// Runs of one connection, running or waiting.
pub const RUNS_OF_CONNECTION_MAX: usize = 8;
/// Generations that a request over the wire may ask for: the bound of the original app.
pub const ASKED_GENERATIONS_MAX: u64 = 100;
/// Shaders alive at once that a request over the wire may ask for.
pub const ASKED_POPULATION_MAX: u64 = 200;
/// The time of a run if the request names none: less than the 60 s that a page waits.
pub const TIME_BUDGET_DEFAULT_MS: u64 = 55_000;
/// The shortest time that a request may name.
pub const TIME_BUDGET_MIN_MS: u64 = 100;
/// The longest time that a request may name.
pub const TIME_BUDGET_MAX_MS: u64 = 600_000;
/// Pixels per side of the picture that a run scores.
pub const SCORED_SIDE: u32 = 64;
/// Pixels per side of a stored cartridge.
pub const STORED_SIDE: u32 = 256;
/// The length of a request's id, as JSON.
pub const REQUEST_ID_BYTES_MAX: usize = 256;

/// Cartridges in the store; the oldest are removed.
pub const STORE_LEN_MAX: usize = 256;
/// The size of all their files together.
pub const STORE_BYTES_MAX: u64 = 64 << 20;
/// The length of a cartridge's id.
pub const CARTRIDGE_ID_BYTES_MAX: usize = 64;

/// Area agents of one session that have not ended.
pub const AGENTS_OF_SESSION_MAX: usize = 16;
/// Area agents of one hub that have not ended.
pub const AGENTS_MAX: usize = 64;
/// Ended area agents that are still listed.
pub const AGENTS_ENDED_LEN_MAX: usize = 64;
/// The shortest pause between two looks of an agent at its region.
pub const INTERVAL_MIN_MS: u64 = 200;
/// The longest pause between two looks.
pub const INTERVAL_MAX_MS: u64 = 3_600_000;
/// The pause if the agent's config names none.
pub const INTERVAL_DEFAULT_MS: u64 = 1_000;
/// The heartbeat interval if the agent's config names none.
pub const HEARTBEAT_DEFAULT_S: f64 = 5.0;
/// The shortest heartbeat interval.
pub const HEARTBEAT_MIN_S: f64 = 1.0;
/// The longest heartbeat interval.
pub const HEARTBEAT_MAX_S: f64 = 3_600.0;
/// How often an executor may run its program. 0 is also allowed: it runs until it is stopped.
pub const RUNS_OF_PROGRAM_MAX: u64 = 100_000;
/// The size of a pixel program.
pub const PROGRAM_BYTES_MAX: usize = 256 << 10;
/// Arguments of a pixel program beyond its region.
pub const PROGRAM_ARGS_LEN_MAX: usize = 28;
/// How often one evolver may breed.
pub const ROUNDS_MAX: u64 = 100;
/// An agent ends after this many failures in a row.
pub const FAILURES_MAX: u32 = 3;
/// The shortest pause before a failed turn is repeated.
pub const RETRY_MS: u64 = 1_000;
/// The largest width or height of a region, in map pixels.
pub const REGION_SIDE_MAX: f64 = 1e9;
/// The largest width or height of a page's picture of a region. The page skips rows and columns to keep it.
pub const REGION_PIXELS_SIDE_MAX: u32 = 512;

/// The size of a shader's source.
pub const SHADER_BYTES_MAX: usize = 64 << 10;
/// Generations of one run.
pub const GENERATIONS_MAX: u32 = 1_000;
/// Shaders alive at once in one run.
pub const POPULATION_MAX: usize = 1_000;
/// The smallest population from which parents can be chosen.
pub const POPULATION_MIN: usize = 2;
/// Pixels per side of a scored or rendered picture.
pub const PICTURE_SIDE_MAX: u32 = 1_024;
/// The smallest side of a picture in which pixels have neighbours to compare with.
pub const PICTURE_SIDE_MIN: u32 = 4;
/// Threads of one run.
pub const THREADS_MAX: usize = 64;
/// The size of a cartridge's file.
pub const CARTRIDGE_BYTES_MAX: usize = 16 << 20;
/// Pixels per side of a cartridge.
pub const CARTRIDGE_SIDE_MAX: u32 = 2_048;
/// The size of one text inside a cartridge.
pub const CARTRIDGE_TEXT_BYTES_MAX: usize = 256 << 10;

/// The registers of a compiled shader. Each takes half a KiB per thread.
pub const REGISTERS_MAX: u32 = 16_384;
/// The instructions of a compiled shader.
pub const INSTRUCTIONS_MAX: usize = 65_536;
/// Instructions that a tile of pixels may take. A shader that takes more counts as endless.
pub const TILE_STEPS_MAX: u64 = 1 << 18;
/// Bytes between two `;`, `{` or `}` of a shader: bounds how deep a compiler recurses into one expression.
pub const EXPRESSION_BYTES_MAX: usize = 4 << 10;
/// The stack of every thread that parses, breeds or paints. No nesting within the limits overflows it.
pub const STACK_BYTES: usize = 64 << 20;
/// Attempts to make a valid child. After that its place stays empty.
pub const CHILD_ATTEMPTS_MAX: u32 = 16;
/// A child may be at least this long. Its limit is this or four times the length of its seed, whichever is larger.
pub const CHILD_BYTES_MIN: usize = 4 << 10;
/// A tile of a child may take at least this many instructions. Its limit is this or eight times those of its seed,
/// whichever is larger.
pub const CHILD_STEPS_MIN: u64 = 1 << 12;
