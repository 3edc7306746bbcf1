//! A live connection, and what is said on it.

use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::NodeAddress;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::SingleNodeRoutingInfo;
use redis::{Cmd, ErrorKind, Pipeline, RedisError, ServerErrorKind, Value};

/// A live connection: to one server, or to the nodes of a cluster.
#[derive(Clone)]
pub(super) enum Line {
    /// To one server.
    Node(MultiplexedConnection),
    /// To every node of a cluster.
    Cluster(ClusterConnection),
}

/// What is sent at once.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    /// One command with one answer.
    One(&'a Cmd),
    /// Several commands; `skip` answers are not wanted, and the next `take` are.
    Several { pipeline: &'a Pipeline, skip: usize, take: usize },
}

/// What a server says that has done nothing of what it was asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Another server is to be asked, and those that are known are out of date.
    Elsewhere,
    /// This other server is to be asked, this once: it is taking the key over.
    Asking(NodeAddress),
    /// Nobody can do it at this moment.
    Later,
}

impl Line {
    pub(super) async fn ask(&mut self, question: Question<'_>) -> Result<Vec<Value>, RedisError> {
        let cluster = match self {
            Self::Node(node) => return question.put_to(node).await,
            Self::Cluster(cluster) => cluster,
        };
        let answer = question.put_to(cluster).await;
        match answer.as_ref().err().and_then(Refusal::in_error) {
            Some(Refusal::Asking(node)) if question.is_all_or_nothing() => {
                question.put_to_heir(cluster, &node).await
            }
            _ => answer,
        }
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }
}

impl Question<'_> {
    async fn put_to(self, line: &mut impl ConnectionLike) -> Result<Vec<Value>, RedisError> {
        match self {
            Self::One(command) => {
                Ok(vec![line.req_packed_command(command).await?.extract_error()?])
            }
            Self::Several { pipeline, skip, take } => {
                line.req_packed_commands(pipeline, skip, take).await
            }
        }
    }

    /// Asks the node that is taking a key over. ASKING must come right before the command, so both go in
    /// one piece: others use the same connection. Within MULTI it holds until EXEC.
    async fn put_to_heir(
        self,
        cluster: &mut ClusterConnection,
        node: &NodeAddress,
    ) -> Result<Vec<Value>, RedisError> {
        let mut asking = redis::pipe();
        asking.cmd("ASKING");
        let (skip, take) = match self {
            Self::One(command) => {
                asking.add_command(command.clone());
                (0, 1)
            }
            Self::Several { pipeline, skip, take } => {
                asking.cmd("MULTI");
                pipeline.cmd_iter().for_each(|command| {
                    asking.add_command(command.clone());
                });
                asking.cmd("EXEC");
                (skip, take)
            }
        };
        let (host, port) = (node.host().to_owned(), node.port());
        let there = SingleNodeRoutingInfo::ByAddress { host, port };
        let answers = cluster.route_pipeline(asking, skip + 1, take, there).await?;
        answers.into_iter().map(Value::extract_error).collect()
    }

    /// Whether a refusal means that nothing was done. Of commands that are sent together but not as a
    /// transaction, the first may be done and the second refused.
    pub(super) fn is_all_or_nothing(self) -> bool {
        match self {
            Self::One(_) => true,
            Self::Several { pipeline, .. } => pipeline.is_transaction(),
        }
    }
}

impl Refusal {
    /// The refusal that an error is, if it is one.
    pub(super) fn in_error(error: &RedisError) -> Option<Self> {
        if error.kind() == ErrorKind::ClusterConnectionNotFound {
            return Some(Self::Elsewhere);
        }
        let cause = first_cause(error)?;
        let ErrorKind::Server(kind) = cause.kind() else { return None };
        match kind {
            // A node that has become a replica says that it is read-only.
            ServerErrorKind::Moved | ServerErrorKind::ReadOnly => Some(Self::Elsewhere),
            ServerErrorKind::Ask => {
                let node = cause.redirect_node()?.0.parse().ok();
                Some(node.map_or(Self::Later, Self::Asking))
            }
            ServerErrorKind::TryAgain
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::MasterDown
            | ServerErrorKind::BusyLoading => Some(Self::Later),
            _ => None,
        }
    }
}

/// What a server said first: a transaction that was given up, or commands that were sent together, bring
/// the errors of each.
pub(super) fn first_cause(error: &RedisError) -> Option<RedisError> {
    let causes = error.clone().into_server_errors()?;
    causes.first().map(|(_, cause)| RedisError::from(cause.clone()))
}
