//! What a demonstration prints: where to look, and what to try.

use super::board::ILLEGAL_MOVE_AT;
use super::plan::Addresses;
use crate::publish::client::{Client, ClientError};
use crate::publish::web::qr::{LOGIN_VIEW, login_address};

/// The logins: the name in the address, the role, and what it sees. Each role has a name of its own in the addresses of the page, so that
/// one browser can be logged in as all of them.
const LOGINS: [(&str, &str, &str); 2] = [
    ("operator", "Operator", "boards, pairings, results, and what is missing"),
    ("arbiter", "Arbiter", "the same, all alerts, and the rulings"),
];

/// The names by which browsers address the page of a demonstration, for `[web] hosts`. Browsers look for names below localhost on their own
/// computer (RFC 6761, 6.3).
pub(super) fn hosts() -> String {
    LOGINS.map(|(name, ..)| format!("{name}.localhost")).join(", ")
}

/// Addresses of the page, each with a new code.
pub(super) struct Logins([(String, &'static str, &'static str); 2]);

impl Logins {
    /// Creates a code for each login. `number`: which logins these are, from 1; those of other numbers stay.
    pub(super) async fn create(client: &Client, page: u16, number: u32) -> Result<Logins, ClientError> {
        let mut logins = LOGINS.map(|(_, title, about)| (String::new(), title, about));
        for (login, (name, title, _)) in logins.iter_mut().zip(LOGINS) {
            let code = client.create_login_code(&format!("{title} {number} of the demo"), name).await?.code;
            login.0 = login_address(&format!("http://{name}.localhost:{page}/"), LOGIN_VIEW, &code);
        }
        Ok(Logins(logins))
    }

    /// Returns the address for the arbiter.
    pub(super) fn arbiter(&self) -> &str {
        let [_, (address, ..)] = &self.0;
        address
    }

    /// Returns a line for each address.
    pub(super) fn lines(&self) -> String {
        self.0.iter().map(|(address, title, about)| line(title, address, about)).collect()
    }
}

fn line(title: &str, address: &str, about: &str) -> String {
    format!("  {title:<11} {address}\n              {about}\n")
}

/// What the guide depends on.
pub(super) struct Guide<'a> {
    /// The number of boards.
    pub(super) boards: usize,
    /// The delay of the public, in seconds.
    pub(super) delay: u16,
    /// The speed of the hands.
    pub(super) speed: u32,
    /// The table at which the first illegal move is made.
    pub(super) illegal_table: u16,
    /// The addresses on this computer.
    pub(super) addresses: &'a Addresses,
    /// The address of the bus.
    pub(super) bus: &'a str,
    /// Whether the arbiter's page was opened.
    pub(super) is_opened: bool,
    /// Whether there is a keyboard.
    pub(super) has_keyboard: bool,
}

impl Guide<'_> {
    /// Returns where to look.
    pub(super) fn places(&self, logins: &Logins) -> String {
        let Addresses { page, stand_in, .. } = self.addresses;
        let behind = match self.delay {
            0 => "the games, at once".to_owned(),
            delay => format!("the games, {delay} s later than they are played"),
        };
        let boards = if self.boards == 1 { "one board".to_owned() } else { format!("{} boards", self.boards) };
        let mut text = format!(
            "A round on {boards} of several kinds, on this computer alone: no hardware, no network, no account.\n\
             Players and results are invented; the moves are those of former masters. touchmoved runs on a private\n\
             bus: the boards of this computer, and a touchmoved that is installed, are not touched.\n\nWhere to look:\n"
        );
        text += &line("Spectators", &format!("http://127.0.0.1:{page}/"), &behind);
        text += &logins.lines();
        let received = "what a broadcast receives, on a page that stands in for lichess.org";
        text += &line("Lichess", &format!("http://127.0.0.1:{stand_in}/"), received);
        let seen = format!("what a client of {} sees", self.addresses.livechess_url());
        text += &line("LiveChess", &format!("http://127.0.0.1:{stand_in}/livechess"), &seen);
        text += "\nThe addresses with #code= log in once, within ten minutes.";
        text += if self.has_keyboard { " Press Enter for new ones." } else { "" };
        text += if self.is_opened { " The arbiter's page was opened in your browser." } else { "" };
        text + "\nIf a browser does not find the names below localhost, put 127.0.0.1 in their place.\n"
    }

    /// Returns what to try, step by step.
    pub(super) fn steps(&self) -> String {
        let (table, bus) = (self.illegal_table, self.bus);
        let seconds = ILLEGAL_MOVE_AT / 1000 / u64::from(self.speed.max(1));
        format!(
            "\nWhat to try:\n  \
             1. As the arbiter, press Log in: all boards at once, those that need you first. Switch the sound on.\n  \
             2. After about {seconds} s a player at table {table} makes an illegal move. The clock is stopped, and both wait for\n     \
             you: open the alert, read the article and what it requires, and restore the position. The players\n     \
             then put the pieces back and go on, as they do by themselves after three minutes. Every round has\n     \
             such a move.\n  \
             3. As a spectator, open table {table} meanwhile: the game ends before the illegal move.\n  \
             4. As the operator, look at the round: the results come from the kings that the players put in the\n     \
             centre. Swap two tables, or print the log. When all games are over, the next round begins.\n  \
             5. In another terminal:\n       \
             touchmovectl status --bus '{bus}'\n       \
             touchmovectl monitor --bus '{bus}'\n       \
             touchmovectl round show --bus '{bus}'\n\
             \nCtrl-C ends everything, and leaves nothing behind.\n\n"
        )
    }
}

/// What is printed at the end.
pub(super) const NEXT: &str = "Ended; nothing is left of the demonstration.\n\nWhat to do next:\n  \
    sudo touchmovectl setup           set up this machine: boards, event, Laws, and the page with an address for telephones\n  \
    touchmovectl doctor               with a board of your own plugged in: is it seen, and what is missing?\n  \
    touchmovectl demo --board MODEL   one game on another model, move by move\n  \
    touchmovectl simulate --help      your own games, other hands, faults of boards and networks\n";
