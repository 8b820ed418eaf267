//! The public page in a browser: what spectators see of a round of sixty tables, at all widths, with and without scripts.

use super::{Hall, TABLES, screenshot};
use crate::harness::installed;
use crate::harness::organiser::Organiser as _;
use crate::harness::webdriver::{Browser, ESCAPE, RIGHT};
use std::io::Write as _;
use std::process::{Command, Stdio};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

/// The number of tables; only the first ones have boards.
const ROUND_TABLES: usize = 60;
/// What the first view may cost, in bytes.
const FIRST_VIEW: u64 = 150_000;
/// The sizes of windows: a telephone, a tablet, a laptop, a screen in the foyer.
const SIZES: [(u32, u32); 4] = [(360, 740), (768, 1024), (1440, 900), (3840, 2160)];
/// Federations, and what is shown of them: a flag, or the code as text.
const FEDERATIONS: [&str; 8] = ["NOR", "ENG", "SCO", "WLS", "FID", "TPE", "XYZ", "IND"];
/// A name that takes several lines.
const LONG_NAME: &str = "Sri Wickramasinghe Arachchilage, Dinuka Buddhi Prabhath";

/// Opens the hall with a round of [`ROUND_TABLES`] tables, of which those with boards are played.
async fn open() -> Option<(Browser, Hall, String)> {
    let browser = Browser::open()?;
    let hall = Hall::open().await?;
    let mut csv =
        "table,board,white_title,white,white_rating,white_federation,black_title,black,black_rating,black_federation\n"
            .to_owned();
    for number in 1..=ROUND_TABLES {
        let federation = |side: usize| FEDERATIONS[(2 * number + side) % FEDERATIONS.len()];
        let (white, black) = match TABLES.get(number - 1) {
            Some((white, black, _)) => ((*white).to_owned(), (*black).to_owned()),
            // Two players of one name would be one who plays twice.
            None => (
                format!("FM,\"Whitefield-{number}, Jeffery\",{}", 2300 - number),
                format!(",\"{LONG_NAME} {number}\",{}", 2290 - number),
            ),
        };
        let board = if number <= TABLES.len() { format!("hall_{number}") } else { String::new() };
        csv += &format!("{number},{board},{white},{},{black},{}\n", federation(0), federation(1));
    }
    let mut round = Round::read(&csv, Some(3), &TableOrder::Unknown).unwrap();
    round.event = Some("City Open".to_owned());
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let page = format!("http://127.0.0.1:{}/", hall.port());
    Some((browser, hall, page))
}

/// The path of the page, with its query.
const PATH: &str = "location.pathname + location.search";
/// The number of tiles.
const TILES: &str = "document.querySelectorAll('.tiles > li').length";

/// Waits until the page is drawn by its scripts.
fn drawn(browser: &Browser) {
    browser.until("the page is drawn", "performance.getEntriesByName('drawn').length > 0");
}

/// Panics if axe-core finds something serious.
fn assert_accessible(browser: &Browser, what: &str) {
    let axe = include_str!("../../data/axe/axe.min.js");
    browser.js(&format!(
        "{axe};
         window.found = null;
         axe.run(document, {{ resultTypes: ['violations'] }}).then(({{ violations }}) => {{
             const serious = violations.filter((one) => ['serious', 'critical'].includes(one.impact));
             window.found = serious.map((one) => `${{one.id}}: ${{one.nodes[0].html.slice(0, 200)}}`);
         }}, (error) => (window.found = [String(error)]));"
    ));
    browser.until("axe-core", "window.found");
    assert_eq!(browser.js("return window.found"), serde_json::json!([]), "{what}");
    // axe-core sets styles of its own, which the policy of the page refuses.
    browser.console();
}

/// Panics if HTML Tidy finds something wrong in the page as it is now. It does not know the newer attributes of ARIA and
/// of SVG, and elements without content are icons.
fn assert_valid(browser: &Browser, what: &str) {
    if !installed("tidy") {
        return;
    }
    let html = browser.js("return '<!doctype html>' + document.documentElement.outerHTML").as_str().unwrap().to_owned();
    let mut tidy = Command::new("tidy")
        .args(["-quiet", "-errors", "-utf8"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = tidy.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(html.as_bytes()));
    let output = tidy.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let known = ["trimming empty", "proprietary attribute \"aria-", "<svg> proprietary attribute \"focusable\""];
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let wrong: Vec<&str> = report.lines().filter(|line| !known.iter().any(|known| line.contains(known))).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
}

/// Nothing that the page did was refused by its security policy.
fn assert_no_refusals(browser: &Browser) {
    let refused: Vec<String> = browser.console().into_iter().filter(|line| line.contains("Content Security Policy")).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

#[tokio::test]
async fn spectators_follow_a_round() {
    let Some((browser, hall, page)) = open().await else { return };
    browser.size(1440, 900);
    browser.without_cache();
    browser.go(&page);
    drawn(&browser);
    browser.until("a tile for each table", &format!("{TILES} === {ROUND_TABLES}"));
    let bytes = "return [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
                     .reduce((sum, one) => sum + one.transferSize, 0)";
    let bytes = browser.js(bytes).as_u64().unwrap();
    assert!((10_000..=FIRST_VIEW).contains(&bytes), "the first view costs {bytes} bytes");
    browser.shows(".event", "City Open");
    browser.shows(".rounds [aria-current]", "Round 3");
    browser.shows(".tile .name", LONG_NAME);
    for (css, count) in [(".flag-ENG", 15), (".flag-SCO", 15), (".flag-WLS", 15)] {
        assert_eq!(browser.js(&format!("return document.querySelectorAll('{css}').length")), count, "{css}");
    }
    browser.shows("abbr.federation", "FIDE");
    browser.shows("abbr.federation", "XYZ");

    hall.play().await;
    let tile = |table: usize, css: &str| format!(".tiles > li:nth-child({table}) {css}");
    browser.shows(&tile(1, ".last"), "7. Nb3 Be7");
    browser.shows(&tile(3, ".turn .name"), "Eva Stone");
    browser.until("a board", "document.querySelectorAll('.tiles > li:first-child .men > i').length === 30");
    browser.until(
        "no name is cut",
        "[...document.querySelectorAll('.who')].every((one) => one.scrollWidth <= one.clientWidth + 1)",
    );
    shows_no_technical_words(&browser);
    assert_no_refusals(&browser);
    assert_accessible(&browser, "the boards");
    assert_valid(&browser, "the boards");

    filters(&browser, &page);
    replays_a_game(&browser, &hall).await;
    shows_results_and_standings(&browser, &page);
    fills_a_big_screen(&browser, &page);
    speaks_other_languages(&browser, &page);
    shows_a_table_in_a_frame(&browser, &page);
}

fn shows_no_technical_words(browser: &Browser) {
    let text = browser.js("return document.body.innerText");
    for word in ["hall_", "DGT", "%", "ncertain", "onfidence", "null", "undefined", "public-"] {
        assert!(!text.as_str().unwrap().contains(word), "{word}: {text}");
    }
}

fn filters(browser: &Browser, page: &str) {
    browser.click("#search");
    browser.keys("stone");
    browser.until("one table", &format!("{TILES} === 1 && {PATH} === '/?q=stone'"));
    browser.go(&format!("{page}?q=5"));
    browser.until("tables 5, 50 to 59", &format!("{TILES} === 11 && document.querySelector('#search').value === '5'"));
    browser.go(page);
    browser.until("all tables", &format!("{TILES} === {ROUND_TABLES}"));
    browser.set(".tools select", "playing");
    browser.until("games in play", &format!("{TILES} === {} && {PATH} === '/?state=playing'", TABLES.len()));
    browser.js("history.back()");
    browser.until("all tables again", &format!("{TILES} === {ROUND_TABLES} && {PATH} === '/'"));
    browser.go(&format!("{page}?q=nobody"));
    browser.shows(".none", "No board matches");
    browser.click(".none button");
    browser.until("all tables", &format!("{TILES} === {ROUND_TABLES}"));
    // On a telephone there are pages.
    browser.size(360, 740);
    browser.until("twenty tables", &format!("{TILES} === 20"));
    browser.shows(".pages", "1 of 3");
    browser.js("document.querySelector('.pages [rel=next]').click()");
    browser.until("the next page", &format!("document.querySelector('.number').textContent === '21' && {PATH} === '/?page=2'"));
    browser.size(1440, 900);
    browser.go(page);
    browser.until("all tables", &format!("{TILES} === {ROUND_TABLES}"));
}

async fn replays_a_game(browser: &Browser, hall: &Hall) {
    let (table, moves) = (6, 14);
    browser.click(&format!(".tiles > li:nth-child({table}) .tile"));
    browser.shows("h1", "Table 6");
    browser.until("its address", &format!("{PATH} === '/round/3/table/6'"));
    browser.shows(".strip.white", "Kira Osman");
    browser.shows(".opening", "King's Indian Defense");
    browser.shows(".cell[aria-current] .san", "Nc6");
    browser.until("the times of moves", "document.querySelectorAll('.cell .bar').length > 8");
    browser.until("no button that leads back to the present", "document.querySelector('.live').hidden");
    let position = "document.querySelector('.board.large').getAttribute('aria-label')";
    browser.until("the position in words", &format!("{position}.includes('King g1')"));

    // The keyboard.
    browser.keys("\u{e012}\u{e012}");
    browser.until("two moves back", &format!("{PATH} === '/round/3/table/6?ply={}'", moves - 2));
    browser.shows(".cell[aria-current] .san", "e5");
    browser.shows("[aria-live=polite]", "Black: Pawn to e5");
    browser.shows(".live", "Live");
    browser.keys(RIGHT);
    browser.shows("[aria-live=polite]", "White: castles kingside");
    browser.keys("f");
    browser.until("Black is below", "document.querySelector('.players.turned .black').getBoundingClientRect().top > 300");
    browser.keys("f");
    assert_no_refusals(browser);
    assert_accessible(browser, "a table");
    assert_valid(browser, "a table");

    // A move that is played meanwhile does not change what is shown.
    let board = hall.board(table);
    board.play("d4", "d5");
    super::press(board, table - 1, moves + 1);
    browser.until("the move", "document.querySelectorAll('[data-ply]').length === 15");
    browser.shows(".cell[aria-current] .san", "O-O");
    browser.click(".live");
    browser.shows(".cell[aria-current] .san", "d5");
    browser.until("the address of the present", &format!("{PATH} === '/round/3/table/6'"));
    screenshot(browser, "public-table");

    // What can be shared.
    browser.click(".side .buttons button:nth-child(2)");
    browser.until("the link", "document.querySelector('dialog input').value.endsWith('/round/3/table/6')");
    browser.click("dialog .check input");
    let link = browser.js("return document.querySelector('dialog input').value");
    assert!(link.as_str().unwrap().ends_with("/round/3/table/6?ply=15"), "{link}");
    browser.until("the QR code", "document.querySelector('dialog .qr').naturalWidth > 0");
    browser
        .until("the code for a page", "document.querySelector('dialog textarea').value.includes('/embed/round/3/table/6\"')");
    assert_accessible(browser, "what can be shared");
    browser.keys(ESCAPE);
    browser.until("the dialog is closed", "!document.querySelector('dialog').open");
    browser.keys(ESCAPE);
    browser.until("all boards", &format!("{TILES} === {ROUND_TABLES} && {PATH} === '/'"));
    browser.js("history.back()");
    browser.shows("h1", "Table 6");
}

fn shows_results_and_standings(browser: &Browser, page: &str) {
    browser.go(&format!("{page}?view=results"));
    browser.shows(".results td", "Eva Stone");
    browser.until("all pairings", &format!("document.querySelectorAll('.results tbody tr').length === {ROUND_TABLES}"));
    assert_accessible(browser, "the results");
    assert_valid(browser, "the results");
    browser.go(&format!("{page}standings"));
    browser.shows(".standings-view", "tandings");
    assert_accessible(browser, "the standings");
}

fn fills_a_big_screen(browser: &Browser, page: &str) {
    browser.size(1920, 1080);
    browser.go(&format!("{page}?screen"));
    browser.shows(".big-screen h1", "Round 3");
    browser.until("the games in play", &format!("document.querySelectorAll('.big-screen li').length === {}", TABLES.len()));
    let list = "document.querySelector('.big-screen .tiles')";
    browser.until(
        "everything fits",
        &format!("{list}.scrollHeight <= {list}.clientHeight && document.querySelector('.qr').naturalWidth > 0"),
    );
    screenshot(browser, "public-screen");
    assert_accessible(browser, "the big screen");
    browser.keys(ESCAPE);
    browser.until("it is closed", &format!("!document.querySelector('.big-screen') && {PATH} === '/'"));
    browser.size(1440, 900);
}

fn speaks_other_languages(browser: &Browser, page: &str) {
    browser.go(page);
    drawn(browser);
    for (language, direction, text) in [("ar", "rtl", "الجولة 3"), ("zh-Hant", "ltr", "第3輪"), ("de", "ltr", "Runde 3")]
    {
        browser.set(".language", language);
        browser.shows(".rounds [aria-current]", text);
        assert_eq!(browser.js("return document.documentElement.dir"), direction);
        browser.until("nobody has reviewed it", "document.querySelectorAll('.foot-bar p').length > 1");
        browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= innerWidth");
    }
    browser.go(&format!("{page}round/3/table/2"));
    browser.shows("h1", "Tisch 2");
    browser.set(".language", "ar");
    browser.until("the board is as everywhere", "getComputedStyle(document.querySelector('.board')).direction === 'ltr'");
    assert_accessible(browser, "a table in Arabic");
    browser.set(".language", "en");
    browser.shows("h1", "Table 2");
}

fn shows_a_table_in_a_frame(browser: &Browser, page: &str) {
    browser.size(640, 480);
    browser.go(&format!("{page}embed/round/3/table/2"));
    browser.shows(".cell[aria-current] .san", "Nbd7");
    browser.until("no head", "!document.querySelector('.page-head')");
    browser.until("its link leaves the frame", "document.querySelector('.back').target === '_blank'");
    assert_accessible(browser, "a table in a frame");
}

/// Telephones, tablets, laptops and the largest screens show the same; the pictures are those of the documentation.
#[tokio::test]
async fn the_public_page_at_all_widths() {
    let Some((browser, hall, page)) = open().await else { return };
    hall.play().await;
    for (width, height) in SIZES {
        browser.prefers(if width == 768 { "dark" } else { "light" });
        browser.size(width, height);
        for (path, name) in
            [("", "boards"), ("?view=results", "results"), ("round/3/table/3", "table"), ("standings", "standings")]
        {
            browser.go(&format!("{page}{path}"));
            drawn(&browser);
            let what = format!("{name} at {width}");
            browser.until(&format!("{what} fits"), &format!("document.documentElement.scrollWidth <= {width}"));
            if name == "boards" {
                browser.shows(".tiles .last", "Be7");
                screenshot(&browser, &format!("public-{width}"));
            }
            assert_accessible(&browser, &what);
        }
    }
}

/// Without scripts, everything is there as a plain page.
#[tokio::test]
async fn the_public_page_without_scripts() {
    let Some((browser, hall, page)) = open().await else { return };
    hall.play().await;
    browser.prefers("light");
    browser.block("*/public.js");
    for (width, height) in [(360, 740), (1440, 900)] {
        browser.size(width, height);
        for (path, text) in [("", "Ada Lund"), ("round/3/table/3", "Eva Stone"), ("standings", "")] {
            browser.go(&format!("{page}{path}"));
            browser.shows("main", text);
            let what = format!("/{path} without scripts at {width}");
            browser.until(&format!("{what} fits"), &format!("document.documentElement.scrollWidth <= {width}"));
            if path.is_empty() {
                screenshot(&browser, &format!("public-plain-{width}"));
            }
            assert_accessible(&browser, &what);
            assert_valid(&browser, &what);
        }
        browser.go(&page);
        browser.until("boards as images", "document.querySelectorAll('svg.position[role=img]').length === 60");
    }
}
