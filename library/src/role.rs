//! Roles: who may see a passage, and who asks.

use std::fmt;

/// Who may see a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Everybody who talks with the agent.
    Public,
    /// The owner alone.
    Admin,
}

impl Role {
    /// Reads `public` (or `kb`, its older name) or `admin`, as they are stored.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text.trim() {
            "public" | "kb" => Some(Self::Public),
            "admin" => Some(Self::Admin),
            _ => None,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Admin => "admin",
        })
    }
}

/// Who asks, by the word of whoever knows: the router, never the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reader {
    /// Sees every role.
    Owner,
    /// Sees these roles alone; an empty list sees nothing.
    Roles(Vec<Role>),
}

impl Reader {
    /// The roles that are looked at, as stored; none for the owner, who sees all.
    #[must_use]
    pub fn roles(&self) -> Option<Vec<String>> {
        match self {
            Self::Owner => None,
            Self::Roles(roles) => Some(roles.iter().map(ToString::to_string).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_as_they_are_written() {
        for role in [Role::Public, Role::Admin] {
            assert_eq!(Role::read(&role.to_string()), Some(role));
        }
        assert_eq!(Role::read("kb"), Some(Role::Public));
        for text in ["", "user:7", "everyone", "PUBLIC", "owner"] {
            assert_eq!(Role::read(text), None, "{text}");
        }
    }
}
