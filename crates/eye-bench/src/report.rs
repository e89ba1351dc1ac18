//! The table: what was measured, as a figure and as a ratio, against its budget. Also as JSON.

use crate::error::{BenchError, Doing};
use serde::Serialize;
use std::path::Path;

/// One line of the table.
#[derive(Debug, Serialize)]
pub struct Row {
    group: &'static str,
    what: String,
    value: f64,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<f64>,
    /// Whether the budget is what must be reached; otherwise it must not be exceeded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_least: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<bool>,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: String,
}

/// All lines.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// A figure on its own.
    pub fn figure(&mut self, group: &'static str, what: impl Into<String>, value: f64, unit: &'static str) -> &mut Row {
        self.rows.push(Row {
            group,
            what: what.into(),
            value,
            unit,
            ratio: None,
            budget: None,
            is_least: false,
            within: None,
            note: String::new(),
        });
        self.rows.last_mut().expect("a row was just added")
    }

    /// A figure that was measured before, by its words.
    pub fn value_of(&self, what: &str) -> Option<f64> {
        self.rows.iter().find(|row| row.what == what).map(|row| row.value)
    }

    /// Prints the table.
    pub fn print(&self) {
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                group = row.group;
                println!("\n{group}");
                println!("  {:<58} {:>12}        {:>8}  {:>8}", "", "median", "× limit", "budget");
            }
            let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
            let budget = match (row.budget, row.within) {
                (Some(budget), Some(within)) => {
                    let sign = if row.is_least { "≥" } else { "≤" };
                    format!("{sign} {budget:.3} {}", if within { "✓" } else { "✗ MISSED" })
                }
                _ => String::new(),
            };
            println!(
                "  {:<58} {:>12} {:<6} {:>8}  {:<16} {}",
                row.what,
                number(row.value),
                row.unit,
                ratio,
                budget,
                row.note
            );
        }
        let missed = self.rows.iter().filter(|row| row.within == Some(false)).count();
        println!("\n{missed} budgets missed");
    }

    /// Writes the same as JSON.
    pub fn write(&self, path: &Path) -> Result<(), BenchError> {
        let json = serde_json::to_vec_pretty(self).map_err(|error| BenchError::Odd(error.to_string()))?;
        std::fs::write(path, json).doing("writing the JSON")?;
        println!("written to {}", path.display());
        Ok(())
    }
}

impl Row {
    /// How it compares with the limit.
    pub fn ratio(&mut self, ratio: f64) -> &mut Self {
        self.ratio = Some(ratio);
        self
    }

    /// What the ratio (or, without one, the value) must not exceed.
    pub fn budget(&mut self, budget: f64) -> &mut Self {
        self.budget = Some(budget);
        self.within = Some(self.ratio.unwrap_or(self.value) <= budget);
        self
    }

    /// What the ratio must reach.
    pub fn at_least(&mut self, budget: f64) -> &mut Self {
        self.is_least = true;
        self.budget = Some(budget);
        self.within = Some(self.ratio.unwrap_or(self.value) >= budget);
        self
    }

    /// Words beside it.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.note = note.into();
        self
    }
}

fn number(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value => format!("{value:.4}"),
    }
}
