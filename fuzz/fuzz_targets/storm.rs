//! Whatever stands in a file of a storm: nothing panics, what was read is read again from what is written, and a message
//! that is added comes back to the byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use storm::{AgentFile, Entry, Log, Message, Premise, Session, Stamp, cleaned};

fuzz_target!(|input: (String, String)| {
    let (file, said) = input;
    let _ = (AgentFile::read(&file), Premise::read(&file), Session::read(&file));
    assert!(said.ends_with(cleaned(&said)));
    let Ok((log, _)) = Log::read(&file) else { return };
    let written = log.write();
    let (again, _) = Log::read(&written).expect("what was written is a log");
    assert!(again.messages().eq(log.messages()));
    assert_eq!(again.write(), written);
    let at = Stamp::from(std::time::UNIX_EPOCH);
    let message = Message { from: "A".to_owned(), at, text: said };
    let longer = format!("{file}{}", message.behind(&file));
    let (longer, _) = Log::read(&longer).expect("what was a log is one still");
    assert_eq!(longer.entries.last(), Some(&Entry::Message(message)));
});
