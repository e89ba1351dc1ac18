//! Executes a program on one tile of lanes: control flow with masks, and the limits of every run.

use super::code::{Case, Code, Lanes, Reg};
use super::mask::Mask;
use super::registers::Registers;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The interval, in instructions, at which a run checks for cancellation and its deadline.
const STEPS_PER_LOOK: u64 = 1_024;

/// Ends a run early: by cancellation or at the deadline.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    pub cancel: &'a AtomicBool,
    pub deadline: Option<Instant>,
}

impl Watch<'_> {
    pub fn is_over(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Why a run ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A tile took too many steps.
    Steps,
    /// The run was cancelled, or its deadline passed.
    Over,
}

/// The execution of a program on one tile.
pub struct Execution<'a> {
    pub functions: &'a [Vec<Code>],
    pub registers: &'a mut Registers,
    /// The output buffer of a kernel; empty for a fragment shader.
    pub buffer: &'a mut [u32],
    pub watch: Watch<'a>,
    pub steps: u64,
    pub steps_max: u64,
    pub next_look: u64,
    /// The cost so far, over all lanes.
    pub cost: u64,
    /// The lanes whose pixels are not painted.
    pub discarded: Mask,
}

/// Lanes that left the current block, and wait for the end of a loop, an iteration or the function.
struct Flow {
    broken: Mask,
    continued: Mask,
    returned: Mask,
}

impl Execution<'_> {
    /// Executes a function in the given lanes.
    pub fn call(&mut self, function: usize, active: &mut Mask) -> Result<(), Halt> {
        let mut flow = Flow { broken: Mask::NONE, continued: Mask::NONE, returned: Mask::NONE };
        let functions = self.functions;
        self.block(&functions[function], active, &mut flow)?;
        active.add(&flow.returned);
        Ok(())
    }

    /// Executes a block. Afterwards `active` holds the lanes that reach its end.
    fn block(&mut self, block: &[Code], active: &mut Mask, flow: &mut Flow) -> Result<(), Halt> {
        for code in block {
            if active.is_empty() {
                return Ok(());
            }
            match code {
                Code::Run { instructions, cost } => {
                    self.step(instructions.len() as u64)?;
                    self.cost += cost * active.count;
                    self.registers.run(instructions, active, self.buffer);
                }
                Code::If { condition, accept, reject } => {
                    self.control(active)?;
                    let (mut yes, mut no) = active.split(self.registers.get(*condition));
                    self.block(accept, &mut yes, flow)?;
                    self.block(reject, &mut no, flow)?;
                    yes.add(&no);
                    *active = yes;
                }
                Code::Switch { selector, cases } => self.switch(*selector, cases, active, flow)?,
                Code::Loop { body, continuing, break_if } => self.iterate(body, continuing, *break_if, active, flow)?,
                Code::Call { function } => {
                    self.control(active)?;
                    self.call(*function, active)?;
                }
                Code::Break => active.move_to(&mut flow.broken),
                Code::Continue => active.move_to(&mut flow.continued),
                Code::Return => active.move_to(&mut flow.returned),
                Code::Discard => active.move_to(&mut self.discarded),
            }
        }
        Ok(())
    }

    fn iterate(
        &mut self,
        body: &[Code],
        continuing: &[Code],
        break_if: Option<Reg>,
        active: &mut Mask,
        flow: &mut Flow,
    ) -> Result<(), Halt> {
        let outer_broken = std::mem::replace(&mut flow.broken, Mask::NONE);
        let outer_continued = std::mem::replace(&mut flow.continued, Mask::NONE);
        while !active.is_empty() {
            self.control(active)?;
            self.block(body, active, flow)?;
            flow.continued.move_to(active);
            self.block(continuing, active, flow)?;
            if let Some(condition) = break_if {
                let (leave, stay) = active.split(self.registers.get(condition));
                flow.broken.add(&leave);
                *active = stay;
            }
        }
        *active = std::mem::replace(&mut flow.broken, outer_broken);
        flow.continued = outer_continued;
        Ok(())
    }

    fn switch(&mut self, selector: Reg, cases: &[Case], active: &mut Mask, flow: &mut Flow) -> Result<(), Halt> {
        self.control(active)?;
        // Every value is compared, so every value counts as a step. Otherwise many cases would evade the limit.
        self.step(cases.iter().map(|case| case.values.len() as u64).sum())?;
        let outer_broken = std::mem::replace(&mut flow.broken, Mask::NONE);
        let selectors = *self.registers.get(selector);
        let equal = |values: &[u32]| {
            let mut lanes: Lanes = selectors;
            for lane in &mut lanes {
                *lane = if values.contains(lane) { u32::MAX } else { 0 };
            }
            lanes
        };
        let all: Vec<u32> = cases.iter().flat_map(|case| case.values.iter().copied()).collect();
        let others = active.split(&equal(&all)).1;
        let mut ended = if cases.iter().any(|case| case.default) { Mask::NONE } else { others.clone() };
        for case in cases {
            let (mut chosen, _) = active.split(&equal(&case.values));
            if case.default {
                chosen.add(&others);
            }
            self.block(&case.body, &mut chosen, flow)?;
            ended.add(&chosen);
        }
        ended.add(&std::mem::replace(&mut flow.broken, outer_broken));
        *active = ended;
        Ok(())
    }

    fn control(&mut self, active: &Mask) -> Result<(), Halt> {
        self.cost += active.count;
        self.step(1)
    }

    fn step(&mut self, steps: u64) -> Result<(), Halt> {
        self.steps += steps;
        if self.steps > self.steps_max {
            return Err(Halt::Steps);
        }
        if self.steps >= self.next_look {
            self.next_look = self.steps + STEPS_PER_LOOK;
            if self.watch.is_over() {
                return Err(Halt::Over);
            }
        }
        Ok(())
    }
}
