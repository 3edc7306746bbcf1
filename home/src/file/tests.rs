//! What holds for single files; `tests/crash.rs` kills and starves whole processes.

use std::os::unix::fs::symlink;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_file_is_private_and_its_folder_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output/cache.txt");
    write(&path, b"one").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(names(path.parent().unwrap()), ["cache.txt"]);
}

#[test]
fn a_file_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    fs::write(&path, "one").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o754)).unwrap();
    write(&path, b"two").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"two".to_vec(), 0o754));
}

#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (link, far) = (folder.path().join("memory.json"), folder.path().join("far/memory.json"));
    symlink("far/memory.json", &link).unwrap();
    for bytes in [b"dangling at first", b"and then no more "] {
        write(&link, bytes).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&far).unwrap(), bytes);
    }
}

#[test]
fn what_is_no_regular_file_is_neither_read_nor_replaced() {
    for path in [Path::new("/dev/full"), Path::new("/tmp")] {
        assert_eq!(write(path, b"x").unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(read(path, 1).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

#[test]
fn reading_is_bounded_and_absence_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.json");
    assert_eq!(read(&path, 3).unwrap(), None);
    fs::write(&path, "abc").unwrap();
    assert_eq!(read(&path, 3).unwrap(), Some(b"abc".to_vec()));
    assert_eq!(read(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
}

#[test]
fn a_default_never_replaces_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("SOUL.md");
    assert!(write_missing(&path, b"default").unwrap());
    fs::write(&path, "mine").unwrap();
    assert!(!write_missing(&path, b"default").unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    assert_eq!(names(folder.path()), ["SOUL.md"]);
}

#[test]
fn setting_aside_overwrites_nothing_and_sorts_by_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.json");
    for text in ["first", "second"] {
        fs::write(&path, text).unwrap();
        set_aside_as(&path, "T").unwrap();
    }
    assert_eq!(names(folder.path()), ["memory.json.broken-T", "memory.json.broken-T-2"]);
    assert_eq!(fs::read(folder.path().join("memory.json.broken-T")).unwrap(), b"first");
    assert_eq!(fs::read(folder.path().join("memory.json.broken-T-2")).unwrap(), b"second");
}

#[test]
fn the_time_in_the_name_is_utc_and_has_no_colons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.json");
    fs::write(&path, "").unwrap();
    let aside = set_aside(&path).unwrap();
    let name = aside.file_name().unwrap().to_str().unwrap();
    let stamp = name.strip_prefix("memory.json.broken-").unwrap();
    let pattern: String = stamp.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(pattern, "0000-00-00T00-00-00.000Z");
}

#[test]
fn a_folder_where_a_file_should_be_can_be_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.json");
    fs::create_dir_all(path.join("inside")).unwrap();
    assert!(set_aside(&path).unwrap().join("inside").is_dir());
    assert!(!path.exists());
}

#[test]
fn drafts_of_killed_writers_are_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for name in [".draft-abc.tmp", ".draft", "memory.json.tmp"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    remove_drafts(folder.path()).unwrap();
    assert_eq!(names(folder.path()), [".draft", "memory.json.tmp"]);
}

/// Permissions don't stop root, but nobody can create a file in `/sys` or below a file.
#[test]
fn a_folder_that_can_not_be_written_gives_its_name_and_the_remedy() {
    let error = write(Path::new("/sys/safeclaw.json"), b"{}").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("can't write /sys/safeclaw.json ("), "{text}");
    assert!(text.contains("choose another home with --home"), "{text}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(!cause.contains("/sys"), "one path is enough: {cause}");

    let below_a_file = write(Path::new("/etc/passwd/x"), b"").unwrap_err().to_string();
    assert!(below_a_file.contains("a file where a folder should be"), "{below_a_file}");
}
