//! The table: each measurement as a figure and as a ratio with its interval, beside its budget and an earlier run. Also
//! written as JSON.

use crate::error::{BenchError, Doing};
use crate::stats::Ratio;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// One row of the table.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    group: Cow<'static, str>,
    what: String,
    value: f64,
    unit: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    /// Half of the 95 % interval of the ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plus_minus: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<f64>,
    /// Whether the budget is a minimum; otherwise it is a maximum.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_least: bool,
    /// Whether the budget is of the value although there is a ratio.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_of_value: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<bool>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
}

/// The circumstances of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct About {
    /// The day, as `2026-11-17`.
    pub day: String,
    /// The commit that was built.
    pub commit: String,
    /// Processors of the machine.
    pub cores: usize,
    /// Whether it was a run of few rounds.
    pub quick: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    #[serde(default)]
    about: About,
    rows: Vec<Row>,
}

impl Report {
    /// An empty report.
    pub fn of(about: About) -> Self {
        Self { about, rows: Vec::new() }
    }

    /// Reads the report of an earlier run.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let text = std::fs::read_to_string(path).doing("reading the earlier run")?;
        serde_json::from_str(&text).map_err(|error| BenchError::Odd(format!("{}: {error}", path.display())))
    }

    /// Adds a figure without a ratio.
    pub fn figure(&mut self, group: &'static str, what: impl Into<String>, value: f64, unit: &'static str) -> &mut Row {
        let row = Row {
            group: group.into(),
            what: what.into(),
            value,
            unit: unit.into(),
            ratio: None,
            plus_minus: None,
            budget: None,
            is_least: false,
            is_of_value: false,
            within: None,
            note: String::new(),
        };
        self.rows.push(row);
        self.rows.last_mut().expect("a row was just added")
    }

    /// A figure measured before, by its text.
    pub fn value_of(&self, what: &str) -> Option<f64> {
        self.rows.iter().find(|row| row.what == what).map(|row| row.value)
    }

    /// Prints the table, beside an earlier run.
    pub fn print(&self, earlier: Option<&Self>) {
        let mut group = "";
        let before = if earlier.is_some() { "before" } else { "" };
        for row in &self.rows {
            if row.group != group {
                group = &row.group;
                println!("\n{group}");
                let heads = ["median", "× limit", "budget"];
                println!("  {:<58} {:>12}        {:>14}  {:<16} {before}", "", heads[0], heads[1], heads[2]);
            }
            let budget = match (row.budget, row.within) {
                (Some(budget), Some(within)) => {
                    let sign = if row.is_least { "≥" } else { "≤" };
                    format!("{sign} {budget:.3} {}", if within { "✓" } else { "✗ MISSED" })
                }
                _ => String::new(),
            };
            let was = earlier.and_then(|earlier| earlier.same(row)).map_or(String::new(), |was| row.beside(was));
            let (value, unit) = (number(row.value), &row.unit);
            println!(
                "  {:<58} {value:>12} {unit:<6} {:>14}  {budget:<16} {was:<24} {}",
                row.what,
                row.times(),
                row.note
            );
        }
        let missed = self.rows.iter().filter(|row| row.within == Some(false)).count();
        let unknown = self.rows.iter().filter(|row| row.is_unknown()).count();
        println!("\n{missed} budgets missed; {unknown} ratios are not known to 5 % (marked ?)");
    }

    fn same(&self, row: &Row) -> Option<&Row> {
        self.rows.iter().find(|other| other.group == row.group && other.what == row.what)
    }

    /// Writes the report as JSON.
    pub fn write(&self, path: &Path) -> Result<(), BenchError> {
        let mut json = serde_json::to_vec_pretty(self).map_err(|error| BenchError::Odd(error.to_string()))?;
        json.push(b'\n');
        std::fs::write(path, json).doing("writing the JSON")?;
        println!("written to {}", path.display());
        Ok(())
    }
}

impl Row {
    /// Sets the ratio to the limit.
    pub fn ratio(&mut self, ratio: impl Into<Ratio>) -> &mut Self {
        let ratio = ratio.into();
        self.ratio = Some(ratio.value);
        self.plus_minus = ratio.plus_minus;
        self
    }

    /// Sets the maximum of the ratio, or without one of the value. Call it after `ratio`.
    pub fn budget(&mut self, budget: f64) -> &mut Self {
        self.budget = Some(budget);
        self.within = Some(self.ratio.unwrap_or(self.value) <= budget);
        self
    }

    /// Sets the maximum of the value, also where there is a ratio.
    pub fn value_budget(&mut self, budget: f64) -> &mut Self {
        self.is_of_value = true;
        self.budget = Some(budget);
        self.within = Some(self.value <= budget);
        self
    }

    /// Sets the minimum of the ratio, or without one of the value. Call it after `ratio`.
    pub fn at_least(&mut self, budget: f64) -> &mut Self {
        self.is_least = true;
        self.budget = Some(budget);
        self.within = Some(self.ratio.unwrap_or(self.value) >= budget);
        self
    }

    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.note = note.into();
        self
    }

    fn is_unknown(&self) -> bool {
        match (self.ratio, self.plus_minus) {
            (Some(value), plus_minus @ Some(_)) => !Ratio { value, plus_minus }.is_known(),
            _ => false,
        }
    }

    fn times(&self) -> String {
        let unsure = if self.is_unknown() { "?" } else { "" };
        match (self.ratio, self.plus_minus) {
            (Some(ratio), Some(plus_minus)) => format!("{ratio:.2} ± {plus_minus:.2}{unsure}"),
            (Some(ratio), None) => format!("{ratio:.2}"),
            (None, _) => String::new(),
        }
    }

    /// The earlier figure, and the change if it exceeds both intervals.
    fn beside(&self, was: &Self) -> String {
        let (Some(now), Some(before)) = (self.ratio, was.ratio) else { return number(was.value) };
        let apart = self.plus_minus.unwrap_or(0.0) + was.plus_minus.unwrap_or(0.0);
        let change = (now / before - 1.0) * 100.0;
        if self.plus_minus.is_some() && (now - before).abs() > apart {
            format!("{} ({change:+.0} %)", was.times())
        } else {
            format!("{} (the same)", was.times())
        }
    }
}

fn number(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value => format!("{value:.4}"),
    }
}
