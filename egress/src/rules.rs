//! What one client of the proxy may reach, and what is added to its requests.

use crate::endpoint::Endpoint;
use crate::error::Refusal;
use crate::hosts::HostPattern;
use crate::injection::Injection;
use crate::target::{Origin, Scheme};

/// What one client may reach. Nothing by default.
#[derive(Debug, Default)]
pub struct Rules {
    /// The hosts that are declared.
    pub hosts: Vec<HostPattern>,
    /// Hosts with private addresses that the owner allows, by name and port. Being listed here lifts only
    /// the check of the addresses; a host must be declared as well, for which `*` does.
    pub allow_private: Vec<Endpoint>,
    /// The secrets that are added to requests.
    pub injections: Vec<Injection>,
}

/// Where a request goes, and the secrets that it gets there.
#[derive(Debug)]
pub struct Route<'a> {
    /// The origin that is spoken to. It is not always the one that was asked for.
    pub origin: Origin,
    /// The secrets that belong to it.
    pub injections: Vec<&'a Injection>,
}

impl Rules {
    /// Whether a tunnel to `endpoint` may be opened.
    ///
    /// # Errors
    /// [`Refusal::Undeclared`].
    pub fn tunnel(&self, endpoint: &Endpoint) -> Result<(), Refusal> {
        self.require(endpoint, |pattern| pattern.covers_endpoint(endpoint))
    }

    /// Where a request for `asked` goes.
    ///
    /// # Errors
    /// [`Refusal::Undeclared`], or [`Refusal::PlainSecret`] when a secret would go out unencrypted.
    pub fn route(&self, asked: &Origin) -> Result<Route<'_>, Refusal> {
        let origin = self.over_tls(asked).unwrap_or_else(|| asked.clone());
        self.require(&origin.endpoint, |pattern| pattern.covers(&origin))?;
        let injections = self.belonging_to(&origin);
        let in_plain = origin.scheme == Scheme::Http && !injections.is_empty();
        if in_plain && !self.allows_private(&origin.endpoint) {
            return Err(Refusal::PlainSecret { endpoint: origin.endpoint });
        }
        Ok(Route { origin, injections })
    }

    /// Whether the owner allows `endpoint` although its addresses are not public.
    #[must_use]
    pub fn allows_private(&self, endpoint: &Endpoint) -> bool {
        self.allow_private.contains(endpoint)
    }

    /// The origin that is meant by a plain `http://` request for a host that has a secret. A client sends
    /// its request to the proxy in plain text so that the secret can be added; the proxy then speaks TLS.
    fn over_tls(&self, asked: &Origin) -> Option<Origin> {
        if asked.scheme == Scheme::Https || !self.belonging_to(asked).is_empty() {
            return None;
        }
        let port = if asked.endpoint.port == Scheme::Http.default_port() {
            Scheme::Https.default_port()
        } else {
            asked.endpoint.port
        };
        let host = asked.endpoint.host.clone();
        let meant = Origin { scheme: Scheme::Https, endpoint: Endpoint { host, port } };
        (!self.belonging_to(&meant).is_empty()).then_some(meant)
    }

    fn belonging_to(&self, origin: &Origin) -> Vec<&Injection> {
        self.injections.iter().filter(|injection| injection.belongs_to(origin)).collect()
    }

    fn require(
        &self,
        endpoint: &Endpoint,
        covered: impl Fn(&HostPattern) -> bool,
    ) -> Result<(), Refusal> {
        let own_port = self.hosts.contains(&HostPattern::Any) && self.allows_private(endpoint);
        if own_port || self.hosts.iter().any(covered) {
            Ok(())
        } else {
            Err(Refusal::Undeclared(endpoint.clone()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::HeaderTemplate;
    use crate::target::Target;

    fn rules(hosts: &[&str], allow_private: &[&str], secret_for: &[&str]) -> Rules {
        let template = HeaderTemplate::new("Authorization", "Bearer {}").unwrap();
        let secret = |host: &&str| {
            Injection::new("X_TOKEN", host.parse().unwrap(), &template, "s3cret".into()).unwrap()
        };
        Rules {
            hosts: hosts.iter().map(|text| text.parse().unwrap()).collect(),
            allow_private: allow_private.iter().map(|text| text.parse().unwrap()).collect(),
            injections: secret_for.iter().map(secret).collect(),
        }
    }

    /// The origin that a request for `url` goes to, with a `+` when a secret goes along, or the refusal.
    fn route(rules: &Rules, url: &str) -> String {
        let target: Target = url.parse().unwrap();
        match rules.route(target.origin()) {
            Ok(route) if route.injections.is_empty() => route.origin.to_string(),
            Ok(route) => format!("{} +", route.origin),
            Err(Refusal::Undeclared(_)) => "undeclared".to_owned(),
            Err(Refusal::PlainSecret { .. }) => "plain secret".to_owned(),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn a_secret_goes_to_its_own_origin_over_tls() {
        let rules = rules(&["*"], &["nas.local:5000"], &["api.x.com"]);
        for (url, wanted) in [
            ("https://api.x.com/a", "https://api.x.com +"),
            ("http://api.x.com/a", "https://api.x.com +"),
            ("http://api.x.com:443/a", "https://api.x.com +"),
            ("http://API.x.com./a", "https://api.x.com +"),
            ("https://api.x.com:8443/", "undeclared"),
            ("https://x.com/", "https://x.com"),
            ("http://x.com/", "http://x.com"),
            ("http://nas.local:5000/", "http://nas.local:5000"),
            ("http://nas.local:5001/", "undeclared"),
        ] {
            assert_eq!(route(&rules, url), wanted, "{url}");
        }
    }

    #[test]
    fn a_secret_with_a_port_stays_on_that_port() {
        let rules = rules(&["api.x.com", "api.x.com:8443"], &[], &["api.x.com:8443"]);
        for (url, wanted) in [
            ("http://api.x.com:8443/", "https://api.x.com:8443 +"),
            ("https://api.x.com:8443/", "https://api.x.com:8443 +"),
            ("http://api.x.com/", "http://api.x.com"),
            ("https://api.x.com/", "https://api.x.com"),
        ] {
            assert_eq!(route(&rules, url), wanted, "{url}");
        }
    }

    #[test]
    fn an_origin_is_met_whole() {
        let https = rules(&["https://m.example"], &[], &["https://m.example"]);
        assert_eq!(route(&https, "https://m.example/"), "https://m.example +");
        assert_eq!(route(&https, "http://m.example/"), "https://m.example +");
        assert_eq!(route(&https, "https://m.example:444/"), "undeclared");
        let without_secret = rules(&["https://m.example"], &[], &[]);
        assert_eq!(route(&without_secret, "http://m.example/"), "undeclared");
    }

    #[test]
    fn a_secret_goes_out_in_plain_text_only_to_an_http_origin_that_the_owner_allows() {
        let host = ["http://nas.local:5000"];
        let allowed = rules(&host, &["nas.local:5000"], &host);
        assert_eq!(route(&allowed, "http://nas.local:5000/"), "http://nas.local:5000 +");
        assert_eq!(route(&allowed, "https://nas.local:5000/"), "undeclared");
        assert_eq!(route(&rules(&host, &[], &host), "http://nas.local:5000/"), "plain secret");
        let other_port = rules(&host, &["nas.local:80"], &host);
        assert_eq!(route(&other_port, "http://nas.local:5000/"), "plain secret");
        let by_name = rules(&["nas.local:5000"], &["nas.local:5000"], &["nas.local:5000"]);
        assert_eq!(route(&by_name, "http://nas.local:5000/"), "https://nas.local:5000 +");
    }

    #[test]
    fn nothing_is_declared_by_default() {
        assert_eq!(route(&Rules::default(), "https://a.b/"), "undeclared");
        let only_allowed = rules(&[], &["a.b:80"], &[]);
        assert_eq!(route(&only_allowed, "http://a.b/"), "undeclared");
    }
}
