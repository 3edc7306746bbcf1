//! Machines that refuse something, and what is left behind on them.

use super::*;

#[tokio::test]
async fn a_machine_that_refuses_namespaces_says_so_and_refuses_network() {
    let mut jail = Jail::without_namespaces().await;
    let [reason] = &jail.launcher.found().reasons[..] else { panic!("one reason") };
    assert!(reason.contains("cannot make namespaces"), "{reason}");
    jail.net = Some(jail.home.path().join("proxy"));
    let error = jail.sh("true").await.unwrap_err();
    assert!(matches!(&error, RunError::Refused { why } if why.contains("network")), "{error:?}");
}

#[tokio::test]
async fn a_machine_with_no_mechanism_runs_nothing() {
    refuse(&[libc::SYS_unshare], libc::EPERM);
    refuse(&[libc::SYS_landlock_create_ruleset], libc::ENOSYS);
    let jail = Jail::at_any_level().await;
    assert_eq!(jail.launcher.found().level, Level::Nothing);
    assert_eq!(jail.launcher.found().reasons.len(), 2);
    let error = jail.sh("touch /tmp/ran").await.unwrap_err();
    assert!(matches!(error, RunError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn a_binary_that_only_its_owner_may_reach_starts_and_runs_as_a_skill() {
    let jail = Jail::new().await;
    let private = jail.home.path().join("private");
    fs::create_dir(&private).unwrap();
    let exe = private.join("start_router");
    testkit::copy_program(start_router(), &exe);
    for path in [&exe, &private] {
        fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
    }
    let me = SelfCommand { exe, prefix: Vec::new() };
    let launcher = Launcher::open(me, &std::env::temp_dir()).await.unwrap();
    assert_eq!(launcher.found().level, Level::Namespaces, "{:?}", launcher.found());
    let mut job = jail.job();
    job.program = Program::Builtin("hello_world".to_owned());
    assert_eq!(launcher.once(&job, b"{}", &jail.log_path()).await.unwrap().first(), Some(&b'{'));
}

#[tokio::test]
async fn copies_are_made_for_root_alone_once_and_removed_at_the_end() {
    let jail = Jail::new().await;
    jail.program("#!/bin/sh\necho ok", 0o700);
    let copies = || {
        let mine = |name: &str| name.starts_with("safeclaw-skills-");
        let entries = fs::read_dir(std::env::temp_dir()).unwrap().filter_map(Result::ok);
        let places = entries.filter(|entry| entry.file_name().to_str().is_some_and(mine));
        let runs =
            places.flat_map(|place| fs::read_dir(place.path()).into_iter().flatten().flatten());
        let programs = runs.map(|copy| copy.path().join("skill/run")).filter(|run| run.exists());
        let text = |run| fs::read_to_string(run).unwrap_or_default();
        programs.map(text).filter(|text| text.contains(&jail.marker)).count()
    };
    jail.program(&format!("#!/bin/sh\necho {}", jail.marker), 0o700);
    for _ in 0..2 {
        assert_eq!(jail.run(b"").await.unwrap(), format!("{}\n", jail.marker));
    }
    assert_eq!(copies(), usize::from(nix::unistd::geteuid().is_root()));
    let Jail { launcher, marker, .. } = &jail;
    assert!(!marker.is_empty() && std::sync::Arc::strong_count(launcher) == 1);
}
