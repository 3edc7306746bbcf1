//! What of the host any program needs, and a skill may therefore read.

/// Programs and libraries; on most systems all but the first are links into it.
pub(super) const PROGRAMS: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// Of /etc: how to load libraries, which variant of a program is meant, the time zone and whom TLS trusts.
/// Not who has an account here, and not which machines are near.
pub(super) const SETTINGS: [&str; 7] = [
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/pki",
    "/etc/ca-certificates",
];

/// Devices that take anything.
pub(super) const SINKS: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// The device that must not be opened for writing: mapped as shared memory it would be memory without bound.
pub(super) const ZERO: &str = "/dev/zero";
