//! `touchmovectl token`: manages who may log in to the page.

use super::backup::default_state_dir;
use super::service::{Service, print, print_json};
use crate::game::rights::Role;
use crate::publish::client::LoginCode;
use crate::publish::web::qr::{LOGIN_VIEW, login_address, to_blocks};
use crate::publish::web::tokens::TokenStore;
use crate::wire::Word;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use std::path::PathBuf;

/// Create, list and revoke the tokens for logging in to the web page
///
/// An operator sees boards, devices, pairings and games, is told what is missing, changes seats, pairings and results, and corrects
/// moves; an arbiter also sees all alerts and gives rulings; an administrator also sets the Laws and the delay, and lets others log
/// in. A token is shown only once, when it is created: only its hash is stored. touchmoved applies changes at once: a revoked
/// token logs its owner out immediately. A code logs in one browser once, such as that of a telephone, and then counts as a token.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl token create \"Anna Muster\" --role arbiter
  touchmovectl token create phone --role operator
  touchmovectl token code \"Anna's telephone\" --role arbiter
  touchmovectl token list
  touchmovectl token revoke phone")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Create a token, and show it
    #[command(after_help = "Example:\n  touchmovectl token create \"Anna Muster\" --role arbiter")]
    Create {
        /// Name of the owner, which the journal records
        name: String,
        /// Role of the owner
        #[arg(long, value_parser = ["operator", "arbiter", "administrator"])]
        role: String,
        #[command(flatten)]
        place: Place,
    },
    /// Create a one-time code for a telephone, and show it with the address as a QR code
    ///
    /// The code is valid for ten minutes and for one login, which has this name in the journal. `token list` shows the login, and
    /// `token revoke` ends it. touchmoved must run. Only root may do this, and whoever polkit authorizes.
    #[command(after_help = "Example:\n  sudo touchmovectl token code \"Anna's telephone\" --role arbiter")]
    Code {
        /// Name of the login, which the journal records
        name: String,
        /// Role of the login
        #[arg(long, value_parser = ["operator", "arbiter", "administrator"])]
        role: String,
        /// The address of the page, if the configuration does not have the one that the telephone reaches
        #[arg(long, value_name = "URL")]
        page: Option<String>,
        #[command(flatten)]
        service: Service,
    },
    /// List the tokens, with their owners and dates
    #[command(after_help = "Example:\n  touchmovectl token list")]
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Revoke a token: its owner is logged out at once
    #[command(after_help = "Example:\n  touchmovectl token revoke phone")]
    Revoke {
        /// Name of the owner
        name: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, clap::Args)]
struct Place {
    /// State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl Place {
    fn tokens(self) -> TokenStore {
        TokenStore::of(&self.state_dir.unwrap_or_else(default_state_dir))
    }
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Code { name, role, page, service } => {
            let LoginCode { code, address, seconds } = service.connect().await?.create_login_code(&name, &role).await?;
            let page = page.map(|page| format!("{}/", page.trim_end_matches('/'))).unwrap_or(address);
            let minutes = seconds / 60;
            if page.is_empty() {
                eprintln!(
                    "The configuration does not say how a telephone reaches the page, so there is no QR code: write hosts under \
                     [web], or give the address with --page."
                );
            } else {
                let address = login_address(&page, LOGIN_VIEW, &code);
                let image = to_blocks(&address, super::colours(&std::io::stdout()))?;
                print(&format!("{image}{address}\n"))?;
            }
            print(&format!("{code}\n"))?;
            eprintln!("This code logs {name} ({role}) in once, within {minutes} minutes.");
        }
        What::Create { name, role, place } => {
            let role = Role::from_word(&role).unwrap_or(Role::Operator);
            let secret = place.tokens().create(&name, role, Timestamp::now().as_millisecond())?;
            print(&format!("{secret}\n"))?;
            // On standard error, so that it is not written to a file together with the token.
            eprintln!("This is the token of {name} ({}). It is shown only once: log in with it on the web page.", role.word());
        }
        What::List { json, place } => {
            let tokens = place.tokens().load()?;
            if json {
                let one = |token: &crate::publish::web::tokens::Token| json!({"name": token.name, "role": token.role.word(), "created_ms": token.created_ms, "maker": token.maker});
                return print_json(&tokens.iter().map(one).collect::<Vec<_>>());
            }
            if tokens.is_empty() {
                print("there are no tokens: `touchmovectl token create NAME --role arbiter` creates one\n")?;
            }
            for token in tokens {
                let made = Timestamp::from_millisecond(token.created_ms).unwrap_or_default().to_zoned(TimeZone::system());
                let maker = token.maker.map(|maker| format!("  (by a code of {maker})")).unwrap_or_default();
                print(&format!("{:<13}  {}  {}{maker}\n", token.role.word(), made.strftime("%Y-%m-%d %H:%M"), token.name))?;
            }
        }
        What::Revoke { name, place } => {
            place.tokens().revoke(&name)?;
            print(&format!("the token of {name} is revoked\n"))?;
        }
    }
    Ok(())
}
