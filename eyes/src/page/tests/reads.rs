//! What a person would read is read, and nothing else.

use super::kit::{Answer, Site, look, look_and_count, see};

#[tokio::test]
async fn text_is_read_as_it_stands() {
    let seen = see(
        "<h1>Title</h1><p>One\n  two <b>three</b>.<br>Next line</p><ul><li>a<li>b</ul>\
        <pre>x  y\n  z</pre><table><tr><td>1<td>2<tr><td>3<td>4</table><span>in</span><span>line</span>",
    )
    .await;
    insta::assert_snapshot!(seen.text);
}

#[tokio::test]
async fn what_is_hidden_is_not_read() {
    let hidden = [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "position:absolute;left:-9999px",
        "position:absolute;top:-500px",
        "text-indent:-9999px",
        "width:1px;height:1px;overflow:hidden",
        "height:0;overflow:hidden",
        "position:absolute;clip:rect(0,0,0,0)",
        "clip-path:inset(100%)",
        "transform:scale(0)",
        "content-visibility:hidden",
    ];
    let blocks: String = hidden
        .iter()
        .map(|style| format!("<div style='{style}'>hidden by {style}</div>"))
        .collect();
    let rest = "<noscript>none</noscript><template>none</template><details><summary>more</summary>folded</details>\
        <!-- none --><style>p{color:red}</style><div hidden>none</div>";
    let seen = see(&format!("<p>seen{blocks}{rest}<p style='display:contents'>contents")).await;
    assert_eq!(seen.text, "seen\n\nmore\ncontents");
}

#[tokio::test]
async fn what_scripts_write_is_read() {
    let script = "fetch('/data').then(r => r.text()).then(t => setTimeout(() => \
        { document.getElementById('app').textContent = t }, 300))";
    let html = format!("<div id=app>Loading</div><script>{script}</script>");
    let data = Answer::of(200, "text/plain", "brought by a script");
    let site = Site::serve([("/", Answer::page(&html)), ("/data", data)]).await;
    assert_eq!(look(&site, "/").await.unwrap().text, "brought by a script");
}

#[tokio::test]
async fn shadow_roots_and_frames_of_the_same_site_are_read() {
    let inner = "<p>in a frame";
    let html = "<p>outside<div id=h>slotted</div><iframe src=/inner></iframe><script>\
        document.getElementById('h').attachShadow({mode:'open'}).innerHTML='<p>in a shadow<p><slot></slot>'</script>";
    let site = Site::serve([("/", Answer::page(html)), ("/inner", Answer::page(inner))]).await;
    let text = look(&site, "/").await.unwrap().text;
    assert_eq!(text, "outside\n\nin a shadow\n\nslotted\n\nin a frame");
}

#[tokio::test]
async fn closed_shadow_roots_are_read_and_what_is_hidden_in_them_is_not() {
    let seen = see(
        "<p>outside<div id=h></div><script>document.getElementById('h').attachShadow({mode: 'closed'})\
        .innerHTML = '<p>in a closed one<p hidden>hidden'</script>",
    )
    .await;
    assert_eq!(seen.text, "outside\n\nin a closed one");
}

#[tokio::test]
async fn frames_of_other_sites_are_read_behind_the_page_and_those_that_are_not_are_counted() {
    let inner = Site::serve([
        ("/one", Answer::page("<p>one<p hidden>hidden")),
        ("/two", Answer::page("two")),
    ])
    .await;
    let frame = |path: &str, more: &str| {
        format!("<iframe src='{}'{more}></iframe>", inner.foreign_url(path))
    };
    let html = [
        frame("/one", ""),
        "<p>the page".to_owned(),
        frame("/two", ""),
        // Nobody sees these.
        frame("/one", " width=1 height=1"),
        frame("/one", " hidden"),
        frame("/one", " style='visibility:hidden'"),
        // This one stands in another frame, which the driver can't look into from here.
        format!("<iframe srcdoc=\"<p>near{}\"></iframe>", frame("/two", "")),
    ];
    let seen = see(&html.concat()).await;
    assert_eq!(seen.text, "the page\n\nnear\n\none\n\ntwo");
    assert_eq!(
        seen.remarks,
        [
            "the text of 2 frames of other sites stands at the end",
            "a frame of another site could not be read"
        ]
    );
}

#[tokio::test]
async fn the_text_of_a_frame_that_is_too_long_is_cut_with_a_remark() {
    let told = async |length| {
        let inner = format!("<p style='white-space:nowrap'>{}", "x".repeat(length));
        let inner = Site::serve([("/", Answer::page(&inner))]).await;
        let seen =
            see(&format!("<p>outside<iframe src='{}'></iframe>", inner.foreign_url("/"))).await;
        (seen.text.len() - "outside\n\n".len(), seen.remarks)
    };
    let stands = "the text of a frame of another site stands at the end";
    let cut = "the text of a frame of another site is very long; it was cut at the end";
    assert_eq!(told(100_000).await, (100_000, vec![stands.to_owned()]));
    assert_eq!(told(100_001).await, (100_000, vec![stands.to_owned(), cut.to_owned()]));
}

#[tokio::test]
async fn what_is_laid_out_only_where_it_is_seen_is_read_at_once() {
    let near = "<p>near".to_owned();
    let far = "<div style='content-visibility:auto;overflow:hidden'><p style='content-visibility:auto;contain-intrinsic-size:9px'>far</div>";
    let html = near + &far.repeat(1_500) + "<p style='content-visibility:hidden'>hidden";
    let site = Site::serve([("/", Answer::page(&html))]).await;
    let (seen, layouts) = look_and_count(&site, "LayoutCount").await;
    assert_eq!(seen.text.matches("far").count(), 1_500);
    assert!(!seen.text.contains("hidden") && !seen.html.contains("important"));
    // Asked one by one, each of them is laid out by itself.
    assert!(layouts < 100.0, "{layouts}");
}

#[tokio::test]
async fn every_encoding_is_understood() {
    let japanese: &[u8] = b"<p>\x93\xfa\x96{\x8c\xea";
    let site = Site::serve([
        ("/sjis", Answer::of(200, "text/html; charset=Shift_JIS", japanese)),
        (
            "/1251",
            Answer::of(200, "text/html; charset=windows-1251", b"<p>\xcf\xf0\xe8\xe2\xe5\xf2"),
        ),
        ("/gbk", Answer::of(200, "text/html", b"<meta charset=gbk><p>\xc4\xe3\xba\xc3")),
        ("/latin", Answer::of(200, "text/html; charset=ISO-8859-1", b"<p>caf\xe9")),
        ("/utf16", Answer::of(200, "text/html", b"\xff\xfe<\0p\0>\0\xe9\0")),
    ])
    .await;
    for (path, text) in [
        ("/sjis", "日本語"),
        ("/1251", "Привет"),
        ("/gbk", "你好"),
        ("/latin", "café"),
        ("/utf16", "é"),
    ] {
        assert_eq!(look(&site, path).await.unwrap().text, text, "{path}");
    }
}

#[tokio::test]
async fn right_to_left_text_keeps_its_order() {
    let seen = see("<html dir=rtl lang=he><p>שלום <b>עולם</b><p>مرحبا 123<p style='position:absolute;left:-3000px'>רחוק").await;
    assert_eq!(seen.text, "שלום עולם\n\nمرحبا 123\n\nרחוק");
    assert_eq!(seen.language.as_deref(), Some("he"));
}

#[tokio::test]
async fn other_kinds_of_documents_are_read() {
    let site = Site::serve([
        ("/plain", Answer::of(200, "text/plain", "a  b\n<p>c")),
        ("/json", Answer::of(200, "application/json", "{\"a\": 1}")),
        (
            "/svg",
            Answer::of(
                200,
                "image/svg+xml",
                "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>drawn</text></svg>",
            ),
        ),
        (
            "/frames",
            Answer::page("<frameset cols='*,*'><frame src=/plain><frame src=/json></frameset>"),
        ),
    ])
    .await;
    assert_eq!(look(&site, "/plain").await.unwrap().text, "a  b\n<p>c");
    assert!(look(&site, "/json").await.unwrap().text.contains("{\"a\": 1}"));
    assert_eq!(look(&site, "/svg").await.unwrap().text, "drawn");
    assert!(look(&site, "/frames").await.unwrap().text.starts_with("a  b"));
}

#[tokio::test]
async fn a_page_of_five_megabytes_is_read_whole() {
    // Long lines, because what takes a browser's time is the layout of many. One emoji in each, because a browser that has no
    // font for it looks for one each time.
    let fox = "The quick brown fox jumps over the lazy dog — für 100 € ";
    let line = format!("<p style='white-space:nowrap'>{}🦊", fox.repeat(1000));
    let lines = 5_000_000 / line.len();
    let seen = see(&line.repeat(lines)).await;
    let counts = |text: &str| (text.matches("🦊").count(), text.matches('€').count());
    assert_eq!(counts(&seen.text), (lines, lines * 1000));
    assert_eq!(counts(&seen.html), (lines, lines * 1000));
    assert_eq!(seen.remarks, Vec::<String>::new());
}

#[tokio::test]
async fn what_is_too_long_is_cut_with_a_remark() {
    let seen =
        see(&format!("<p style='white-space:nowrap'>{}", "0123456789 ".repeat(5_000)).repeat(180))
            .await;
    assert!(seen.text.chars().count() <= 5_000_000, "{}", seen.text.len());
    assert!(seen.text.len() > 4_900_000, "{}", seen.text.len());
    assert!(seen.html.len() > 8_000_000 && seen.html.len() <= 8 * 1024 * 1024);
    assert!(
        seen.remarks.contains(&"the page is very long; its text was cut at the end".to_owned())
    );
    assert!(
        seen.remarks.contains(&"the page is very long; its source was cut at the end".to_owned())
    );
}
