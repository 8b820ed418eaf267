//! Addresses, origins and URLs: what may be reached over the network, and what crosses it.

use super::{check, parse};
use touchmove::config::Config;
use touchmove::config::lichess::Rounds;
use touchmove::config::livechess::{Origin, Site};

#[test]
fn the_live_stream_stays_on_this_machine() {
    check("[livechess]\nlisten = '[::1]:1982'\nlive = true", &[]);
    let refused = "3:8: live = true shows games that are not public yet, and other machines can reach 0.0.0.0:1982: omit it, or write listen = \"127.0.0.1:1982\"";
    check("[livechess]\nlisten = '0.0.0.0:1982'\nlive = true", &[refused]);
    let shown = "any site can show a frame whose origin is \"null\": remove null from origins, or omit live";
    check(
        "[livechess]\nlisten = '127.0.0.1:1982'\nlive = true\norigins = 'lichess.org, null'",
        &[&format!("4:11: live = true shows games that are not public yet, and {shown}")],
    );
}

#[test]
fn an_origin_that_no_browser_sends_is_refused() {
    let origins =
        |text: &str| Config::parse(&format!("[livechess]\norigins = '{text}'")).map(|config| config.livechess.origins);
    let site = |host: &str, allows_http| Origin::Site(Site { host: host.to_owned(), allows_http });
    let app = |scheme: &str, host: &str| Origin::App { scheme: scheme.to_owned(), host: host.to_owned() };
    for (text, expect) in [
        ("lichess.org", site("lichess.org", false)),
        ("https://Lichess.org", site("lichess.org", false)),
        ("http://club.example", site("club.example", true)),
        ("127.0.0.1", site("127.0.0.1", true)),
        ("http://[::1]", site("::1", true)),
        ("http://hall", site("hall", true)),
        ("[0:0:0:0:0:0:0:1]", site("::1", true)),
        ("xn--schch-9qa.example", site("xn--schch-9qa.example", false)),
        ("tauri://localhost", app("tauri", "localhost")),
        ("chrome-extension://abcdef", app("chrome-extension", "abcdef")),
        ("null", Origin::Null),
    ] {
        assert_eq!(origins(text), Ok(vec![expect]), "{text}");
    }
    for (wrong, expected) in [
        ("file://", "browsers send \"null\""),
        ("lichess.org/dgt", "no path"),
        ("https://lichess.org/", "no path"),
        ("localhost:8080", "write \"localhost\" without the port"),
        ("ws://lichess.org", "no page has an origin of the scheme ws"),
        ("com", "write the whole host, such as \"lichess.org\", or \"http://com\""),
        ("https://hall", "or \"http://hall\" for that one machine"),
        ("*", "it is not a host name"),
        ("*.lichess.org", "it is not a host name"),
        ("lichess.org.", "it is not a host name"),
        ("tauri://", "it is not a host name"),
        ("127.1", "it is not a host name"),
        ("chess.example.1", "it is not a host name"),
        ("sch\u{e4}ch.example", "with xn--"),
        ("7up://localhost", "is not a scheme"),
    ] {
        let problems = origins(wrong).unwrap_err();
        assert!(problems[0].to_string().contains(expected), "{wrong}: {}", problems[0]);
    }
    assert!(parse("[livechess]\norigins = 'null'").warnings()[0].contains("sandboxed frame"));
    assert!(Config::default().warnings().is_empty());
}

#[test]
fn the_page_accepts_complete_host_names() {
    let hosts = |text: &str| Config::parse(&format!("[web]\nhosts = '{text}'")).map(|config| config.web.hosts);
    let site = |host: &str| Site { host: host.to_owned(), allows_http: false };
    assert_eq!(hosts("hall, Hall.example.org"), Ok(vec![site("hall"), site("hall.example.org")]));
    for (host, has_subdomains) in [("hall.example.org", true), ("hall", false), ("com", false), ("127.0.0.1", false)] {
        assert_eq!(hosts(host).unwrap()[0].has_subdomains(), has_subdomains, "{host}");
    }
    // No browser sends these.
    for wrong in ["hall.example.", ".example", "hall..example", "hall:8064", "*.example", "127.1"] {
        assert!(hosts(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn only_permitted_urls_are_accepted() {
    let config =
        parse("[lichess]\nround = ' AbCd1234 '\nurl = 'http://192.168.1.7:9663'\n[hooks]\nwebhook = 'https://ntfy.sh/x?y=z'");
    let lichess = config.lichess.unwrap();
    assert_eq!((lichess.rounds, lichess.url.to_string()), (Rounds::One("AbCd1234".into()), "http://192.168.1.7:9663".into()));
    let webhook = config.hooks.webhook.unwrap();
    assert_eq!((webhook.to_string(), webhook.port()), ("https://ntfy.sh/x?y=z".into(), 443));
    // The path is a secret: everyone who knows it can read the messages.
    assert_eq!(format!("{webhook:?}"), "https://ntfy.sh/…");
    let rounds = parse("[lichess]\nround = '1=AbCd1234, 12 = EfGh5678'").lichess.unwrap().rounds;
    assert_eq!((rounds.id(1), rounds.id(2), rounds.id(12)), (Some("AbCd1234"), None, Some("EfGh5678")));
    assert!(parse("[lichess]\ntoken_file = '/x'").lichess.is_none());
    let off = parse("[lichess]\nround = ''\n[hooks]\nwebhook = ''");
    assert!(off.lichess.is_none() && off.hooks.is_off());
    for wrong in
        ["AbCd123", "AbCd1234/", "0 = AbCd1234", "1 = AbCd1234, 1 = EfGh5678", "1 = AbCd1234, 2 = AbCd1234", "x = AbCd1234"]
    {
        assert!(Config::parse(&format!("[lichess]\nround = '{wrong}'")).is_err(), "{wrong}");
    }
    for local in [
        "127.0.0.1:80",
        "[::1]",
        "10.0.0.1",
        "172.16.9.9",
        "169.254.1.1",
        "[fd00::1]:8080",
        "localhost",
        "ntfy",
        "ntfy.lan",
        "a.home.arpa",
    ] {
        parse(&format!("[hooks]\nwebhook = 'http://{local}/topic'"));
    }
    for wrong in [
        "http://ntfy.sh/x",
        "http://8.8.8.8/x",
        "http://[2001:db8::1]/x",
        "ftp://x/y",
        "ntfy.sh/x",
        "https://",
        "https://a b/",
        "https://user@x/",
        "https://:word@x/",
        "https:x/y",
        "https://x\\\\y",
        " https://x/y",
        "https:///x/y",
        "https://@x/",
        "https://:@x/",
        "https://x:/",
        "https://a!b/",
        "https://ho%73t/",
        "https://[::1/",
        "https://[::1]x/",
        "https://x:0/",
        "https://x:99999/",
        "https://x/#y",
        "https://x/\u{e4}",
    ] {
        assert!(Config::parse(&format!("[hooks]\nwebhook = \"{wrong}\"")).is_err(), "{wrong}");
    }
    let form = "write https://HOST, or http://HOST on this machine or its own network, such as url = \"https://lichess.org\"";
    check("[lichess]\nurl = 'https://lichess.org/api'", &[&format!("2:7: url is \"https://lichess.org/api\"; {form}")]);
}

#[test]
fn tokens_cross_no_network_unencrypted() {
    check("[web]\nlisten = '[::1]:8064'", &[]);
    check("[web]\nlisten = '192.168.1.5:8064'\nproxy = true", &[]);
    check(
        "[web]\nlisten = '0.0.0.0:8064'\nproxy = true",
        &[
            "2:10: 0.0.0.0:8064 is every address of this machine, and any client that reaches it would be treated as the proxy: write listen = \"127.0.0.1:8064\", or the address at which a proxy on another machine reaches this one",
        ],
    );
    check("[web]\nlisten = '0.0.0.0:8064'\ntls_cert = '/cert.pem'\ntls_key = '/key.pem'", &[]);
    let refused = "2:10: other machines can reach 0.0.0.0:8064, and tokens must not cross a network unencrypted: write tls_cert and tls_key, or proxy = true and listen = \"127.0.0.1:8064\" behind a proxy that speaks TLS, or listen = \"127.0.0.1:8064\"";
    check("[web]\nlisten = '0.0.0.0:8064'", &[refused]);
    // The recommended configuration is accepted.
    check("[web]\nlisten = '127.0.0.1:8064'\nproxy = true", &[]);
    let refused = "2:10: other machines can reach 192.168.1.5:9000, and tokens must not cross a network unencrypted: write tls_cert and tls_key, or proxy = true behind a proxy that speaks TLS, or listen = \"127.0.0.1:9000\"";
    check("[web]\nlisten = '192.168.1.5:9000'", &[refused]);
    check("[web]\nlisten = '192.168.1.5:9000'\nproxy = true", &[]);
    let refused =
        "3:8: hsts = true tells browsers to use only TLS, which is not configured: write tls_cert and tls_key, or omit it";
    check("[web]\nlisten = '127.0.0.1:8064'\nhsts = true", &[refused]);
    check("[web]\nlisten = '127.0.0.1:8064'\nhsts = true\nproxy = true", &[]);
    check("[web]\ntls_key = '/key.pem'", &["2:11: tls_key has no effect without tls_cert: write both, or omit it"]);
}
