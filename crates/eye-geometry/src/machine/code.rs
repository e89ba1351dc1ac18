//! What the machine executes: straight runs of instructions over registers, and the structured control flow around
//! them. A register holds one 32-bit value per lane; a bool is all bits or none.

/// Lanes per register: pixels that are worked on at once, in a tile of [`TILE_WIDTH`] by [`TILE_HEIGHT`].
pub const LANES: usize = 128;
/// Pixels of a tile in a row.
pub const TILE_WIDTH: usize = 16;
/// Rows of a tile.
pub const TILE_HEIGHT: usize = LANES / TILE_WIDTH;

/// One register's content.
pub type Lanes = [u32; LANES];
/// The number of a register.
pub type Reg = u32;

/// From one register to one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    NegateFloat,
    NegateInt,
    Not,
    AbsFloat,
    AbsInt,
    SignFloat,
    SignInt,
    Floor,
    Ceil,
    Trunc,
    Round,
    Fract,
    Sqrt,
    InverseSqrt,
    Saturate,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Log,
    Log2,
    FrexpFraction,
    FrexpExponent,
    FloatToInt,
    FloatToUint,
    IntToFloat,
    UintToFloat,
    BoolToFloat,
    BoolToInt,
    FloatToBool,
    IntToBool,
    CountOneBits,
    CountLeadingZeros,
    CountTrailingZeros,
    ReverseBits,
    FirstLeadingBitInt,
    FirstLeadingBitUint,
    FirstTrailingBit,
    DerivativeX,
    DerivativeY,
}

/// From two registers to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    AddFloat,
    SubtractFloat,
    MultiplyFloat,
    DivideFloat,
    RemainderFloat,
    MinFloat,
    MaxFloat,
    Pow,
    Atan2,
    Step,
    Ldexp,
    AddInt,
    SubtractInt,
    MultiplyInt,
    DivideInt,
    DivideUint,
    RemainderInt,
    RemainderUint,
    MinInt,
    MinUint,
    MaxInt,
    MaxUint,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightInt,
    ShiftRightUint,
    EqualFloat,
    NotEqualFloat,
    LessFloat,
    LessEqualFloat,
    EqualInt,
    NotEqualInt,
    LessInt,
    LessEqualInt,
    LessUint,
    LessEqualUint,
}

/// From three registers to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ternary {
    Fma,
    Mix,
    Smoothstep,
    /// The third where the first holds, else the second.
    Select,
}

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    Unary {
        op: Unary,
        to: Reg,
        a: Reg,
    },
    Binary {
        op: Binary,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Ternary {
        op: Ternary,
        to: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// In every lane, whether it is active or not: for registers that only this code knows.
    Copy {
        to: Reg,
        from: Reg,
    },
    /// In active lanes only: for variables.
    Store {
        to: Reg,
        from: Reg,
    },
    /// `to` becomes the register `base + offset`, where `offset` differs by lane.
    Gather {
        to: Reg,
        base: Reg,
        offset: Reg,
    },
    /// The register `base + offset` becomes `from` in active lanes.
    Scatter {
        base: Reg,
        offset: Reg,
        from: Reg,
    },
    /// `to` becomes the word `offset + word` of the output buffer; 0 outside of it.
    BufferLoad {
        to: Reg,
        offset: Reg,
        word: u32,
    },
    /// The word `offset + word` of the output buffer becomes `from` in active lanes; nothing happens outside of it.
    BufferStore {
        offset: Reg,
        word: u32,
        from: Reg,
    },
}

/// Structured control flow.
#[derive(Clone, Debug)]
pub enum Code {
    /// Instructions without a jump, and what they cost per lane.
    Run {
        instructions: Vec<Instruction>,
        cost: u64,
    },
    If {
        condition: Reg,
        accept: Vec<Code>,
        reject: Vec<Code>,
    },
    /// Cases in order of their bodies; a case without a value is the default.
    Switch {
        selector: Reg,
        cases: Vec<Case>,
    },
    Loop {
        body: Vec<Code>,
        continuing: Vec<Code>,
        break_if: Option<Reg>,
    },
    /// The function's frame holds its arguments and its result; recursion does not exist in WGSL.
    Call {
        function: usize,
    },
    Break,
    Continue,
    Return,
    /// The pixel is not painted.
    Discard,
}

/// One body of a switch, with all values that lead to it.
#[derive(Clone, Debug)]
pub struct Case {
    pub values: Vec<u32>,
    pub default: bool,
    pub body: Vec<Code>,
}

impl Instruction {
    /// What it counts as, per lane, for the metric `performance`: 1 for plain arithmetic and for memory reached through
    /// a computed index, 4 for what hardware does at quarter rate, 8 for what it composes of those, 0 for moves.
    pub fn cost(&self) -> u64 {
        match self {
            Self::Copy { .. } | Self::Store { .. } => 0,
            Self::Gather { .. } | Self::Scatter { .. } | Self::BufferLoad { .. } | Self::BufferStore { .. } => 1,
            Self::Unary { op, .. } => op.cost(),
            Self::Binary { op, .. } => op.cost(),
            Self::Ternary { op, .. } => match op {
                Ternary::Fma | Ternary::Select => 1,
                Ternary::Mix => 2,
                Ternary::Smoothstep => 8,
            },
        }
    }
}

impl Unary {
    fn cost(self) -> u64 {
        use Unary::{Acos, Acosh, Asin, Asinh, Atan, Atanh, Cosh, Sinh, Tan, Tanh};
        use Unary::{Cos, Exp, Exp2, InverseSqrt, Log, Log2, Sin, Sqrt};
        let quarter_rate = matches!(self, Sqrt | InverseSqrt | Sin | Cos | Exp | Exp2 | Log | Log2);
        let composed = matches!(self, Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh);
        priced(quarter_rate, composed)
    }
}

impl Binary {
    fn cost(self) -> u64 {
        use Binary::{Atan2, DivideFloat, DivideInt, DivideUint, Pow, RemainderFloat, RemainderInt, RemainderUint};
        let quarter_rate = matches!(self, DivideFloat | DivideInt | DivideUint | RemainderInt | RemainderUint);
        priced(quarter_rate, matches!(self, RemainderFloat | Pow | Atan2))
    }
}

fn priced(quarter_rate: bool, composed: bool) -> u64 {
    match (composed, quarter_rate) {
        (true, _) => 8,
        (false, true) => 4,
        (false, false) => 1,
    }
}
