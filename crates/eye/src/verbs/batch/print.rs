//! Prints the answers of a batch, as they come or in the order of their lines.

use super::flight::Held;
use super::line::Label;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui::Lines;
use crate::verbs::collect::result_line;
use eye_protocol::Ending;
use std::collections::BTreeMap;

pub struct Printer<'a> {
    lines: Lines,
    options: &'a Options,
    ordered: bool,
    /// The number of the next answer to print, with `ordered`.
    turn: u64,
    waiting: BTreeMap<u64, (Label, Ending)>,
    held: Held,
    failed: bool,
}

impl<'a> Printer<'a> {
    pub fn new(ordered: bool, options: &'a Options) -> Self {
        let waiting = BTreeMap::new();
        Self { lines: Lines::new(), options, ordered, turn: 1, waiting, held: Held::default(), failed: false }
    }

    /// Takes an answer. Returns the answers that wait for earlier ones.
    pub fn ended(&mut self, number: u64, label: &Label, ending: Ending) -> Result<Held, Failure> {
        self.failed |= ending.is_err();
        if !self.ordered {
            self.print(number, label, &ending)?;
            return Ok(Held::default());
        }
        self.held.bytes += bytes(&ending);
        self.waiting.insert(number, (label.clone(), ending));
        while let Some((label, ending)) = self.waiting.remove(&self.turn) {
            self.held.bytes -= bytes(&ending);
            self.print(self.turn, &label, &ending)?;
            self.turn += 1;
        }
        self.held.answers = self.waiting.len();
        Ok(self.held)
    }

    /// Prints the buffered lines.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.lines.flush()
    }

    pub fn failed(&self) -> bool {
        self.failed
    }

    fn print(&mut self, number: u64, label: &Label, ending: &Ending) -> Result<(), Failure> {
        if self.options.errors && ending.is_ok() {
            return Ok(());
        }
        self.lines.line(line(self.ordered, number, label, ending, self.options))
    }
}

fn line(ordered: bool, number: u64, label: &Label, ending: &Ending, options: &Options) -> String {
    match (label, ending) {
        (Label::Given(id), _) => result_line(id, ending, options),
        (Label::Number, Ok(value)) if ordered && !options.json => value.as_text().to_owned(),
        (Label::Number, Err(error)) if ordered && !options.json => format!("!:{}", error.one_line()),
        (Label::Number, _) => result_line(&number.to_string(), ending, options),
    }
}

fn bytes(ending: &Ending) -> usize {
    match ending {
        Ok(value) => value.as_text().len(),
        Err(error) => error.message.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::{Code, Error, Value};

    #[test]
    fn lines_without_an_id_are_numbered_or_bare() {
        let five: Ending = Ok(Value::Json("5".into()));
        let threw: Ending = Err(Error::new(Code::THREW, "x"));
        let options = Options::default();
        assert_eq!(line(false, 3, &Label::Number, &five, &options), "3:5");
        assert_eq!(line(true, 3, &Label::Number, &five, &options), "5");
        assert_eq!(line(true, 3, &Label::Number, &threw, &options), "!:x");
        assert_eq!(line(true, 3, &Label::Given("a".into()), &five, &options), "a:5");
        let json = Options { json: true, ..options };
        assert_eq!(line(true, 3, &Label::Number, &five, &json), r#"{"id":"3","value":5}"#);
    }

    #[test]
    fn what_came_early_is_held_until_its_turn() {
        let options = Options { errors: true, ..Options::default() };
        let mut printer = Printer::new(true, &options);
        let mut ended = |number| printer.ended(number, &Label::Number, Ok(Value::Json("5".into()))).unwrap();
        assert_eq!(ended(2), Held { answers: 1, bytes: 1 });
        assert_eq!(ended(3), Held { answers: 2, bytes: 2 });
        assert_eq!(ended(1), Held::default());
    }
}
