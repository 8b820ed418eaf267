//! `touchmovectl round`: manages the pairings of all playing tables at once.

mod bye;
mod exchange;
mod export;
mod load;
mod missing;
mod overview;
mod pairing;
mod remove;
mod result;
mod selected;
mod show;
mod start;

/// Load and correct the pairings of a round: the players and tables of all games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl round load round-3.pgn
  touchmovectl round load pairings.csv --round 3
  touchmovectl round load open.trf --round 3 --order rank --check
  touchmovectl round show
  touchmovectl round swap 4 5
  touchmovectl round start 4
  touchmovectl round result 7 1-0
  touchmovectl round missing
  touchmovectl round exchange board_7 spare_1
  touchmovectl round forfeit 12 white
  touchmovectl round bye set 'Late, Larry' half_point")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Load(load::Args),
    Show(show::Args),
    Start(start::Args),
    Remove(remove::Args),
    Pair(pairing::PairArgs),
    Unpair(pairing::UnpairArgs),
    Swap(pairing::SwapArgs),
    Reverse(pairing::ReverseArgs),
    Result(result::ResultArgs),
    Export(export::Args),
    Missing(missing::Args),
    Exchange(exchange::Args),
    Forfeit(result::ForfeitArgs),
    Bye(bye::Args),
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Load(args) => load::run(args).await,
        What::Show(args) => show::run(args).await,
        What::Start(args) => start::run(args).await,
        What::Remove(args) => remove::run(args).await,
        What::Pair(args) => pairing::pair(args).await,
        What::Unpair(args) => pairing::unpair(args).await,
        What::Swap(args) => pairing::swap(args).await,
        What::Reverse(args) => pairing::reverse(args).await,
        What::Result(args) => result::enter(args).await,
        What::Export(args) => export::run(args).await,
        What::Missing(args) => missing::run(args).await,
        What::Exchange(args) => exchange::run(args).await,
        What::Forfeit(args) => result::forfeit(args).await,
        What::Bye(args) => bye::run(args).await,
    }
}
