//! The policies of the bus and of polkit, which follow from the table of rights.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use touchmove::game::rights::{Right, Role};
use touchmove::names;
use touchmove::publish::dbus::Stream;

const DIR: &str = "config/generated/policy";

/// Compares a generated file with the committed one.
#[track_caller]
fn check(name: &str, expect: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(DIR).join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, expect).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == expect, "{DIR}/{name} is out of date: run `UPDATE=1 cargo test policies`");
}

/// What a name of the bus is for, in a comment of its policy.
fn about(stream: Stream) -> &'static str {
    match stream {
        Stream::Live => {
            "It shows alerts and live positions and takes all commands, so it is for root and the arbiters alone: players must not
  be alerted (Art. 12.6), nor a spectator see a position before its delay."
        }
        Stream::Operator => {
            "It shows boards and live games, and takes what operators may do: seats, rounds, pairings, results, corrections of
  moves. It has no alerts about what players did, and no rulings: for root, the arbiters and the operators."
        }
        Stream::Broadcast => {
            "It has games only, with the delay of the public, and nothing of it changes anything: for root, the arbiters, the
  operators and those who broadcast."
        }
    }
}

#[test]
fn each_name_of_the_bus_is_for_its_groups() {
    for stream in Stream::ALL {
        let name = stream.name();
        let polkit = format!(
            "    <!-- It calls polkit, which runs as a user of its own; nobody else is ever called. -->
    <allow receive_sender=\"{name}\" receive_type=\"method_call\"/>\n"
        );
        let mut text = format!(
            "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN\"
 \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">
<!--
  Who may use {name} on the system bus: /usr/share/dbus-1/system.d/{name}.conf

  {} Signals are told to everybody
  who may receive them, hence the rules for receiving. Generated from the table of rights (`UPDATE=1 cargo test policies`).
-->
<busconfig>
  <policy context=\"default\">
    <deny own=\"{name}\"/>
    <deny send_destination=\"{name}\"/>
    <deny receive_sender=\"{name}\"/>
{}  </policy>\n",
            about(stream),
            if stream.is_live() { polkit.as_str() } else { "" }
        );
        let groups = stream.groups().map(|group| (format!("group=\"{group}\""), false));
        for (who, owns) in groups.chain([("user=\"touchmove\"".to_owned(), true), ("user=\"root\"".to_owned(), true)]) {
            let own = format!("    <allow own=\"{name}\"/>\n");
            let _ = write!(
                text,
                "  <policy {who}>\n{}    <allow send_destination=\"{name}\"/>
    <allow receive_sender=\"{name}\"/>\n  </policy>\n",
                if owns { own.as_str() } else { "" }
            );
        }
        check(&format!("{name}.conf"), &(text + "</busconfig>\n"));
    }
}

#[test]
fn polkit_knows_every_right() {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE policyconfig PUBLIC \"-//freedesktop//DTD PolicyKit Policy Configuration 1.0//EN\"
 \"http://www.freedesktop.org/standards/PolicyKit/1/policyconfig.dtd\">
<!--
  What touchmoved asks polkit before it carries out a command, where polkit runs: /usr/share/polkit-1/actions. Who is in no
  group does not come so far (see the policies of the bus); 50-touchmove.rules lets operators and arbiters do what their role
  may. Generated from the table of rights (`UPDATE=1 cargo test policies`).
-->
<policyconfig>
  <vendor>touchmove</vendor>\n",
    );
    for right in Right::ALL {
        let (description, message) = right.polkit_texts();
        let _ = write!(
            text,
            "  <action id=\"{}\">
    <description>{description}</description>
    <message>{message}</message>
    <defaults>
      <allow_any>auth_admin</allow_any>
      <allow_inactive>auth_admin</allow_inactive>
      <allow_active>auth_admin_keep</allow_active>
    </defaults>
    <annotate key=\"org.freedesktop.policykit.owner\">unix-user:touchmove</annotate>
  </action>\n",
            right.polkit_action()
        );
    }
    check("org.touchmove1.policy", &(text + "</policyconfig>\n"));
}

#[test]
fn the_rules_of_polkit_give_each_group_what_its_role_may() {
    let mut text = String::from(
        "// Operators and arbiters may do what their role may, without being asked: a machine beside a board may have no screen. To let
// some of them do less, put a rule into /etc/polkit-1/rules.d whose name comes before this one. What the administrator may is
// left to the administrator. Generated from the table of rights (`UPDATE=1 cargo test policies`).
polkit.addRule(function (action, subject) {
    var actions = {\n",
    );
    for (group, role) in [(names::OPERATOR_GROUP, Role::Operator), (names::ARBITER_GROUP, Role::Arbiter)] {
        let actions: Vec<String> = role.rights().map(|right| format!("\"{}\"", right.polkit_action())).collect();
        let _ = writeln!(text, "        \"{group}\": [{}],", actions.join(", "));
    }
    text += "    };
    for (var group in actions) {
        if (actions[group].indexOf(action.id) >= 0 && subject.isInGroup(group)) {
            return polkit.Result.YES;
        }
    }
});
";
    check("50-touchmove.rules", &text);
}
