//! Which events change the lists of pages and tools that others follow.

use eye_core::{Done, Input};

/// Whether another list of pages or tools may follow from it.
pub fn changes_lists(input: &Input) -> bool {
    matches!(
        input,
        Input::PageJoined { .. }
            | Input::PageLeft { .. }
            | Input::PageChanged { .. }
            | Input::PageAllowed { .. }
            | Input::PageOffers { .. }
            | Input::PageWithdraws { .. }
            | Input::Worked { done: Done::Compiled(_), .. }
    )
}
