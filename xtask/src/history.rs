//! Renders the benchmark runs kept in `docs/bench` as a table in `docs/figures.md`.

use crate::place;
use crate::run::TaskError;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The document that contains the table.
pub const FIGURES: &str = "docs/figures.md";
/// The table is generated between these lines.
const BEGIN: &str = "<!-- history: begin, made by `cargo xtask gen` of docs/bench -->\n";
const END: &str = "<!-- history: end -->\n";
/// The newest runs, one column each.
const RUNS_LEN_MAX: usize = 6;

/// The folder of kept runs.
pub fn folder() -> PathBuf {
    place::root().join("docs/bench")
}

/// Stores a run under its day and commit.
pub fn keep(run: &Path) -> Result<PathBuf, TaskError> {
    let text = fs::read_to_string(run).map_err(TaskError::io(format!("reading {}", run.display())))?;
    let parsed = parse(&text, run)?;
    let word = |name: &str| parsed["about"][name].as_str().unwrap_or("unknown").to_owned();
    let file = folder().join(format!("{}-{}.json", word("day"), word("commit")));
    fs::create_dir_all(folder())
        .and_then(|()| fs::write(&file, text))
        .map_err(TaskError::io(format!("writing {}", file.display())))?;
    Ok(file)
}

/// The document with its table regenerated.
pub fn figures_with_table() -> Result<String, TaskError> {
    let path = place::root().join(FIGURES);
    let text = fs::read_to_string(&path).map_err(TaskError::io(format!("reading {}", path.display())))?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    let mut runs = Vec::new();
    for file in files.iter().skip(files.len().saturating_sub(RUNS_LEN_MAX)) {
        let text = fs::read_to_string(file).map_err(TaskError::io(format!("reading {}", file.display())))?;
        runs.push(parse(&text, file)?);
    }
    with_table(&text, &runs).ok_or_else(|| TaskError::Wrong(format!("{FIGURES} has no place for the history")))
}

fn parse(text: &str, file: &Path) -> Result<Value, TaskError> {
    serde_json::from_str(text).map_err(|error| TaskError::Wrong(format!("{}: {error}", file.display())))
}

fn with_table(page: &str, runs: &[Value]) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{}{END}{after}", table(runs)))
}

/// Every figure that has a budget, with a column for each run.
fn table(runs: &[Value]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let rows = |run: &Value| run["rows"].as_array().cloned().unwrap_or_default();
    let mut names: Vec<[String; 2]> = Vec::new();
    for row in runs.iter().flat_map(rows).filter(|row| row["budget"].is_number()) {
        let name = ["group", "what"].map(|part| row[part].as_str().unwrap_or_default().to_owned());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = String::from("| | budget |");
    for run in runs {
        let about = |name: &str| run["about"][name].as_str().unwrap_or("?").to_owned();
        let quick = if run["about"]["quick"] == true { ", quick" } else { "" };
        let _ = write!(text, " {} {}{quick} |", about("day"), about("commit"));
    }
    let _ = write!(text, "\n|---|--:|{}\n", "--:|".repeat(runs.len()));
    for [group, what] in names {
        let same = |run: &Value| rows(run).into_iter().find(|row| row["group"] == group && row["what"] == what);
        let found: Vec<Option<Value>> = runs.iter().map(same).collect();
        let budget = found.iter().flatten().next_back().map_or(String::new(), budget);
        let _ = write!(text, "| {group}: {what} | {budget} |");
        for row in found {
            let cell = row.map_or(String::new(), |row| cell(&row));
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

/// Whether the budget is of the value and not of the ratio.
fn is_of_value(row: &Value) -> bool {
    row["is_of_value"] == true || !row["ratio"].is_number()
}

fn budget(row: &Value) -> String {
    let budget = row["budget"].as_f64().unwrap_or_default();
    let unit = if is_of_value(row) { row["unit"].as_str().unwrap_or_default() } else { "×" };
    format!("{budget:.2} {unit}")
}

fn cell(row: &Value) -> String {
    let name = if is_of_value(row) { "value" } else { "ratio" };
    let figure = row[name].as_f64().unwrap_or_default();
    match row["plus_minus"].as_f64().filter(|_| !is_of_value(row)) {
        Some(plus_minus) => format!("{figure:.2} ± {plus_minus:.2}"),
        None => format!("{figure:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_is_a_column_and_what_it_did_not_measure_is_empty() {
        let run = |commit: &str, rows: Value| json!({ "about": { "day": "2026-11-17", "commit": commit, "quick": false }, "rows": rows });
        let row = |what: &str, ratio: f64| json!({ "group": "g", "what": what, "ratio": ratio, "plus_minus": 0.02, "budget": 1.3 });
        let without = json!({ "group": "g", "what": "no budget", "ratio": 1.0 });
        let start = json!({ "group": "g", "what": "start", "value": 4.2, "unit": "ms", "budget": 5.0 });
        let known = json!({ "group": "g", "what": "known", "value": 9.0, "unit": "µs", "ratio": 2.0, "budget": 7.0, "is_of_value": true });
        let runs =
            [run("a", json!([row("x", 1.5), without, start])), run("b", json!([row("x", 1.25), row("y", 2.0), known]))];
        let page = with_table(&format!("before\n{BEGIN}old\n{END}after\n"), &runs).unwrap();
        let table = "| | budget | 2026-11-17 a | 2026-11-17 b |\n|---|--:|--:|--:|\n\
                     | g: x | 1.30 × | 1.50 ± 0.02 | 1.25 ± 0.02 |\n| g: start | 5.00 ms | 4.20 |  |\n\
                     | g: y | 1.30 × |  | 2.00 ± 0.02 |\n| g: known | 7.00 µs |  | 9.00 |\n";
        assert_eq!(page, format!("before\n{BEGIN}{table}{END}after\n"));
        assert_eq!(with_table("no place", &runs), None);
    }

    #[test]
    fn the_page_has_the_table_of_the_runs_that_are_kept() {
        let page = fs::read_to_string(place::root().join(FIGURES)).unwrap();
        assert_eq!(figures_with_table().unwrap(), page, "run `cargo xtask gen`");
    }
}
