//! Names of all inputs. A new input does not compile until it is named here, and fails until it is played.

use eye_core::{Input, PageEvent};

macro_rules! kinds {
    ($($pattern:pat => $name:literal,)*) => {
        pub const KINDS: &[&str] = &[$($name),*];

        pub fn kind(input: &Input) -> &'static str {
            match input {
                $($pattern => $name,)*
            }
        }
    };
}

kinds! {
    Input::PageJoined { .. } => "page joined",
    Input::Page { event: PageEvent::Left, .. } => "page left",
    Input::Page { event: PageEvent::Leaving, .. } => "page leaving",
    Input::Page { event: PageEvent::Changed(_), .. } => "page changed",
    Input::Page { event: PageEvent::Allowed(_), .. } => "page allowed",
    Input::Page { event: PageEvent::Alive, .. } => "page alive",
    Input::Page { event: PageEvent::Navigating { .. }, .. } => "page navigating",
    Input::Page { event: PageEvent::Answered { .. }, .. } => "page answered",
    Input::Page { event: PageEvent::Progressed { .. }, .. } => "page progressed",
    Input::Page { event: PageEvent::Offers { .. }, .. } => "page offers",
    Input::Page { event: PageEvent::Withdraws { .. }, .. } => "page withdraws",
    Input::Page { event: PageEvent::Capable(_), .. } => "page capable",
    Input::Page { event: PageEvent::State { .. }, .. } => "page state",
    Input::Page { event: PageEvent::StateChanged { .. }, .. } => "page state changed",
    Input::Page { event: PageEvent::Puts { .. }, .. } => "page puts",
    Input::GetState { .. } => "get state",
    Input::Snapshot { .. } => "snapshot",
    Input::Watch { .. } => "watch",
    Input::ReadMail { .. } => "read mail",
    Input::Publish { .. } => "publish",
    Input::Subscribe { .. } => "subscribe",
    Input::AgentScoped { .. } => "agent scoped",
    Input::AgentPaced { .. } => "agent paced",
    Input::AgentJoined { .. } => "agent joined",
    Input::AgentHello { .. } => "agent hello",
    Input::AgentLeft { .. } => "agent left",
    Input::AgentRevoked { .. } => "agent revoked",
    Input::Ask { .. } => "ask",
    Input::AskBatch { .. } => "ask batch",
    Input::Tools { .. } => "tools",
    Input::Join { .. } => "join",
    Input::Leave { .. } => "leave",
    Input::Info { .. } => "info",
    Input::Cancel { .. } => "cancel",
    Input::Collect { .. } => "collect",
    Input::List { .. } => "list",
    Input::Use { .. } => "use",
    Input::Forget { .. } => "forget",
    Input::Worked { .. } => "worked",
    Input::Released { .. } => "released",
    Input::HandedOver(_) => "handed over",
    Input::Recalled(_) => "recalled",
    Input::StatesWanted => "states wanted",
    Input::MailGiven(_) => "mail given",
    Input::Listed(_) => "listed",
    Input::LookedUp { .. } => "looked up",
    Input::CameOver(_) => "came over",
    Input::Back(_) => "back",
    Input::Topics(_) => "topics",
    Input::Tick => "tick",
    Input::Shutdown => "shutdown",
}
