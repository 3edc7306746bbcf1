//! What the sandbox must hold. Each test runs as the user who runs the tests, and as an ordinary user too when
//! that is root; "without namespaces" is the machine that refuses them.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

mod jail;

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::time::Duration;

use jail::{Jail, leaking_descriptor, refuse, start_router, wait_until};
use router::sandbox::{Launcher, Level, Program, RunError, SelfCommand};

/// Makes three tests of one: at both levels, and where the first stages were there before the call.
macro_rules! at_both_levels {
    ($(async fn $name:ident($jail:ident: Jail) $body:block)*) => {$(
        mod $name {
            use super::*;

            async fn check(#[allow(unused_mut)] mut $jail: Jail) $body

            #[tokio::test]
            async fn in_namespaces() {
                check(Jail::new().await).await;
            }

            #[tokio::test]
            async fn in_namespaces_that_stood_ready() {
                check(Jail::standing_ready().await).await;
            }

            #[tokio::test]
            async fn without_namespaces() {
                check(Jail::without_namespaces().await).await;
            }
        }
    )*};
}

// Behind the macro that they use.
mod folders;
mod machine;
mod runs;
mod wall;
mod warm;

/// What the next test kills: it holds a skill, as a router does.
#[tokio::test]
#[ignore = "it never ends; the next test starts and kills it"]
async fn hold_a_skill() {
    let jail = Jail::new().await;
    let marker = std::env::args().nth(4).unwrap();
    let mut job = jail.job();
    jail.program("#!/bin/sh\nsleep 1000 & sleep 1000", 0o755);
    job.program = Program::Command(vec!["./run".to_owned(), marker]);
    jail.launcher.once(&job, b"", &jail.log_path()).await.unwrap();
}

#[tokio::test]
#[allow(clippy::disallowed_types)]
async fn when_the_router_is_killed_its_skills_die_too() {
    let jail = Jail::new().await;
    let me = std::env::current_exe().unwrap();
    // The last argument is one more filter, which no test's name matches, and what it looks for.
    let arguments = ["--exact", "--ignored", "hold_a_skill", jail.marker.as_str()];
    let mut router = std::process::Command::new(me)
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The router itself, the shell; the sleeps carry no marker.
    wait_until("the skill runs", || jail.running() >= 2);
    router.kill().unwrap();
    router.wait().unwrap();
    jail.wait_until_gone();
}

/// The whole battery once more, as a user without any power.
#[test]
#[allow(clippy::disallowed_types)]
fn all_of_this_holds_for_an_ordinary_user() {
    if !nix::unistd::geteuid().is_root() {
        return; // then it just did
    }
    let place = tempfile::tempdir().unwrap();
    let temp = place.path().join("tmp");
    fs::create_dir(&temp).unwrap();
    for (path, mode) in [(place.path(), 0o755), (&temp, 0o1777)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let battery = place.path().join("battery");
    testkit::copy_program(std::env::current_exe().unwrap(), &battery);
    testkit::copy_program(start_router(), place.path().join("start_router"));
    let output = std::process::Command::new(battery)
        .args(["--skip", "all_of_this_holds"])
        .env("TMPDIR", &temp)
        .current_dir(&temp)
        .uid(12_345)
        .gid(12_345)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("the_environment_holds"), "{said}");
}
