//! Keeps answers without ids in the order of their requests: an early answer waits for those before it.

use std::collections::VecDeque;

/// Holds answers back until all earlier ones are there.
#[derive(Debug)]
pub struct InOrder<T> {
    first: u64,
    slots: VecDeque<Option<T>>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { first: 0, slots: VecDeque::new() }
    }
}

impl<T> InOrder<T> {
    /// Reserves a place in the order.
    pub fn reserve(&mut self) -> u64 {
        self.slots.push_back(None);
        self.first + self.slots.len() as u64 - 1
    }

    /// Fills a place, and returns all answers that are now in order.
    pub fn fill(&mut self, place: u64, answer: T) -> impl Iterator<Item = T> + '_ {
        if let Some(slot) = place.checked_sub(self.first).and_then(|at| self.slots.get_mut(usize::try_from(at).ok()?)) {
            *slot = Some(answer);
        }
        std::iter::from_fn(move || {
            let ready = self.slots.front_mut()?.take()?;
            self.slots.pop_front();
            self.first += 1;
            Some(ready)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_out_in_the_order_of_their_requests() {
        let mut order = InOrder::default();
        let [a, b, c] = [order.reserve(), order.reserve(), order.reserve()];
        assert_eq!(order.fill(b, 'b').collect::<Vec<_>>(), []);
        assert_eq!(order.fill(a, 'a').collect::<Vec<_>>(), ['a', 'b']);
        assert_eq!(order.fill(a, 'x').collect::<Vec<_>>(), []);
        let d = order.reserve();
        assert_eq!(order.fill(d, 'd').collect::<Vec<_>>(), []);
        assert_eq!(order.fill(c, 'c').collect::<Vec<_>>(), ['c', 'd']);
    }
}
