# Needs git, a C compiler, make and Rust. Other missing packages are printed and installed through apt.

CARGO ?= cargo

# Names of Debian packages: for building; for the demo; for the tests, which use third-party D-Bus clients, fake devices, another
# user, and a browser.
PACKAGES_BUILD := pkg-config libudev-dev libusb-1.0-0-dev
PACKAGES_DEMO := $(PACKAGES_BUILD) dbus
PACKAGES_DEB := $(PACKAGES_BUILD) dpkg-dev
PACKAGES_PACKAGE := dpkg-dev mmdebstrap systemd-container iproute2 apt-utils gnupg python3
PACKAGES_SYSTEM := dpkg-dev mmdebstrap qemu-system-x86 busybox-static cpio kmod e2fsprogs socat
PACKAGES_TEST := $(PACKAGES_DEMO) strace systemd udev libglib2.0-bin libglib2.0-dev-bin qtbase5-dev-tools umockdev gir1.2-umockdev-1.0 python3-gi util-linux libfaketime chromium chromium-driver nats-server tidy

.PHONY: help build demo test fmt clippy doc book deny deny-where-installed unit bench bench-page chaos powercut soak test-hall resources fuzz fuzz-corpus fuzz-tools replay-arm64 install deb deb-arm64 deb-engine cargo-deb vendor packages-build packages-demo packages-deb packages-package packages-system packages-test components test-package test-system test-arm64 test-armhf
.DEFAULT_GOAL := help

help: ## Prints this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: packages-demo ## Plays a master's game on a virtual board; DEMO="--boards 12": a whole round, with the page
	$(CARGO) build --bins
	@$(CARGO) run --quiet --bin touchmovectl -- demo $(DEMO)

test: packages-test components fmt clippy doc deny-where-installed unit ## Checks formatting, lints and documentation, and runs all tests

build: packages-build ## Builds touchmoved and touchmovectl for use: target/release
	$(CARGO) build --release --bins --features gpio

bench: packages-demo ## Measures how fast it is, as ratios to the simplest implementation
	$(CARGO) bench

# The number of boards that the page shows.
BOARDS ?= 600

bench-page: packages-test ## Measures the page with BOARDS=600 boards in a real browser: what it is sent, and the time of a frame
	BOARDS=$(BOARDS) $(CARGO) bench --bench page

# The directory of the built programs.
PROGRAMS ?= target/release

install: ## Installs what `make build` built, and its data files; below DESTDIR=… if given
	@sh .ci/install "$(PROGRAMS)" "$(DESTDIR)"

deb: packages-deb cargo-deb ## Builds a Debian package for this machine: target/debian
	$(CARGO) deb

deb-arm64: cargo-deb ## Builds a Debian package for arm64, such as a 64-bit Raspberry Pi OS; needs cross compilers
	@CARGO=$(CARGO) .ci/deb arm64

deb-armhf: cargo-deb ## Builds a Debian package for armhf, such as a 32-bit Raspberry Pi OS on a Pi 2 or later; needs cross compilers
	@CARGO=$(CARGO) .ci/deb armhf

.PHONY: deb-armhf release release-sign release-check release-tools packages-release packages-arm64

PACKAGES_RELEASE := $(PACKAGES_DEB) apt-utils binutils git gnupg musl-tools python3 xz-utils

# What a release is built for, and whether it has the engine for browsers, for which npm is needed, and a static tarball. The key that
# signs it: a fingerprint that GnuPG knows. Where the apt repository will be.
ARCHITECTURES ?= amd64 arm64 armhf
ENGINE ?= yes
STATIC ?= yes
KEY ?=
REPOSITORY_URL ?= https://touchmove.github.io/touchmove

release: packages-release release-tools ## Builds what a release page and an apt repository hold: target/dist; KEY=FINGERPRINT signs it
	@CARGO=$(CARGO) ARCHITECTURES="$(ARCHITECTURES)" ENGINE=$(ENGINE) STATIC=$(STATIC) KEY="$(KEY)" REPOSITORY_URL="$(REPOSITORY_URL)" .ci/release

release-sign: packages-release ## Signs what `make release` built, here or elsewhere: KEY=FINGERPRINT
	@REPOSITORY_URL="$(REPOSITORY_URL)" .ci/sign target/dist "$(KEY)"

release-check: packages-release release-tools ## Builds a release twice, in two directories: it must be the same bytes
	@CARGO=$(CARGO) ARCHITECTURES="$(ARCHITECTURES)" ENGINE=$(ENGINE) STATIC=$(STATIC) .ci/release-check

deb-engine: ## Builds the Debian package touchmove-engine, which evaluates positions in spectators' browsers; needs npm
	@.ci/engine-deb

test-package: packages-build packages-package cargo-deb ## Installs, upgrades and purges the package in a container, sets up a hall in three, and a page from nothing; needs root
	$(CARGO) deb --output target/debian/first.deb
	$(CARGO) deb --no-build --deb-revision 2 --output target/debian/second.deb
	@tests/system/package target/debian/first.deb target/debian/second.deb
	@tests/system/hall target/debian/first.deb
	@tests/system/first-run target/debian/first.deb

test-system: packages-build packages-system cargo-deb ## Tests the package on a whole machine with boards at USB, GPIO and Bluetooth, in QEMU; needs root
	$(CARGO) deb --output target/debian/first.deb
	@tests/system/machine target/debian/first.deb
	@tests/system/gpio target/debian/first.deb
	@tests/system/bluetooth target/debian/first.deb

PACKAGES_ARM64 := dpkg-dev apt-utils arch-test gnupg mmdebstrap qemu-system-arm qemu-user-static binfmt-support e2fsprogs cpio kmod python3

test-arm64: packages-arm64 cargo-deb ## Tests the package for arm64, under emulation, and the recipe for a Raspberry Pi on a whole machine; needs root
	@CARGO=$(CARGO) .ci/deb arm64
	@tests/system/emulated "$$(ls -t target/debian/*_arm64.deb | head -n 1)"
	@tests/system/raspberry-pi "$$(ls -t target/debian/*_arm64.deb | head -n 1)"

test-armhf: packages-arm64 cargo-deb ## Tests the package for armhf, under emulation
	@CARGO=$(CARGO) .ci/deb armhf
	@tests/system/emulated "$$(ls -t target/debian/*_armhf.deb | head -n 1)"

cargo-deb:
	@$(CARGO) deb --version >/dev/null 2>&1 || { echo "installing cargo-deb"; $(CARGO) install --locked cargo-deb; }

release-tools: cargo-deb
	@$(CARGO) cyclonedx --version >/dev/null 2>&1 || { echo "installing cargo-cyclonedx"; $(CARGO) install --locked cargo-cyclonedx; }

# The tests find broken links and outdated tables. `make test` runs them, too, without mdBook.
book: packages-build ## Builds the documentation as a book: target/book; fails on a broken link; needs mdbook
	@mdbook --version >/dev/null 2>&1 || { echo "mdbook is not installed: run \`$(CARGO) install --locked mdbook\`" >&2; exit 1; }
	$(CARGO) test --features gpio --test main -- system::book:: system::readme::
	mdbook build docs
	@echo "The book is target/book/index.html"

# How long each fuzz target runs, and which run: that of every board, `table`, and each kind of text, message or argument from
# outside. Those of front-ends are a package of their own.
FUZZ_SECONDS ?= 600
FUZZ ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs fuzz/front_ends/fuzz_targets/*.rs)))
# The number of fuzz targets that run at once.
FUZZ_JOBS ?= 1

fuzz: packages-build fuzz-tools fuzz-corpus ## Runs the fuzz targets until something breaks, FUZZ_SECONDS=600 each, FUZZ_JOBS=1; FUZZ=dgt: one board
	@CARGO="$(CARGO)" FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) sh .ci/fuzz $(FUZZ)

# The initial inputs of the fuzz targets: the same on every run, so they are not committed.
fuzz-corpus: packages-build
	$(CARGO) run --quiet --manifest-path fuzz/Cargo.toml --example corpus -- fuzz

fuzz-tools:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { echo "installing cargo-fuzz"; $(CARGO) install cargo-fuzz; }

# Injects faults into the real daemon. One schedule alone, with its events: make chaos SCHEDULE=1000017. One fault alone:
# FAULT="disk full".
SCHEDULES ?= 2000
SEED ?= 1
JOBS ?= 8

chaos: packages-test ## Plays games under random faults, SCHEDULES=2000 SEED=1 JOBS=8: none may be lost unnoticed
	SCHEDULES=$(SCHEDULES) SEED=$(SEED) JOBS=$(JOBS) $(if $(SCHEDULE),SCHEDULE=$(SCHEDULE)) $(if $(FAULT),FAULT='$(FAULT)') $(CARGO) test --features gpio --test main daemon::chaos:: -- --nocapture

# The number of tournament days, and of boards that play each day.
DAYS ?= 365
HALL ?= 9

soak: packages-test ## Plays a year of tournament days in minutes, DAYS=365 HALL=9 SEED=1: nothing may grow with the days
	DAYS=$(DAYS) HALL=$(HALL) SEED=$(SEED) $(CARGO) test --features gpio --test main daemon::soak:: -- --nocapture

# The number of random schedules for each version of nats-server. One alone: make test-hall HALL_SCHEDULES=1 SEED=17.
HALL_SCHEDULES ?= 200

test-hall: packages-test ## Injects faults into halls of machines, HALL_SCHEDULES=200 SEED=1, with three versions of nats-server: nothing may be lost
	@servers="$$(.ci/nats-servers)" && for server in $$servers; do \
		$$server --version; \
		TOUCHMOVE_NATS_SERVER=$$server TOUCHMOVE_SCHEDULES=$(HALL_SCHEDULES) TOUCHMOVE_SEED=$(SEED) \
		$(CARGO) test --features gpio --test main hall::campaign::many -- --ignored --nocapture || exit 1; \
	done

# How long each front-end is flooded, in seconds.
RESOURCE_SECONDS ?= 30

resources: packages-test ## Floods each front-end with one client, RESOURCE_SECONDS=30 each: memory must stay bounded
	RESOURCE_SECONDS=$(RESOURCE_SECONDS) $(CARGO) test --features gpio --test main front_ends::resources:: -- --nocapture

# A directory filled by `cargo deny fetch`. If given, the crates are also checked for known vulnerabilities.
ADVISORIES ?=

deny: ## Checks licences, sources and versions of all crates (deny.toml); ADVISORIES=DIR: known vulnerabilities, too; needs cargo-deny
	$(CARGO) deny --all-features check licenses bans sources
	@$(if $(ADVISORIES),mkdir -p target && sed 's|^db-path = .*|db-path = "$(abspath $(ADVISORIES))"|' deny.toml > target/deny.toml)
	$(if $(ADVISORIES),$(CARGO) deny --all-features check --config target/deny.toml --disable-fetch advisories)

deny-where-installed:
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(MAKE) --no-print-directory deny; \
	else echo "SKIPPED: make deny, because cargo-deny is not installed (cargo install --locked cargo-deny)"; fi

# The number of disk states after a power cut that are tried, all of one recorded game.
CUTS ?= 20000

powercut: packages-test ## Cuts the power at any moment of a game, CUTS=20000 SEED=1: what was published must be there
	CUTS=$(CUTS) SEED=$(SEED) $(CARGO) test --features gpio --test main daemon::powercut:: -- --nocapture

replay-arm64: packages-build ## Checks that a recording gives the same output here and on aarch64; needs cross compilers
	@CARGO=$(CARGO) .ci/replay-arm64

vendor: ## Rebuilds the third-party files of the web page: the same bytes as committed; needs npm
	@src/publish/web/page/vendor/build
	@git diff --stat --exit-code -- src/publish/web/page/vendor

fmt:
	$(CARGO) fmt --check

clippy:
	$(CARGO) clippy --all-targets --features gpio -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --lib --features gpio

.NOTPARALLEL:

# With the features of the packages; prints the slowest tests.
unit:
	$(CARGO) test --features gpio --config 'target."cfg(all())".runner = ["sh", ".ci/timed"]'

packages-build packages-demo packages-deb packages-release packages-package packages-system packages-arm64 packages-test:
	@sh .ci/packages $(PACKAGES_$(shell echo $(@:packages-%=%) | tr a-z A-Z))

# A minimal Rust installation has no rustfmt and no Clippy.
components:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
