//! The scripts that run on the server. Each one is a step that happens wholly, at one moment of the server's
//! clock; the states that they lead a command through are drawn in the module's own page.

use std::sync::LazyLock;

use redis::Script;

macro_rules! script {
    ($(#[$doc:meta])* $name:ident, $($file:literal),+) => {
        $(#[$doc])*
        pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!($(include_str!(concat!("scripts/", $file)), "\n"),+))
        });
    };
}

script!(
    /// A router begins a life.
    REGISTER, "register.lua"
);
script!(
    /// A router takes commands into its hands.
    CLAIM, "mark_cancelled.lua", "take_back.lua", "words.lua", "claim.lua"
);
script!(
    /// A router says that it lives.
    BEAT, "hand_back.lua", "mark_cancelled.lua", "take_back.lua", "beat.lua"
);
script!(
    /// A router with keys asks what agents want taken back.
    HEAR, "words.lua", "hear.lua"
);
script!(
    /// A router with keys takes in what was taken back.
    HEED, "mark_cancelled.lua", "heed.lua"
);
script!(
    /// Takes everything out of the hands of routers that have been silent for too long.
    REAP, "hand_back.lua", "bury.lua", "reap.lua"
);
script!(
    /// Takes everything out of the hands of routers that are known to be dead.
    TAKE_OVER, "hand_back.lua", "bury.lua", "take_over.lua"
);
script!(
    /// A router begins what can't be done twice.
    BEGINS, "begins.lua"
);
script!(
    /// A router hands back what it has not begun.
    PUT_BACK, "hand_back.lua", "put_back.lua"
);
script!(
    /// A router ends its life.
    LEAVE, "hand_back.lua", "leave.lua"
);
script!(
    /// A command ends, in one step.
    FINISH, "store.lua", "publish.lua", "finish.lua"
);
script!(
    /// A command ends without a trace.
    REFUSE, "refuse.lua"
);
script!(
    /// A command ends on a cluster, first step.
    KEEP, "store.lua", "keep.lua"
);
script!(
    /// A command ends on a cluster, second step.
    SEND, "publish.lua", "send.lua"
);
script!(
    /// A command ends on a cluster, last step.
    LET_GO, "let_go.lua"
);
