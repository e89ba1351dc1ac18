//! A shader compiled for a picture of a fixed size.

use super::code::{Code, Reg};
use super::compile::Compiler;
use super::surface::{self, Entry, Grid, Input, Output};
use super::unsupported::Unsupported;
use naga::valid::ModuleInfo;
use naga::{Module, Span};

/// Everything that the machine needs to paint one shader.
pub struct Program {
    pub(super) functions: Vec<Vec<Code>>,
    pub(super) entry: usize,
    pub(super) registers: usize,
    pub(super) constants: Vec<(Reg, u32)>,
    pub(super) inputs: Vec<(Reg, Input)>,
    pub(super) output: Output,
    pub(super) grid: Grid,
}

impl Program {
    /// Compiles a validated module. The error names what the machine does not support, and its position.
    pub fn new(module: &Module, info: &ModuleInfo, side: u32) -> Result<Self, (Unsupported, Option<Span>)> {
        let mut compiler = Compiler::new(module, info);
        compile(&mut compiler, side).map_err(|unsupported| (unsupported, compiler.at.filter(Span::is_defined)))
    }
}

fn compile(compiler: &mut Compiler<'_>, side: u32) -> Result<Program, Unsupported> {
    let (module, info) = (compiler.module, compiler.info);
    let entry = surface::entry(module)?;
    let (function, uses, plain) = match entry {
        Entry::Fragment(index) | Entry::Compute(index) => {
            (&module.entry_points[index].function, info.get_entry_point(index), false)
        }
        Entry::Plain(handle) => (&module.functions[handle], &info[handle], true),
    };
    let mut grid = Grid { side, group: [1, 1, 1], linear: false };
    let mut inputs = Vec::new();
    let mut prologue = Vec::new();
    let buffer = surface::globals(compiler, uses, side, &mut prologue)?;
    compiler.at = None;
    let arguments = match entry {
        Entry::Compute(index) => {
            grid.group = module.entry_points[index].workgroup_size;
            grid.linear = grid.group[0] > 1 && grid.group[1] == 1;
            surface::kernel_arguments(compiler, function, &grid, &mut inputs)?
        }
        Entry::Fragment(_) | Entry::Plain(_) => surface::fragment_arguments(compiler, function, plain, &mut inputs)?,
    };
    let colour = match entry {
        Entry::Compute(_) => None,
        Entry::Fragment(_) | Entry::Plain(_) => Some(surface::colour(module, function.result.as_ref(), plain)?),
    };
    let frame = compiler.frame(function, uses, arguments, prologue)?;
    let output = match (colour, buffer) {
        (Some(at), None) => Output::Colour([frame.result[at], frame.result[at + 1], frame.result[at + 2]]),
        (None, Some(buffer)) => buffer,
        (None, None) => return Err(Unsupported("a kernel that writes no storage buffer".into())),
        (Some(_), Some(_)) => return Err(Unsupported("a storage buffer that a fragment writes".into())),
    };
    Ok(Program {
        functions: std::mem::take(&mut compiler.functions),
        entry: frame.number,
        registers: compiler.registers(),
        constants: std::mem::take(&mut compiler.constants),
        inputs,
        output,
        grid,
    })
}
