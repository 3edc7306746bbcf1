//! The proxy of one look.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use egress::{Endpoint, Host, Proxy, Rules, Upstream, inside};
use fantoccini::Client;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use url::Url;

use super::Way;
use super::door::Door;
use super::refusals::Refusals;
use super::{private, shown};
use crate::look::{LookError, Seen};

/// How many decisions may wait to be noted.
const WAITING: usize = 64;

/// Whether an answer with this status may be the proxy's own, instead of a server's.
fn is_the_proxys(status: u16) -> bool {
    matches!(status, 403 | 502 | 504)
}

/// An open proxy. It closes when this is dropped.
#[derive(Debug)]
pub(crate) struct Gate {
    /// None where a browser has its own network.
    proxy: Option<Proxy>,
    address: Option<String>,
    /// What proves that a client is the browser of this look.
    token: Option<String>,
    refusals: Arc<Refusals>,
}

impl Gate {
    pub(super) async fn open(
        way: &Way,
        rules: Rules,
        upstream: Upstream,
    ) -> Result<Self, LookError> {
        let refusals = Arc::new(Refusals::default());
        let (listens, reached) = match way {
            Way::Here => (SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), None),
            Way::Bound(listens, reached) => (*listens, Some(reached.clone())),
            Way::Theirs | Way::Undecided => {
                return Ok(Self { proxy: None, address: None, token: None, refusals });
            }
        };
        let failed =
            |error| LookError::Browser(format!("its proxy can't listen at {listens}: {error}"));
        let listener = TcpListener::bind(listens).await.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let (attempts, decided) = mpsc::channel(WAITING);
        refusals.follow(decided);
        let (proxy, token) = match &reached {
            None => (Proxy::serve(listener, rules, upstream, attempts), None),
            Some(_) => {
                let door = Door::new(listener);
                let token = door.token().to_owned();
                (Proxy::serve(door, rules, upstream, attempts), Some(token))
            }
        };
        let address = format!("http://{}", reached.unwrap_or_else(|| bound.to_string()));
        Ok(Self { proxy: Some(proxy), address: Some(address), token, refusals })
    }

    /// Where the browser finds it.
    pub(crate) fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Has the browser prove, where that is needed, that it is the one that this proxy is for.
    ///
    /// # Errors
    /// [`LookError::Browser`] when it does not reach the proxy.
    pub(crate) async fn admit(&self, client: &Client) -> Result<(), LookError> {
        let Some(token) = &self.token else { return Ok(()) };
        let opened = client.goto(&format!("http://{token}.{}/", super::door::ZONE)).await;
        let at = self.address.as_deref().unwrap_or_default();
        opened.map_err(|error| {
            let message = format!(
                "it does not reach this agent's proxy at {at} (browser.proxy_bind): {error}"
            );
            LookError::Browser(message)
        })
    }

    /// What was seen of `url`, with what the proxy knows of it: a page that was refused is no page.
    pub(crate) fn judge(
        &self,
        url: &Url,
        seen: Result<Seen, LookError>,
    ) -> Result<Seen, LookError> {
        match seen {
            Ok(mut seen) => {
                let landed = Url::parse(&seen.url).ok();
                match landed.as_ref().and_then(|landed| self.refused(landed, url)) {
                    Some(LookError::Page(page, why)) if self.heard_nothing() => {
                        return Err(LookError::Unreached(page, why));
                    }
                    // A page that came may want more of its host, and not get it.
                    Some(LookError::Page(_, why)) if !seen.status.is_some_and(is_the_proxys) => {
                        seen.remarks.push(format!("a part of it did not come: {why}"));
                    }
                    Some(error) => return Err(error),
                    None => {}
                }
                seen.remarks.extend(self.refusals.remarks());
                Ok(seen)
            }
            // Where a tunnel or a redirect was refused there is no page, and the browser does not know why.
            Err(LookError::Page(page, why)) => {
                let known = self.refused(url, url).or_else(|| {
                    self.refusals.only().map(|text| LookError::Refused(shown(url), text))
                });
                Err(match known.unwrap_or(LookError::Page(page, why)) {
                    LookError::Page(page, why) if self.heard_nothing() => {
                        LookError::Unreached(page, why)
                    }
                    known => known,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Whether nothing that another machine has sent can have come to the browser.
    fn heard_nothing(&self) -> bool {
        self.proxy.as_ref().is_some_and(|proxy| !proxy.has_heard())
    }

    /// Why the page at `at`, to which `asked` led, was not had, if the proxy was asked for it and did not give it.
    fn refused(&self, at: &Url, asked: &Url) -> Option<LookError> {
        let host = Host::parse(at.host_str()?).ok()?;
        let endpoint = Endpoint { host, port: at.port_or_known_default()? };
        let (is_refused, reason) = self.refusals.of(&endpoint)?;
        if !is_refused {
            return Some(LookError::Page(shown(at), reason));
        }
        let purpose = match endpoint.host {
            Host::Address(address) => inside(address).unwrap_or("private"),
            Host::Name(_) => "its name leads inside",
        };
        let why = private(&endpoint, purpose);
        let why = if at == asked { why } else { format!("it leads to {}: {why}", shown(at)) };
        Some(LookError::Refused(shown(asked), why))
    }
}
