//! The process that starts drivers holds them to what programs need.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use eyes::launch::Launcher;
use eyes::{Eyes, Network, Place};

use crate::rig::{PROGRAM, look};

#[tokio::test]
async fn a_program_among_peoples_files_is_not_run_as_a_driver() {
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let script =
        format!("#!/bin/sh\necho ran > {}\necho started successfully on port 1.\n", ran.display());
    for name in ["chromedriver", "chromium"] {
        let path = folder.path().join(name);
        fs::write(&path, &script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let search: &OsStr = folder.path().as_os_str();
    let launcher = Launcher::begin_as(Path::new(PROGRAM), search).unwrap().unwrap();
    let eyes = Eyes::new(Place::Own(launcher), Network::new(&[]).unwrap());
    let error = eyes.look(look("http://example.com/".parse().unwrap())).await.unwrap_err();
    assert!(error.to_string().contains("Permission denied"), "{error}");
    assert!(!ran.exists());
}
