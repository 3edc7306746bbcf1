//! `/agent [NAME]`: shows or changes the persona that answers in this chat.

use std::sync::Arc;

use async_trait::async_trait;
use session::Session;

use super::perform::{At, Perform, Read};
use crate::Mind;

#[derive(Debug)]
enum PersonaWish {
    Show,
    Choose(String),
}

pub(super) fn read(name: &str) -> Read {
    Ok(Arc::new(match name.trim_start_matches('@') {
        "" => PersonaWish::Show,
        name => PersonaWish::Choose(name.to_owned()),
    }))
}

#[async_trait]
impl Perform for PersonaWish {
    async fn perform(&self, at: At<'_>) {
        match self {
            Self::Show => at.text(shown(at.session)),
            Self::Choose(name) => match chosen(at.mind, at.session, name) {
                Ok(told) => at.text(told),
                Err(why) => at.notice(why),
            },
        }
    }
}

fn shown(session: &Session) -> String {
    let name = session.chosen_persona().unwrap_or_else(|| "the default persona".to_owned());
    format!("{name} answers here. /agent NAME changes that, /agents lists them.")
}

fn chosen(mind: &Mind, session: &Session, name: &str) -> Result<String, String> {
    let persona = mind.cast.find(name).map_err(|error| error.to_string())?;
    // Whether it may be asked is known before the first message.
    mind.cast.model(persona.as_deref(), &mind.model).map_err(|error| error.to_string())?;
    session.choose_persona(persona.as_deref()).map_err(|error| error.to_string())?;
    Ok(match persona {
        Some(persona) => {
            format!("{} answers here from now on, with {}.", persona.name, persona.target)
        }
        None => {
            format!("The default persona answers here from now on, with {}.", mind.model.first())
        }
    })
}
