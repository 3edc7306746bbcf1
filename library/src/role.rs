//! Roles: who may see a passage, and who asks.

use std::fmt;

/// Who may see a passage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Everybody who talks with the agent.
    Public,
    /// The owner alone.
    Admin,
    /// The person of one chat, and the owner.
    User(String),
}

impl Role {
    /// Reads `public` (or `kb`, its older name), `admin` or `user:<chat>`, as they are stored.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text.trim() {
            "public" | "kb" => Some(Self::Public),
            "admin" => Some(Self::Admin),
            other => {
                let chat = other.strip_prefix("user:")?;
                (!chat.is_empty()).then(|| Self::User(chat.to_owned()))
            }
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public => f.write_str("public"),
            Self::Admin => f.write_str("admin"),
            Self::User(chat) => write!(f, "user:{chat}"),
        }
    }
}

/// Who asks, by the word of whoever knows: the router, never the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reader {
    /// Sees every role.
    Owner,
    /// Sees `public`, and what belongs to this chat.
    Guest(String),
    /// Sees these roles alone; an empty list sees nothing.
    Roles(Vec<Role>),
}

impl Reader {
    /// The roles that are looked at, as stored; none for the owner, who sees all.
    #[must_use]
    pub fn roles(&self) -> Option<Vec<String>> {
        match self {
            Self::Owner => None,
            Self::Guest(chat) => {
                Some(vec![Role::Public.to_string(), Role::User(chat.clone()).to_string()])
            }
            Self::Roles(roles) => Some(roles.iter().map(ToString::to_string).collect()),
        }
    }

    /// Whether it may see what has the role `role`.
    #[must_use]
    pub fn sees(&self, role: &Role) -> bool {
        self.roles().is_none_or(|roles| roles.contains(&role.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_as_they_are_written() {
        for role in [Role::Public, Role::Admin, Role::User("telegram-7".to_owned())] {
            assert_eq!(Role::read(&role.to_string()), Some(role));
        }
        assert_eq!(Role::read("kb"), Some(Role::Public));
        for text in ["", "user:", "everyone", "PUBLIC", "owner"] {
            assert_eq!(Role::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_guest_sees_what_is_public_and_its_own() {
        let guest = Reader::Guest("a".to_owned());
        assert!(guest.sees(&Role::Public) && guest.sees(&Role::User("a".to_owned())));
        assert!(!guest.sees(&Role::Admin) && !guest.sees(&Role::User("b".to_owned())));
        assert!(Reader::Owner.sees(&Role::Admin) && !Reader::Roles(Vec::new()).sees(&Role::Public));
    }
}
