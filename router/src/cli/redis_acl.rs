//! `start_router redis-acl`: prints the users that Redis should know.

use std::path::{Path, PathBuf};

use broker::redis::acl::{Acl, UnruledName};
use clap::Args;
use home::{FileError, Home, file};
use protocol::QueueNames;
use sha2::{Digest as _, Sha256};

use crate::config::{Settings, SettingsError};

/// The longest password, in bytes.
const LIMIT: u64 = 4_096;

/// What `--help` tells of what to do with it.
const NEXT: &str = "\
It goes to stdout, for the names that COMMAND_QUEUE and RESPONSE_PREFIX set here; what to put into REDIS_URL goes to \
stderr. For example:

  start_router redis-acl > /etc/redis/users.acl
  echo 'aclfile /etc/redis/users.acl' >> /etc/redis/redis.conf     # and restart Redis

Passwords stand in it as SHA-256 alone. Needs Redis 7.0 or later (selectors).";

/// `redis-acl`.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(NEXT))]
pub(super) struct RedisAcl {
    /// A file with the password of the user `agent` [default: a new random one, told on stderr].
    #[arg(long, value_name = "FILE")]
    agent_password_file: Option<PathBuf>,
    /// The same for the user `router`.
    #[arg(long, value_name = "FILE")]
    router_password_file: Option<PathBuf>,
    /// Allow what clients of a Redis Cluster need as well.
    #[arg(long)]
    cluster: bool,
}

/// Why nothing was printed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AclError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Name(#[from] UnruledName),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} holds no password: write one line into it", .0.display())]
    NoPassword(PathBuf),
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Prints the file.
pub(super) fn run(home: &Home, args: &RedisAcl) -> Result<(), AclError> {
    let names: QueueNames = Settings::read(home)?.queue.names;
    let acl = Acl::new(&names, args.cluster)?;
    let mut file = "user default off\n".to_owned();
    let mut said = String::new();
    let users = [
        ("agent", &acl.agent, &args.agent_password_file, ".env of the agent"),
        ("router", &acl.router, &args.router_password_file, "router/.env"),
    ];
    for (user, rules, password_file, place) in users {
        let (password, shown) = match password_file {
            Some(path) => (read(path)?, "PASSWORD".to_owned()),
            None => random().map(|password| (password.clone(), password))?,
        };
        file.push_str(&format!("user {user} on #{} {rules}\n", hex(&Sha256::digest(password))));
        said.push_str(&format!("{place}: REDIS_URL=redis://{user}:{shown}@HOST:6379\n"));
    }
    home::say_part(format_args!("{file}"));
    home::say_part_on_stderr(format_args!("{said}"));
    Ok(())
}

fn read(path: &Path) -> Result<String, AclError> {
    let none = || AclError::NoPassword(path.to_owned());
    let bytes = file::read(path, LIMIT)?.ok_or_else(none)?;
    let text = String::from_utf8(bytes).map_err(|_| none())?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.is_empty() || password.contains(['\r', '\n']) {
        return Err(none());
    }
    Ok(password.to_owned())
}

fn random() -> Result<String, AclError> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(AclError::Random)?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}
