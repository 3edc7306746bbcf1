//! How a connection is made, to whatever stands at an address.

use std::io;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::{AsyncConnectionConfig, ConnectionAddr, ConnectionInfo, RedisError};
use tokio::time::timeout;

use super::line::Line;
use super::server::Server;
use super::{ANSWER, CONNECT, RedisAddress};

impl RedisAddress {
    /// Makes a connection. An answer on it may take at most `answer`.
    ///
    /// # Errors
    /// Also when no server is there within a few seconds.
    pub(super) async fn dial(&self, answer: Duration) -> Result<Line, RedisError> {
        let problem = match self.node(answer).await {
            Ok((node, server)) if !server.is_cluster => {
                self.topology.set_one();
                return Ok(Line::Node(node));
            }
            Ok(_) => None,
            // The others of a cluster may still be there.
            Err(error) if error.is_io_error() && self.topology.is_cluster() => Some(error),
            Err(error) => return Err(error),
        };
        let cluster = in_time(CONNECT + ANSWER, async {
            let mut cluster = self.cluster(answer)?.get_async_connection().await?;
            self.topology.learn(&mut cluster).await;
            Ok(Line::Cluster(cluster))
        });
        // What is wrong with the node that the URL names says more than that none can be reached.
        cluster.await.map_err(|error| problem.unwrap_or(error))
    }

    /// A connection to the one server that the URL names, and what that is.
    pub(super) async fn node(
        &self,
        answer: Duration,
    ) -> Result<(MultiplexedConnection, Server), RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(answer));
        in_time(CONNECT, async {
            let mut node =
                self.client.get_multiplexed_async_connection_with_config(&config).await?;
            let server = Server::ask(&mut node).await?;
            Ok((node, server))
        })
        .await
    }

    fn cluster(&self, answer: Duration) -> Result<ClusterClient, RedisError> {
        let named = self.client.get_connection_info();
        let others =
            self.topology.nodes().into_iter().map(|(host, port)| at_node(named, host, port));
        // Without attempts of its own: it would send a command again also when the connection broke before
        // the answer, and so run it twice. `Connection` sends again what the cluster says it has not done.
        let mut cluster = ClusterClientBuilder::new(others.chain([named.clone()]))
            .retries(0)
            .connection_timeout(CONNECT)
            .response_timeout(answer)
            .tcp_settings(named.tcp_settings().clone());
        if let Some(ca) = &self.ca {
            cluster = cluster.certs(ca.certificates());
        }
        cluster.build()
    }
}

/// Another node of the same cluster: the same user, password and kind of connection.
fn at_node(named: &ConnectionInfo, host: String, port: u16) -> ConnectionInfo {
    let address = match named.addr().clone() {
        ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
            ConnectionAddr::TcpTls { host, port, insecure, tls_params }
        }
        _ => ConnectionAddr::Tcp(host, port),
    };
    named.clone().set_addr(address)
}

async fn in_time<T>(
    limit: Duration,
    made: impl Future<Output = Result<T, RedisError>>,
) -> Result<T, RedisError> {
    let late = |_| Err(io::Error::from(io::ErrorKind::TimedOut).into());
    timeout(limit, made).await.unwrap_or_else(late)
}
