//! Compiles naga's expressions to instructions. Members, swizzles and constructors only select registers and cost no
//! instruction.

use super::code::{Binary, Instruction, Reg, Ternary, Unary};
use super::compile::{Body, Memory, Pointer, Value};
use super::layout::{self, Kind};
use super::unsupported::Unsupported;
use super::word::word;
use naga::{
    BinaryOperator, DerivativeAxis, Expression, Handle, RelationalFunction, ScalarKind, TypeInner, UnaryOperator,
};

impl<'m> Body<'_, 'm> {
    pub fn inner(&self, handle: Handle<Expression>) -> &'m TypeInner {
        self.info[handle].ty.inner_with(&self.module().types)
    }

    pub fn kind(&self, handle: Handle<Expression>) -> Result<Kind, Unsupported> {
        layout::kind_of(self.inner(handle))
    }

    /// The value of an expression: computed earlier, or computed here.
    fn value(&mut self, handle: Handle<Expression>) -> Result<Value, Unsupported> {
        if let Some(value) = self.values.get(&handle) {
            return Ok(value.clone());
        }
        let before = self.emitted();
        let value = self.expression(handle)?;
        // Only values without instructions are kept: the others are valid only in this block.
        if self.emitted() == before {
            self.values.insert(handle, value.clone());
        }
        Ok(value)
    }

    pub fn registers(&mut self, handle: Handle<Expression>) -> Result<Vec<Reg>, Unsupported> {
        match self.value(handle)? {
            Value::Registers(registers) => Ok(registers),
            Value::Pointer(_) => Err(Unsupported("a pointer as a value".into())),
        }
    }

    /// The register of a scalar expression.
    pub fn scalar(&mut self, handle: Handle<Expression>) -> Result<Reg, Unsupported> {
        self.registers(handle)?.first().copied().ok_or_else(|| Unsupported("an empty value".into()))
    }

    fn pointer(&mut self, handle: Handle<Expression>) -> Result<Pointer, Unsupported> {
        match self.value(handle)? {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Registers(_) => Err(Unsupported("a value as a pointer".into())),
        }
    }

    /// A register with the address that a pointer into the registers stands for.
    pub fn place(&mut self, handle: Handle<Expression>) -> Result<Reg, Unsupported> {
        let pointer = self.pointer(handle)?;
        if pointer.memory != Memory::Registers {
            return Err(Unsupported("a pointer into a buffer as an argument".into()));
        }
        let base = self.compiler.constant(pointer.base)?;
        match pointer.offset {
            Some(offset) => self.binary(Binary::AddInt, base, offset),
            None => Ok(base),
        }
    }

    pub fn float(&mut self, value: f32) -> Result<Reg, Unsupported> {
        self.compiler.constant(value.to_bits())
    }

    pub fn unary(&mut self, op: Unary, a: Reg) -> Result<Reg, Unsupported> {
        let to = self.compiler.allocate(1)?;
        self.emit(Instruction::Unary { op, to, a });
        Ok(to)
    }

    pub fn binary(&mut self, op: Binary, a: Reg, b: Reg) -> Result<Reg, Unsupported> {
        let to = self.compiler.allocate(1)?;
        self.emit(Instruction::Binary { op, to, a, b });
        Ok(to)
    }

    pub fn ternary(&mut self, op: Ternary, a: Reg, b: Reg, c: Reg) -> Result<Reg, Unsupported> {
        let to = self.compiler.allocate(1)?;
        self.emit(Instruction::Ternary { op, to, a, b, c });
        Ok(to)
    }

    pub fn each(&mut self, op: Unary, values: &[Reg]) -> Result<Vec<Reg>, Unsupported> {
        values.iter().map(|&a| self.unary(op, a)).collect()
    }

    /// Applies an instruction per component. A scalar is combined with every component.
    pub fn pairs(&mut self, op: Binary, left: &[Reg], right: &[Reg]) -> Result<Vec<Reg>, Unsupported> {
        (0..left.len().max(right.len())).map(|at| self.binary(op, component(left, at), component(right, at))).collect()
    }

    /// Compiles an expression.
    pub fn expression(&mut self, handle: Handle<Expression>) -> Result<Value, Unsupported> {
        let module = self.module();
        let registers = match self.function.expressions[handle] {
            Expression::Literal(literal) => vec![self.compiler.constant(word(literal)?)?],
            Expression::Constant(constant) => self.compiler.global(module.constants[constant].init)?,
            Expression::Override(_) => return Err(Unsupported("an override; write a const instead".into())),
            Expression::ZeroValue(ty) => self.compiler.zeros(&module.types[ty].inner)?,
            Expression::Compose { ref components, .. } => {
                let mut parts = Vec::new();
                for &component in components {
                    parts.extend(self.registers(component)?);
                }
                parts
            }
            Expression::Splat { size, value } => vec![self.scalar(value)?; layout::width(size) as usize],
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.registers(vector)?;
                pattern[..layout::width(size) as usize].iter().map(|&part| vector[part as usize]).collect()
            }
            Expression::FunctionArgument(index) => return Ok(self.arguments[index as usize].clone()),
            Expression::GlobalVariable(variable) => {
                let pointer = self.compiler.globals.get(&variable);
                return pointer
                    .copied()
                    .map(Value::Pointer)
                    .ok_or_else(|| Unsupported("a texture, sampler or foreign buffer".into()));
            }
            Expression::LocalVariable(variable) => return Ok(Value::Pointer(self.locals[&variable])),
            Expression::Load { pointer } => self.load(pointer, handle)?,
            Expression::Access { base, index } => return self.access(base, index),
            Expression::AccessIndex { base, index } => return self.access_index(base, index),
            Expression::Unary { op, expr } => self.unary_operator(op, expr)?,
            Expression::Binary { op, left, right } => self.binary_operator(op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                let (condition, accept, reject) =
                    (self.registers(condition)?, self.registers(accept)?, self.registers(reject)?);
                let mut chosen = Vec::new();
                for (at, (&yes, &no)) in accept.iter().zip(&reject).enumerate() {
                    chosen.push(self.ternary(Ternary::Select, component(&condition, at), no, yes)?);
                }
                chosen
            }
            Expression::Derivative { axis, expr, .. } => self.derivative(axis, expr)?,
            Expression::Relational { fun, argument } => {
                let op = match fun {
                    RelationalFunction::All => Binary::And,
                    RelationalFunction::Any => Binary::Or,
                    RelationalFunction::IsNan | RelationalFunction::IsInf => {
                        return Err(Unsupported("isNan and isInf".into()));
                    }
                };
                let argument = self.registers(argument)?;
                vec![self.fold(op, &argument)?]
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => self.builtin(fun, arg, [arg1, arg2, arg3])?,
            Expression::As { expr, kind, convert } => self.conversion(expr, kind, convert)?,
            Expression::ArrayLength(array) => match self.pointer(array)?.memory {
                Memory::Buffer { len } => vec![self.compiler.constant(len)?],
                Memory::Registers => return Err(Unsupported("arrayLength of an array with a length".into())),
            },
            Expression::CallResult(_) => return Err(Unsupported("a result before its call".into())),
            ref other => return Err(Unsupported(expression_name(other).into())),
        };
        Ok(Value::Registers(registers))
    }

    fn load(&mut self, pointer: Handle<Expression>, loaded: Handle<Expression>) -> Result<Vec<Reg>, Unsupported> {
        let place = self.pointer(pointer)?;
        let count = layout::size(self.module(), self.inner(loaded))?;
        let zero = self.compiler.constant(0)?;
        let to = self.compiler.allocate_list(count)?;
        for (part, &to) in (0..).zip(&to) {
            let base = place.base.saturating_add(part);
            self.emit(match (place.memory, place.offset) {
                (Memory::Registers, None) => Instruction::Copy { to, from: base },
                (Memory::Registers, Some(offset)) => Instruction::Gather { to, base, offset },
                (Memory::Buffer { .. }, offset) => {
                    let offset = offset.unwrap_or(zero);
                    Instruction::BufferLoad { to, offset, word: base }
                }
            });
        }
        Ok(to)
    }

    pub fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<(), Unsupported> {
        let place = self.pointer(pointer)?;
        let values = self.registers(value)?;
        let zero = self.compiler.constant(0)?;
        for (part, from) in (0..).zip(values) {
            let base = place.base.saturating_add(part);
            self.emit(match (place.memory, place.offset) {
                (Memory::Registers, None) => Instruction::Store { to: base, from },
                (Memory::Registers, Some(offset)) => Instruction::Scatter { base, offset, from },
                (Memory::Buffer { .. }, offset) => {
                    let offset = offset.unwrap_or(zero);
                    Instruction::BufferStore { offset, word: base, from }
                }
            });
        }
        Ok(())
    }

    /// The indexed type: the expression's own, or the one that its pointer points to.
    fn indexed(&self, base: Handle<Expression>) -> &'m TypeInner {
        match self.inner(base) {
            TypeInner::Pointer { base, .. } => &self.module().types[*base].inner,
            inner => inner,
        }
    }

    fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Result<Value, Unsupported> {
        let inner = self.indexed(base);
        let (start, len) = layout::part(self.module(), inner, index)?;
        match self.value(base)? {
            Value::Registers(registers) => {
                let part = registers.get(start as usize..(start + len) as usize);
                part.map(|part| Value::Registers(part.to_vec()))
                    .ok_or_else(|| Unsupported("an index outside its array".into()))
            }
            Value::Pointer(mut pointer) => {
                pointer.base = pointer.base.saturating_add(start);
                Ok(Value::Pointer(pointer))
            }
        }
    }

    fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Value, Unsupported> {
        let parts = layout::parts(self.module(), self.indexed(base))?;
        let index = self.scalar(index)?;
        let value = self.value(base)?;
        let end = match (&value, parts.count) {
            (_, Some(count)) => count.saturating_sub(1),
            // One past the end is outside the buffer, so nothing is read or written there.
            (Value::Pointer(Pointer { memory: Memory::Buffer { len }, .. }), None) => *len,
            _ => return Err(Unsupported("an array without a length".into())),
        };
        let end = self.compiler.constant(end)?;
        let held = self.binary(Binary::MinUint, index, end)?;
        let offset = if parts.stride == 1 {
            held
        } else {
            let stride = self.compiler.constant(parts.stride)?;
            self.binary(Binary::MultiplyInt, held, stride)?
        };
        match value {
            Value::Pointer(mut pointer) => {
                pointer.offset = Some(match pointer.offset {
                    Some(outer) => self.binary(Binary::AddInt, outer, offset)?,
                    None => offset,
                });
                Ok(Value::Pointer(pointer))
            }
            Value::Registers(registers) => {
                // The scalars of a value may lie anywhere, so they are first copied to consecutive registers.
                let count = u32::try_from(registers.len()).map_err(|_| Unsupported("a huge value".into()))?;
                let line = self.compiler.allocate(count)?;
                for (to, from) in (line..).zip(registers) {
                    self.emit(Instruction::Copy { to, from });
                }
                let chosen = self.compiler.allocate_list(parts.stride)?;
                for (part, &to) in (0..).zip(&chosen) {
                    self.emit(Instruction::Gather { to, base: line + part, offset });
                }
                Ok(Value::Registers(chosen))
            }
        }
    }

    fn unary_operator(&mut self, op: UnaryOperator, operand: Handle<Expression>) -> Result<Vec<Reg>, Unsupported> {
        let op = match (op, self.kind(operand)?) {
            (UnaryOperator::Negate, Kind::Float) => Unary::NegateFloat,
            (UnaryOperator::Negate, _) => Unary::NegateInt,
            (UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot, _) => Unary::Not,
        };
        let operand = self.registers(operand)?;
        self.each(op, &operand)
    }

    fn binary_operator(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Vec<Reg>, Unsupported> {
        let (kind, left_type, right_type) = (self.kind(left)?, self.inner(left), self.inner(right));
        let (left, right) = (self.registers(left)?, self.registers(right)?);
        if op == BinaryOperator::Multiply
            && let Some(product) = self.matrix_product(left_type, right_type, &left, &right)?
        {
            return Ok(product);
        }
        let (op, swapped) = operator(op, kind);
        if swapped { self.pairs(op, &right, &left) } else { self.pairs(op, &left, &right) }
    }

    fn matrix_product(
        &mut self,
        left_type: &TypeInner,
        right_type: &TypeInner,
        left: &[Reg],
        right: &[Reg],
    ) -> Result<Option<Vec<Reg>>, Unsupported> {
        // A vector on the left is a row, on the right a column. `inner` is the dimension of the sum.
        let (rows, inner, columns) = match (left_type, right_type) {
            (TypeInner::Matrix { rows, columns, .. }, TypeInner::Matrix { columns: outer, .. }) => {
                (layout::width(*rows), layout::width(*columns), layout::width(*outer))
            }
            (TypeInner::Matrix { rows, columns, .. }, TypeInner::Vector { .. }) => {
                (layout::width(*rows), layout::width(*columns), 1)
            }
            (TypeInner::Vector { size, .. }, TypeInner::Matrix { columns, .. }) => {
                (1, layout::width(*size), layout::width(*columns))
            }
            _ => return Ok(None),
        };
        let (rows, inner) = (rows as usize, inner as usize);
        let mut product = Vec::new();
        for column in 0..columns as usize {
            for row in 0..rows {
                let mut sum = self.binary(Binary::MultiplyFloat, left[row], right[column * inner])?;
                for at in 1..inner {
                    sum = self.ternary(Ternary::Fma, left[at * rows + row], right[column * inner + at], sum)?;
                }
                product.push(sum);
            }
        }
        Ok(Some(product))
    }

    pub fn fold(&mut self, op: Binary, values: &[Reg]) -> Result<Reg, Unsupported> {
        let mut folded = *values.first().ok_or_else(|| Unsupported("an empty value".into()))?;
        for &value in &values[1..] {
            folded = self.binary(op, folded, value)?;
        }
        Ok(folded)
    }

    fn derivative(&mut self, axis: DerivativeAxis, operand: Handle<Expression>) -> Result<Vec<Reg>, Unsupported> {
        let operand = self.registers(operand)?;
        match axis {
            DerivativeAxis::X => self.each(Unary::DerivativeX, &operand),
            DerivativeAxis::Y => self.each(Unary::DerivativeY, &operand),
            DerivativeAxis::Width => {
                let across = self.each(Unary::DerivativeX, &operand)?;
                let along = self.each(Unary::DerivativeY, &operand)?;
                let (across, along) = (self.each(Unary::AbsFloat, &across)?, self.each(Unary::AbsFloat, &along)?);
                self.pairs(Binary::AddFloat, &across, &along)
            }
        }
    }

    fn conversion(
        &mut self,
        operand: Handle<Expression>,
        to: ScalarKind,
        width: Option<u8>,
    ) -> Result<Vec<Reg>, Unsupported> {
        let from = self.kind(operand)?;
        let operand = self.registers(operand)?;
        let Some(width) = width else { return Ok(operand) };
        let to = layout::kind(naga::Scalar { kind: to, width })?;
        let op = match (from, to) {
            (Kind::Float, Kind::Int) => Unary::FloatToInt,
            (Kind::Float, Kind::Uint) => Unary::FloatToUint,
            (Kind::Float, Kind::Bool) => Unary::FloatToBool,
            (Kind::Int, Kind::Float) => Unary::IntToFloat,
            (Kind::Uint, Kind::Float) => Unary::UintToFloat,
            (Kind::Int | Kind::Uint, Kind::Bool) => Unary::IntToBool,
            (Kind::Bool, Kind::Float) => Unary::BoolToFloat,
            (Kind::Bool, Kind::Int | Kind::Uint) => Unary::BoolToInt,
            (Kind::Float, Kind::Float)
            | (Kind::Int | Kind::Uint, Kind::Int | Kind::Uint)
            | (Kind::Bool, Kind::Bool) => {
                return Ok(operand);
            }
        };
        self.each(op, &operand)
    }
}

/// A component of a vector, or the scalar that is combined with every component.
pub fn component(values: &[Reg], at: usize) -> Reg {
    if values.len() == 1 { values[0] } else { values[at] }
}

/// The instruction for an operator, and whether its operands are swapped.
fn operator(op: BinaryOperator, kind: Kind) -> (Binary, bool) {
    let straight = |op| (op, false);
    match (op, kind) {
        (BinaryOperator::Add, Kind::Float) => straight(Binary::AddFloat),
        (BinaryOperator::Subtract, Kind::Float) => straight(Binary::SubtractFloat),
        (BinaryOperator::Multiply, Kind::Float) => straight(Binary::MultiplyFloat),
        (BinaryOperator::Divide, Kind::Float) => straight(Binary::DivideFloat),
        (BinaryOperator::Modulo, Kind::Float) => straight(Binary::RemainderFloat),
        (BinaryOperator::Add, _) => straight(Binary::AddInt),
        (BinaryOperator::Subtract, _) => straight(Binary::SubtractInt),
        (BinaryOperator::Multiply, _) => straight(Binary::MultiplyInt),
        (BinaryOperator::Divide, Kind::Int) => straight(Binary::DivideInt),
        (BinaryOperator::Divide, _) => straight(Binary::DivideUint),
        (BinaryOperator::Modulo, Kind::Int) => straight(Binary::RemainderInt),
        (BinaryOperator::Modulo, _) => straight(Binary::RemainderUint),
        (BinaryOperator::Equal, Kind::Float) => straight(Binary::EqualFloat),
        (BinaryOperator::Equal, _) => straight(Binary::EqualInt),
        (BinaryOperator::NotEqual, Kind::Float) => straight(Binary::NotEqualFloat),
        (BinaryOperator::NotEqual, _) => straight(Binary::NotEqualInt),
        (BinaryOperator::Less | BinaryOperator::Greater, kind) => {
            let less = match kind {
                Kind::Float => Binary::LessFloat,
                Kind::Int => Binary::LessInt,
                Kind::Uint | Kind::Bool => Binary::LessUint,
            };
            (less, op == BinaryOperator::Greater)
        }
        (BinaryOperator::LessEqual | BinaryOperator::GreaterEqual, kind) => {
            let less = match kind {
                Kind::Float => Binary::LessEqualFloat,
                Kind::Int => Binary::LessEqualInt,
                Kind::Uint | Kind::Bool => Binary::LessEqualUint,
            };
            (less, op == BinaryOperator::GreaterEqual)
        }
        (BinaryOperator::And | BinaryOperator::LogicalAnd, _) => straight(Binary::And),
        (BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr, _) => straight(Binary::Or),
        (BinaryOperator::ExclusiveOr, _) => straight(Binary::Xor),
        (BinaryOperator::ShiftLeft, _) => straight(Binary::ShiftLeft),
        (BinaryOperator::ShiftRight, Kind::Int) => straight(Binary::ShiftRightInt),
        (BinaryOperator::ShiftRight, _) => straight(Binary::ShiftRightUint),
    }
}

/// The WGSL name of an expression that the machine does not support, for errors.
fn expression_name(expression: &Expression) -> &'static str {
    match expression {
        Expression::ImageSample { .. } => "textureSample",
        Expression::ImageLoad { .. } => "textureLoad",
        Expression::ImageQuery { .. } => "textureDimensions",
        Expression::AtomicResult { .. } => "an atomic",
        Expression::WorkGroupUniformLoadResult { .. } => "workgroupUniformLoad",
        _ => "an expression that no picture needs",
    }
}
