//! What the methods do, by their documentation.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{BotApi, Shown, State, now};

/// The longest text of a message, in UTF-16 units.
const LONGEST: usize = 4096;

/// A result, or the code and the words of an error.
type Answer = Result<Value, (u16, String)>;

pub(super) fn answer(api: &BotApi, method: &str, params: &Value) -> Answer {
    match method {
        "getme" => Ok(me()),
        "getupdates" => Ok(updates(api, params)),
        "sendmessage" => send(&mut api.lock(), params),
        "editmessagetext" => edit(&mut api.lock(), params),
        "editmessagereplymarkup" => strip(&mut api.lock(), params),
        "deletemessage" => delete(&mut api.lock(), params),
        "sendphoto" => Ok(file(&mut api.lock(), "photo", params)),
        "senddocument" => Ok(file(&mut api.lock(), "document", params)),
        "getfile" => get_file(&api.lock(), params),
        "setmycommands" => commands(params),
        "sendchataction" | "answercallbackquery" | "deletewebhook" => Ok(json!(true)),
        other => Err((404, format!("Not Found: {other}"))),
    }
}

fn me() -> Value {
    json!({
        "id": 4711, "is_bot": true, "first_name": "Safe", "username": "safe_test_bot",
        "can_join_groups": true, "can_read_all_group_messages": false, "supports_inline_queries": false,
        "can_connect_to_business": false, "has_main_web_app": false
    })
}

/// Forgets what is confirmed, and waits for something to tell.
fn updates(api: &BotApi, params: &Value) -> Value {
    let patience = Duration::from_secs(params["timeout"].as_u64().unwrap_or(0));
    let until = Instant::now() + patience;
    let mut state = api.lock();
    let counts_anew = std::mem::take(&mut state.counts_anew);
    if let Some(offset) = params["offset"].as_i64().filter(|_| !counts_anew) {
        state.updates.retain(|update| update["update_id"].as_i64() >= Some(offset));
    }
    state.waiting += 1;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let is_troubled = state.troubles.iter().any(|(name, _)| name == "getupdates");
        if !state.updates.is_empty() || left.is_zero() || is_troubled || state.token == "none" {
            state.waiting -= 1;
            let most = params["limit"].as_u64().unwrap_or(100);
            let shown = state.updates.iter().take(most as usize);
            return Value::Array(shown.cloned().collect());
        }
        state = api.state.changed.wait_timeout(state, left).unwrap().0;
    }
}

fn send(state: &mut State, params: &Value) -> Answer {
    let (chat, text) = (params["chat_id"].as_i64().unwrap(), checked(params)?);
    let id = state.new_message();
    let shown = Shown {
        chat,
        id,
        text,
        entities: params["entities"].clone(),
        buttons: buttons(params),
        edits: 0,
    };
    let told = told(&shown);
    state.shown.push(shown);
    Ok(told)
}

fn edit(state: &mut State, params: &Value) -> Answer {
    let text = checked(params)?;
    let shown = find(state, params, "edit")?;
    if (&shown.text, &shown.entities, &shown.buttons)
        == (&text, &params["entities"], &buttons(params))
    {
        return Err(not_modified());
    }
    shown.edits += 1;
    shown.text = text;
    shown.entities = params["entities"].clone();
    shown.buttons = buttons(params);
    Ok(told(shown))
}

fn strip(state: &mut State, params: &Value) -> Answer {
    let shown = find(state, params, "edit")?;
    if shown.buttons == buttons(params) {
        return Err(not_modified());
    }
    shown.buttons = buttons(params);
    Ok(told(shown))
}

fn delete(state: &mut State, params: &Value) -> Answer {
    let id = find(state, params, "delete")?.id;
    state.shown.retain(|message| message.id != id);
    Ok(json!(true))
}

/// A file, of which the text of its form is known.
fn file(state: &mut State, kind: &str, form: &Value) -> Value {
    let form = form.as_str().unwrap_or_default();
    let field = |name: &str| {
        let (_, rest) = form.split_once(&format!("name=\"{name}\"\r\n")).unwrap_or_default();
        rest.split("\r\n").find(|line| !line.is_empty()).unwrap_or_default().to_owned()
    };
    let name = form.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next());
    let text = format!("<{kind} {}>", name.unwrap_or_default());
    let chat = field("chat_id").parse().unwrap_or(0);
    let id = state.new_message();
    let shown = Shown { chat, id, text, entities: Value::Null, buttons: Vec::new(), edits: 0 };
    let told = told(&shown);
    state.shown.push(shown);
    told
}

/// Where a file that was sent can be fetched.
fn get_file(state: &State, params: &Value) -> Answer {
    let id = params["file_id"].as_str().unwrap_or_default();
    let bytes = state.files.get(id).ok_or((400, "Bad Request: invalid file_id".to_owned()))?;
    Ok(json!({
        "file_id": id, "file_unique_id": id, "file_size": bytes.len(), "file_path": format!("documents/{id}"),
    }))
}

fn commands(params: &Value) -> Answer {
    for command in params["commands"].as_array().unwrap() {
        let (name, about) = (&command["command"], &command["description"]);
        let name = name.as_str().unwrap();
        let is_name =
            name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !is_name || !(1..=32).contains(&name.len()) {
            return Err((400, "Bad Request: BOT_COMMAND_INVALID".to_owned()));
        }
        if !(1..=256).contains(&about.as_str().unwrap().len()) {
            return Err((400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID".to_owned()));
        }
    }
    Ok(json!(true))
}

/// The text, if the API would take it with its entities.
fn checked(params: &Value) -> Result<String, (u16, String)> {
    let text = params["text"].as_str().unwrap();
    let length = text.encode_utf16().count();
    if text.trim().is_empty() {
        return Err((400, "Bad Request: message text is empty".to_owned()));
    }
    if length > LONGEST {
        return Err((400, "Bad Request: message is too long".to_owned()));
    }
    for entity in params["entities"].as_array().into_iter().flatten() {
        let at = |name: &str| usize::try_from(entity[name].as_u64().unwrap()).unwrap();
        let (from, to) = (at("offset"), at("offset") + at("length"));
        let units: Vec<u16> = text.encode_utf16().collect();
        if to > length || from == to || String::from_utf16(&units[from..to]).is_err() {
            return Err((400, "Bad Request: ENTITY_BOUNDS_INVALID".to_owned()));
        }
    }
    Ok(text.to_owned())
}

fn find<'s>(
    state: &'s mut State,
    params: &Value,
    to: &str,
) -> Result<&'s mut Shown, (u16, String)> {
    let (chat, id) = (params["chat_id"].as_i64(), params["message_id"].as_i64());
    let mut shown = state.shown.iter_mut();
    shown
        .find(|message| Some(message.chat) == chat && Some(message.id) == id)
        .ok_or_else(|| (400, format!("Bad Request: message to {to} not found")))
}

fn not_modified() -> (u16, String) {
    let why = "Bad Request: message is not modified: specified new message content and reply markup are exactly \
               the same as a current content and reply markup of the message";
    (400, why.to_owned())
}

fn buttons(params: &Value) -> Vec<(String, String)> {
    let rows = params["reply_markup"]["inline_keyboard"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.flat_map(|row| row.as_array().unwrap())
        .map(|button| (text(&button["text"]), text(&button["callback_data"])))
        .collect()
}

/// A message of the bot's as its sender gets it back.
fn told(shown: &Shown) -> Value {
    let private = json!({"id": shown.chat, "type": "private", "first_name": "P"});
    let group = json!({"id": shown.chat, "type": "group", "title": "G"});
    json!({
        "message_id": shown.id,
        "date": now(),
        "chat": if shown.chat > 0 { private } else { group },
        "from": {"id": 4711, "is_bot": true, "first_name": "Safe", "username": "safe_test_bot"},
        "text": shown.text,
    })
}
