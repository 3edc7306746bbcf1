//! The seam to the resolver of names.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Turns a name into addresses. Tests put a resolver here that changes its answer.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// The addresses of a name, the best one first.
    ///
    /// # Errors
    /// Whatever kept the resolver from an answer. No address at all is an empty list.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
