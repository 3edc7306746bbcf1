//! `start_router keys`: makes the keys that commands and replies are signed with.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use home::{FileError, Home, file};
use protocol::sign::{self, KeyPair, KeysError};

/// What the file is called.
const NAME: &str = "safeclaw.keys";

/// The largest file that is read, in bytes.
const LIMIT: u64 = 64 * 1024;

/// What stands first in a new file.
const HEAD: &str = "\
# The keys of a SafeClaw: what the agent asks and what the router answers on Redis is signed with them. Who has this file
# can do both, so keep it to the two of them (mode 600). The first pair signs, all pairs verify.
";

/// What `--help` tells of changing keys.
const ROTATION: &str = "\
To change the keys without a break: `keys new --rotate` adds a new pair at the end of the file, which verifies and does \
not sign yet. Copy the file to the other side and restart both. Then move the new pair to the top of the file on both \
sides and restart them, and at last delete the old pair. If somebody may have read the old one, delete it at once.";

/// `keys` and what stands behind it.
#[derive(Debug, Args)]
pub(super) struct Keys {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make two new keys of 256 bits, one for each direction, in one file for both sides: safeclaw.keys.
    #[command(after_long_help = ROTATION)]
    New {
        /// The folder to write it to [default: the home].
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Add a pair to the file that is there: it verifies what is signed with it, and the first pair goes on
        /// signing.
        #[arg(long)]
        rotate: bool,
    },
}

/// Why no keys were made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeysNewError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{} is there already, and nothing was changed: --rotate adds a new pair to it, --dir DIR writes another file; or \
        move it away", .0.display()
    )]
    Exists(PathBuf),
    #[error("{} is not there, so nothing can be added to it: leave --rotate away", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a whole key file, and nothing was changed: {why}", path.display())]
    Broken { path: PathBuf, why: KeysError },
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Does what the command line asks for.
pub(super) fn run(home: &Home, keys: Keys) -> Result<(), KeysNewError> {
    let Command::New { dir, rotate } = keys.command;
    let path = dir.unwrap_or_else(|| home.root().to_owned()).join(NAME);
    let path = std::path::absolute(&path).unwrap_or(path);
    let pair = pair()?;
    if rotate {
        add(&path, &pair)?;
        home::say!("{} holds one more pair, which verifies and does not sign yet.", path.display());
        home::say!("{ROTATION}");
        return Ok(());
    }
    if !file::write_missing(&path, format!("{HEAD}\n{}", pair.lines()).as_bytes())? {
        return Err(KeysNewError::Exists(path));
    }
    home::say!("{}", next_steps(&path, &pair));
    Ok(())
}

fn pair() -> Result<KeyPair, KeysNewError> {
    let (mut to_router, mut to_agent) = ([0; 32], [0; 32]);
    getrandom::fill(&mut to_router).map_err(KeysNewError::Random)?;
    getrandom::fill(&mut to_agent).map_err(KeysNewError::Random)?;
    Ok(KeyPair::new(to_router, to_agent))
}

fn add(path: &Path, pair: &KeyPair) -> Result<(), KeysNewError> {
    let bytes = file::read(path, LIMIT)?.ok_or_else(|| KeysNewError::Missing(path.to_owned()))?;
    let text = String::from_utf8_lossy(&bytes);
    // What is broken is not made longer.
    sign::Keys::parse(&text).map_err(|why| KeysNewError::Broken { path: path.to_owned(), why })?;
    let text = format!("{}\n\n{}", text.trim_end(), pair.lines());
    Ok(file::write(path, text.as_bytes())?)
}

fn next_steps(path: &Path, pair: &KeyPair) -> String {
    let [agent, router] = pair.ids();
    let path = path.display();
    format!(
        "{path} holds a new pair of keys: {agent} signs what agents ask, {router} what routers answer.\n\
        Next:\n\
        1. Copy it to the other side by a way that nobody else can read, such as scp, and keep it at mode 600.\n\
        2. On both sides, in .env or the environment: SAFECLAW_KEY_FILE={path} (where it lies there).\n\
        3. Start both again. An agent with a key believes no router without it.\n\
        4. When all agents have it, refuse the others: \"queue\": {{ \"require_signature\": true }} in \
        router/config.json."
    )
}
