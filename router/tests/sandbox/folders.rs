//! The folders of the host that a skill is lent.

use router::sandbox::Lent;

use super::*;

/// Lends the skill a folder beside its own, which belongs to whoever runs the tests.
fn lend(jail: &mut Jail, name: &str, write: bool) -> std::path::PathBuf {
    let path = jail.home.path().join(format!("host-{name}")).to_owned();
    fs::create_dir(&path).unwrap();
    let path = path.canonicalize().unwrap();
    jail.lent.push(Lent::new(name, &path, write));
    path
}

at_both_levels! {
    async fn what_is_lent_for_reading_can_not_be_written(jail: Jail) {
        let papers = lend(&mut jail, "papers", false);
        fs::write(papers.join("a"), "text").unwrap();
        let said = jail.sh(r#"cat "$SAFECLAW_FOLDER_PAPERS/a"
            echo x 2>/dev/null > "$SAFECLAW_FOLDER_PAPERS/b" || echo no
            rm "$SAFECLAW_FOLDER_PAPERS/a" 2>/dev/null || echo no"#).await;
        assert_eq!(said.unwrap(), "textno\nno\n");
        assert_eq!(fs::read_dir(papers).unwrap().count(), 1);
    }

    async fn a_folder_that_is_gone_starts_nothing(jail: Jail) {
        let project = lend(&mut jail, "project", true);
        fs::remove_dir(&project).unwrap();
        let error = jail.sh("echo ran").await.unwrap_err().to_string();
        assert!(error.contains("enter the folder") || error.contains("reach"), "{error}");
    }
}

#[tokio::test]
async fn what_is_written_belongs_to_the_folders_owner() {
    let mut jail = Jail::new().await;
    let project = lend(&mut jail, "project", true);
    fs::set_permissions(&project, Permissions::from_mode(0o700)).unwrap();
    let said = jail
        .sh("cd /project && echo hi > new && mkdir -p a/b && chmod 750 a && stat -c %u:%A . new a; id -u")
        .await
        .unwrap();
    assert_eq!(said, "1000:drwx------\n1000:-rw-r--r--\n1000:drwxr-x---\n1000\n");
    let (owner, file) =
        (fs::metadata(&project).unwrap(), fs::metadata(project.join("new")).unwrap());
    assert_eq!((file.uid(), file.gid()), (owner.uid(), owner.gid()));
    assert_eq!(file.uid(), nix::unistd::geteuid().as_raw());
}

#[tokio::test]
async fn set_user_id_programs_and_devices_are_dead_in_it() {
    let mut jail = Jail::new().await;
    let project = lend(&mut jail, "project", true);
    let said = jail.sh("grep ' /project ' /proc/self/mountinfo").await.unwrap();
    assert!(said.contains("nosuid") && said.contains("nodev"), "{said}");
    assert!(project.exists());
}

#[tokio::test]
async fn a_link_on_the_way_leads_nowhere() {
    let mut jail = Jail::new().await;
    let project = lend(&mut jail, "project", true);
    let secret = jail.home.path().join("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("key"), "a key").unwrap();
    fs::remove_dir(&project).unwrap();
    std::os::unix::fs::symlink(&secret, &project).unwrap();
    let ran = jail.sh("cat /project/key").await;
    assert!(ran.is_err(), "{ran:?}");
}

#[tokio::test]
async fn nothing_beside_a_lent_folder_is_in_sight() {
    let mut jail = Jail::new().await;
    let project = lend(&mut jail, "project", true);
    let beside = jail.beside("beside", "a key");
    let said = jail
        .sh(&format!(
            "cat /project/../{0} {1} /project/link 2>/dev/null; ln -s {1} /project/link; cat /project/link 2>/dev/null; ls -a /",
            "beside",
            beside.display()
        ))
        .await
        .unwrap();
    assert!(!said.contains("a key"), "{said}");
    assert!(project.join("link").is_symlink());
}

#[tokio::test]
async fn no_descriptor_of_the_launcher_stays_open() {
    let mut jail = Jail::new().await;
    lend(&mut jail, "project", true);
    let said = jail.sh("ls /proc/self/fd").await.unwrap();
    assert_eq!(
        said.split_whitespace().collect::<Vec<_>>(),
        ["0", "1", "2", "3"],
        "ls itself has 3"
    );
}

/// A disk of a database: files larger than any scratch.
#[tokio::test]
async fn a_file_may_be_larger_than_the_scratch_where_the_limits_say_so() {
    let mut jail = Jail::new().await;
    let project = lend(&mut jail, "project", true);
    let write = "dd if=/dev/zero of=/project/db bs=1M count=300 2>/dev/null";
    assert!(jail.sh(write).await.is_err(), "16 MiB are the usual bound");
    jail.limits.file_bytes = 301 << 20;
    jail.sh(write).await.unwrap();
    assert_eq!(fs::metadata(project.join("db")).unwrap().len(), 300 << 20);
}
