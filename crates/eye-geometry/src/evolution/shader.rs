//! From source text to a program that paints: naga parses and validates it, the machine compiles it, and errors get
//! their position.

use super::failure::Failure;
use crate::genome::{self, TranslationUnit};
use crate::limits::{EXPRESSION_BYTES_MAX, SHADER_BYTES_MAX};
use crate::machine::Program;
use eye_protocol::error::with_causes;
use naga::SourceLocation;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::panic::catch_unwind;

/// Checks and compiles a shader for a picture of `side` pixels per side. Must run on a thread with a stack of
/// [`STACK_BYTES`](crate::limits::STACK_BYTES).
/// [`STACK_BYTES`](crate::limits::STACK_BYTES).
pub fn program(source: &str, side: u32) -> Result<Program, Failure> {
    check_size(source)?;
    // The library should return an error for wrong input. If it panics, only this shader fails.
    catch_unwind(|| compiled(source, side))
        .unwrap_or_else(|_| Err(invalid(source, "the shader compiler gave up on it", None)))
}

/// The syntax tree of a shader that compiles.
pub fn tree(source: &str) -> Result<TranslationUnit, Failure> {
    let parse = || {
        genome::parse(source).map_err(|unreadable| {
            let (line, column) = position(source, unreadable.offset);
            Failure::Invalid { message: unreadable.message, line, column }
        })
    };
    catch_unwind(parse).unwrap_or_else(|_| Err(invalid(source, "the shader's parser gave up on it", None)))
}

fn compiled(source: &str, side: u32) -> Result<Program, Failure> {
    let module = naga::front::wgsl::parse_str(source)
        .map_err(|error| invalid(source, error.message(), error.location(source)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32)
        .validate(&module)
        .map_err(|error| {
            let location =
                error.spans().next().filter(|(span, _)| span.is_defined()).map(|(span, _)| span.location(source));
            invalid(source, &with_causes(error.as_inner()), location)
        })?;
    Program::new(&module, &info, side).map_err(|(unsupported, span)| {
        let location = span.map(|span| span.location(source));
        invalid(source, &format!("not supported: {}", unsupported.0), location)
    })
}

fn check_size(source: &str) -> Result<(), Failure> {
    let too_long = |what: &str, found: usize, limit: usize, at: Option<usize>| {
        let (line, column) = at.map_or((None, None), |at| position(source, at));
        Failure::Invalid { message: format!("the shader has {what} of {found} bytes, more than {limit}"), line, column }
    };
    if source.len() > SHADER_BYTES_MAX {
        return Err(too_long("a source", source.len(), SHADER_BYTES_MAX, None));
    }
    let mut start = 0;
    for piece in source.split_inclusive([';', '{', '}']) {
        if piece.len() > EXPRESSION_BYTES_MAX {
            return Err(too_long("a statement", piece.len(), EXPRESSION_BYTES_MAX, Some(start)));
        }
        start += piece.len();
    }
    Ok(())
}

fn invalid(source: &str, message: &str, location: Option<SourceLocation>) -> Failure {
    let (line, column) = location.map_or((None, None), |location| position(source, location.offset as usize));
    Failure::Invalid { message: message.to_owned(), line, column }
}

/// Line and column, from 1, counted in characters.
fn position(source: &str, offset: usize) -> (Option<u32>, Option<u32>) {
    let before = source.get(..offset).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |text| text.chars().count()) + 1;
    (u32::try_from(line).ok(), u32::try_from(column).ok())
}
