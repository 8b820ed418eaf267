//! How the programs are linked.

fn main() {
    // Addresses that are set at the start of the program (those of tables of functions and texts) are packed: a third of a megabyte
    // less in memory. glibc knows this since 2.36 (Debian 12).
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu") {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
