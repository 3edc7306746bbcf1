//! A real cluster of Redis servers for the length of a test.

use super::{RedisServer, RedisSetup};
use crate::wait_until;

/// How many slots there are, for the keys of a cluster to fall into.
const SLOTS: usize = 16_384;

/// Three servers with a third of the slots each. They end with the value.
#[derive(Debug)]
pub struct RedisCluster {
    /// The servers. A test may kill, freeze and restart each.
    pub nodes: [RedisServer; 3],
    setup: RedisSetup,
}

impl RedisCluster {
    /// Starts a cluster without a password.
    ///
    /// # Panics
    /// As [`RedisSetup::start_cluster`].
    #[must_use]
    pub fn start() -> Self {
        RedisSetup::default().start_cluster()
    }

    pub(super) fn start_with(setup: &RedisSetup) -> Self {
        let start = |_| RedisServer::start_with(setup.clone(), true);
        let cluster = Self { nodes: [0, 1, 2].map(start), setup: setup.clone() };
        for (index, node) in cluster.nodes.iter().enumerate() {
            let (first, last) = (index * SLOTS / 3, (index + 1) * SLOTS / 3 - 1);
            node.tell(&["CLUSTER", "SET-CONFIG-EPOCH", &(index + 1).to_string()]);
            node.tell(&["CLUSTER", "ADDSLOTSRANGE", &first.to_string(), &last.to_string()]);
        }
        cluster.nodes[1..].iter().for_each(|node| cluster.introduce(node));
        cluster.wait_until_whole();
        cluster
    }

    /// The address of its first node for a client.
    #[must_use]
    pub fn url(&self) -> String {
        self.nodes[0].url()
    }

    /// Adds a server that repeats all that the node `of` does, and takes its place when that is gone.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn add_replica_of(&self, of: usize) -> RedisServer {
        let (replica, id) = (RedisServer::start_with(self.setup.clone(), true), self.id(of));
        self.introduce(&replica);
        let knows = || replica.ask(&["CLUSTER", "NODES"]).contains(&id);
        wait_until("the replica knows the cluster", knows);
        replica.tell(&["CLUSTER", "REPLICATE", &id]);
        wait_until("the replica has everything", || {
            replica.ask(&["INFO", "replication"]).contains("master_link_status:up")
                && self.nodes.iter().all(|node| node.ask(&["CLUSTER", "NODES"]).contains("slave"))
        });
        replica
    }

    /// Waits until every node knows every other and all slots are served.
    ///
    /// # Panics
    /// When that does not come true.
    pub fn wait_until_whole(&self) {
        let is_whole = |node: &RedisServer| {
            let info = node.ask(&["CLUSTER", "INFO"]);
            ["cluster_state:ok", "cluster_size:3"].iter().all(|line| info.contains(line))
        };
        wait_until("the cluster is whole", || self.nodes.iter().all(is_whole));
    }

    /// Which of the nodes serves `key`.
    ///
    /// # Panics
    /// When none does.
    #[must_use]
    pub fn owner(&self, key: &str) -> usize {
        let serves = |node: &RedisServer| !node.ask(&["EXISTS", key]).starts_with("MOVED");
        self.nodes.iter().position(serves).expect("a node that serves the key")
    }

    /// Hands the slot of `key` over to the node `to`, with all keys in it.
    ///
    /// # Panics
    /// When the servers refuse.
    pub fn move_slot(&self, key: &str, to: usize) {
        self.begin_to_move(key, to);
        self.end_of_move(key, to);
    }

    /// Begins the same: until [`RedisCluster::end_of_move`], keys that the old node does not have are asked
    /// of the new one (`ASK`).
    ///
    /// # Panics
    /// When the servers refuse.
    pub fn begin_to_move(&self, key: &str, to: usize) {
        let (slot, from) = (self.slot(key), self.owner(key));
        self.nodes[to].tell(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &self.id(from)]);
        self.nodes[from].tell(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &self.id(to)]);
    }

    /// Moves the keys and tells all nodes who serves the slot now.
    ///
    /// # Panics
    /// When the servers refuse.
    pub fn end_of_move(&self, key: &str, to: usize) {
        let (slot, from, id) = (self.slot(key), self.owner(key), self.id(to));
        let port = self.nodes[to].port().to_string();
        loop {
            let keys = self.nodes[from].ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "1000"]);
            let Some(key) = keys.lines().find(|key| !key.is_empty()) else { break };
            self.nodes[from].tell(&["MIGRATE", "127.0.0.1", &port, key, "0", "5000"]);
        }
        for node in [to, from] {
            self.nodes[node].tell(&["CLUSTER", "SETSLOT", &slot, "NODE", &id]);
        }
    }

    /// Lets a new node meet the first one, and by it the others.
    fn introduce(&self, node: &RedisServer) {
        let ports = [Some(self.nodes[0].port()), self.nodes[0].node_port()];
        let [clients, nodes] = ports.map(|port| port.unwrap_or_default().to_string());
        node.tell(&["CLUSTER", "MEET", "127.0.0.1", &clients, &nodes]);
    }

    fn slot(&self, key: &str) -> String {
        self.nodes[0].ask(&["CLUSTER", "KEYSLOT", key])
    }

    fn id(&self, node: usize) -> String {
        self.nodes[node].ask(&["CLUSTER", "MYID"])
    }
}
