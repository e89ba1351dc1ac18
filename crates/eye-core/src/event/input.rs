//! Where something that happened came from, and how large it is: what lets it wait needs to know.

use super::{Conn, Input};

impl Input {
    /// The connection that it came from.
    pub fn conn(&self) -> Option<Conn> {
        match self {
            Self::PageJoined { page, .. }
            | Self::PageLeft { page }
            | Self::PageLeaving { page }
            | Self::PageChanged { page, .. }
            | Self::PageAllowed { page, .. }
            | Self::PageAlive { page }
            | Self::PageNavigating { page, .. }
            | Self::PageAnswered { page, .. }
            | Self::PageOffers { page, .. }
            | Self::PageWithdraws { page, .. }
            | Self::PageCapable { page, .. }
            | Self::PageState { page, .. }
            | Self::PageStateChanged { page, .. }
            | Self::PagePuts { page, .. }
            | Self::PageProgress { page, .. } => Some(*page),
            Self::Publish { conn, .. } | Self::Subscribe { conn, .. } => Some(*conn),
            Self::AgentJoined { agent }
            | Self::AgentHello { agent, .. }
            | Self::AgentScoped { agent, .. }
            | Self::AgentPaced { agent, .. }
            | Self::AgentLeft { agent }
            | Self::AgentRevoked { agent, .. }
            | Self::Ask { agent, .. }
            | Self::Join { agent, .. }
            | Self::Cancel { agent, .. } => Some(*agent),
            Self::GetState { reply, .. }
            | Self::Snapshot { reply, .. }
            | Self::Watch { reply, .. }
            | Self::ReadMail { reply, .. }
            | Self::AskBatch { reply, .. }
            | Self::Tools { reply, .. }
            | Self::Leave { reply }
            | Self::Info { reply, .. }
            | Self::Collect { reply, .. }
            | Self::List { reply }
            | Self::Use { reply, .. }
            | Self::Forget { reply, .. } => Some(reply.agent),
            Self::Worked { .. }
            | Self::Released(_)
            | Self::Listed(_)
            | Self::Back(_)
            | Self::Topics(_)
            | Self::Tick
            | Self::Shutdown => None,
        }
    }

    /// What it takes to let it wait: the parts that may be large.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::PageAnswered { ending, .. } => match ending {
                Ok(value) => value.as_text().len(),
                Err(error) => error.message.len() + error.stack.as_ref().map_or(0, String::len),
            },
            Self::PageOffers { tools, .. } => tools.iter().map(|tool| tool.get().len()).sum(),
            Self::PageWithdraws { names, .. } => names.iter().map(String::len).sum(),
            Self::PageCapable { capabilities, .. } => capabilities.iter().map(String::len).sum(),
            Self::PageState { whole, .. } => whole.state.get().len(),
            Self::PageStateChanged { change, .. } => change.patch.get().len(),
            Self::PagePuts { message, .. } => message.len(),
            Self::PageProgress { progress, .. } => progress.len(),
            Self::Publish { message, .. } => message.message.get().len(),
            Self::Ask { task, .. } => task.len_bytes(),
            Self::AskBatch { tasks, .. } => tasks.iter().map(|(task, _)| task.len_bytes()).sum(),
            Self::Collect { ids, .. } => ids.iter().map(|id| id.len()).sum(),
            Self::PageJoined { .. }
            | Self::PageLeft { .. }
            | Self::PageLeaving { .. }
            | Self::PageChanged { .. }
            | Self::PageAllowed { .. }
            | Self::PageAlive { .. }
            | Self::PageNavigating { .. }
            | Self::GetState { .. }
            | Self::Snapshot { .. }
            | Self::Watch { .. }
            | Self::ReadMail { .. }
            | Self::Subscribe { .. }
            | Self::AgentJoined { .. }
            | Self::AgentHello { .. }
            | Self::AgentScoped { .. }
            | Self::AgentPaced { .. }
            | Self::AgentLeft { .. }
            | Self::AgentRevoked { .. }
            | Self::Tools { .. }
            | Self::Join { .. }
            | Self::Leave { .. }
            | Self::Info { .. }
            | Self::Cancel { .. }
            | Self::List { .. }
            | Self::Use { .. }
            | Self::Forget { .. }
            | Self::Worked { .. }
            | Self::Released(_)
            | Self::Listed(_)
            | Self::Back(_)
            | Self::Topics(_)
            | Self::Tick
            | Self::Shutdown => 0,
        }
    }
}
