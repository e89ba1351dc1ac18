//! The tools of an upstream as agents see them: marked while it is down, and without those that wait for approval.

use super::about::Sorted;
use super::approval::Unapproved;
use super::connection::{Connection, Wire};
use super::envelope::Era;
use super::kept::{self, Kept};
use super::lists;
use super::reason::{self, Reason};
use super::server::{State, Upstream, lock};
use crate::catalogue::{Entry, Standing, shown};
use crate::context::ChangeKind;
use crate::error::RpcError;
use crate::limits::LIST_INLINE_LEN_MAX;
use eye_protocol::{Code, Error};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::time::Instant;

/// Characters of a reason in a list of tools.
const WHY_SHOWN_CHARS_MAX: usize = 120;
/// Names that a note lists.
const NAMES_SHOWN_MAX: usize = 5;

impl Upstream {
    /// The known and approved tools.
    pub fn entries(&self) -> Arc<Vec<Arc<Entry>>> {
        Arc::clone(&lock(&self.about).entries)
    }

    /// The tools that differ from what the user approved.
    pub fn unapproved(&self) -> Arc<Vec<Unapproved>> {
        Arc::clone(&lock(&self.about).unapproved)
    }

    /// Approves the tools as they are now; returns how many were not approved.
    pub fn approve(&self) -> std::io::Result<usize> {
        let mut about = lock(&self.about);
        let (all, count) = (Arc::clone(&about.all), about.unapproved.len());
        self.approvals.keep(&all, true)?;
        about.set(Sorted::new(all.to_vec(), &self.approvals));
        Ok(count)
    }

    /// Reads the approvals again if another process changed them.
    pub fn look_at_approvals(&self) {
        if !self.approvals.look() {
            return;
        }
        let all = lock(&self.about).all.to_vec();
        let sorted = Sorted::new(all, &self.approvals);
        lock(&self.about).set(sorted);
        self.tell(ChangeKind::Tools);
    }

    /// A note about tools that wait for approval, or, once, about tools that changed.
    pub fn approval_note(&self) -> Option<String> {
        let unapproved = self.unapproved();
        let name = &self.spec.name;
        if unapproved.is_empty() {
            return None;
        }
        if self.approvals.needs_approval() {
            let count = unapproved.len();
            return Some(format!("{count} tools of {name} wait for the user: eye servers approve {name}"));
        }
        let changed: Vec<String> = unapproved.iter().take(NAMES_SHOWN_MAX).map(|one| shown(&one.name, 60)).collect();
        let first = !self.changes_shown.swap(true, Ordering::Relaxed);
        first
            .then(|| format!("{name} defines {} otherwise than before: eye servers approve {name}", changed.join(", ")))
    }

    /// Refuses a tool that waits for approval. Starts the server first, to have its list.
    pub(super) async fn check_approved(self: &Arc<Self>, tool: &str) -> Result<(), RpcError> {
        if !self.approvals.needs_approval() {
            return Ok(());
        }
        self.ready().await?;
        if self.entries().iter().any(|entry| &*entry.name == tool) {
            return Ok(());
        }
        let name = &self.spec.name;
        let message = format!("the tool {tool} of {name} waits for the user's approval");
        Err(Error::new(Code::DENIED, message).hint(format!("eye servers approve {name}")).into())
    }

    /// Whether it is down and may be started again now. A server that requires a login cannot start before there is
    /// one.
    pub fn may_try_again(&self) -> bool {
        match &*lock(&self.state) {
            State::Down { why, .. } if why.is_login() => self.has_new_login(why),
            State::Down { until, .. } => *until <= Instant::now(),
            State::Idle | State::Starting(_) | State::Ready(_) => false,
        }
    }

    /// Whether it is down because it requires a login, and the user has logged in since.
    pub(super) fn has_new_login(&self, why: &Reason) -> bool {
        why.is_login() && self.bearer.as_ref().is_some_and(|bearer| bearer.has_new_login())
    }

    /// Whether its last start failed for lack of a login that exists now.
    pub(super) fn was_down_for_login(&self) -> bool {
        matches!(&*lock(&self.state), State::Down { why, .. } if self.has_new_login(why))
    }

    /// Whether it requires a login, while it is up or as the reason why it is down.
    pub fn wants_login(&self) -> bool {
        match &*lock(&self.state) {
            State::Ready(connection) => matches!(&connection.wire, Wire::Http(wire) if wire.wants_login()),
            State::Down { why, .. } => why.is_login(),
            State::Idle | State::Starting(_) => false,
        }
    }

    pub fn is_listed(&self) -> bool {
        lock(&self.about).listed
    }

    /// Sets the list of tools; reports and stores it if it changed.
    pub(super) async fn list(self: &Arc<Self>, connection: &Connection, tools: Vec<Box<RawValue>>) {
        let few = tools.len() <= LIST_INLINE_LEN_MAX;
        let upstream = Arc::clone(self);
        let sort = move || {
            let entries = lists::entries(&tools, &upstream.spec, &Standing::Ready);
            (Sorted::new(entries, &upstream.approvals), tools)
        };
        let sorted = if few { Ok(sort()) } else { tokio::task::spawn_blocking(sort).await };
        // If the runtime shuts down, the blocking task is dropped and there is no list.
        let Ok((sorted, tools)) = sorted else { return };
        if let (Wire::Http(wire), Era::Modern) = (&connection.wire, connection.era()) {
            wire.set_header_params(lists::header_params(&sorted.all));
        }
        let (changed, kept) = {
            let mut about = lock(&self.about);
            let same = about.listed && same_tools(&about.all, &sorted.all);
            about.listed = true;
            about.set(sorted);
            let kept = Kept { tools, protocol: about.protocol.clone(), instructions: about.instructions.clone() };
            (!same, kept)
        };
        if changed {
            self.tell(ChangeKind::Tools);
        }
        if let Some(file) = self.file.clone().filter(|file| changed || !file.exists()) {
            self.tasks.spawn_blocking(move || kept::write(&file, &kept));
        }
    }

    pub(super) fn is_down(&self, why: &Reason, until: Instant, failures: u32) {
        *lock(&self.state) = State::Down { why: why.clone(), until, failures };
        let standing = Standing::Down(shown(&reason::short(&why.to_string()), WHY_SHOWN_CHARS_MAX).into());
        let had_tools = {
            let mut about = lock(&self.about);
            let all = about.all.iter().map(|entry| Arc::new(entry.standing(standing.clone()))).collect();
            let (unapproved, needs_approval) = (about.unapproved.to_vec(), self.approvals.needs_approval());
            about.set(Sorted { all, unapproved, needs_approval });
            about.greeting = None;
            !about.entries.is_empty()
        };
        if had_tools {
            self.tell(ChangeKind::Tools);
        }
    }
}

fn same_tools(one: &[Arc<Entry>], other: &[Arc<Entry>]) -> bool {
    let callable = |entry: &Entry| !matches!(entry.standing, Standing::Down(_));
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| callable(a) == callable(b) && a.tool().get() == b.tool().get())
}
