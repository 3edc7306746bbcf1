//! The console in the language of the person's locale.

use super::editing::SIZES;
use super::*;

fn german(home: &TempHome, size: (u16, u16), locale: (&str, &str)) -> Terminal {
    let chat = Terminal::start_sized(
        size,
        SAFECLAW,
        &[],
        home.root(),
        &[locale, ("SAFECLAW_ACTIONS", "words")],
    );
    chat.expect_last("du>");
    chat
}

#[test]
fn a_german_locale_has_the_console_in_german_and_both_languages_answer_a_question() {
    let locales = [("LC_ALL", "de_DE.UTF-8"), ("LC_MESSAGES", "de_AT.UTF-8")];
    let answers = [("ja", "y"), ("yes", "j")];
    for ((size, locale), (first, second)) in SIZES.into_iter().zip(locales).zip(answers) {
        let home = TempHome::new();
        questions::skill(&home, "ring", "effect = \"external\"", "echo '{}'");
        let mut chat = german(&home, size, locale);
        chat.expect("Modell: ");
        chat.expect("neben diesem Chat");
        line(&mut chat, "Remember my name is Frankie.");
        chat.expect("Ich merke mir von dir: name = Frankie.");
        chat.expect_last("du>");
        for answer in [first, second] {
            line(&mut chat, "/run RING");
            chat.expect("Darf das laufen? (Frage ");
            chat.expect("gefragt wird, weil: extern: andere sehen es");
            chat.expect("gegolten)");
            chat.expect_last("Antwort>");
            line(&mut chat, answer);
            chat.expect("RING: done");
            chat.expect_last("du>");
            chat.press(CTRL_L);
            chat.expect_gone("Darf das laufen?");
        }
        line(&mut chat, "/run RING");
        chat.expect_last("Antwort>");
        line(&mut chat, "was ist das?");
        chat.expect("1 Frage wartet");
        line(&mut chat, "nein");
        chat.expect("a person said no");
        chat.expect_last("du>");
        chat.press(CTRL_C);
        chat.expect("noch einmal Strg-C");
    }
}

#[test]
fn spanish_and_chinese_locales_are_asked_in_their_language_and_answer_in_it() {
    for (locale, prompt, asked, why, answer, yes) in [
        (
            "es_ES.UTF-8",
            "tú>",
            "¿Puede ejecutarse esto?",
            "externo: otros lo ven",
            "respuesta>",
            "sí",
        ),
        ("zh_CN.UTF-8", "你>", "可以执行吗？", "对外：别人会看到", "回答>", "是"),
    ] {
        let home = TempHome::new();
        questions::skill(&home, "ring", "effect = \"external\"", "echo '{}'");
        let mut chat = Terminal::start(SAFECLAW, &[], home.root(), &[("LC_ALL", locale)]);
        chat.expect_last(prompt);
        line(&mut chat, "/run RING");
        chat.expect(asked);
        chat.expect(why);
        chat.expect_last(answer);
        line(&mut chat, yes);
        chat.expect("RING: ok");
    }
}

#[test]
fn the_first_variable_that_says_something_counts_and_a_language_that_there_is_not_is_english() {
    for variables in [
        [("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")],
        [("LC_MESSAGES", "fr_FR.UTF-8"), ("LANG", "de_DE.UTF-8")],
    ] {
        chat(&TempHome::new(), &variables);
    }
    let home = TempHome::new();
    let variables = [("LC_ALL", ""), ("LANG", "de_DE.UTF-8")];
    Terminal::start(SAFECLAW, &[], home.root(), &variables).expect_last("du>");
}
