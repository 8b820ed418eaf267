//! `touchmovectl laws [LAWS]`: shows what touchmove knows of an edition of the Laws.

use super::service::print;
use crate::laws::edition::{ClaimPenalty, Gap, Quickplay, Rules};
use crate::laws::{Edition, Laws, LawsWord, Penalty, Ruling, RulingFacts, Situation, Topic, penalty, ruling};
use clap::error::ErrorKind;
use std::fmt::Write;

/// Show the Laws of Chess as touchmove applies them, by edition
///
/// Without an edition: lists the editions. With one: prints its penalties and figures, what it requires of the arbiter in each
/// situation, with the articles, and the topics that it does not cover. touchmove applies nothing else; where the text of an
/// edition is not available, it makes no statement.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl laws
  touchmovectl laws fide-2023
  touchmovectl laws fide-2018 blitz limited")]
pub struct Args {
    /// An edition; then rapid or blitz; then limited, if not every game is supervised and recorded
    #[arg(value_name = "LAWS")]
    pub laws: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<()> {
    if args.laws.is_empty() {
        return Ok(print(&list())?);
    }
    match args.laws.join(" ").parse::<Laws>() {
        Ok(laws) => Ok(print(&describe(&laws))?),
        // The command line is invalid, which clap cannot detect word by word.
        Err(error) => clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")).exit(),
    }
}

/// Returns one line for each edition.
fn list() -> String {
    let mut text = String::new();
    for edition in Edition::all() {
        let _ = writeln!(text, "{:12}{}{}", edition.name, edition.title, years(edition));
    }
    text
}

fn years(edition: &Edition) -> String {
    edition.until.map_or_else(|| format!(" (from {})", edition.from), |until| format!(" ({} to {until})", edition.from))
}

/// Returns everything that is known of these Laws.
pub fn describe(laws: &Laws) -> String {
    let edition = laws.edition;
    let mut text = format!("{laws}: {}{}\nBased on: {}\n", edition.title, years(edition), edition.text);
    let _ = writeln!(text, "\nPenalties and figures");
    for (name, value) in figures(laws) {
        let _ = writeln!(text, "  {name:28}{value}");
    }
    let _ = writeln!(text, "\nRequired actions, the first time");
    // Early in a game in which both players have moved.
    let facts = RulingFacts { moves: 1, ..RulingFacts::default() };
    for situation in Situation::all() {
        if let Some(Ruling { acts, articles }) = ruling(laws, situation, &facts) {
            let acts: Vec<String> = acts.iter().map(|act| act.to_string().replace('_', " ")).collect();
            let cited = if articles.is_empty() { String::new() } else { format!("  ({})", articles.join(", ")) };
            let _ = writeln!(text, "  {:28}{}{cited}", situation.word().replace('_', " "), acts.join(", "));
        }
    }
    let _ = writeln!(text, "\nArticles");
    for topic in Topic::ALL {
        let articles: Vec<&str> = laws.articles(*topic).collect();
        if !articles.is_empty() {
            let _ = writeln!(text, "  {:28}{}", topic.word().replace('_', " "), articles.join(", "));
        }
    }
    for (gap, heading) in [(Gap::Silent, "Topics not covered"), (Gap::Unavailable, "Topics whose text is not available")] {
        let topics = Topic::ALL.iter().filter(|topic| edition.gap(**topic) == Some(&gap));
        let topics: Vec<String> = topics.map(|topic| topic.word().replace('_', " ")).collect();
        if !topics.is_empty() {
            let _ = writeln!(text, "\n{heading}: {}", topics.join(", "));
        }
    }
    text
}

/// Returns the figures and choices of these Laws.
fn figures(laws: &Laws) -> Vec<(&'static str, String)> {
    let rules: &Rules = laws.rules();
    let word = |word: &str| word.replace('_', " ");
    let moves = |moves: u32| format!("{moves} moves of each player");
    let claim = |ClaimPenalty { opponent_s, halving }: ClaimPenalty| {
        let own_penalty =
            halving.map(|half| format!("; half of the claimant's time, at most {} s, down to {} s", half.max_s, half.floor_s));
        format!("{opponent_s} s to the opponent{}", own_penalty.unwrap_or_default())
    };
    let list = [
        ("illegal moves", ladder(laws)),
        (
            "counted",
            rules.counted.as_ref().map(|kinds| kinds.iter().map(|kind| word(kind.word())).collect::<Vec<_>>().join(", ")),
        ),
        ("illegal moves stand", rules.illegal_move_finality.map(|rule| word(rule.word()))),
        (
            "a move is completed by",
            rules.completed_by.as_ref().map(|by| by.iter().map(|by| word(by.word())).collect::<Vec<_>>().join(", ")),
        ),
        ("pawn left on last rank", rules.pawn_left.map(|left| word(left.word()))),
        ("incorrect claim", rules.wrong_claim.map(claim)),
        ("a draw is agreed from", rules.agreement_moves.map(moves)),
        (
            "quickplay finish",
            rules.quickplay.map(|Quickplay { below_s, opponent_s }| {
                format!("claimed with less than {below_s} s left; {opponent_s} s to the opponent if it is refused")
            }),
        ),
        ("repetition", rules.repetition.map(|times| format!("{times} times, on claim"))),
        ("without pawn or capture", rules.fifty.map(|fifty| format!("{}, on claim", moves(fifty)))),
        (
            "repetition, at once",
            rules.five_fold.map(|times| format!("{times} times ({})", rules.five_fold_kind.map_or("", LawsWord::word))),
        ),
        ("no pawn or capture, at once", rules.seventy_five.map(moves)),
        ("a claim is lost by", rules.claim_lost.map(|lost| word(lost.word()))),
        ("wrong start claimed until", rules.set_up_moves.map(moves)),
        ("reversed: new game below", rules.reversed_below.map(moves)),
        ("reversed: new game within", rules.reversed_within_s.map(|seconds| format!("{seconds} s, if nothing was captured"))),
        ("increment of illegal moves", rules.increment.map(|increment| word(increment.word()))),
        ("rook touched first", rules.rook_first.map(|first| word(first.word()))),
        ("flag, no mate possible", rules.flag.map(|outcome| word(outcome.word()))),
        ("resigned, no mate possible", rules.resigned.map(|outcome| word(outcome.word()))),
        ("a flag is called by", rules.flag_called.map(|caller| word(caller.word()))),
    ];
    list.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// `1st 120 s to the opponent, 2nd loses (draw if the opponent cannot mate)`.
fn ladder(laws: &Laws) -> Option<String> {
    let mut steps = Vec::new();
    for nth in 1u32.. {
        let nth_word =
            ["1st", "2nd", "3rd"].get(nth as usize - 1).map_or_else(|| format!("{nth}th"), |word| (*word).to_owned());
        match penalty(laws, nth, true)? {
            Penalty::Add(seconds) => steps.push(format!("{nth_word} {seconds} s to the opponent")),
            Penalty::Loses | Penalty::Draw => {
                let draw = penalty(laws, nth, false) == Some(Penalty::Draw);
                steps.push(format!("{nth_word} loses{}", if draw { " (draw if the opponent cannot mate)" } else { "" }));
                break;
            }
        }
    }
    Some(steps.join(", "))
}
