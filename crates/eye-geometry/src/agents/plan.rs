//! An agent's type, region and config, parsed once from the request.

use crate::breeding::{self, Breeding};
use crate::fields::Fields;
use crate::limits::{
    HEARTBEAT_DEFAULT_S, HEARTBEAT_MAX_S, HEARTBEAT_MIN_S, INTERVAL_DEFAULT_MS, INTERVAL_MAX_MS, INTERVAL_MIN_MS,
    PROGRAM_ARGS_LEN_MAX, PROGRAM_BYTES_MAX, REGION_SIDE_MAX, ROUNDS_MAX, RUNS_OF_PROGRAM_MAX, SHADER_BYTES_MAX,
};
use crate::refusal::Refusal;
use serde::Serialize;
use serde_json::{Map, Value};

/// Pixels of the map per grid unit.
pub const GRID_UNIT: f64 = 100.0;

/// A rectangle of the map, in map pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Region {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Region {
    /// Parses the member `region`: in grid units, or in pixels if a member `unit`, inside or beside it, says so.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let missing = || Refusal::invalid("region is required and must be an object with x, y, width, height");
        let region = fields.get("region").and_then(Value::as_object).ok_or_else(missing)?;
        let scale = match region.get("unit").or_else(|| fields.get("unit")).map(Value::as_str) {
            None | Some(Some("grid")) => GRID_UNIT,
            Some(Some("pixels")) => 1.0,
            Some(_) => return Err(Refusal::invalid("unit must be one of: grid, pixels")),
        };
        let number = |name: &str| {
            let number = region.get(name).and_then(Value::as_f64).map(|number| number * scale);
            let number = number.filter(|number| number.abs() <= REGION_SIDE_MAX);
            number.ok_or_else(|| Refusal::invalid("region must have numeric x, y, width, and height properties"))
        };
        let region = Self { x: number("x")?, y: number("y")?, width: number("width")?, height: number("height")? };
        if region.width <= 0.0 || region.height <= 0.0 {
            return Err(Refusal::invalid("region width and height must be positive numbers"));
        }
        Ok(region)
    }
}

/// What an agent does, by its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Looks repeatedly, and reports when enough has changed since its last report.
    Monitor {
        /// The pause between two looks.
        interval_ms: u64,
        /// The share of pixels that must differ, 0 to 1.
        threshold: f64,
    },
    /// Runs a pixel program over its region.
    Executor(Executing),
    /// Breeds its region's shader.
    Evolver {
        /// The seed shader. If absent, the region's own shader.
        seed_shader: Option<String>,
        breeding: Breeding,
        rounds: u64,
        /// Whether to put the result on the map, in the region.
        place: bool,
    },
    /// Measures its region, once or repeatedly.
    Analyzer {
        /// The pause between two looks. If absent, the agent looks once.
        interval_ms: Option<u64>,
    },
}

/// A program, and how often it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Executing {
    /// In the form that `execute_pixel_program` takes.
    pub program: String,
    /// The arguments after those of the region.
    pub args: Vec<f64>,
    /// The pause between two runs.
    pub interval_ms: u64,
    /// How often to run it; 0: until it is stopped.
    pub runs: u64,
}

const HEARTBEAT: &str = "heartbeat_interval";

impl Plan {
    /// The type's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Monitor { .. } => "monitor",
            Self::Executor(_) => "executor",
            Self::Evolver { .. } => "evolver",
            Self::Analyzer { .. } => "analyzer",
        }
    }

    /// The pause between two turns.
    pub fn interval_ms(&self) -> u64 {
        match self {
            Self::Monitor { interval_ms, .. } | Self::Executor(Executing { interval_ms, .. }) => *interval_ms,
            Self::Analyzer { interval_ms } => interval_ms.unwrap_or(INTERVAL_DEFAULT_MS),
            Self::Evolver { .. } => 0,
        }
    }

    /// Parses `agent_type` and `config`. Also returns the heartbeat interval in milliseconds.
    pub fn read(fields: Fields<'_>) -> Result<(Self, u64), Refusal> {
        let none = Map::new();
        let config = match fields.get("config") {
            None => &none,
            Some(config) => config.as_object().ok_or_else(|| Refusal::invalid("config must be an object"))?,
        };
        let config = Fields(config);
        let interval = || config.integer("interval_ms", INTERVAL_MIN_MS..=INTERVAL_MAX_MS);
        let name = fields.get("agent_type").and_then(Value::as_str).unwrap_or("");
        let plan = match name {
            "monitor" => {
                config.only("a monitor's config", &["interval_ms", "threshold", HEARTBEAT])?;
                let threshold = config.number("threshold", 0.0..=1.0)?.unwrap_or(0.0);
                Self::Monitor { interval_ms: interval()?.unwrap_or(INTERVAL_DEFAULT_MS), threshold }
            }
            "executor" => {
                config.only("an executor's config", &["program", "args", "interval_ms", "runs", HEARTBEAT])?;
                let program = config.text("program", PROGRAM_BYTES_MAX)?;
                Self::Executor(Executing {
                    program: program.ok_or_else(|| Refusal::invalid("an executor's config needs program"))?.to_owned(),
                    args: args(config)?,
                    interval_ms: interval()?.unwrap_or(INTERVAL_DEFAULT_MS),
                    runs: config.integer("runs", 0..=RUNS_OF_PROGRAM_MAX)?.unwrap_or(1),
                })
            }
            "evolver" => {
                let own = ["seed_shader", "rounds", "place", HEARTBEAT];
                config.only("an evolver's config", &[&own[..1], &breeding::KEYS, &own[1..]].concat())?;
                Self::Evolver {
                    seed_shader: config.text("seed_shader", SHADER_BYTES_MAX)?.map(str::to_owned),
                    breeding: Breeding::read(config)?,
                    rounds: config.integer("rounds", 1..=ROUNDS_MAX)?.unwrap_or(1),
                    place: config.flag("place")?.unwrap_or(true),
                }
            }
            "analyzer" => {
                config.only("an analyzer's config", &["interval_ms", HEARTBEAT])?;
                Self::Analyzer { interval_ms: interval()? }
            }
            _ => return Err(Refusal::invalid("agent_type must be one of: monitor, executor, evolver, analyzer")),
        };
        let pause_s = config.number(HEARTBEAT, HEARTBEAT_MIN_S..=HEARTBEAT_MAX_S)?.unwrap_or(HEARTBEAT_DEFAULT_S);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within bounds")]
        let heartbeat_ms = (pause_s * 1000.0) as u64;
        Ok((plan, heartbeat_ms))
    }
}

fn args(config: Fields<'_>) -> Result<Vec<f64>, Refusal> {
    let Some(args) = config.get("args") else { return Ok(Vec::new()) };
    let refusal = || Refusal::invalid(format!("args must be a list of at most {PROGRAM_ARGS_LEN_MAX} numbers"));
    let list = args.as_array().filter(|list| list.len() <= PROGRAM_ARGS_LEN_MAX).ok_or_else(refusal)?;
    list.iter().map(|number| number.as_f64().ok_or_else(refusal)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan(value: &Value) -> Result<(Plan, u64), String> {
        Plan::read(Fields(value.as_object().unwrap())).map_err(|refusal| refusal.message)
    }

    fn region(value: &Value) -> Result<Region, String> {
        Region::read(Fields(value.as_object().unwrap())).map_err(|refusal| refusal.message)
    }

    #[test]
    fn a_region_is_in_grid_units_unless_its_unit_says_pixels() {
        let region_in = |unit: Value| json!({ "region": { "x": 2, "y": -1, "width": 0.5, "height": 3, "unit": unit } });
        let (grid, pixels) = (Region { x: 200.0, y: -100.0, width: 50.0, height: 300.0 }, region_in(json!("pixels")));
        assert_eq!(region(&json!({ "region": { "x": 2, "y": -1, "width": 0.5, "height": 3 } })), Ok(grid));
        assert_eq!(region(&region_in(json!("grid"))), Ok(grid));
        assert_eq!(region(&pixels), Ok(Region { x: 2.0, y: -1.0, width: 0.5, height: 3.0 }));
        let beside = json!({ "unit": "pixels", "region": { "x": 2, "y": -1, "width": 0.5, "height": 3 } });
        assert_eq!(region(&beside), region(&pixels));
        for unit in [json!("miles"), json!(7), json!(null)] {
            assert_eq!(region(&region_in(unit)).unwrap_err(), "unit must be one of: grid, pixels");
        }
    }

    #[test]
    fn each_type_has_its_defaults() {
        let read = |name: &str, config: Value| plan(&json!({ "agent_type": name, "config": config })).unwrap();
        assert_eq!(read("monitor", json!(null)), (Plan::Monitor { interval_ms: 1000, threshold: 0.0 }, 5000));
        assert_eq!(
            read("analyzer", json!({ "heartbeat_interval": 1.5 })),
            (Plan::Analyzer { interval_ms: None }, 1500)
        );
        let executing = Executing { program: "01".into(), args: vec![], interval_ms: 1000, runs: 1 };
        assert_eq!(read("executor", json!({ "program": "01" })).0, Plan::Executor(executing));
        assert!(matches!(
            read("evolver", json!({})).0,
            Plan::Evolver { seed_shader: None, rounds: 1, place: true, .. }
        ));
        assert_eq!(plan(&json!({ "agentType": "monitor" })).unwrap().0.name(), "monitor");
    }

    #[test]
    fn what_does_not_fit_is_refused_in_the_seeds_words() {
        for (value, want) in [
            (json!({}), "agent_type must be one of: monitor, executor, evolver, analyzer"),
            (json!({ "agent_type": "spy" }), "agent_type must be one of: monitor, executor, evolver, analyzer"),
            (json!({ "agent_type": "monitor", "config": [] }), "config must be an object"),
            (
                json!({ "agent_type": "monitor", "config": { "intervall_ms": 1 } }),
                "a monitor's config does not take `intervall_ms`; did you mean interval_ms?",
            ),
            (
                json!({ "agent_type": "monitor", "config": { "interval_ms": 199 } }),
                "interval_ms must be an integer between 200 and 3600000",
            ),
            (
                json!({ "agent_type": "monitor", "config": { "threshold": 1.1 } }),
                "threshold must be a number between 0 and 1",
            ),
            (
                json!({ "agent_type": "monitor", "config": { "heartbeat_interval": 0.5 } }),
                "heartbeat_interval must be a number between 1 and 3600",
            ),
            (json!({ "agent_type": "executor" }), "an executor's config needs program"),
            (
                json!({ "agent_type": "executor", "config": { "program": "1", "args": vec![0; 29] } }),
                "args must be a list of at most 28 numbers",
            ),
            (
                json!({ "agent_type": "evolver", "config": { "generations": 101 } }),
                "generations must be an integer between 1 and 100",
            ),
            (
                json!({ "agent_type": "analyzer", "config": { "threshold": 1 } }),
                "an analyzer's config does not take `threshold`; it takes interval_ms, heartbeat_interval",
            ),
        ] {
            assert_eq!(plan(&value).unwrap_err(), want, "{value}");
        }
        for (value, want) in [
            (json!({}), "region is required and must be an object with x, y, width, height"),
            (json!({ "region": 5 }), "region is required and must be an object with x, y, width, height"),
            (
                json!({ "region": { "x": 0, "y": 0, "width": "1", "height": 1 } }),
                "region must have numeric x, y, width, and height properties",
            ),
            (
                json!({ "region": { "x": 1e300, "y": 0, "width": 1, "height": 1 } }),
                "region must have numeric x, y, width, and height properties",
            ),
            (
                json!({ "region": { "x": 0, "y": 0, "width": 0, "height": 1 } }),
                "region width and height must be positive numbers",
            ),
        ] {
            assert_eq!(region(&value).unwrap_err(), want, "{value}");
        }
    }
}
