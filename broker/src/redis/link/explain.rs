//! What to say to whoever runs this when a Redis can't be used.

use std::error::Error;
use std::sync::Arc;

use redis::{ErrorKind, RedisError};
use rustls::CertificateError;

use super::RedisAddress;
use super::line::first_cause;

impl RedisAddress {
    /// What `error` means for whoever runs this, and what to do.
    pub(in crate::redis) fn explain(&self, error: &RedisError) -> String {
        let at = self.shown();
        let cause = first_cause(error);
        let cause = cause.as_ref().unwrap_or(error);
        if let Some(words) = tls_error(error).map(explain_tls) {
            return format!("{at} {words}");
        }
        if let Some(words) = cause.code().and_then(|code| self.explain_code(code, cause)) {
            return format!("{at} {words}");
        }
        self.explain_failure(cause)
    }

    /// What a server of this version is told.
    pub(super) fn explain_age(&self, version: &str) -> String {
        format!("{} is Redis {version}, which is too old: {OLD_ENOUGH}", self.shown())
    }

    /// What the code of a server's error means.
    fn explain_code(&self, code: &str, error: &RedisError) -> Option<String> {
        let words = match code {
            "NOAUTH" => "wants a password: put it into REDIS_URL (redis://user:password@host)",
            "WRONGPASS" => WRONG_PASSWORD,
            "NOPERM" => {
                let said = self.said(error);
                return Some(format!(
                    "does not allow this user what SafeClaw needs ({said}): widen its rules (ACL SETUSER)"
                ));
            }
            "LOADING" => "is reading its data from disk: wait until it is done",
            "READONLY" => "is a replica, which takes no commands: let REDIS_URL name its primary",
            "OOM" => "has no memory left: raise its maxmemory, or remove what it holds for others",
            "MISCONF" => {
                "can't write its data to disk and so takes no commands: look at its log and its disk"
            }
            "CLUSTERDOWN" => {
                "is a cluster that is down: see which nodes are missing (`redis-cli cluster nodes`) and start them"
            }
            "MASTERDOWN" => {
                "has lost its primary: start that, or wait until another takes its place"
            }
            "TRYAGAIN" | "MOVED" | "ASK" => {
                "is a cluster that is moving keys or replacing a node: wait, and look at it with `redis-cli --cluster check` if it stays so"
            }
            "NOREPLICAS" => {
                "has too few replicas to take commands: start them, or lower its min-replicas-to-write"
            }
            "BUSY" => "is held up by a script of another program: wait, or end it with SCRIPT KILL",
            "WRONGTYPE" => {
                "has something else under one of SafeClaw's keys: another program uses that name; choose another COMMAND_QUEUE or RESPONSE_PREFIX"
            }
            "ERR" => return explain_general(&error.to_string().to_ascii_lowercase()),
            _ => return None,
        };
        Some(words.to_owned())
    }

    /// What a failure means that no server has put into words.
    fn explain_failure(&self, error: &RedisError) -> String {
        let at = self.shown();
        let said = self.said(error);
        let other = if self.is_tls() {
            "if it speaks no TLS, let REDIS_URL begin with redis://"
        } else {
            "if it wants TLS, let REDIS_URL begin with rediss://"
        };
        if error.kind() == ErrorKind::AuthenticationFailed {
            format!("{at} {WRONG_PASSWORD}")
        } else if error.is_connection_refusal() {
            format!("nothing listens at {at}: start Redis (`redis-server`) or correct REDIS_URL")
        } else if error.is_timeout() {
            format!(
                "{at} does not answer in time: see whether it is up and can be reached; {other}"
            )
        } else if error.is_connection_dropped() || error.kind() == ErrorKind::Parse {
            format!("{at} closed the connection: see whether Redis is up; {other}")
        } else if said.contains("lookup address") {
            format!("no machine has the name in {at}: correct REDIS_URL")
        } else if error.kind() == ErrorKind::ClusterConnectionNotFound {
            format!(
                "no node of the cluster at {at} can be reached: start them, or correct REDIS_URL"
            )
        } else {
            format!("{at}: {said}")
        }
    }

    /// The error as it stands, without the password: a server may repeat what it was sent.
    fn said(&self, error: &RedisError) -> String {
        let said = error.to_string();
        match self.client.get_connection_info().redis_settings().password() {
            Some(password) if !password.is_empty() => said.replace(password, "***"),
            _ => said,
        }
    }
}

const OLD_ENOUGH: &str = "SafeClaw needs Redis 6.2 or later, or Valkey";

const WRONG_PASSWORD: &str = "refuses the user or the password in REDIS_URL: correct them there, or give that user this password";

/// What an error without a code of its own means, if its words are known.
fn explain_general(said: &str) -> Option<String> {
    if said.contains("switch database") {
        let words = "has no database of the number in REDIS_URL: correct it (a cluster has only 0)";
        Some(words.to_owned())
    } else if said.contains("unknown") && said.contains("command") {
        Some(format!("does not know a command that is needed: {OLD_ENOUGH}"))
    } else if said.contains("max number of clients") {
        Some("has as many clients as it may have: raise its maxclients".to_owned())
    } else {
        None
    }
}

fn explain_tls(error: &rustls::Error) -> String {
    use CertificateError as Bad;
    let rustls::Error::InvalidCertificate(bad) = error else {
        return format!(
            "does not speak TLS as it should ({error}): if it speaks none, let REDIS_URL begin with redis://"
        );
    };
    match bad {
        Bad::UnknownIssuer | Bad::BadSignature => {
            "has a certificate of a CA that is not trusted: name the CA that signed it in REDIS_CA_FILE"
                .to_owned()
        }
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
            "has a certificate for another name: let REDIS_URL name the host as its certificate does"
                .to_owned()
        }
        Bad::Expired | Bad::ExpiredContext { .. } => {
            "has a certificate that has expired: renew it, or set this machine's clock".to_owned()
        }
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            "has a certificate that is not valid yet: set this machine's clock".to_owned()
        }
        _ => format!("has a certificate that can't be accepted ({error}): give it another"),
    }
}

/// The error of TLS that lies under another, if one does.
fn tls_error(error: &RedisError) -> Option<&rustls::Error> {
    let shared: &Arc<dyn Error + Send + Sync> = error.source()?.downcast_ref()?;
    let io: &std::io::Error = shared.downcast_ref()?;
    io.get_ref()?.downcast_ref()
}

#[cfg(test)]
mod tests {
    use redis::parse_redis_value;

    use super::*;

    fn explain(said: &str) -> String {
        let error = parse_redis_value(format!("-{said}\r\n").as_bytes()).unwrap();
        let address = RedisAddress::new("redis://me:hunter2@localhost").unwrap();
        address.explain(&error.extract_error().unwrap_err())
    }

    #[test]
    fn every_error_of_a_server_is_said_with_what_to_do() {
        for (said, words) in [
            ("NOAUTH Authentication required.", "put it into REDIS_URL"),
            ("WRONGPASS invalid username-password pair or user is disabled.", "correct them there"),
            ("NOPERM this user has no permissions to run the 'eval' command", "'eval'"),
            ("NOPERM this user has no permissions to run the 'eval' command", "widen its rules"),
            ("LOADING Redis is loading the dataset in memory", "wait until it is done"),
            ("READONLY You can't write against a read only replica.", "name its primary"),
            ("OOM command not allowed when used memory > 'maxmemory'.", "raise its maxmemory"),
            ("MISCONF Redis is configured to save RDB snapshots", "look at its log and its disk"),
            ("CLUSTERDOWN The cluster is down", "which nodes are missing"),
            ("MASTERDOWN Link with MASTER is down", "lost its primary"),
            ("TRYAGAIN Multiple keys request during rehashing of slot", "moving keys"),
            ("MOVED 5698 127.0.0.1:7001", "moving keys or replacing a node"),
            ("NOREPLICAS Not enough good replicas to write.", "too few replicas"),
            ("BUSY Redis is busy running a script.", "SCRIPT KILL"),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", "COMMAND_QUEUE"),
            ("ERR unknown command 'BLMOVE', with args beginning with: 'a' ", "6.2 or later"),
            ("ERR Unknown Redis command called from script", "6.2 or later"),
            ("ERR max number of clients reached", "raise its maxclients"),
            ("ERR something else", "redis://localhost:6379: "),
        ] {
            let explained = explain(said);
            assert!(explained.contains(words), "{said}: {explained}");
            assert!(explained.contains("redis://localhost:6379"), "{explained}");
        }
    }

    #[test]
    fn a_password_that_a_server_repeats_is_not_shown() {
        let explained = explain("ERR no command `AUTH`, with args beginning with: `hunter2`");
        assert!(explained.contains("with args") && !explained.contains("hunter2"), "{explained}");
    }
}
