//! What was last seen at an address: one server, or a cluster and its nodes.

use std::sync::{Mutex, PoisonError};

use redis::cluster_async::ClusterConnection;
use redis::{Value, from_redis_value_ref};

/// What was last seen at an address. Nothing yet counts as one server.
#[derive(Debug, Default)]
pub(super) struct Topology(Mutex<Option<Nodes>>);

/// Hosts and ports. When the node that the URL names is gone, the others still know where everything is.
type Nodes = Vec<(String, u16)>;

impl Topology {
    pub(super) fn is_cluster(&self) -> bool {
        self.lock().is_some()
    }

    /// The nodes of the cluster, as far as they are known.
    pub(super) fn nodes(&self) -> Nodes {
        self.lock().clone().unwrap_or_default()
    }

    pub(super) fn set_one(&self) {
        *self.lock() = None;
    }

    /// Asks a cluster for its nodes. One that does not say keeps those that are known.
    pub(super) async fn learn(&self, cluster: &mut ClusterConnection) {
        let slots = redis::cmd("CLUSTER").arg("SLOTS").query_async(cluster).await;
        let mut nodes = nodes_in(&slots.unwrap_or(Value::Nil));
        nodes.sort();
        nodes.dedup();
        let mut known = self.lock();
        if !nodes.is_empty() || known.is_none() {
            *known = Some(nodes);
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Nodes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The nodes in an answer to CLUSTER SLOTS, which is a list of `[first slot, last slot, node, ...]`, where
/// a node is `[host, port, ...]`.
fn nodes_in(slots: &Value) -> Nodes {
    let ranges = slots.as_sequence().unwrap_or_default().iter().filter_map(Value::as_sequence);
    let nodes = ranges.flat_map(|range| range.iter().skip(2)).filter_map(Value::as_sequence);
    let address = |node: &[Value]| {
        let host: String = from_redis_value_ref(node.first()?).ok()?;
        // Empty, it means the host that was asked, which the URL names.
        (!host.is_empty()).then_some((host, from_redis_value_ref(node.get(1)?).ok()?))
    };
    nodes.filter_map(address).collect()
}
