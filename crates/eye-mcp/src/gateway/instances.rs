//! The running upstreams: one instance per server and project, shared by callers in the same place.

use crate::config::SpecError;
use crate::limits::{INSTANCES_MAX, LINGER};
use crate::upstream::Upstream;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a server of a config has no instance.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotMade {
    /// The entry is not valid here.
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{INSTANCES_MAX} servers are there already; end some of the agents that use them")]
    TooMany,
}

#[derive(Debug)]
struct Kept {
    upstream: Arc<Upstream>,
    /// No config names it any more.
    retired: bool,
}

/// All instances, by the full spec that they are started with.
#[derive(Debug, Default)]
pub struct Instances(Mutex<HashMap<String, Kept>>);

impl Instances {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instance with this key, or a new one.
    pub fn get(&self, key: String, make: impl FnOnce() -> Upstream) -> Result<Arc<Upstream>, NotMade> {
        let mut all = self.all();
        if let Some(kept) = all.get_mut(&key) {
            kept.retired = false;
            return Ok(Arc::clone(&kept.upstream));
        }
        if all.len() >= INSTANCES_MAX {
            return Err(NotMade::TooMany);
        }
        let upstream = Arc::new(make());
        all.insert(key, Kept { upstream: Arc::clone(&upstream), retired: false });
        Ok(upstream)
    }

    /// Marks an instance that no config names any more: it ends as soon as it is idle.
    pub fn retire(&self, instance: u64) {
        for kept in self.all().values_mut().filter(|kept| kept.upstream.instance == instance) {
            kept.retired = true;
        }
    }

    /// Ends unused instances: retired ones at once, others after [`LINGER`].
    pub fn end_forgotten(&self, used: impl Fn(u64) -> bool) {
        self.all().retain(|_, Kept { upstream, retired }| {
            let over = !used(upstream.instance)
                && upstream.is_idle_since().is_some_and(|since| *retired || since.elapsed() >= LINGER);
            if over {
                upstream.stop();
            }
            !over
        });
    }

    /// Tells all instances to end, without waiting.
    pub fn stop(&self) {
        for kept in self.all().values() {
            kept.upstream.stop();
        }
    }

    /// Ends all instances in parallel, and waits for them.
    pub async fn shut_down(&self) {
        self.stop();
        let all: Vec<Arc<Upstream>> = self.all().drain().map(|(_, kept)| kept.upstream).collect();
        let mut ending = tokio::task::JoinSet::new();
        for upstream in all {
            ending.spawn(async move { upstream.shut_down().await });
        }
        while ending.join_next().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Command, ServerConfig, Spec};
    use crate::context::Project;
    use crate::metrics::Metrics;
    use crate::upstream::Folders;
    use std::path::Path;

    fn upstream(instance: u64) -> Upstream {
        let config = ServerConfig { command: Some(Command::Program("x".into())), ..ServerConfig::default() };
        let spec = Spec::new("s", &config, &Project::default(), Path::new("/")).unwrap();
        let changes = tokio::sync::broadcast::channel(1).0;
        Upstream::new(
            spec,
            instance,
            std::collections::BTreeMap::new(),
            crate::Pace::default(),
            Folders::default(),
            changes,
            Metrics::default(),
        )
    }

    #[test]
    fn what_is_started_alike_is_one_and_there_is_an_end_of_them() {
        let instances = Instances::default();
        let first = instances.get("0".into(), || upstream(0)).unwrap();
        assert!(Arc::ptr_eq(&first, &instances.get("0".into(), || upstream(9)).unwrap()));
        for n in 1..INSTANCES_MAX as u64 {
            instances.get(n.to_string(), || upstream(n)).unwrap();
        }
        assert!(instances.get("more".into(), || upstream(999)).is_err());
        // Used instances stay, recently used ones stay, retired ones go.
        instances.retire(5);
        instances.retire(6);
        instances.end_forgotten(|instance| instance == 6);
        assert_eq!(instances.all().len(), INSTANCES_MAX - 1);
        assert!(!instances.all().contains_key("5") && instances.all().contains_key("6"));
    }
}
