//! docs/reed-line.md: its lines are read, and its examples in C print such lines.

use super::*;
use std::process::Command;

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reed-line.md"));

/// The code blocks of the page with these words after the backticks.
fn blocks(kind: &str) -> Vec<&'static str> {
    let begin = format!("```{kind}\n");
    PAGE.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_lines_of_the_page_are_read() {
    let plain: Vec<&str> = PAGE.lines().filter(|line| line.starts_with(':')).collect();
    assert_eq!(plain.len(), 1);
    assert_eq!(Bench::new("reed").frames(3, format!("{}\n", plain[0]).as_bytes()), [occupied(START)]);
    let mut bench = Bench::new("reed");
    let mut lines = PAGE.lines().filter(|line| line.starts_with("R1 ") || line.starts_with("N1 "));
    let mut read = || bench.receive(format!("{}\n", lines.next().unwrap()).as_bytes());
    assert_eq!(read(), [occupied(START)]);
    assert!(matches!(read()[..], [Reading::Battery(_)]));
    assert!(matches!(read()[..], [Reading::Identity(Identity::Text(_))]));
}

#[test]
fn the_examples_in_c_print_lines_that_are_read() {
    let calls = [("c plain", "print_plain"), ("c checksum", "print_checked")];
    for (kind, function) in calls {
        let blocks = blocks(kind);
        let [example] = blocks[..] else { panic!("{} blocks of {kind}", blocks.len()) };
        let main = format!(
            "{example}\nint main(void) {{\n    unsigned char a[8] = {{255, 255, 0, 0, 0, 0, 255, 255}}, b[8] = {{255, 255, 0, 0, 8, 0, \
             255, 247}};\n    for (int i = 0; i < 300; i++) {function}(a);\n    for (int i = 0; i < 3; i++) {function}(b);\n    return 0;\n}}\n"
        );
        let dir = tempfile::tempdir().unwrap();
        let (source, program) = (dir.path().join("board.c"), dir.path().join("board"));
        std::fs::write(&source, main).unwrap();
        let options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"];
        let Ok(built) = Command::new("cc").args(options).arg(&program).arg(&source).output() else {
            eprintln!("SKIPPED: there is no C compiler (cc)");
            return;
        };
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let printed = Command::new(&program).output().unwrap().stdout;
        let king = Reading::Square(Square::E4, SquareState::Occupied);
        assert_eq!(Bench::new("reed").receive(&printed), [occupied(START), lift(Square::E1), king], "{kind}");
    }
}
