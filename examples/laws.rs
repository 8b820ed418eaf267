//! What the Laws of Chess say of a move and of the pieces that were touched.
//!
//! ```sh
//! cargo run --no-default-features --example laws
//! ```

use std::error::Error;
use touchmove::laws::reason::why_illegal;
use touchmove::laws::touch::{TouchRules, Touches, obligation};
use touchmove::laws::{Laws, Position, RulingFacts, Situation, ruling};
use touchmove::shakmaty::Square;

fn main() -> Result<(), Box<dyn Error>> {
    // White's king is in check, and White plays a knight.
    let position = Position::from_fen("rnb1kbnr/pppp1ppp/8/4p3/5P1q/8/PPPPP1PP/RNBQKBNR w KQkq - 1 3", false)?;
    let laws = Laws::default();
    let mv = position.any_move("g1f3").ok_or("no piece on g1")?;
    println!("position: {}", position.fen());
    let reason = why_illegal(&position, mv).ok_or("the move is legal")?;
    println!("{} is illegal: {} (Art. {})", position.san(mv), reason.key(), laws.article(reason.topic()).unwrap_or("?"));

    // What the arbiter has to do.
    let situation = Situation::Irregular(reason.irregularity());
    if let Some(ruling) = ruling(&laws, situation, &RulingFacts::default()) {
        let acts: Vec<String> = ruling.acts.iter().map(ToString::to_string).collect();
        println!("the Laws require: {} (Art. {})", acts.join(", "), ruling.articles.join(", "));
    }

    // What the player may still play: the player touched the g-pawn (Art. 4.3).
    let mut touches = Touches::new(0);
    let pawn = position.piece_at(Square::G2).ok_or("no piece on g2")?;
    touches.touch(0, Square::G2, pawn);
    let moves = obligation(&position, &touches, TouchRules::of(&laws)).moves(&position);
    let moves: Vec<String> = moves.into_iter().map(|mv| position.san(mv)).collect();
    println!("after touching g2, White may play: {}", moves.join(", "));
    Ok(())
}
