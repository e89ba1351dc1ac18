//! Parked calls: calls of upstreams that wait for a modern client to bring its user's answer.

use super::limits::{INPUT, PARKED_MAX};
use crate::RpcError;
use crate::context::Question;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

type Work = Pin<Box<dyn Future<Output = Result<Box<RawValue>, RpcError>> + Send>>;

/// One call in progress. Dropping it cancels it at the upstream.
pub struct Errand {
    pub work: Work,
    pub questions: mpsc::Receiver<Question>,
}

/// The parked calls of all modern clients.
#[derive(Default)]
pub struct Parking(Mutex<Lot>);

#[derive(Default)]
struct Lot {
    last: u64,
    errands: HashMap<u64, (Errand, Question)>,
}

impl std::fmt::Debug for Parking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Parking({})", self.lot().errands.len())
    }
}

impl Parking {
    fn lot(&self) -> MutexGuard<'_, Lot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops all parked calls.
    pub fn clear(&self) {
        let all = std::mem::take(&mut self.lot().errands);
        drop(all);
    }

    /// Removes a parked call in order to resume it.
    pub fn take(&self, number: u64) -> Option<(Errand, Question)> {
        self.lot().errands.remove(&number)
    }

    /// Parks a call for [`INPUT`] at most. `None` if too many are parked.
    pub fn put(parking: &Arc<Self>, errand: Errand, question: Question) -> Option<u64> {
        let number = {
            let mut lot = parking.lot();
            if lot.errands.len() >= PARKED_MAX {
                return None;
            }
            lot.last += 1;
            let number = lot.last;
            lot.errands.insert(number, (errand, question));
            number
        };
        let parking = Arc::downgrade(parking);
        tokio::spawn(async move {
            tokio::time::sleep(INPUT).await;
            if let Some(parking) = parking.upgrade() {
                parking.take(number);
            }
        });
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    fn errand() -> (Errand, Question, oneshot::Receiver<Result<Box<RawValue>, RpcError>>) {
        let (answer, answered) = oneshot::channel();
        let params = RawValue::from_string("{}".into()).unwrap();
        let question = Question { method: "elicitation/create".into(), params, answer };
        (Errand { work: Box::pin(std::future::pending()), questions: mpsc::channel(1).1 }, question, answered)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_parked_waits_as_long_as_a_person_may_take_and_is_taken_up_once() {
        let parking = Arc::new(Parking::default());
        let (waiting, question, mut answered) = errand();
        let number = Parking::put(&parking, waiting, question).unwrap();
        tokio::time::sleep(INPUT / 2).await;
        assert!(parking.take(number).is_some() && parking.take(number).is_none());
        assert!(answered.try_recv().is_err());
        let (waiting, question, answered) = errand();
        let number = Parking::put(&parking, waiting, question).unwrap();
        assert!(answered.await.is_err(), "the upstream is told that there is no answer");
        assert!(parking.take(number).is_none());
    }

    #[tokio::test]
    async fn only_so_many_are_parked() {
        let parking = Arc::new(Parking::default());
        let put = || {
            let (waiting, question, _) = errand();
            Parking::put(&parking, waiting, question)
        };
        let all: Vec<Option<u64>> = (0..=PARKED_MAX).map(|_| put()).collect();
        assert_eq!(all.iter().filter(|number| number.is_some()).count(), PARKED_MAX);
        parking.clear();
        assert!(put().is_some());
    }
}
