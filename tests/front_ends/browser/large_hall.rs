//! The overview of a large hall: sizes, filters, pages, and changes as they arrive. The cards are made up, so that many fit in a test.

use super::choose_language;
use crate::harness::hall::OpenHall;
use crate::harness::webdriver::{Browser, DOWN, ENTER, ESCAPE};
use serde_json::{Value, json};

/// The number of tables.
const TABLES: usize = 64;

/// The page with [`TABLES`] tables, as this user sees it.
async fn open(who: Value) -> Option<(Browser, OpenHall)> {
    let browser = Browser::open()?;
    let hall = OpenHall::open().await?;
    let fake = include_str!("large_hall.js").replace("COUNT]", &format!("{TABLES}]")).replace("[WHO", &format!("[{who}"));
    browser.before_load(&fake);
    browser.size(1280, 800);
    browser.go(&format!("http://127.0.0.1:{}/login", hall.web));
    Some((browser, hall))
}

/// A script's value: the number of cards on this page.
const CARDS: &str = "document.querySelectorAll('#cards .card').length";

#[tokio::test]
async fn visitors_find_a_game_among_many() {
    let Some((browser, hall)) = open(Value::Null).await else { return };
    browser.until("all cards", &format!("{CARDS} === {TABLES}"));
    browser.shows("[data-board=row_A_1] .last", "1. e4");
    shows_whole_cards(&browser);
    draws_what_is_on_the_screen(&browser);
    remembers_the_size(&browser, hall.web);
    filters(&browser, hall.web);
    opens_a_table_by_its_number(&browser);
    turns_pages_on_a_telephone(&browser);
    shows_no_technical_words(&browser);
}

fn shows_whole_cards(browser: &Browser) {
    browser.until("nothing has the focus", "document.activeElement === document.body");
    browser.until("logging in is last", "document.querySelector('#bar').lastElementChild.id === 'login'");
    let card = |table: u32, css: &str| format!("[data-board=row_A_{table}] {css}");
    browser.shows(&card(1, ".side.black .name"), "Brandt, Jörg");
    browser.shows(&card(2, ".side.white .player"), "GM Rodshtein-4, Maxim");
    browser.shows(&card(2, ".side.white .more"), "ISR 2647");
    browser.shows(&card(2, ".side.white .clock"), "1:36:35");
    browser.until(
        "the side to move is bold",
        "getComputedStyle(document.querySelector('.side.black.turn .name')).fontWeight >= 700",
    );
    // Results replace the clocks.
    let points = |table: u32, side: &str| browser.text(&card(table, &format!(".side.{side} .clock")));
    browser.shows(&card(5, ".state"), "1–0");
    assert_eq!((points(5, "white"), points(5, "black")), ("1".to_owned(), "0".to_owned()));
    // Only a name that does not fit into two lines has initials.
    browser.shows(&card(1, ".side.white .name"), "Vachier-Lagrave, M. J. A.");
    let whole = "[...document.querySelectorAll('.player')].every(one => one.scrollHeight <= one.clientHeight + 1)";
    browser.until("no name is cut", whole);
    browser.js("document.querySelector('[data-board=row_A_38]').scrollIntoView({ block: 'center' })");
    browser.shows(&card(38, ".table"), "38");
    let lines = "const range = document.createRange();
                 range.selectNodeContents(document.querySelector('[data-board=row_A_38] .table'));
                 return range.getClientRects().length";
    assert_eq!(browser.js(lines), 1);
}

fn draws_what_is_on_the_screen(browser: &Browser) {
    browser.js("scrollTo(0, 0)");
    browser.until("a card far from the screen is empty", "!document.querySelector('[data-board=row_A_64] .face')");
    // Changes of it are there when it is on the screen. A change that is received twice changes nothing.
    let played = json!({"game": {"ply": 2, "last_sans": ["1. e4", "1… c5"]}});
    browser.js(&format!(
        "const event = fake.event(64, {played});
         for (const _ of 'twice') fake.send('change', event);
         fake.change(2, {played})"
    ));
    browser.shows("[data-board=row_A_2] .last", "1. e4 c5");
    assert_eq!(browser.js("return fake.reads"), 1);
    browser.js("document.querySelector('[data-board=row_A_64]').scrollIntoView()");
    browser.shows("[data-board=row_A_64] .last", "1. e4 c5");
    browser.until("its players are unchanged", "document.querySelector('[data-board=row_A_64] .name').textContent !== 'Black'");
    // After a change that was missed the page reads the state again.
    browser.js("fake.event(64, {game: {last_sans: ['1… c6']}}); fake.change(64, {game: {last_sans: ['1… e5']}})");
    browser.shows("[data-board=row_A_64] .last", "e5");
    browser.until("the state was read again", "fake.reads === 2");
    // Many changes at once are drawn with the next frame.
    browser.js("for (let round = 0; round < 20; round += 1)
            for (const table of fake.cards.keys()) fake.change(table, {game: {last_sans: [`${round}. Nf3`]}})");
    browser.shows("[data-board=row_A_64] .last", "19. Nf3");
    assert_eq!(browser.js("return fake.reads"), 2);
}

fn remembers_the_size(browser: &Browser, port: u16) {
    browser.size(1600, 1080);
    browser.js("scrollTo(0, 0)");
    browser.click("#sizes [value=rows]");
    browser.shows("[data-board=row_A_60] .last", "19. Nf3");
    let whole = "[...document.querySelectorAll('#cards li')].filter(one => one.getBoundingClientRect().bottom <= innerHeight)";
    browser.until("sixty tables are on the screen", &format!("{whole}.length >= 60"));
    browser.until(
        "no row is cut",
        "[...document.querySelectorAll('.player')].every(one => one.scrollWidth <= one.clientWidth + 1)",
    );
    browser.go(&format!("http://127.0.0.1:{port}/login"));
    browser.until("the size is remembered", "document.querySelector('#cards').dataset.size === 'rows'");
    for size in ["s", "l", "m"] {
        browser.click(&format!("#sizes [value={size}]"));
        browser.until("another size", &format!("document.querySelector('#sizes [aria-pressed=true]').value === {size:?}"));
        browser.until("a board", "document.querySelectorAll('[data-board=row_A_1] piece').length === 32");
    }
    browser.size(1280, 800);
}

fn filters(browser: &Browser, port: u16) {
    let choose = |id: &str, value: &str| {
        let script = "const one = document.querySelector(ID); one.value = VALUE; one.dispatchEvent(new Event('change'))";
        browser.js(&script.replace("ID", &format!("'#{id}'")).replace("VALUE", &format!("{value:?}")));
    };
    choose("by-state", "ended");
    browser.until("the finished games", &format!("{CARDS} === 6 && location.search === '?state=ended'"));
    browser.click("#filter");
    browser.keys("Brandt-51");
    browser.until("one of them", &format!("{CARDS} === 1 && location.search.includes('q=Brandt-51')"));
    browser.keys(ESCAPE);
    browser.until("the finished games again", &format!("{CARDS} === 6"));
    choose("by-state", "start");
    browser.until("the games that have not begun", &format!("{CARDS} === 6 && location.search === '?state=start'"));
    browser.js("fake.change(7, {game: {ply: 1}})");
    browser.until("one of them begins", &format!("{CARDS} === 5"));
    browser.click("#cards .card");
    browser.shows("#place", "Table 17");
    browser.keys(ESCAPE);
    browser.until("the filter stays", &format!("{CARDS} === 5 && location.search === '?state=start'"));
    browser.js("history.go(-3)");
    browser.until("the finished games, by the history", &format!("{CARDS} === 6 && location.search === '?state=ended'"));
    choose("by-section", "U14");
    browser.until("those of a section", &format!("{CARDS} === 2 && location.search === '?state=ended&section=U14'"));
    browser.go(&format!("http://127.0.0.1:{port}/login?state=ended&q=5"));
    browser.until("tables 5, 55", &format!("{CARDS} === 2 && document.querySelector('#filter').value === '5'"));
    browser.go(&format!("http://127.0.0.1:{port}/login?needs&section=none&state=all&page=-1"));
    browser.until("an address of others", &format!("{CARDS} === 0"));
    browser.shows("#none", "No board matches");
    browser.go(&format!("http://127.0.0.1:{port}/login"));
    browser.until("all cards", &format!("{CARDS} === {TABLES}"));
}

fn opens_a_table_by_its_number(browser: &Browser) {
    browser.keys("2");
    browser.until("the tables that begin with it", &format!("{CARDS} === 11"));
    browser.keys(&format!("7{ENTER}"));
    browser.shows("#place", "Table 27");
    browser.js("history.back()");
    browser.until("all cards again", &format!("{CARDS} === {TABLES} && location.search === ''"));
    browser.until("its card has the focus", "document.activeElement.dataset.board === 'row_A_27'");
    browser.keys(&format!("/x{DOWN}{ESCAPE}"));
    browser.until("nothing is searched for", &format!("{CARDS} === {TABLES}"));
}

fn turns_pages_on_a_telephone(browser: &Browser) {
    browser.size(360, 740);
    browser.until("twenty cards", &format!("{CARDS} === 20"));
    browser.shows("#pages output", "1 of 4");
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
    browser.js("document.querySelector('#pages [rel=next]').click()");
    browser.until("the next page", "document.querySelector('#cards .card').dataset.board === 'row_A_21'");
    browser.shows("[data-board=row_A_21] .last", "1. e4");
    browser.until("its address", "location.search === '?page=2'");
    browser.js("history.back()");
    browser.until("the first page", "document.querySelector('#cards .card').dataset.board === 'row_A_1'");
    for size in ["rows", "l"] {
        browser.js(&format!("document.querySelector('#sizes [value={size}]').click()"));
        browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
        browser.until("a finger can hit a card", "document.querySelector('.card').offsetHeight >= 44");
    }
    browser.size(1280, 800);
    browser.until("all cards", &format!("{CARDS} === {TABLES}"));
}

fn shows_no_technical_words(browser: &Browser) {
    choose_language(browser, "en");
    for path in ["/", "/board/row_A_3"] {
        browser.js(&format!("history.pushState(null, '', {path:?}); dispatchEvent(new Event('popstate'))"));
        browser.until(
            "the view",
            "document.querySelector('#cards .name')?.checkVisibility() || document.querySelector('#place').textContent",
        );
        let text = browser.js("return document.body.innerText");
        for word in ["row_A", "DGT", "%", "uncertain", "onfidence", "Arbiters", "Squares", "Needs somebody"] {
            assert!(!text.as_str().unwrap().contains(word), "{word}: {text}");
        }
    }
}

#[tokio::test]
async fn operators_see_rows_and_who_needs_them() {
    let Some((browser, _hall)) =
        open(json!({"name": "Otto", "role": "operator", "rights": ["desk", "boards", "correct"], "grants": ["operator"]}))
            .await
    else {
        return;
    };
    browser.until("rows", "document.querySelector('#cards').dataset.size === 'rows'");
    browser.shows("[data-board=row_A_16] .place", "row_A_16");
    browser.until("they are first", "document.querySelector('#cards .card').dataset.board === 'row_A_16'");
    browser.shows("#needs", "Needs somebody: 4");
    browser.click("#needs");
    browser.until("those that need somebody", &format!("{CARDS} === 4 && location.search === '?needs'"));
    browser.js("fake.change(16, {attention: 0})");
    browser.until("one needs nobody now", &format!("{CARDS} === 3"));
    browser.shows("#needs", "Needs somebody: 3");
    browser.click("#needs");
    browser.until("all", &format!("{CARDS} === {TABLES} && location.search === ''"));
}

#[tokio::test]
async fn alerts_leave_space_for_the_boards() {
    let Some((browser, _hall)) = open(
        json!({"name": "Anna", "role": "arbiter", "rights": ["desk", "boards", "correct", "acknowledge", "rule"], "grants": ["arbiter"]}),
    )
    .await
    else {
        return;
    };
    browser.until("all cards", &format!("{CARDS} === {TABLES}"));
    browser.js(
        "for (let table = 1; table <= 30; table += 1) {
            const alert = {id: 1, kind: 'illegal_move', heading: '', notice: false, by: 'white', text: 'White\\'s move is not legal: a sentence of some length that explains why', articles: [], laws: '', squares: ['e4'], required: [], offers: [], evidence: [], raised: 0, since: Date.now()};
            fake.change(table, {attention: 3, game: {last_number: 2, alerts: [alert]}});
        }",
    );
    for (width, height, share) in [(820, 1180, 30), (768, 1024, 30), (360, 740, 35)] {
        browser.size(width, height);
        browser.shows("#alerts li", "Table 30");
        let small = format!("document.querySelector('#alerts').offsetHeight * 100 <= innerHeight * {share}");
        browser.until("the alerts take a part of the screen", &small);
        browser.until("nothing is wider than the screen", &format!("document.documentElement.scrollWidth <= {width}"));
    }
    browser.size(1280, 800);
    let beside = "document.querySelector('#alerts').getBoundingClientRect().right <= document.querySelector('main').getBoundingClientRect().left + 1";
    browser.until("the alerts are beside the boards", beside);
    browser.until("the list does not make the page longer", "document.querySelector('#alerts').offsetHeight <= innerHeight");
}
