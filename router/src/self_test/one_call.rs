//! A program of a single system call, written on the spot: whatever a skill brings along can call the kernel
//! directly, and this does so without `unsafe`.
#![expect(clippy::disallowed_types, reason = "an attack that runs in the sandbox")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

/// The file in the current directory.
const PROGRAM: &str = "./call";

/// Where the program is loaded.
const BASE: u64 = 0x40_0000;

/// The sizes of the ELF header and of its one program header; see elf(5).
const ELF: u64 = 64;
const SEGMENT: u64 = 56;

/// What the call gave.
#[derive(Debug)]
pub(super) enum Reached {
    /// It succeeded.
    Done,
    /// The kernel, or a filter, answered with this error.
    Error(io::Error),
}

/// Makes the call `number` in a process of its own.
///
/// # Errors
/// When the program can't be written or started.
pub(super) fn call(number: i64, arguments: [i64; 6]) -> io::Result<Reached> {
    let _ = fs::remove_file(PROGRAM);
    let mut file = File::options().write(true).create_new(true).mode(0o755).open(PROGRAM)?;
    file.write_all(&elf(&code(number, arguments)))?;
    drop(file);
    let ended = Command::new(PROGRAM).stdin(Stdio::null()).status()?;
    match ended.code() {
        Some(0) => Ok(Reached::Done),
        Some(errno) => Ok(Reached::Error(io::Error::from_raw_os_error(errno))),
        None => Err(io::Error::other(format!("the program of one call was ended: {ended}"))),
    }
}

/// Makes the call, and ends with 0 or the number of its error.
#[cfg(target_arch = "x86_64")]
fn code(number: i64, arguments: [i64; 6]) -> Vec<u8> {
    // mov into rdi, rsi, rdx, r10, r8 and r9, then rax
    let registers =
        [[0x48, 0xbf], [0x48, 0xbe], [0x48, 0xba], [0x49, 0xba], [0x49, 0xb8], [0x49, 0xb9]];
    let mut code = Vec::new();
    for (register, argument) in registers.iter().zip(arguments).chain([(&[0x48, 0xb8], number)]) {
        code.extend(register);
        code.extend(argument.to_le_bytes());
    }
    // syscall; mov edi, eax; neg edi; test eax, eax; js +2; xor edi, edi; mov eax, SYS_exit; syscall
    code.extend([0x0f, 0x05, 0x89, 0xc7, 0xf7, 0xdf, 0x85, 0xc0, 0x78, 0x02, 0x31, 0xff]);
    code.extend([0xb8, 60, 0, 0, 0, 0x0f, 0x05]);
    code
}

/// Makes the call, and ends with 0 or the number of its error.
#[cfg(target_arch = "aarch64")]
fn code(number: i64, arguments: [i64; 6]) -> Vec<u8> {
    let mut words: Vec<u32> = Vec::new();
    let mut set = |register: u32, value: i64| {
        for part in 0..4 {
            let bits = ((value.cast_unsigned() >> (16 * part)) & 0xffff) as u32;
            // movz first, then movk
            let set = if part == 0 { 0xd280_0000 } else { 0xf280_0000 };
            words.push(set | (part << 21) | (bits << 5) | register);
        }
    };
    (0..).zip(arguments).for_each(|(register, argument)| set(register, argument));
    set(8, number);
    // svc 0; cmp x0, 0; csneg x0, xzr, x0, ge; mov x8, SYS_exit; svc 0
    words.extend([0xd400_0001, 0xf100_001f, 0xda80_a7e0, 0xd280_0008 | (93 << 5), 0xd400_0001]);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// On other machines there is none, and no attack that needs it is tried.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn code(_: i64, _: [i64; 6]) -> Vec<u8> {
    Vec::new()
}

/// A program file with one segment, which holds `code`.
fn elf(code: &[u8]) -> Vec<u8> {
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let start = ELF + SEGMENT;
    let length = start + code.len() as u64;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // an executable (2) for the machine, version 1; entry, program header, no sections; no flags
    file.extend([2_u16, machine].map(u16::to_le_bytes).concat());
    file.extend(1_u32.to_le_bytes());
    file.extend([BASE + start, ELF, 0].map(u64::to_le_bytes).concat());
    file.extend(0_u32.to_le_bytes());
    file.extend([ELF as u16, SEGMENT as u16, 1, 64, 0, 0].map(u16::to_le_bytes).concat());
    // loaded (1), read and run (5), from the beginning of the file
    file.extend([1_u32, 5].map(u32::to_le_bytes).concat());
    file.extend([0, BASE, BASE, length, length, 0x1000].map(u64::to_le_bytes).concat());
    file.extend(code);
    file
}
