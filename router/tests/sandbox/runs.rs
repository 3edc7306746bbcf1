//! One call: its input, its output, and how it ends.

use super::*;

at_both_levels! {
    async fn a_skill_that_only_its_owner_may_read_runs(jail: Jail) {
        fs::write(jail.folder().join("data"), "one").unwrap();
        jail.program("#!/bin/sh\ncd \"${0%/*}\" && cat data && ls -l run | cut -c1-10", 0o700);
        fs::set_permissions(jail.folder().join("data"), Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(jail.folder(), Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(jail.home.path(), Permissions::from_mode(0o700)).unwrap();
        let one = jail.run(b"").await.unwrap();
        assert!(one.starts_with("one-rwx"), "{one}");
        fs::write(jail.folder().join("data"), "two").unwrap();
        assert!(jail.run(b"").await.unwrap().starts_with("two-rwx"));
        assert_eq!(fs::metadata(jail.folder().join("data")).unwrap().mode() & 0o777, 0o600);
    }

    async fn large_input_and_output_flow_at_the_same_time(jail: Jail) {
        jail.limits.output_bytes = 9_000_000;
        jail.program("#!/bin/sh\nexec cat", 0o755);
        let input = "x".repeat(8_000_000);
        assert_eq!(jail.run(input.as_bytes()).await.unwrap().len(), input.len());
    }

    async fn input_may_be_left_unread(jail: Jail) {
        jail.program("#!/bin/sh\nexec 0<&-; echo '{}'", 0o755);
        assert_eq!(jail.run(&vec![b'x'; 8_000_000]).await.unwrap(), "{}\n");
    }

    async fn what_cannot_be_started_says_why_and_how_to_mend_it(jail: Jail) {
        let mut said = Vec::new();
        let programs = [
            ("#!/bin/sh\n", 0o644),
            ("#!/usr/bin/nosuchthing -x\n", 0o755),
            ("#!/bin/sh\r\n", 0o755),
            ("echo no first line\n", 0o755),
        ];
        for (text, mode) in programs {
            jail.program(text, mode);
            said.push(jail.run(b"").await.unwrap_err());
        }
        for command in ["./missing", "./", "nosuchprogram"] {
            let mut job = jail.job();
            job.program = Program::Command(vec![command.to_owned()]);
            said.push(jail.launcher.once(&job, b"", &jail.log_path()).await.unwrap_err());
        }
        assert!(said.iter().all(|error| matches!(error, RunError::NotStarted(_))), "{said:?}");
        let said: Vec<_> = said.iter().map(ToString::to_string).collect();
        assert_eq!(said[..], [
            "run is not executable; run `chmod +x run` in the skill's folder",
            "run wants /usr/bin/nosuchthing, which cannot be run here; install it under /usr, or correct the first line of run",
            "the first line of run ends with a carriage return; save run with Unix line ends",
            "run is neither a script with a first line such as `#!/bin/sh` nor a program for this machine; add that line, or build it for this machine",
            "there is no file missing in the skill's folder; add it, or correct `command` in skill.toml",
            "the skill's folder is a directory; name a program in `command` in skill.toml",
            "there is no program nosuchprogram in PATH; install nosuchprogram under /usr, or put ./nosuchprogram into the skill's folder",
        ]);
        assert_eq!(jail.log(), "");
    }

    async fn a_program_that_is_being_written_is_waited_for_a_moment(jail: Jail) {
        jail.program("#!/bin/sh\ncat", 0o755);
        let written = || fs::File::options().append(true).open(jail.folder().join("run")).unwrap();
        let held = written();
        let error = jail.run(b"").await.unwrap_err();
        assert_eq!(error.to_string(), "run is being written; close whatever has it open for writing, and try again");
        drop(held);
        let held = written();
        let closed = async {
            // Nothing of a skill is to be seen before it has begun.
            tokio::time::sleep(Duration::from_millis(50)).await;
            drop(held);
        };
        let (ran, ()) = tokio::join!(jail.run(b"in"), closed);
        assert_eq!(ran.unwrap(), "in");
    }

    async fn ends_are_told_apart(jail: Jail) {
        let error = jail.sh("echo first >&2; echo the reason >&2; echo >&2; exit 3").await.unwrap_err();
        assert_eq!(error.to_string(), "it ended with code 3: the reason");
        let error = jail.sh("kill -SEGV $$").await.unwrap_err();
        assert!(error.to_string().starts_with("it was killed by SIGSEGV"), "{error}");
        let error = jail.sh("echo 'x {\"why\":\"a lie\",\"fix\":\"b\"}' >&2; exit 125").await.unwrap_err();
        assert!(matches!(error, RunError::Exited { code: 125, .. }), "{error:?}");
        let error = jail.sh("exec head -c 20000000 /dev/zero > big").await.unwrap_err();
        assert!(!matches!(error, RunError::NotStarted(_)), "{error:?}");
        assert!(jail.log().starts_with("first\nthe reason\n\n"));
    }

    async fn many_run_at_the_same_time(jail: Jail) {
        if jail.launcher.found().level == Level::Namespaces {
            jail.limits.processes = 8;
        }
        jail.program("#!/bin/sh\nfor i in 1 2 3; do sleep 0.5 & done; wait; cat", 0o755);
        let calls = (0..30).map(|number| {
            let (launcher, job, log) = (jail.launcher.clone(), jail.job(), jail.log_path());
            tokio::spawn(async move { launcher.once(&job, format!("{number}").as_bytes(), &log).await })
        });
        for (number, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(call.await.unwrap().unwrap(), number.to_string().into_bytes(), "{}", jail.log());
        }
    }

    async fn a_call_that_is_given_up_is_killed(jail: Jail) {
        jail.program("#!/bin/sh\necho started >&2; sleep 1000 & sleep 1000", 0o755);
        let (launcher, job, log) = (jail.launcher.clone(), jail.job(), jail.log_path());
        let call = tokio::spawn(async move { launcher.once(&job, b"", &log).await.map(drop) });
        while jail.log() != "started\n" {
            tokio::task::yield_now().await;
        }
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        jail.wait_until_gone();
    }

    async fn the_routers_own_binary_runs_as_a_skill(jail: Jail) {
        let mut job = jail.job();
        job.program = Program::Builtin("hello_world".to_owned());
        let answer = jail.launcher.once(&job, b"{}", &jail.log_path()).await;
        let answer = String::from_utf8(answer.unwrap()).unwrap();
        assert!(answer.starts_with('{'), "{answer}");
    }
}
