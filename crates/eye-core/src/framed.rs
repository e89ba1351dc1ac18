//! Inserts the outlines of a driven tab's frames of other origins into the tab's outline, each below the line of its
//! frame. Pure: the answers of the parts in, lines out.

use crate::ids::Millis;
use crate::task::Reply;
use eye_protocol::SessionId;

/// How the line of such a frame ends, before its number and a bracket. The same words as in
/// `web/client/src/look/titles.ts`.
const SHOWN: &str = "(of another origin: --frame ";
/// Frames that are asked for one outline. A driven tab has no more.
const FRAMES_LEN_MAX: usize = 32;
/// Lines of frames in one outline; as many as the outline of a page has.
const LINES_MAX: usize = 300;
/// The same limit when the agent asked for all lines.
const LINES_ALL_MAX: usize = 5_000;
/// Bytes of frames' lines in one outline.
const LINES_BYTES_MAX: usize = 256 << 10;
pub(crate) const LATE: &str = "… does not answer";
pub(crate) const REFUSED: &str = "… cannot be looked at";
pub(crate) const UNSEEN: &str = "… not for this token";

/// An outline that is being put together.
#[derive(Debug)]
pub(crate) struct Framed {
    pub(crate) reply: Reply,
    pub(crate) tab: SessionId,
    /// Params of the looks at frames.
    pub(crate) params: Box<str>,
    lines_max: usize,
    pub(crate) delta: Option<Box<str>>,
    /// When frames that have not answered are left out of the outline.
    pub(crate) until: Millis,
    /// The part of the page itself, then those of frames.
    pub(crate) parts: Vec<Part>,
    /// Parts that have not ended.
    pub(crate) left: usize,
}

#[derive(Debug)]
pub(crate) struct Part {
    /// The frame's label, such as `f2`. Empty for the page itself.
    pub(crate) label: Box<str>,
    pub(crate) lines: FrameLines,
}

#[derive(Debug)]
pub(crate) enum FrameLines {
    Nothing,
    Text(String),
    /// Why the part has no lines.
    Note(&'static str),
}

impl Framed {
    /// An outline whose parts have not answered. `params` are those of the looks at frames.
    pub(crate) fn new(reply: Reply, tab: SessionId, params: Box<str>, all: bool) -> Self {
        let lines_max = if all { LINES_ALL_MAX } else { LINES_MAX };
        let parts = vec![Part { label: "".into(), lines: FrameLines::Nothing }];
        Self { reply, tab, params, lines_max, delta: None, until: 0, parts, left: 1 }
    }

    /// Records the result of a part, and adds the frames that it names.
    pub(crate) fn add_lines(&mut self, at: usize, lines: FrameLines) {
        if let FrameLines::Text(text) = &lines {
            for label in text.lines().flat_map(labels) {
                if self.parts.len() <= FRAMES_LEN_MAX && self.parts.iter().all(|part| *part.label != *label) {
                    self.parts.push(Part { label: label.into(), lines: FrameLines::Nothing });
                    self.left += 1;
                }
            }
        }
        self.parts[at].lines = lines;
    }

    /// The whole outline.
    pub(crate) fn text(&self) -> String {
        let mut written = Written { left: self.lines_max, ..Written::default() };
        self.write(0, 0, &mut vec![false; self.parts.len()], &mut written);
        written.lines.join("\n")
    }

    /// Writes a part with the frames in it. Each is written once, where it is named first.
    fn write(&self, at: usize, indent: usize, done: &mut Vec<bool>, written: &mut Written) {
        done[at] = true;
        let part = &self.parts[at];
        let text = match &part.lines {
            FrameLines::Nothing => return,
            FrameLines::Note(note) => {
                let next = if *note == UNSEEN { String::new() } else { format!(" (eye --frame {} look)", part.label) };
                written.lines.push(format!("{:indent$}{note}{next}", ""));
                return;
            }
            FrameLines::Text(text) => text,
        };
        let mut cut = 0_usize;
        for line in text.lines() {
            if at > 0 && !written.has_room_for(line) {
                cut += 1;
                continue;
            }
            written.lines.push(format!("{:indent$}{line}", ""));
            let inner = indent + 1 + line.len() - line.trim_start_matches(' ').len();
            for label in labels(line) {
                if let Some(frame) = self.parts.iter().position(|part| *part.label == *label).filter(|at| !done[*at]) {
                    self.write(frame, inner, done, written);
                }
            }
        }
        if cut > 0 {
            written.lines.push(format!("{:indent$}… {cut} more lines (eye --frame {} look)", "", part.label));
        }
    }
}

#[derive(Default)]
struct Written {
    lines: Vec<String>,
    /// How many more lines of frames fit.
    left: usize,
    bytes: usize,
}

impl Written {
    fn has_room_for(&mut self, line: &str) -> bool {
        if self.left == 0 || self.bytes + line.len() > LINES_BYTES_MAX {
            return false;
        }
        self.left -= 1;
        self.bytes += line.len();
        true
    }
}

/// The labels of the frames that a line names.
fn labels(line: &str) -> impl Iterator<Item = &str> {
    line.split(SHOWN).skip(1).filter_map(|rest| {
        let (label, _) = rest.split_once(')')?;
        let digits = label.strip_prefix('f')?;
        ((1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(label)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Conn;
    use crate::task::ReplyForm;

    fn framed(lines_max: usize, texts: &[&str]) -> Framed {
        let reply = Reply { agent: Conn(1), form: ReplyForm::Rpc("1".into()) };
        let mut framed = Framed::new(reply, SessionId::parse("tab").unwrap(), "{}".into(), false);
        framed.lines_max = lines_max;
        for (at, text) in texts.iter().enumerate() {
            framed.add_lines(at, FrameLines::Text((*text).to_owned()));
        }
        framed
    }

    #[test]
    fn frames_stand_once_below_their_lines_and_in_each_other() {
        let shown = |label: &str| format!("frame x (of another origin: --frame {label})");
        let page = format!("# Shop\n nav:\n  {} | e1 [Buy]\n{}", shown("f2"), shown("f2"));
        let text = framed(300, &[&page, &format!("f2e1 [Pay]\n{}", shown("f1")), "f1e1 [Deep]"]).text();
        let wanted = format!(
            "# Shop\n nav:\n  {} | e1 [Buy]\n   f2e1 [Pay]\n   {}\n    f1e1 [Deep]\n{}",
            shown("f2"),
            shown("f1"),
            shown("f2")
        );
        assert_eq!(text, wanted);
    }

    #[test]
    fn lines_of_frames_are_cut_at_their_number_and_bytes_and_the_pages_own_are_not() {
        let page = "a\nb\nc\nframe x (of another origin: --frame f1)\nd";
        let lines = framed(2, &[page, "1\n2\n3\n4"]).text();
        assert_eq!(
            lines,
            format!("{}\n 1\n 2\n … 2 more lines (eye --frame f1 look)\nd", page.trim_end_matches("\nd"))
        );
        let long = format!("1\n{}\n3", "x".repeat(LINES_BYTES_MAX));
        let text = framed(300, &[page, &long]).text();
        assert!(text.contains("\n 1\n 3\n … 1 more lines"), "{text}");
    }

    #[test]
    fn a_line_names_frames_only_by_their_numbers() {
        let of = |line: &'static str| labels(line).collect::<Vec<_>>();
        assert_eq!(
            of("frame a (of another origin: --frame f1) | frame b (of another origin: --frame f12)"),
            ["f1", "f12"]
        );
        for other in ["frame a (of another origin)", "frame a (of another origin: --frame f)", "--frame f1"] {
            assert!(of(other).is_empty(), "{other}");
        }
        assert!(of("frame a (of another origin: --frame f123)").is_empty());
        let many: Vec<String> = (1..=40).map(|n| format!("frame x (of another origin: --frame f{n})\n")).collect();
        assert_eq!(framed(300, &[&many.concat()]).parts.len(), 1 + FRAMES_LEN_MAX);
    }
}
