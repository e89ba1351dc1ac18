//! The code that the machine executes: runs of instructions over registers, and structured control flow around them. A
//! register holds one 32-bit value per lane. A bool is all bits set or none.

/// Lanes per register: the pixels that are computed at once, a tile of [`TILE_WIDTH`] by [`TILE_HEIGHT`].
pub const LANES: usize = 128;
/// Pixels in a row of a tile.
pub const TILE_WIDTH: usize = 16;
/// Rows of a tile.
pub const TILE_HEIGHT: usize = LANES / TILE_WIDTH;

/// The content of one register.
pub type Lanes = [u32; LANES];
/// The number of a register.
pub type Reg = u32;

/// Instructions with one operand.
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

/// Instructions with two operands.
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

/// Instructions with three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ternary {
    Fma,
    Mix,
    Smoothstep,
    /// Selects the third operand where the first is true, else the second.
    Select,
}

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
    /// Copies in every lane, active or not: for registers that only this code uses.
    Copy {
        to: Reg,
        from: Reg,
    },
    /// Copies in active lanes only: for variables.
    Store {
        to: Reg,
        from: Reg,
    },
    /// Reads register `base + offset` into `to`. `offset` may differ per lane.
    Gather {
        to: Reg,
        base: Reg,
        offset: Reg,
    },
    /// Writes `from` to register `base + offset`, in active lanes.
    Scatter {
        base: Reg,
        offset: Reg,
        from: Reg,
    },
    /// Reads word `offset + word` of the output buffer into `to`; 0 outside the buffer.
    BufferLoad {
        to: Reg,
        offset: Reg,
        word: u32,
    },
    /// Writes `from` to word `offset + word` of the output buffer, in active lanes; does nothing outside the buffer.
    BufferStore {
        offset: Reg,
        word: u32,
        from: Reg,
    },
}

/// Structured control flow.
#[derive(Clone, Debug)]
pub enum Code {
    /// Instructions without a jump, and their cost per lane.
    Run {
        instructions: Vec<Instruction>,
        cost: u64,
    },
    If {
        condition: Reg,
        accept: Vec<Code>,
        reject: Vec<Code>,
    },
    /// The cases in source order. A case without values is the default.
    Switch {
        selector: Reg,
        cases: Vec<Case>,
    },
    Loop {
        body: Vec<Code>,
        continuing: Vec<Code>,
        break_if: Option<Reg>,
    },
    /// Calls a function. Its frame holds its arguments and result at a fixed place, because WGSL has no recursion.
    Call {
        function: usize,
    },
    Break,
    Continue,
    Return,
    /// The pixel is not painted.
    Discard,
}

/// One body of a switch, with all values that select it.
#[derive(Clone, Debug)]
pub struct Case {
    pub values: Vec<u32>,
    pub default: bool,
    pub body: Vec<Code>,
}

impl Instruction {
    /// The cost per lane for the metric `performance`: 1 for plain arithmetic and for memory access by a computed
    /// index, 4 for what hardware does at quarter rate, 8 for what it composes of those, 0 for moves.
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
