//! `touchmovectl hall join`.

use super::{Place, set};
use crate::config::hall::ServerUrl;
use crate::ctl::service::{Service, print};
use crate::hall::setup::code::JoinCode;
use crate::hall::setup::join::join;
use crate::publish::client::ClientError;
use anyhow::anyhow;

/// Join a hall: this machine sends its games to the hub
///
/// Type the line that `touchmovectl hall add` printed on the hub. The key of this machine is made here, and only its public
/// half is sent. The hub is verified by the code. A running touchmoved is told to connect.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sudo touchmovectl hall join 192.168.1.10 9TQN-3C7K-X0RM-46WD-YVPA-1HZ5
  sudo touchmovectl hall join hub.local:4333 9tqn3c7kx0rm46wdyvpa1hz5")]
pub(super) struct Args {
    /// Name or address of the hub, with its port unless that is 4222
    #[arg(value_parser = parse_address)]
    address: ServerUrl,
    /// The code: upper or lower case, with or without hyphens
    #[arg(required = true)]
    code: Vec<String>,
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    place: Place,
}

fn parse_address(text: &str) -> Result<ServerUrl, String> {
    // A bare IPv6 address has colons, but no brackets.
    let authority = if text.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{text}]") } else { text.to_owned() };
    let url = if authority.contains("://") { authority } else { format!("tls://{authority}") };
    url.parse().map_err(|()| "write a host name or address such as 192.168.1.10, hub.local or 192.168.1.10:4333".to_owned())
}

/// Runs the subcommand.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let code: JoinCode = args.code.concat().parse()?;
    let joined = join(&args.place.files(), &args.address, &code).await?;
    print(&format!("This machine is {} in the hall {}.\n", joined.machine, joined.hall))?;
    if !joined.is_accepted {
        print("The server of the hub does not accept its key yet: run `sudo systemctl reload touchmove-nats` there.\n")?;
    }
    let hub = args.address.to_string();
    // The name before the hub: a hub without a name is refused.
    let settings = [("hall.machine", joined.machine.as_str()), ("hall.hub", hub.as_str())];
    match set(&args.service, &settings).await {
        Ok(()) => print("touchmoved connects to the hub now; `touchmovectl hall list` at the hub shows this machine.\n")?,
        Err(ClientError::NotRunning { .. } | ClientError::NoBus { .. }) => print(&format!(
            "touchmoved does not run here. Write these lines into /etc/touchmove/touchmoved.toml, and start it:\n  \
             [hall]\n  hub = {hub:?}\n  machine = {:?}\n",
            joined.machine
        ))?,
        Err(error) => {
            return Err(anyhow!(
                "{error}; this machine has joined, but its touchmoved does not know: run `sudo touchmovectl config set \
                 hall.machine {}` and `sudo touchmovectl config set hall.hub {hub}`",
                joined.machine
            ));
        }
    }
    Ok(print(NETWORK)?)
}

/// What the installed service needs to reach the hub.
const NETWORK: &str = "The installed service needs permission to use the network, once:
  sudo install -Dm644 /usr/share/touchmove/systemd/network.conf /etc/systemd/system/touchmoved.service.d/network.conf
  sudo systemctl daemon-reload && sudo systemctl restart touchmoved
";
