//! Real Redis servers for the length of a test: alone, with TLS, or as a cluster.

mod certificates;
mod cluster;
mod server;
mod setup;

pub use cluster::RedisCluster;
pub use server::RedisServer;
pub use setup::RedisSetup;
