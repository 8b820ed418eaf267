//! Why commands were refused, in each language.

use super::{assert_listed, check, keys_with};
use shakmaty::{Color, Role, Square};
use std::collections::BTreeSet;
use touchmove::game::{Refusal, Text};

fn refusals() -> Vec<Refusal> {
    let (uci, san, later) = ("e2e5".to_owned(), "Nf3".to_owned(), "2.Nf3".to_owned());
    one_of_each! { Refusal:
        NoGame {},
        TooManyPlies { known: 3 },
        NoAlert { alert: 1 },
        NoPositionBefore { ply: 9, known: 3 },
        NoMove { uci: uci.clone() },
        NoPly { ply: 9, known: 3 },
        NotLegal { uci: uci.clone(), ply: 1 },
        SameMove { ply: 1 },
        LaterMove { ply: 3, san: san.clone(), later: later.clone() },
        NoIrregularMove { alert: 1 },
        NoProposal { alert: 1 },
        NothingToUndo {},
        MovedSince { change: "the result was set" },
        NotCounted { player: Color::White, ply: 3, known: vec![1] },
        AlreadyPaused {},
        NotPaused {},
        LongNote { length: 501, most: 500 },
        NoPromotion { ply: None },
        IllegalAfterPromotion { piece: Role::Knight, ply: 3, san: san.clone(), later: later.clone() },
        OtherPieceShown { shown: Role::Rook, square: Square::A8 },
        GameOver {},
        BadFen { error: "invalid board part in fen".to_owned() },
    }
}

#[test]
fn every_refusal_has_a_sentence() {
    let texts: Vec<Text> = refusals().iter().map(Text::from).collect();
    assert_eq!(texts.iter().map(|text| text.key.clone()).collect::<BTreeSet<_>>(), keys_with("refusal-"));
    texts.iter().for_each(assert_listed);
}

#[test]
fn refusals_name_moves_as_on_a_score_sheet() {
    let refused = |refusal: Refusal| Text::from(&refusal);
    let (san, later) = ("Nf3".to_owned(), "2.Nf3".to_owned());
    check(
        &refused(Refusal::LaterMove { ply: 3, san, later }),
        [
            "with this change, 2.Nf3 would be illegal: restore the position before it first",
            "这样更改后，2.Nf3将不合规则：请先恢复到该着之前的局面",
            "這樣更改後，2.Nf3將不合規則：請先恢復到該步之前的局面",
        ],
    );
    check(
        &refused(Refusal::OtherPieceShown { shown: Role::Rook, square: Square::A8 }),
        [
            "the board shows a rook on a8: put the right piece there, and the record is corrected automatically",
            "棋盘上a8格是车：请换上正确的棋子，记录会自动更正",
            "棋盤上a8格是城堡：請換上正確的棋子，紀錄會自動更正",
        ],
    );
}
