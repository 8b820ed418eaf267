# Needs git, a C compiler, make and Rust; what else is missing is installed through apt, saying so.

CARGO ?= cargo

# Debian's names. Building; the demo; the tests: D-Bus clients that are not ours, fake devices, another user, a browser.
PACKAGES_BUILD := pkg-config libudev-dev libusb-1.0-0-dev
PACKAGES_DEMO := $(PACKAGES_BUILD) dbus
PACKAGES_DEB := $(PACKAGES_BUILD) dpkg-dev
PACKAGES_PACKAGE := dpkg-dev mmdebstrap systemd-container
PACKAGES_SYSTEM := dpkg-dev mmdebstrap qemu-system-x86 busybox-static cpio kmod e2fsprogs socat
PACKAGES_TEST := $(PACKAGES_DEMO) strace systemd udev libglib2.0-bin libglib2.0-dev-bin qtbase5-dev-tools umockdev gir1.2-umockdev-1.0 python3-gi util-linux libfaketime chromium chromium-driver

.PHONY: help build demo test fmt clippy doc book deny deny-where-installed unit bench chaos powercut soak resources fuzz fuzz-corpus fuzz-tools replay-arm64 install deb deb-arm64 cargo-deb vendor packages-build packages-demo packages-deb packages-package packages-system packages-test components test-package test-system test-arm64
.DEFAULT_GOAL := help

help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: packages-demo ## A master's game on a virtual board, arriving over a private D-Bus
	$(CARGO) build --bins
	@$(CARGO) run --quiet --bin touchmovectl -- demo

test: packages-test components fmt clippy doc deny-where-installed unit ## Formatting, lints, documentation, all tests

build: packages-build ## touchmoved and touchmovectl, for use: target/release
	$(CARGO) build --release --bins --features gpio

bench: packages-demo ## How fast it is, as ratios to the plainest way
	$(CARGO) bench

# Where the built programs are.
PROGRAMS ?= target/release

install: ## What `make build` has built, with all that belongs to it; DESTDIR=… puts it there
	@sh .ci/install "$(PROGRAMS)" "$(DESTDIR)"

deb: packages-deb cargo-deb ## A Debian package for this machine: target/debian
	$(CARGO) deb

deb-arm64: cargo-deb ## A Debian package for aarch64, such as the Raspberry Pi; needs cross compilers
	@CARGO=$(CARGO) .ci/deb-arm64

test-package: packages-build packages-package cargo-deb ## The package installed, upgraded and purged in a container; needs root
	$(CARGO) deb --output target/debian/first.deb
	$(CARGO) deb --no-build --deb-revision 2 --output target/debian/second.deb
	@tests/system/package target/debian/first.deb target/debian/second.deb

test-system: packages-build packages-system cargo-deb ## The package on a whole machine with USB boards, in QEMU; needs root
	$(CARGO) deb --output target/debian/first.deb
	@tests/system/machine target/debian/first.deb

test-arm64: cargo-deb ## The package for aarch64, its programs run under emulation; needs cross compilers
	@CARGO=$(CARGO) .ci/deb-arm64
	@tests/system/arm64 "$$(ls -t target/debian/*_arm64.deb | head -n 1)"

cargo-deb:
	@$(CARGO) deb --version >/dev/null 2>&1 || { echo "installing cargo-deb"; $(CARGO) install --locked cargo-deb; }

# The tests find broken links and tables that are out of date; `make test` runs them too, without mdBook.
book: packages-build ## The documentation as a book: target/book; fails on a broken link; needs mdbook
	@mdbook --version >/dev/null 2>&1 || { echo "mdbook is not installed: run \`$(CARGO) install --locked mdbook\`" >&2; exit 1; }
	$(CARGO) test --features gpio --test main -- book:: readme::
	mdbook build docs
	@echo "The book is target/book/index.html"

# How long each fuzz target runs; and which: every board's own, `table`, and each sort of text, message or argument that strangers hand in.
FUZZ_SECONDS ?= 600
FUZZ ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
# How many of them run at once.
FUZZ_JOBS ?= 1

fuzz: packages-build fuzz-tools fuzz-corpus ## Random inputs until something breaks, FUZZ_SECONDS=600 each, FUZZ_JOBS=1; FUZZ=dgt: of one board
	@CARGO="$(CARGO)" FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) sh .ci/fuzz $(FUZZ)

# What the fuzz targets begin with: the same every time, so nobody keeps it.
fuzz-corpus: packages-build
	$(CARGO) run --quiet --manifest-path fuzz/Cargo.toml --example corpus -- fuzz

fuzz-tools:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { echo "installing cargo-fuzz"; $(CARGO) install cargo-fuzz; }

# Faults against the real daemon. One alone, with what happened: make chaos SCHEDULE=1000017. Of one fault: FAULT="disk full".
SCHEDULES ?= 2000
SEED ?= 1
JOBS ?= 8

chaos: packages-test ## Games under random faults, SCHEDULES=2000 SEED=1 JOBS=8: none may be lost unnoticed
	SCHEDULES=$(SCHEDULES) SEED=$(SEED) JOBS=$(JOBS) $(if $(SCHEDULE),SCHEDULE=$(SCHEDULE)) $(if $(FAULT),FAULT='$(FAULT)') $(CARGO) test --features gpio --test main chaos:: -- --nocapture

# Tournament days, and boards that play each day.
DAYS ?= 365
HALL ?= 9

soak: packages-test ## A year of tournament days in minutes, DAYS=365 HALL=9 SEED=1: nothing may grow with the days
	DAYS=$(DAYS) HALL=$(HALL) SEED=$(SEED) $(CARGO) test --features gpio --test main soak:: -- --nocapture

# How long each front-end is flooded.
RESOURCE_SECONDS ?= 30

resources: packages-test ## One client that floods each front-end, RESOURCE_SECONDS=30 each: memory stays bounded
	RESOURCE_SECONDS=$(RESOURCE_SECONDS) $(CARGO) test --features gpio --test main resources:: -- --nocapture

# A directory that `cargo deny fetch` has filled: known weaknesses of crates are looked for, too.
ADVISORIES ?=

deny: ## Licences, sources and versions of all crates (deny.toml); ADVISORIES=DIR: known weaknesses, too; needs cargo-deny
	$(CARGO) deny --all-features check licenses bans sources
	@$(if $(ADVISORIES),mkdir -p target && sed 's|^db-path = .*|db-path = "$(abspath $(ADVISORIES))"|' deny.toml > target/deny.toml)
	$(if $(ADVISORIES),$(CARGO) deny --all-features check --config target/deny.toml --disable-fetch advisories)

deny-where-installed:
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(MAKE) --no-print-directory deny; \
	else echo "SKIPPED: make deny, because cargo-deny is not installed (cargo install --locked cargo-deny)"; fi

# States of the disk after a power cut, of one recorded game.
CUTS ?= 20000

powercut: packages-test ## A game cut off at any moment, CUTS=20000 SEED=1: what was published is there
	CUTS=$(CUTS) SEED=$(SEED) $(CARGO) test --features gpio --test main powercut:: -- --nocapture

replay-arm64: packages-build ## The same output from the same recording here and on aarch64; needs cross compilers
	@CARGO=$(CARGO) .ci/replay-arm64

vendor: ## What the web page takes from others, built anew: the same bytes as are committed; needs npm
	@src/publish/web/page/vendor/build
	@git diff --stat --exit-code -- src/publish/web/page/vendor

fmt:
	$(CARGO) fmt --check

clippy:
	$(CARGO) clippy --all-targets --features gpio -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --lib --features gpio

.NOTPARALLEL:

# With what the packages have; the slowest tests are named.
unit:
	$(CARGO) test --features gpio --config 'target."cfg(all())".runner = ["sh", ".ci/timed"]'

packages-build packages-demo packages-deb packages-package packages-system packages-test:
	@sh .ci/packages $(PACKAGES_$(shell echo $(@:packages-%=%) | tr a-z A-Z))

# A minimal Rust has no formatter and no lints.
components:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
