//! What else is started while a home is being upgraded.

use std::net::TcpListener;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::{command, done, files, first_format, large, safeclaw};

#[test]
fn nobody_starts_in_a_home_that_is_being_upgraded() {
    let home = large();
    let mut upgrade = command(home.root(), &["upgrade"]);
    let mut upgrade = upgrade.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !home.root().join("before-upgrade").exists() {
        assert_eq!(upgrade.try_wait().unwrap(), None);
    }
    kill_process(Pid::from_child(&upgrade), Signal::STOP).unwrap();
    let before = files(home.root());
    let told = format!("process {} restores, upgrades or rolls back", upgrade.id());
    for args in [&["-p", "/status"][..], &["router"], &["agent"], &["init", "--yes"], &["stop"]] {
        let (code, said) = safeclaw(home.root(), args);
        assert_eq!((code, said.contains(&told)), (Some(1), true), "{args:?}: {said}");
    }
    assert_eq!(files(home.root()), before);
    // Its lock goes with it, however it ends.
    upgrade.kill().unwrap();
    upgrade.wait().unwrap();
    done(home.root(), &["resume"]);
}

#[test]
fn a_router_that_was_about_to_start_when_an_upgrade_began_does_not_start() {
    let (home, redis) = (first_format(), TcpListener::bind("127.0.0.1:0").unwrap());
    let mut router = command(home.root(), &["router"]);
    router.env("REDIS_URL", format!("redis://{}", redis.local_addr().unwrap()));
    let router = router.stderr(Stdio::piped()).spawn().unwrap();
    // It has looked at its home, and waits for the answer of its Redis.
    let asked = redis.accept().unwrap();
    let _held = home::Lock::take(&home.root().join("change.lock")).unwrap();
    drop((asked, redis));
    let ended = router.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), said.contains("right now")), (Some(1), true), "{said}");
}
