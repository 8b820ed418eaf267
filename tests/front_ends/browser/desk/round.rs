//! The round: a game that left its board, a result of which both players lose, byes and teams.

use super::Desk;
use crate::harness::hall::made;
use crate::harness::until;
use crate::harness::webdriver::{DOWN, ENTER};
use touchmove::desk::DeskAct;
use touchmove::game::Command;
use touchmove::publish::desk::ExportFormat;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Bye, ByeKind, Pairing, PairingResult, Player, Round};

async fn round(desk: &Desk) -> Round {
    desk.client.desk(None).await.unwrap().round.unwrap()
}

#[tokio::test]
async fn a_past_game_opens_and_the_pairing_is_edited() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    desk.play().await;
    // The pieces are put up for another game, without a result of the first; not in the order in which moves are taken back.
    let mut watch = desk.client.watch().await.unwrap();
    for (from, to, san) in [("f1", "c4", "Bc4"), ("f8", "c5", "Bc5")] {
        desk.boards[0].play(from, to);
        made(&mut watch, san).await;
    }
    for (from, to) in [("e4", "e2"), ("e5", "e7"), ("c4", "f1"), ("c5", "f8")] {
        desk.boards[0].play(from, to);
    }
    let browser = &desk.browser;
    browser.click("#views [href='/round']");
    browser.shows("#pairings .state", "result missing");
    browser.shows("#bye-list", "\u{2013}");

    // The game is still there, with its board and its moves.
    browser.click("#pairings th button");
    browser.click("#desk-dialog [href^='/game/']");
    browser.shows("#place", "Table 1, Game ");
    browser.shows("#state", "without a result");
    browser.shows("#moves .move", "e5");
    browser.shows("#players .white .name", "Ada");
    browser.hides("#menu, #raw, #show-frames, #undo");
    // Its alert is open, and no other ruling is possible than a result.
    browser.shows("#board-alerts h3", "Result missing");
    browser.hides("#past-alerts");
    let offers = "return [...document.querySelectorAll('#board-alerts button')].map(one => one.textContent).join()";
    assert_eq!(browser.js(offers), "Result 1–0,Result ½–½,Result 0–1");
    browser.until("the pieces", "document.querySelectorAll('#large piece').length >= 32");
    browser.click("#moves [data-ply='1']");
    browser.shows("#caption", "White's move 1 e4");
    browser.js("history.back()");
    browser.shows("#pairings .state", "result missing");

    // The card says it first, and the alert leads to the table.
    browser.click("#views [href='/']");
    browser.shows("[data-board=board_7] .state", "Result missing");
    browser.click("#alerts a");
    browser.shows("#pairings .state", "result missing");
    let has_focus = "document.activeElement === document.querySelector('#table-1 select')";
    browser.until("the field of the result", has_focus);
    browser.js("document.activeElement.blur()");
    browser.click("#alerts a");
    browser.until("the field of the result again", has_focus);

    // Arrow keys open the menu and move in it; only the result that is chosen in the end is entered.
    browser.js("document.querySelector('#pairings select').focus()");
    browser.keys(DOWN);
    browser.until("the menu is open", "document.querySelector('#pairings select').matches(':open')");
    browser.keys(DOWN);
    browser.keys(DOWN);
    assert_eq!(round(&desk).await.pairings[0].result, None);
    browser.keys(ENTER);
    browser.shows("#pairings .state", "ended");
    assert_eq!(round(&desk).await.pairings[0].result, Some(PairingResult::Draw));
    let choose = |result: &str| {
        let one = "const one = document.querySelector('#pairings select')";
        browser.js(&format!("{one}; one.value = '{result}'; one.dispatchEvent(new Event('change'))"))
    };
    // The card does, too, although the pieces are set up for another game.
    browser.click("#views [href='/']");
    browser.shows("[data-board=board_7] .state", "½–½, board ready");
    browser.click("#views [href='/round']");
    choose("adjourned");
    browser.shows("#pairings .state", "adjourned");
    browser.click("#views [href='/']");
    browser.shows("[data-board=board_7] .state", "Adjourned, board ready");
    browser.click("#views [href='/round']");
    choose("");
    browser.shows("#pairings .state", "result missing");

    // Both players lose, as the arbiter decided.
    choose("0-0");
    browser.shows("#command-status", "The result of table 1 is entered");
    browser.shows("#pairings .state", "ended");
    assert_eq!(round(&desk).await.pairings[0].result, Some(PairingResult::BothLose));
    let trf = desk.client.export(ExportFormat::Trf, None).await.unwrap();
    assert!(trf.contains("   2 w 0") && trf.contains("   1 b 0"), "{trf}");

    // A team, which the pairing keeps.
    browser.click("#pairings th button");
    browser.js("document.querySelector('#desk-dialog [name=white-team]').value = 'Rooks'");
    browser.click("#desk-dialog .main");
    browser.shows("#command-status", "The pairing of table 1 is saved");
    let pairing = round(&desk).await.pairings.remove(0);
    assert_eq!((pairing.white.team.as_deref(), &pairing.black.team), (Some("Rooks"), &None));
    assert_eq!(pairing.result, Some(PairingResult::BothLose));
    refused_input_stays(&desk, pairing).await;

    // A bye, and no bye.
    browser.until("the round", "document.querySelector('#edit-byes-button')?.checkVisibility()");
    browser.click("#edit-byes-button");
    browser.js("document.querySelector('#edit-byes li:last-child input').value = 'Eve'");
    browser.js("document.querySelector('#edit-byes li:last-child select').value = 'half_point'");
    browser.click("#edit-byes .main");
    browser.shows("#bye-list", "Eve (half a point)");
    let byes = round(&desk).await.byes;
    assert_eq!((byes.len(), byes[0].player.name.as_str(), byes[0].kind), (1, "Eve", ByeKind::HalfPoint));
    browser.click("#edit-byes-button");
    browser.js("document.querySelector('#edit-byes input').value = 'Ada'");
    browser.click("#edit-byes .main");
    browser.shows("#edit-byes .wrong", "nothing was changed: Ada has a bye, and plays at table 1");
    browser.js("document.querySelector('#edit-byes input').value = ''");
    browser.click("#edit-byes .main");
    browser.shows("#command-status", "The byes are saved");
    until("no byes", async || round(&desk).await.byes.is_empty().then_some(())).await;

    // Visitors see no number on a board without a seat: it would look like that of a table.
    browser.click("#views [href='/']");
    browser.click("#sizes [value=rows]");
    browser.click("#login");
    browser.shows("#login", "Log in");
    browser.shows("[data-board=board_7] .table", "1");
    browser.until("no number", "document.querySelector('[data-board=spare] .table')?.textContent === ''");
    desk.assert_no_refusals();
}

/// What was entered in a dialog stays there while it is refused: it is impossible, or somebody else has changed the same.
async fn refused_input_stays(desk: &Desk, pairing: Pairing) {
    let browser = &desk.browser;
    browser.click("#pairings th button");
    browser.js("document.querySelector('#edit-pairing [name=white-team]').value = 'Bishops'");
    browser.js("document.querySelector('#edit-pairing p input').value = '99'");
    browser.click("#edit-pairing p button");
    browser.shows("#edit-pairing .wrong", "99");
    let titled = Pairing { white: Player { title: Some("GM".to_owned()), ..pairing.white.clone() }, ..pairing };
    let act = DeskAct::Pair { round: 1, pairing: titled, new: false };
    desk.client.change_desk(&act).await.unwrap();
    browser.click("#edit-pairing .main");
    browser.shows("#edit-pairing .wrong", "has changed table 1 of round 1");
    browser.shows("#edit-pairing .wrong", "Now: GM Ada");
    browser.click("#edit-pairing .main");
    browser.hides("#desk-dialog");
    assert_eq!(round(desk).await.pairings[0].white.team.as_deref(), Some("Bishops"));

    // The same holds for the menu of a board.
    browser.go(&desk.address("/board/board_7"));
    browser.shows("#place", "Table 1");
    browser.click("#menu");
    browser.click("#rule [data-do=seat]");
    browser.until("the form", "document.querySelector('#rule [name=table]')");
    browser.js("document.querySelector('#rule [name=table]').value = '5'");
    let act = DeskAct::Seat { table: 5, board: "spare".to_owned(), serial_number: None };
    desk.client.change_desk(&act).await.unwrap();
    browser.click("#rule .main");
    browser.shows("#rule .wrong", "has changed the board of table 5");
    browser.shows("#rule .wrong", "Now: Table 5: spare; Table 1: board_7");
    assert_eq!(browser.js("return document.querySelector('#rule [name=table]').value"), "5");
    browser.click("#rule .quiet");
    desk.client.change_desk(&DeskAct::Unseat { table: 5 }).await.unwrap();
    browser.click("#views [href='/round']");
}

#[tokio::test]
async fn a_forfeit_is_that_of_the_round_that_was_played_when_its_form_was_opened() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    let next = Round::read("table,white,black\n1,Cid,Dee\n", Some(2), &TableOrder::Unknown).unwrap();
    desk.client.change_desk(&DeskAct::LoadRound { round: next }).await.unwrap();
    let browser = &desk.browser;
    browser.go(&desk.address("/board/board_7"));
    browser.shows("#place", "Table 1");
    browser.click("#menu");
    browser.click("#rule [data-do=forfeit]");
    browser.shows("#rule h2", "forfeit");
    desk.client.change_desk(&DeskAct::StartRound { round: 2 }).await.unwrap();
    browser.shows("#event", "Round 2");
    browser.click("#rule .main");
    browser.hides("#rule");
    let result = async |round: u16| desk.client.desk(Some(round)).await.unwrap().round.unwrap().pairings[0].result;
    assert_eq!((result(1).await, result(2).await), (Some(PairingResult::WhiteWinsByForfeit), None));
    desk.assert_no_refusals();
}

#[tokio::test]
async fn a_game_that_both_players_lose_has_ended_and_one_whose_result_is_withdrawn_goes_on() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    desk.play().await;
    let browser = &desk.browser;
    browser.shows("[data-board=board_7] .state", "In play");
    let result = DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::BothLose) };
    desk.client.change_desk(&result).await.unwrap();
    browser.shows("[data-board=board_7] .state", "0–0");
    let points = "[...document.querySelectorAll('[data-board=board_7] .score')].map(one => one.textContent).join()";
    browser.until("no points", &format!("{points} === '0,0'"));
    browser.go(&desk.address("/?state=ended"));
    browser.shows("[data-board=board_7] .state", "0–0");

    // A game that can have the result itself goes on if it is withdrawn there.
    let result = DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::WhiteWins) };
    desk.client.change_desk(&result).await.unwrap();
    browser.shows("[data-board=board_7] .state", "1–0");
    let game = desk.client.desk(None).await.unwrap().tables[0].games[0].game;
    desk.client.send_command(game, &Command::Result { result: None }).await.unwrap();
    browser.go(&desk.address("/?state=play"));
    browser.shows("[data-board=board_7] .state", "In play");
    assert_eq!(round(&desk).await.pairings[0].result, Some(PairingResult::WhiteWins));
    desk.assert_no_refusals();
}

#[tokio::test]
async fn players_who_come_late_get_a_table() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    let eve = Player { rating: Some(2100), fide_id: Some(1_503_014), ..Player::with_title("Eve") };
    let byes = vec![Bye { player: eve.clone(), kind: ByeKind::ZeroPoint }];
    desk.client.change_desk(&DeskAct::Byes { round: 1, byes }).await.unwrap();
    let browser = &desk.browser;
    browser.click("#views [href='/round']");
    browser.shows("#bye-list", "Eve 2100");
    let enter = |name: &str, value: &str| {
        let field = format!("document.querySelector('#new-pairing [name={name}]')");
        browser.js(&format!("{field}.value = '{value}'; {field}.dispatchEvent(new Event('change'))"));
    };
    browser.click("#add-pairing");
    browser.until("the next table", "document.querySelector('#new-pairing [name=table]').value === '2'");
    enter("table", "1");
    enter("white-name", "Eve");
    browser.until("what is known of Eve", "document.querySelector('#new-pairing [name=white-rating]').value === '2100'");
    enter("black-name", "Fay");
    browser.click("#new-pairing .main");
    browser.shows("#new-pairing .wrong", "table 1 has a pairing in round 1 already: choose another table");
    enter("table", "31");
    browser.click("#new-pairing .main");
    browser.shows("#command-status", "The pairing of table 31 is saved");
    browser.shows("#table-31 .black", "Fay");
    browser.shows("#bye-list", "\u{2013}");
    let added = round(&desk).await;
    assert_eq!((added.pairings.len(), &added.table(31).unwrap().white), (2, &eve));

    // It was a mistake.
    browser.click("#table-31 th button");
    browser.click("#pairing-remove");
    browser.shows("#desk-dialog [role=alert]", "Remove Eve - Fay from table 31 of round 1?");
    browser.click("#desk-dialog .danger");
    browser.shows("#command-status", "Table 31 has no pairing any more");
    until("no pairing", async || (round(&desk).await.pairings.len() == 1).then_some(())).await;
    desk.assert_no_refusals();
}

#[tokio::test]
async fn a_report_file_gets_its_tables_by_points() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    let line = |number: u16, name: &str, games: &str| {
        format!(
            "001 {number:>4}      {name:33} {:>4} {:3} {:>11} {:10} {:>4} {:>4}  {games}\r\n",
            "", "", "", "", "0.0", number
        )
    };
    let report = [
        line(1, "Ada", "   3 w 0     2 b  "),
        line(2, "Bob", "   4 w =     1 w  "),
        line(3, "Cid", "   1 b 1     4 w  "),
        line(4, "Dee", "   2 b =     3 b  "),
    ];
    let file = desk.dir.path().join("open.trf");
    std::fs::write(&file, report.concat()).unwrap();
    let browser = &desk.browser;
    browser.click("#views [href='/round']");
    browser.choose_file("#upload", &file);
    browser.shows("#desk-dialog h2", "open.trf: nothing has changed yet");
    browser.until(
        "the error, without a place before it",
        "document.querySelector('#desk-dialog li')?.textContent.startsWith('a TRF16 file has no table numbers')",
    );
    browser.shows("#desk-dialog label", "Tables by points and start number");
    browser.size(390, 844);
    let tick_box = "(box => box.left < 60 && box.width < 30)(document.querySelector('[name=by-rank]').getBoundingClientRect())";
    browser.until("a tick box before its text", tick_box);
    browser.size(1280, 800);
    browser.click("#desk-dialog [name='by-rank']");
    browser.shows("#desk-dialog .preview tr:first-child", "1CidDee");
    browser.shows("#desk-dialog .preview tr:last-child", "2BobAda");
    browser.click("#desk-dialog .main");
    browser.shows("#rounds a[aria-current=page]", "Round 2");
    let loaded = desk.client.desk(Some(2)).await.unwrap().round.unwrap();
    let pairs: Vec<_> =
        loaded.pairings.iter().map(|one| (one.table, one.white.name.as_str(), one.black.name.as_str())).collect();
    assert_eq!(pairs, [(1, "Cid", "Dee"), (2, "Bob", "Ada")]);
    desk.assert_no_refusals();
}
