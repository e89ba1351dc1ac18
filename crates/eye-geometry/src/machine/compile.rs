//! Compiles naga's functions: statements become control flow, functions get frames, variables get registers.
//! Expressions are in `expression.rs`, built-in functions in `builtin.rs`.

use super::code::{Case, Code, Instruction, Reg};
use super::layout;
use super::unsupported::Unsupported;
use super::word::word;
use crate::limits::{INSTRUCTIONS_MAX, REGISTERS_MAX};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Span, Statement, SwitchValue, TypeInner,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The run-time form of an expression.
#[derive(Clone, Debug)]
pub enum Value {
    /// One register per scalar. Taking, joining and swizzling parts only select registers.
    Registers(Vec<Reg>),
    /// A place in memory.
    Pointer(Pointer),
}

/// A place in memory: a fixed base, and an offset register that may differ per lane.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    pub memory: Memory,
    pub base: u32,
    pub offset: Option<Reg>,
}

/// The memory of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Registers,
    /// The output buffer of a kernel, with `len` elements.
    Buffer {
        len: u32,
    },
}

/// The registers of a function's arguments and result.
pub struct Frame {
    pub number: usize,
    pub arguments: Vec<Value>,
    pub result: Vec<Reg>,
}

/// The output of the compiler so far.
pub struct Compiler<'m> {
    pub module: &'m Module,
    pub info: &'m ModuleInfo,
    pub functions: Vec<Vec<Code>>,
    pub constants: Vec<(Reg, u32)>,
    pub globals: HashMap<Handle<GlobalVariable>, Pointer>,
    /// The source position of what is being compiled.
    pub at: Option<Span>,
    constant_registers: HashMap<u32, Reg>,
    frames: HashMap<Handle<Function>, Rc<Frame>>,
    registers: u32,
    instructions: usize,
}

impl<'m> Compiler<'m> {
    pub fn new(module: &'m Module, info: &'m ModuleInfo) -> Self {
        Self {
            module,
            info,
            functions: Vec::new(),
            constants: Vec::new(),
            globals: HashMap::new(),
            at: None,
            constant_registers: HashMap::new(),
            frames: HashMap::new(),
            registers: 0,
            instructions: 0,
        }
    }

    /// The number of registers in use.
    pub fn registers(&self) -> usize {
        self.registers as usize
    }

    /// Allocates `count` consecutive registers and returns the first.
    pub fn allocate(&mut self, count: u32) -> Result<Reg, Unsupported> {
        let first = self.registers;
        self.registers = first.saturating_add(count);
        if self.registers > REGISTERS_MAX {
            return Err(Unsupported(format!("more than {REGISTERS_MAX} numbers at once")));
        }
        Ok(first)
    }

    pub fn allocate_list(&mut self, count: u32) -> Result<Vec<Reg>, Unsupported> {
        let first = self.allocate(count)?;
        Ok((first..first + count).collect())
    }

    /// The register that always holds this word.
    pub fn constant(&mut self, word: u32) -> Result<Reg, Unsupported> {
        if let Some(&register) = self.constant_registers.get(&word) {
            return Ok(register);
        }
        let register = self.allocate(1)?;
        self.constants.push((register, word));
        self.constant_registers.insert(word, register);
        Ok(register)
    }

    pub fn zeros(&mut self, inner: &TypeInner) -> Result<Vec<Reg>, Unsupported> {
        let zero = self.constant(0)?;
        Ok(vec![zero; layout::size(self.module, inner)? as usize])
    }

    /// The registers of a module-scope constant expression. Naga folds these to literals and compositions.
    pub fn global(&mut self, handle: Handle<Expression>) -> Result<Vec<Reg>, Unsupported> {
        let module = self.module;
        match module.global_expressions[handle] {
            Expression::Literal(literal) => Ok(vec![self.constant(word(literal)?)?]),
            Expression::Constant(constant) => self.global(module.constants[constant].init),
            Expression::ZeroValue(ty) => self.zeros(&module.types[ty].inner),
            Expression::Splat { size, value } => Ok(vec![self.global(value)?[0]; layout::width(size) as usize]),
            Expression::Compose { ref components, .. } => {
                let mut parts = Vec::new();
                for &component in components {
                    parts.extend(self.global(component)?);
                }
                Ok(parts)
            }
            _ => Err(Unsupported("a module-scope value that is not constant".into())),
        }
    }

    /// Allocates registers for a variable of this type.
    pub fn variable(&mut self, inner: &TypeInner) -> Result<Pointer, Unsupported> {
        let size = layout::size(self.module, inner)?;
        Ok(Pointer { memory: Memory::Registers, base: self.allocate(size)?, offset: None })
    }

    /// Compiles a function once. Its frame lies at a fixed place, because WGSL has no recursion.
    pub fn function(&mut self, handle: Handle<Function>) -> Result<Rc<Frame>, Unsupported> {
        if let Some(frame) = self.frames.get(&handle) {
            return Ok(Rc::clone(frame));
        }
        let function = &self.module.functions[handle];
        let mut arguments = Vec::new();
        for argument in &function.arguments {
            arguments.push(match self.module.types[argument.ty].inner {
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => {
                    Value::Pointer(Pointer { memory: Memory::Registers, base: 0, offset: Some(self.allocate(1)?) })
                }
                ref inner => Value::Registers(self.allocate_list(layout::size(self.module, inner)?)?),
            });
        }
        let frame = Rc::new(self.frame(function, &self.info[handle], arguments, Vec::new())?);
        self.frames.insert(handle, Rc::clone(&frame));
        Ok(frame)
    }

    /// Compiles a function whose arguments are already allocated. `prologue` runs before it.
    pub fn frame(
        &mut self,
        function: &'m Function,
        info: &'m FunctionInfo,
        arguments: Vec<Value>,
        prologue: Vec<Instruction>,
    ) -> Result<Frame, Unsupported> {
        let result = match &function.result {
            Some(result) => self.allocate_list(layout::size_of(self.module, result.ty)?)?,
            None => Vec::new(),
        };
        let mut body = Body {
            compiler: self,
            function,
            info,
            arguments,
            result,
            locals: HashMap::new(),
            values: HashMap::new(),
            run: prologue,
        };
        body.locals()?;
        let code = body.block(&function.body)?;
        let (arguments, result) = (body.arguments, body.result);
        self.functions.push(code);
        Ok(Frame { number: self.functions.len() - 1, arguments, result })
    }
}

/// The compilation of one function.
pub struct Body<'c, 'm> {
    pub compiler: &'c mut Compiler<'m>,
    pub function: &'m Function,
    pub info: &'m FunctionInfo,
    pub arguments: Vec<Value>,
    pub result: Vec<Reg>,
    pub locals: HashMap<Handle<LocalVariable>, Pointer>,
    pub values: HashMap<Handle<Expression>, Value>,
    /// Instructions since the last jump.
    run: Vec<Instruction>,
}

impl<'m> Body<'_, 'm> {
    pub fn module(&self) -> &'m Module {
        self.compiler.module
    }

    pub fn emit(&mut self, instruction: Instruction) {
        self.run.push(instruction);
    }

    /// The number of instructions so far: unchanged if nothing was emitted since.
    pub fn emitted(&self) -> usize {
        self.run.len()
    }

    fn locals(&mut self) -> Result<(), Unsupported> {
        for (handle, local) in self.function.local_variables.iter() {
            let pointer = self.compiler.variable(&self.module().types[local.ty].inner)?;
            let values = match local.init {
                Some(init) => self.registers(init)?,
                None => self.compiler.zeros(&self.module().types[local.ty].inner)?,
            };
            // Copied in every lane, because only this call uses the frame.
            for (to, from) in (pointer.base..).zip(values) {
                self.emit(Instruction::Copy { to, from });
            }
            self.locals.insert(handle, pointer);
        }
        Ok(())
    }

    fn flush(&mut self, code: &mut Vec<Code>) -> Result<(), Unsupported> {
        if self.run.is_empty() {
            return Ok(());
        }
        let instructions = std::mem::take(&mut self.run);
        self.compiler.instructions += instructions.len();
        if self.compiler.instructions > INSTRUCTIONS_MAX {
            return Err(Unsupported(format!("more than {INSTRUCTIONS_MAX} instructions")));
        }
        let cost = instructions.iter().map(Instruction::cost).sum();
        code.push(Code::Run { instructions, cost });
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Result<Vec<Code>, Unsupported> {
        let mut code = Vec::new();
        for (statement, &span) in block.span_iter() {
            self.compiler.at = Some(span);
            self.statement(statement, &mut code)?;
        }
        self.flush(&mut code)?;
        Ok(code)
    }

    fn jump(&mut self, code: &mut Vec<Code>, jump: Code) -> Result<(), Unsupported> {
        self.flush(code)?;
        code.push(jump);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, code: &mut Vec<Code>) -> Result<(), Unsupported> {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    self.compiler.at = Some(self.function.expressions.get_span(handle));
                    let value = self.expression(handle)?;
                    self.values.insert(handle, value);
                }
                Ok(())
            }
            Statement::Block(ref block) => {
                self.flush(code)?;
                let inner = self.block(block)?;
                code.extend(inner);
                Ok(())
            }
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.scalar(condition)?;
                self.flush(code)?;
                let (accept, reject) = (self.block(accept)?, self.block(reject)?);
                self.jump(code, Code::If { condition, accept, reject })
            }
            Statement::Switch { selector, ref cases } => {
                let selector = self.scalar(selector)?;
                self.flush(code)?;
                let cases = self.cases(cases)?;
                self.jump(code, Code::Switch { selector, cases })
            }
            Statement::Loop { ref body, ref continuing, break_if } => {
                self.flush(code)?;
                let body = self.block(body)?;
                let continuing = self.block(continuing)?;
                let break_if = break_if.map(|condition| self.scalar(condition)).transpose()?;
                self.jump(code, Code::Loop { body, continuing, break_if })
            }
            Statement::Break => self.jump(code, Code::Break),
            Statement::Continue => self.jump(code, Code::Continue),
            Statement::Kill => self.jump(code, Code::Discard),
            Statement::Return { value } => {
                if let Some(value) = value {
                    let values = self.registers(value)?;
                    for (to, from) in self.result.clone().into_iter().zip(values) {
                        self.emit(Instruction::Store { to, from });
                    }
                }
                self.jump(code, Code::Return)
            }
            Statement::Store { pointer, value } => self.store(pointer, value),
            Statement::Call { function, ref arguments, result } => self.call(function, arguments, result, code),
            ref other => Err(Unsupported(statement_name(other).into())),
        }
    }

    /// Naga writes `case 1, 2: {…}` as empty bodies that fall through to the last one. They become one case with all
    /// values.
    fn cases(&mut self, cases: &[naga::SwitchCase]) -> Result<Vec<Case>, Unsupported> {
        let mut joined = Vec::new();
        let mut values = Vec::new();
        let mut default = false;
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => values.push(value.cast_unsigned()),
                SwitchValue::U32(value) => values.push(value),
                SwitchValue::Default => default = true,
            }
            if case.fall_through {
                if !case.body.is_empty() {
                    return Err(Unsupported("a switch case that falls through".into()));
                }
                continue;
            }
            let body = self.block(&case.body)?;
            joined.push(Case { values: std::mem::take(&mut values), default: std::mem::take(&mut default), body });
        }
        Ok(joined)
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        code: &mut Vec<Code>,
    ) -> Result<(), Unsupported> {
        let frame = self.compiler.function(function)?;
        for (&argument, parameter) in arguments.iter().zip(&frame.arguments) {
            match parameter {
                Value::Registers(parameters) => {
                    let values = self.registers(argument)?;
                    for (&to, from) in parameters.iter().zip(values) {
                        self.emit(Instruction::Copy { to, from });
                    }
                }
                Value::Pointer(parameter) => {
                    let place = self.place(argument)?;
                    let to = parameter.offset.expect("a parameter's place differs by call, so it is in a register");
                    self.emit(Instruction::Copy { to, from: place });
                }
            }
        }
        self.jump(code, Code::Call { function: frame.number })?;
        if let Some(result) = result {
            // The next call overwrites the frame, so the result is copied out.
            let mut values = Vec::new();
            for &from in &frame.result {
                let to = self.compiler.allocate(1)?;
                self.emit(Instruction::Copy { to, from });
                values.push(to);
            }
            self.values.insert(result, Value::Registers(values));
        }
        Ok(())
    }
}

/// The WGSL name of a statement that the machine does not support, for errors.
fn statement_name(statement: &Statement) -> &'static str {
    match statement {
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => "a barrier",
        Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => "textureStore",
        Statement::Atomic { .. } => "an atomic",
        Statement::WorkGroupUniformLoad { .. } => "workgroupUniformLoad",
        _ => "a statement that no picture needs",
    }
}
