//! An individual: the syntax tree, text and fitness of a shader that paints.

use crate::genome::{self, Survey, TranslationUnit};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// One member of a population.
#[derive(Clone)]
pub struct Individual {
    pub unit: TranslationUnit,
    pub source: String,
    pub fitness: f64,
    pub operations: u64,
    /// A hash of the picture.
    pub picture: u64,
    survey: OnceLock<Survey>,
}

impl Individual {
    pub fn new(unit: TranslationUnit, source: String, fitness: f64, operations: u64, picture: u64) -> Self {
        Self { unit, source, fitness, operations, picture, survey: OnceLock::new() }
    }

    /// The places of the shader that may change. Computed when it first becomes a parent.
    pub fn survey(&self) -> &Survey {
        self.survey.get_or_init(|| genome::survey(&mut self.unit.clone()))
    }

    /// Orders by fitness, the fittest first; then by fewer operations, then by shorter source.
    pub fn compare(&self, other: &Self) -> Ordering {
        let fitness = other.fitness.total_cmp(&self.fitness);
        fitness.then(self.operations.cmp(&other.operations)).then(self.source.len().cmp(&other.source.len()))
    }
}
