//! The size of values, and the budget of steps for working on them.

use eye_protocol::scan::Pause;
use serde_json::Value;

/// Bytes of one value where it stands: in an array, or as the document itself.
pub(super) const VALUE_BYTES: usize = size_of::<Value>();
/// Bytes of one member of an object beside its value and the text of its name.
const MEMBER_BYTES: usize = 48;
/// Bytes of an allocation beside its contents.
const ALLOCATION_BYTES: usize = 16;
/// Bytes of text that are compared, copied or freed in one step.
pub(super) const BYTES_A_STEP: usize = 64;

/// Steps that take about a tenth of a millisecond.
const STEPS_A_PAUSE: usize = 5_000;

/// A budget of steps, with pauses for others' turns.
#[derive(Debug)]
pub struct Meter {
    left: u64,
    pause: Pause,
    steps_to_pause: usize,
}

/// Why a patch is not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Not a patch, or not one of this document.
    Wrong,
    /// The document would be larger or deeper than the limits.
    TooLarge,
    /// It would take more steps than the budget.
    TooMuchWork,
}

impl Meter {
    /// A budget of steps.
    pub fn new(steps: u64) -> Self {
        Self::pausing(steps, || {})
    }

    /// A budget of steps for work that takes long, with a call of `pause` about every tenth of a millisecond.
    pub fn pausing(steps: u64, pause: Pause) -> Self {
        Self { left: steps, pause, steps_to_pause: STEPS_A_PAUSE }
    }

    /// Takes steps, or refuses when fewer are left.
    pub fn spend(&mut self, steps: usize) -> Result<(), Unfit> {
        self.left = self.left.checked_sub(steps as u64).ok_or(Unfit::TooMuchWork)?;
        if let Some(left) = self.steps_to_pause.checked_sub(steps) {
            self.steps_to_pause = left;
        } else {
            self.steps_to_pause = STEPS_A_PAUSE;
            (self.pause)();
        }
        Ok(())
    }

    /// A meter without a limit, with the same pauses.
    pub(super) fn unbounded(&self) -> Self {
        Self::pausing(u64::MAX, self.pause)
    }

    /// Lets others have their turn, if the meter has pauses.
    pub(super) fn pause(&self) {
        (self.pause)();
    }

    pub(super) fn pauses(&self) -> Pause {
        self.pause
    }

    pub fn left(&self) -> u64 {
        self.left
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Estimated bytes in memory.
    pub parsed_bytes: usize,
    /// Estimated bytes as text.
    pub text_bytes: usize,
    /// How deep arrays and objects are nested.
    pub depth: usize,
}

impl Size {
    /// Measures a value. Each value in it costs a step, and long texts cost more.
    pub fn of(value: &Value, meter: &mut Meter) -> Result<Self, Unfit> {
        meter.spend(1)?;
        let mut size = Self { parsed_bytes: VALUE_BYTES, text_bytes: 5, depth: 0 };
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(_) => size.text_bytes = 8,
            Value::String(text) => {
                meter.spend(text.len() / BYTES_A_STEP)?;
                size.parsed_bytes += text.len() + ALLOCATION_BYTES;
                size.text_bytes = text.len() + 3;
            }
            Value::Array(items) => {
                size.parsed_bytes += ALLOCATION_BYTES;
                for item in items {
                    size.hold(Self::of(item, meter)?);
                }
                size.depth += 1;
            }
            Value::Object(members) => {
                size.parsed_bytes += 2 * ALLOCATION_BYTES;
                for (name, member) in members {
                    size.hold(Self::of(member, meter)?);
                    size.name(name);
                }
                size.depth += 1;
            }
        }
        Ok(size)
    }

    /// Adds what an object's member takes beside its value.
    pub(super) fn name(&mut self, name: &str) {
        self.parsed_bytes += name.len() + ALLOCATION_BYTES + MEMBER_BYTES;
        self.text_bytes += name.len() + 3;
    }

    fn hold(&mut self, inner: Self) {
        self.parsed_bytes += inner.parsed_bytes;
        self.text_bytes += inner.text_bytes;
        self.depth = self.depth.max(inner.depth);
    }
}

/// Estimated bytes of JSON text once it is parsed. Counts the separators outside of strings.
pub(super) fn parsed_bytes(text: &str, pause: Pause) -> usize {
    const BYTES_A_PAUSE: usize = 16 << 10;
    let (mut values, mut members, mut containers, mut strings) = (1, 0, 0, 0);
    let (mut in_string, mut escaped) = (false, false);
    for piece in text.as_bytes().chunks(BYTES_A_PAUSE) {
        for byte in piece {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = in_string,
                b'"' => {
                    strings += usize::from(!in_string);
                    in_string = !in_string;
                }
                _ if in_string => {}
                b',' => values += 1,
                b':' => members += 1,
                b'[' | b'{' => containers += 1,
                _ => {}
            }
        }
        if piece.len() == BYTES_A_PAUSE {
            pause();
        }
    }
    // A container's first value has no comma before it.
    (values + containers) * VALUE_BYTES
        + members * MEMBER_BYTES
        + (strings + 2 * containers) * ALLOCATION_BYTES
        + if strings > 0 { text.len() } else { 0 }
}
