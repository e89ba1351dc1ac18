//! Paints a picture tile by tile: sets the inputs, executes the program, and reads the colours.

#![allow(
    clippy::inline_always,
    reason = "a loop over lanes becomes vector instructions only if all of it is in the loop"
)]

use super::code::{LANES, Lanes, TILE_HEIGHT, TILE_WIDTH};
use super::mask::Mask;
use super::program::Program;
use super::registers::Registers;
use super::run::{Execution, Halt, Watch};
use super::surface::{Element, Grid, Input, Output};
use crate::Picture;

/// Registers and buffers, reused for one program after the other.
#[derive(Default)]
pub struct Machine {
    registers: Registers,
    buffer: Vec<u32>,
}

/// A picture and its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painted {
    pub picture: Picture,
    /// The number of operations over all pixels, by [`Instruction::cost`](super::code::Instruction::cost).
    pub operations: u64,
    /// The number of instructions of the most expensive tile.
    pub steps: u64,
}

impl Machine {
    /// Executes a program for every pixel. A tile may take `steps_max` instructions.
    pub fn paint(&mut self, program: &Program, steps_max: u64, watch: Watch<'_>) -> Result<Painted, Halt> {
        let side = program.grid.side;
        let mut painted = Painted { picture: blank(side), operations: 0, steps: 0 };
        self.registers.clear(program.registers);
        for &(register, word) in &program.constants {
            self.registers.get_mut(register).fill(word);
        }
        self.buffer.clear();
        if let Output::Buffer { words, .. } = program.output {
            self.buffer.resize(words, 0);
        }
        let (across, down) = program.grid.invocations();
        let (width, height) = if program.grid.linear { (LANES, 1) } else { (TILE_WIDTH, TILE_HEIGHT) };
        for top in (0..down).step_by(height) {
            for left in (0..across).step_by(width) {
                let tile = Tile { left, top, width };
                self.tile(program, &tile, steps_max, watch, &mut painted)?;
            }
        }
        if let Output::Buffer { element, .. } = program.output {
            read_buffer(&self.buffer, element, &mut painted.picture);
        }
        Ok(painted)
    }

    fn tile(
        &mut self,
        program: &Program,
        tile: &Tile,
        steps_max: u64,
        watch: Watch<'_>,
        painted: &mut Painted,
    ) -> Result<(), Halt> {
        for &(register, input) in &program.inputs {
            fill(self.registers.get_mut(register), &program.grid, input, tile);
        }
        let mut active = tile.inside(program.grid.invocations());
        let mut execution = Execution {
            functions: &program.functions,
            registers: &mut self.registers,
            buffer: &mut self.buffer,
            watch,
            steps: 0,
            steps_max,
            next_look: 0,
            cost: 0,
            discarded: Mask::NONE,
        };
        execution.call(program.entry, &mut active)?;
        painted.operations += execution.cost;
        painted.steps = painted.steps.max(execution.steps);
        if let Output::Colour(colour) = program.output {
            let channels = colour.map(|register| *self.registers.get(register));
            read_colours(&channels, &active, tile, &mut painted.picture);
        }
        Ok(())
    }
}

/// A rectangle of lanes.
struct Tile {
    left: u32,
    top: u32,
    width: usize,
}

impl Tile {
    /// Sets every lane to the value of `word` for its column and row.
    #[inline(always)]
    fn each(&self, lanes: &mut Lanes, word: impl Fn(u32, u32) -> u32) {
        for (row, lanes) in (self.top..).zip(lanes.chunks_exact_mut(self.width)) {
            for (column, lane) in (self.left..).zip(lanes) {
                *lane = word(column, row);
            }
        }
    }

    /// The lanes that are invocations of the kernel.
    fn inside(&self, (across, down): (u32, u32)) -> Mask {
        let mut lanes = [0; LANES];
        self.each(&mut lanes, |x, y| if x < across && y < down { u32::MAX } else { 0 });
        Mask::of(&lanes)
    }

    #[allow(clippy::cast_possible_truncation, reason = "a lane's number is small")]
    fn at(&self, lane: usize) -> (u32, u32) {
        (self.left + (lane % self.width) as u32, self.top + (lane / self.width) as u32)
    }
}

/// Sets one input of the tile's lanes.
#[allow(clippy::cast_precision_loss, reason = "a side is far below 2^24")]
fn fill(lanes: &mut Lanes, grid: &Grid, input: Input, tile: &Tile) {
    let side = grid.side as f32;
    let [width, height, _] = grid.group;
    match input {
        Input::U => tile.each(lanes, |x, _| ((x as f32 + 0.5) / side).to_bits()),
        Input::V => tile.each(lanes, |_, y| ((y as f32 + 0.5) / side).to_bits()),
        Input::CentreX => tile.each(lanes, |x, _| (x as f32 + 0.5).to_bits()),
        Input::CentreY => tile.each(lanes, |_, y| (y as f32 + 0.5).to_bits()),
        Input::GlobalX => tile.each(lanes, |x, _| x),
        Input::GlobalY => tile.each(lanes, |_, y| y),
        Input::LocalX => tile.each(lanes, |x, _| x % width),
        Input::LocalY => tile.each(lanes, |_, y| y % height),
        Input::LocalIndex => tile.each(lanes, |x, y| x % width + (y % height) * width),
        Input::GroupX => tile.each(lanes, |x, _| x / width),
        Input::GroupY => tile.each(lanes, |_, y| y / height),
    }
}

/// A black, opaque picture, like a canvas without alpha.
fn blank(side: u32) -> Picture {
    let pixels = side as usize * side as usize;
    Picture { width: side, height: side, rgba: [0, 0, 0, 255].repeat(pixels) }
}

fn read_colours(channels: &[Lanes; 3], active: &Mask, tile: &Tile, picture: &mut Picture) {
    for lane in (0..LANES).filter(|&lane| active.lanes[lane] != 0) {
        let (x, y) = tile.at(lane);
        let at = (y as usize * picture.width as usize + x as usize) * 4;
        for (byte, channel) in picture.rgba[at..at + 3].iter_mut().zip(channels) {
            *byte = level(channel[lane]);
        }
    }
}

fn read_buffer(buffer: &[u32], element: Element, picture: &mut Picture) {
    let pixels = picture.rgba.as_chunks_mut::<4>().0;
    match element {
        Element::Colour => {
            for (pixel, words) in pixels.iter_mut().zip(buffer.as_chunks::<4>().0) {
                *pixel = [level(words[0]), level(words[1]), level(words[2]), 255];
            }
        }
        Element::Packed => {
            for (pixel, word) in pixels.iter_mut().zip(buffer) {
                let [red, green, blue, _] = word.to_le_bytes();
                *pixel = [red, green, blue, 255];
            }
        }
        Element::Grey => {
            for (pixel, &word) in pixels.iter_mut().zip(buffer) {
                let grey = level(word);
                *pixel = [grey, grey, grey, 255];
            }
        }
    }
}

/// Converts a colour from 0..1 to a byte, rounded; NaN becomes 0.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is held between 0 and 255, and NaN becomes 0"
)]
fn level(word: u32) -> u8 {
    (f32::from_bits(word).clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}
