//! Decides which events change the lists of pages and tools that others follow.

use eye_core::{Done, Input, PageEvent};

pub fn changes_lists(input: &Input) -> bool {
    matches!(
        input,
        Input::PageJoined { .. }
            | Input::Page {
                event: PageEvent::Left
                    | PageEvent::Changed(_)
                    | PageEvent::Allowed(_)
                    | PageEvent::Offers { .. }
                    | PageEvent::Withdraws { .. },
                ..
            }
            | Input::Worked { done: Done::Compiled(_), .. }
    )
}
