//! Connects a shader with the picture: its entry point, the inputs per pixel, and the place of its colours.

use super::code::{Instruction, Reg};
use super::compile::{Compiler, Memory, Pointer, Value};
use super::layout;
use super::unsupported::Unsupported;
use crate::limits::PICTURE_SIDE_MAX;
use naga::valid::{FunctionInfo, GlobalUse};
use naga::{
    AddressSpace, ArraySize, Binding, BuiltIn, Function, FunctionResult, Handle, Module, Scalar, ShaderStage,
    StorageAccess, Type, TypeInner, VectorSize,
};

/// An input of a lane that depends on its pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The horizontal position of the pixel's centre, 0 (left) to 1 (right).
    U,
    /// The vertical position of the pixel's centre, 0 (top) to 1 (bottom).
    V,
    /// The position of the pixel's centre, in pixels.
    CentreX,
    CentreY,
    /// The number of the invocation, in the whole grid and within its workgroup.
    GlobalX,
    GlobalY,
    LocalX,
    LocalY,
    LocalIndex,
    GroupX,
    GroupY,
}

/// The entry point that paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Fragment(usize),
    Compute(usize),
    /// `fn main(uv: vec2f) -> vec4f`, without attributes.
    Plain(Handle<Function>),
}

/// Where the colours are after the entry point has run.
#[derive(Clone, Debug)]
pub enum Output {
    /// Red, green and blue, 0 to 1.
    Colour([Reg; 3]),
    Buffer {
        element: Element,
        words: usize,
    },
}

/// The element that a kernel writes per pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `vec4f`, 0 to 1.
    Colour,
    /// `u32`, with red in the lowest byte.
    Packed,
    /// `f32`, 0 to 1.
    Grey,
}

const ACCEPTED: &str = "accepted are: a @fragment function with @location(0) vec2f (uv) or @builtin(position) that returns \
    @location(0) vec4f; a plain `fn main(uv: vec2f) -> vec4f`; a @compute kernel that writes one \
    var<storage, read_write> array<vec4f>, array<u32> or array<f32>";

/// The entry point that paints: the first fragment shader, else the first kernel, else a plain `main`.
pub fn entry(module: &Module) -> Result<Entry, Unsupported> {
    let find = |stage| module.entry_points.iter().position(|entry| entry.stage == stage);
    if let Some(index) = find(ShaderStage::Fragment) {
        return Ok(Entry::Fragment(index));
    }
    if let Some(index) = find(ShaderStage::Compute) {
        return Ok(Entry::Compute(index));
    }
    let plain = module.functions.iter().find(|(_, function)| function.name.as_deref() == Some("main"));
    plain
        .map(|(handle, _)| Entry::Plain(handle))
        .ok_or_else(|| Unsupported(format!("nothing here paints a picture; {ACCEPTED}")))
}

fn is_floats(inner: &TypeInner, size: VectorSize) -> bool {
    *inner == TypeInner::Vector { size, scalar: Scalar::F32 }
}

/// The size of the picture that a shader is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub side: u32,
    /// The workgroup size of a kernel.
    pub group: [u32; 3],
    /// Whether the invocations form a line, not a square: for kernels whose workgroups have one row.
    pub linear: bool,
}

impl Grid {
    /// The number of invocations in each direction.
    pub fn invocations(&self) -> (u32, u32) {
        if self.linear { (self.side * self.side, 1) } else { (self.side, self.side) }
    }
}

/// The arguments of a fragment or plain entry point. Adds their inputs.
pub fn fragment_arguments(
    compiler: &mut Compiler<'_>,
    function: &Function,
    plain: bool,
    inputs: &mut Vec<(Reg, Input)>,
) -> Result<Vec<Value>, Unsupported> {
    let module = compiler.module;
    if plain {
        return match &function.arguments[..] {
            [uv] if is_floats(&module.types[uv.ty].inner, VectorSize::Bi) => {
                Ok(vec![Value::Registers(given(compiler, &[Input::U, Input::V], inputs)?)])
            }
            _ => Err(Unsupported(format!("`main` does not take one vec2f; {ACCEPTED}"))),
        };
    }
    arguments(compiler, function, &mut |compiler, binding, inner| match *binding {
        Binding::Location { location: 0, .. } if is_floats(inner, VectorSize::Bi) => {
            given(compiler, &[Input::U, Input::V], inputs)
        }
        Binding::BuiltIn(BuiltIn::Position { .. }) => {
            let mut position = given(compiler, &[Input::CentreX, Input::CentreY], inputs)?;
            position.extend([compiler.constant(0)?, compiler.constant(1.0f32.to_bits())?]);
            Ok(position)
        }
        Binding::BuiltIn(BuiltIn::FrontFacing | BuiltIn::SampleMask) => Ok(vec![compiler.constant(u32::MAX)?]),
        Binding::BuiltIn(BuiltIn::SampleIndex) => Ok(vec![compiler.constant(0)?]),
        Binding::Location { .. } => {
            Err(Unsupported("an input other than @location(0) vec2f, which is the pixel's uv".into()))
        }
        Binding::BuiltIn(other) => Err(Unsupported(format!("the built-in value {other:?} in a fragment"))),
    })
}

/// The arguments of a kernel. Adds their inputs.
pub fn kernel_arguments(
    compiler: &mut Compiler<'_>,
    function: &Function,
    grid: &Grid,
    inputs: &mut Vec<(Reg, Input)>,
) -> Result<Vec<Value>, Unsupported> {
    arguments(compiler, function, &mut |compiler, binding, _| {
        let Binding::BuiltIn(builtin) = *binding else {
            return Err(Unsupported("an input with a location in a kernel".into()));
        };
        let flat = |compiler: &mut Compiler<'_>, [x, y]: [Input; 2], inputs: &mut Vec<(Reg, Input)>| {
            let mut id = given(compiler, &[x, y], inputs)?;
            id.push(compiler.constant(0)?);
            Ok(id)
        };
        match builtin {
            BuiltIn::GlobalInvocationId => flat(compiler, [Input::GlobalX, Input::GlobalY], inputs),
            BuiltIn::LocalInvocationId => flat(compiler, [Input::LocalX, Input::LocalY], inputs),
            BuiltIn::WorkGroupId => flat(compiler, [Input::GroupX, Input::GroupY], inputs),
            BuiltIn::LocalInvocationIndex => given(compiler, &[Input::LocalIndex], inputs),
            BuiltIn::WorkGroupSize => grid.group.iter().map(|&side| compiler.constant(side)).collect(),
            BuiltIn::NumWorkGroups => {
                let (across, down) = grid.invocations();
                [across.div_ceil(grid.group[0]), down.div_ceil(grid.group[1]), 1]
                    .into_iter()
                    .map(|count| compiler.constant(count))
                    .collect()
            }
            other => Err(Unsupported(format!("the built-in value {other:?} in a kernel"))),
        }
    })
}

fn given(
    compiler: &mut Compiler<'_>,
    wanted: &[Input],
    inputs: &mut Vec<(Reg, Input)>,
) -> Result<Vec<Reg>, Unsupported> {
    let mut registers = Vec::new();
    for &input in wanted {
        let register = compiler.allocate(1)?;
        inputs.push((register, input));
        registers.push(register);
    }
    Ok(registers)
}

/// Returns the registers for an argument, or a member of it, with this binding.
type Fill<'f> = dyn FnMut(&mut Compiler<'_>, &Binding, &TypeInner) -> Result<Vec<Reg>, Unsupported> + 'f;

fn arguments(compiler: &mut Compiler<'_>, function: &Function, fill: &mut Fill<'_>) -> Result<Vec<Value>, Unsupported> {
    let module = compiler.module;
    let mut values = Vec::new();
    for argument in &function.arguments {
        let inner = &module.types[argument.ty].inner;
        let registers = match (&argument.binding, inner) {
            (Some(binding), inner) => fill(compiler, binding, inner)?,
            (None, TypeInner::Struct { members, .. }) => {
                let mut registers = Vec::new();
                for member in members {
                    let binding =
                        member.binding.as_ref().ok_or_else(|| Unsupported("a member without a binding".into()))?;
                    registers.extend(fill(compiler, binding, &module.types[member.ty].inner)?);
                }
                registers
            }
            (None, _) => return Err(Unsupported("an argument without a binding".into())),
        };
        values.push(Value::Registers(registers));
    }
    Ok(values)
}

/// The position of the colour in a fragment shader's result.
pub fn colour(module: &Module, result: Option<&FunctionResult>, plain: bool) -> Result<usize, Unsupported> {
    let wrong = || Unsupported(format!("the entry point does not return a vec4f colour; {ACCEPTED}"));
    let result = result.ok_or_else(wrong)?;
    let is_colour = |binding: Option<&Binding>, ty: Handle<Type>| {
        let bound = plain || matches!(binding, Some(Binding::Location { location: 0, .. }));
        bound && is_floats(&module.types[ty].inner, VectorSize::Quad)
    };
    if is_colour(result.binding.as_ref(), result.ty) {
        return Ok(0);
    }
    if let (TypeInner::Struct { members, .. }, false) = (&module.types[result.ty].inner, plain) {
        let mut start = 0;
        for member in members {
            if is_colour(member.binding.as_ref(), member.ty) {
                return Ok(start);
            }
            start += layout::size_of(module, member.ty)? as usize;
        }
    }
    Err(wrong())
}

/// Allocates every module-scope variable that the entry point uses. Returns the output of a kernel.
pub fn globals(
    compiler: &mut Compiler<'_>,
    info: &FunctionInfo,
    side: u32,
    prologue: &mut Vec<Instruction>,
) -> Result<Option<Output>, Unsupported> {
    let module = compiler.module;
    let mut output = None;
    for (handle, variable) in module.global_variables.iter() {
        if info[handle] == GlobalUse::empty() {
            continue;
        }
        compiler.at = Some(module.global_variables.get_span(handle));
        let inner = &module.types[variable.ty].inner;
        let pointer = match variable.space {
            AddressSpace::Private => {
                let pointer = compiler.variable(inner)?;
                let values = match variable.init {
                    Some(init) => compiler.global(init)?,
                    None => compiler.zeros(inner)?,
                };
                prologue.extend((pointer.base..).zip(values).map(|(to, from)| Instruction::Copy { to, from }));
                pointer
            }
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                let (element, len) = buffer(module, inner, side)?;
                let words = len as usize * if element == Element::Colour { 4 } else { 1 };
                if output.replace(Output::Buffer { element, words }).is_some() {
                    return Err(Unsupported(format!("a second storage buffer that is written; {ACCEPTED}")));
                }
                Pointer { memory: Memory::Buffer { len }, base: 0, offset: None }
            }
            AddressSpace::Uniform | AddressSpace::Storage { .. } => {
                let pointer = compiler.variable(inner)?;
                let mut words = Vec::new();
                given_by_name(module, variable.name.as_deref(), inner, side, &mut words)?;
                compiler.constants.extend((pointer.base..).zip(words));
                pointer
            }
            AddressSpace::WorkGroup => return Err(Unsupported("workgroup memory".into())),
            _ => return Err(Unsupported("a texture or sampler".into())),
        };
        compiler.globals.insert(handle, pointer);
    }
    Ok(output)
}

/// The element type of a kernel's output, and its number of elements.
fn buffer(module: &Module, inner: &TypeInner, side: u32) -> Result<(Element, u32), Unsupported> {
    let wrong = || Unsupported(format!("a storage buffer that is not one array of vec4f, u32 or f32; {ACCEPTED}"));
    match *inner {
        TypeInner::Struct { ref members, .. } => match &members[..] {
            [only] => buffer(module, &module.types[only.ty].inner, side),
            _ => Err(wrong()),
        },
        TypeInner::Array { base, size, .. } => {
            let element = match module.types[base].inner {
                TypeInner::Scalar(Scalar::U32) => Element::Packed,
                TypeInner::Scalar(Scalar::F32) => Element::Grey,
                ref inner if is_floats(inner, VectorSize::Quad) => Element::Colour,
                _ => return Err(wrong()),
            };
            let len = match size {
                ArraySize::Constant(count) if count.get() <= PICTURE_SIDE_MAX * PICTURE_SIDE_MAX => count.get(),
                ArraySize::Dynamic => side * side,
                ArraySize::Constant(_) | ArraySize::Pending(_) => return Err(wrong()),
            };
            Ok((element, len))
        }
        _ => Err(wrong()),
    }
}

/// The value of a uniform: zero, unless its name asks for the size of the picture.
#[allow(clippy::cast_precision_loss, reason = "a side is far below 2^24")]
fn given_by_name(
    module: &Module,
    name: Option<&str>,
    inner: &TypeInner,
    side: u32,
    words: &mut Vec<u32>,
) -> Result<(), Unsupported> {
    if let TypeInner::Struct { members, .. } = inner {
        for member in members {
            given_by_name(module, member.name.as_deref(), &module.types[member.ty].inner, side, words)?;
        }
        return Ok(());
    }
    let count = layout::size(module, inner)?;
    let is_size = name.is_some_and(|name| ["resolution", "size", "dimensions", "width", "height"].contains(&name));
    let number = |scalar: Scalar| if scalar == Scalar::F32 { (side as f32).to_bits() } else { side };
    let (value, given) = match *inner {
        TypeInner::Scalar(scalar) if is_size => (number(scalar), 1),
        TypeInner::Vector { scalar, .. } if is_size => (number(scalar), 2),
        _ => (0, 0),
    };
    words.extend((0..count).map(|part| if part < given { value } else { 0 }));
    Ok(())
}
