//! A process that serves many calls.

use super::*;

at_both_levels! {
    async fn a_warm_skill_remembers(jail: Jail) {
        jail.program("#!/bin/sh\nn=0; while read -r line; do n=$((n+1)); echo \"call $n\" >&2; echo \"$n $line\"; done", 0o755);
        let mut warm = jail.launcher.serve(jail.job(), jail.log_path());
        assert_eq!(warm.call(b"a").await.unwrap(), b"1 a");
        assert_eq!(warm.call(b"b").await.unwrap(), b"2 b");
        while jail.log() != "call 1\ncall 2\n" {
            tokio::task::yield_now().await;
        }
        drop(warm);
        jail.wait_until_gone();
    }

    async fn a_warm_skill_starts_again_after_every_kind_of_end(jail: Jail) {
        jail.limits.wall = Duration::from_secs(3);
        jail.limits.output_bytes = 100;
        jail.program(
            "#!/bin/sh
n=0
while read -r line; do
  n=$((n+1))
  case $line in
    die) echo oh >&2; exit 4;;
    leave) exit 0;;
    hang) sleep 1000;;
    long) head -c 1000 /dev/zero | tr '\\0' x; sleep 1000;;
    twice) echo \"$n\"; echo unasked;;
    answer-and-die) echo \"$n\"; exit 0;;
    *) echo \"$n\";;
  esac
done",
            0o755,
        );
        let mut warm = jail.launcher.serve(jail.job(), jail.log_path());
        let ends = [
            ("die", "it ended with code 4: oh"),
            ("leave", "it ended with code 0"),
            ("hang", "it did not finish within 3 s and was stopped"),
            ("long", "it printed more than 100 bytes and was stopped"),
        ];
        for (line, end) in ends {
            assert_eq!(warm.call(b"x").await.unwrap(), b"1");
            assert_eq!(warm.call(line.as_bytes()).await.unwrap_err().to_string(), end);
        }
        for line in ["twice", "answer-and-die"] {
            assert_eq!(warm.call(line.as_bytes()).await.unwrap(), b"1", "{line}");
            // What it does after its answer is noticed as soon as it has been done.
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(warm.call(b"x").await.unwrap(), b"1", "{line}");
            drop(std::mem::replace(&mut warm, jail.launcher.serve(jail.job(), jail.log_path())));
        }
        drop(warm);
        jail.wait_until_gone();
    }

    async fn an_answer_to_a_call_that_was_given_up_is_never_read(jail: Jail) {
        jail.program("#!/bin/sh\nwhile read -r line; do case $line in slow*) sleep 1;; esac; echo \"$line\"; done", 0o755);
        let mut warm = jail.launcher.serve(jail.job(), jail.log_path());
        let given_up = tokio::time::timeout(Duration::from_millis(500), warm.call(b"slow")).await;
        assert!(given_up.is_err());
        assert_eq!(warm.call(b"quick").await.unwrap(), b"quick");
    }
}
