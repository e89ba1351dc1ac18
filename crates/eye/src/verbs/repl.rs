//! `eye repl`: evaluates line by line, with history and editing if stdin is a terminal.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::pages;
use crate::{client, places, ui};
use eye_client::connection::Connection;
use eye_protocol::messages::{SessionRow, Sessions, Use};
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, answer};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::borrow::Cow;
use std::io::{BufRead, IsTerminal};

const PROMPT: &str = "> ";
const HISTORY_LINES_MAX: usize = 1000;
const HELP: &str = "An expression is evaluated in the page; its value is printed.
.page         the pages; * marks the one that is asked
.page NAME    ask another one: an id, an alias, or part of a title or URL
.help         this
.exit         end, as Ctrl-D does
";

/// Evaluate line by line
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye repl --page shop\n\nIn it, .page shows or chooses the page, .help tells more, Ctrl-D ends."
)]
pub struct Args {}

pub fn run(_: &Args, options: &Options) -> Result<Exit, Failure> {
    let mut talk = Talk { options: options.clone(), link: None, last: 0 };
    if std::io::stdin().is_terminal() {
        on_terminal(&mut talk)?;
    } else {
        for line in std::io::stdin().lock().lines() {
            if talk.run_line(&line.map_err(Failure::io("read stdin"))?)? == Next::End {
                break;
            }
        }
    }
    Ok(Exit::Success)
}

fn on_terminal(talk: &mut Talk) -> Result<(), Failure> {
    let broken = |error: ReadlineError| Failure::io("use the terminal")(std::io::Error::other(error));
    let config = Config::builder().max_history_size(HISTORY_LINES_MAX).map_err(broken)?.auto_add_history(true).build();
    let mut editor: Editor<(), FileHistory> = Editor::with_config(config).map_err(broken)?;
    let history = places::state_folder()?.join("history");
    // The first time there is no history.
    let _ = editor.load_history(&history);
    loop {
        match editor.readline(PROMPT) {
            Ok(line) => {
                if talk.run_line(&line)? == Next::End {
                    break;
                }
            }
            // Ctrl-C drops the line, as in a shell.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(broken(error)),
        }
    }
    if let Some(folder) = history.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    // A history that cannot be saved is not a failure.
    let _ = editor.save_history(&history);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Line,
    End,
}

/// A conversation that continues when the hub is replaced.
struct Talk {
    options: Options,
    link: Option<Connection>,
    last: u64,
}

impl Talk {
    /// Executes a line. Only a closed output ends the conversation early.
    fn run_line(&mut self, line: &str) -> Result<Next, Failure> {
        let outcome = match line.trim() {
            "" => Ok(()),
            ".exit" => return Ok(Next::End),
            ".help" => ui::text_out(HELP),
            ".page" => self.show_pages(),
            command if command.starts_with(".page ") => self.choose_page(command[".page ".len()..].trim()),
            _ => self.evaluate(line),
        };
        match outcome {
            Err(Failure::OutputClosed) => Err(Failure::OutputClosed),
            Err(failure) => {
                if matches!(failure, Failure::HubGone | Failure::HubSilent | Failure::Garbled(_)) {
                    self.link = None;
                }
                ui::report(&failure);
                Ok(Next::Line)
            }
            Ok(()) => Ok(Next::Line),
        }
    }

    fn evaluate(&mut self, code: &str) -> Result<(), Failure> {
        let id = self.next_id();
        let frame = format!("{id}:{code}");
        client::check_length(&frame)?;
        let ending: Ending = self.exchange(&frame, |frame| match answer::parse_typed(frame) {
            Some((found, ending)) if found == id => Some(ending),
            _ => None,
        })?;
        ui::value(&ending?, &self.options)
    }

    fn show_pages(&mut self) -> Result<(), Failure> {
        let Sessions { sessions, .. } = self.call("session/list", &json!({}))?;
        ui::text_out(&pages::rows(&sessions))
    }

    fn choose_page(&mut self, page: &str) -> Result<(), Failure> {
        let row: SessionRow = self.call("session/use", &Use { page: page.to_owned(), name: None })?;
        // A page named for this connection would override the chosen one.
        if self.options.page.take().is_some() {
            self.link = None;
        }
        ui::text_out(&pages::rows(&[row]))
    }

    fn call<T: DeserializeOwned>(&mut self, method: &str, params: &impl Serialize) -> Result<T, Failure> {
        let id = self.next_id();
        let result = self.exchange(&rpc::request(&id, method, params), |frame| match rpc::parse_one(frame) {
            Some(Message::Response { id: found, outcome }) if *found == *id => Some(outcome.map(Cow::into_owned)),
            _ => None,
        })??;
        client::read_result(&result)
    }

    fn exchange<T>(&mut self, question: &str, wanted: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
        let link = match &mut self.link {
            Some(link) => link,
            None => self.link.insert(client::open(&self.options)?),
        };
        link.set_patience(Some(client::patience(&self.options)))?;
        link.send(&[question])?;
        while let Some(frame) = link.receive()? {
            if let Some(answer) = wanted(&frame) {
                return Ok(answer);
            }
        }
        Err(Failure::HubGone)
    }

    fn next_id(&mut self) -> String {
        self.last += 1;
        self.last.to_string()
    }
}
