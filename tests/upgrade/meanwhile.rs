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
fn no_upgrade_begins_while_somebody_is_about_to_start() {
    let (home, redis) = (first_format(), TcpListener::bind("127.0.0.1:0").unwrap());
    let mut router = command(home.root(), &["router"]);
    router.env("REDIS_URL", format!("redis://{}", redis.local_addr().unwrap()));
    let mut router = router.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // It has looked at its home, has no lock of its own yet, and waits for the answer of its Redis.
    let asked = redis.accept().unwrap();
    let (code, said) = safeclaw(home.root(), &["upgrade"]);
    let told = format!("process {} works here already", router.id());
    assert_eq!((code, said.contains(&told)), (Some(1), true), "{said}");
    router.kill().unwrap();
    router.wait().unwrap();
    drop((asked, redis));
    done(home.root(), &["upgrade"]);
}

#[test]
fn no_upgrade_begins_while_a_question_of_init_is_open() {
    let home = first_format();
    let program = env!("CARGO_BIN_EXE_safeclaw");
    let mut asked = testkit::Terminal::start(program, &["init"], home.root(), &[]);
    asked.expect("Which model should think?");
    let (code, said) = safeclaw(home.root(), &["upgrade"]);
    assert_eq!((code, said.contains("works here already")), (Some(1), true), "{said}");
    asked.press("\x03");
    asked.wait();
    done(home.root(), &["upgrade"]);
}
