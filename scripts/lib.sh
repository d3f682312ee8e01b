# Functions shared by the scripts, which find missing tools and libraries and install those that they can.

say() { printf '%s\n' "$*" >&2; }

# What the scripts' builds add to the package, so that they share one build: on Linux the Apple adapter against stand-ins of Apple's
# frameworks, and walks that are optimized.
if [ "$(uname -s)" = Linux ]; then export THUMBTURN_ADD=${THUMBTURN_ADD-apple-stubs,optimized-walks}; fi

# SwiftPM hands the enabled traits to the compiler in the order of a set, which differs from process to process, and another order
# compiles every target again. With this the order is always the same. scripts/test, run and android unset
# it before they run what was built.
export SWIFT_DETERMINISTIC_HASHING=1

# Prints the next step and exits.
stop() {
    say "$@"
    exit 1
}

# Runs a command as a part of a longer run, and remembers how long it took: part NAME COMMAND …
part() {
    local name=$1 began=$SECONDS code=0
    shift
    "$@" || code=$?
    parts+=("$(printf '%6d  %s' "$((SECONDS - began))" "$name")")
    return "$code"
}
parts=()

# Prints the parts, each with its seconds, and their sum.
print_parts() {
    say "Seconds of $0:" "${parts[@]/#/$'\n'}"
    say "$(printf '%6d  in all' "$SECONDS")"
}

need_swift() {
    command -v swift >/dev/null || stop "Swift is missing. Install Swift 6.2 or later from https://www.swift.org/install and put it on the PATH."
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
    set -- ${version:-0 0}
    [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 2 ]; } || stop "Swift 6.2 or later is needed; this is $1.$2. See https://www.swift.org/install."
}

# Installs missing Debian packages.
need_packages() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ "${#missing[@]}" -eq 0 ] && return
    command -v apt-get >/dev/null || stop "These packages are missing, and there is no apt-get to install them: ${missing[*]}"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "These packages are missing. As root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    say "Installing ${missing[*]} …"
    # On a new machine the list of packages may be empty or old. Then it is fetched, and the installation is tried again.
    "${root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null 2>&1 || {
        "${root[@]}" apt-get update -qq >/dev/null
        "${root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null || stop "apt-get could not install ${missing[*]}."
    }
}

need_libraries() {
    need_swift
    case "$(uname -s)" in
        Linux) need_packages git g++ pkg-config libsqlite3-dev libsodium-dev libpq-dev libtss2-dev libsystemd-dev ;;
        Darwin) command -v brew >/dev/null && brew list libsodium >/dev/null 2>&1 || stop "libsodium is missing: brew install libsodium" ;;
        *) stop "The server is built on Linux and macOS." ;;
    esac
}

# Installs a TPM 2.0 and a fingerprint reader without hardware: swtpm, and fprintd with its virtual reader, with their own bus and polkit.
need_real_parts() {
    [ "$(uname -s)" = Linux ] || stop "The parts of a Linux machine run only on Linux."
    need_packages swtpm swtpm-tools tpm2-tools fprintd polkitd dbus util-linux
}

# Installs PostgreSQL, which tests start for themselves. Debian would start one of its own with the package.
need_postgres() {
    [ "$(uname -s)" = Linux ] || stop "The tests' PostgreSQL is started only on Linux."
    need_packages postgresql openssl
}

# The independent judges, PyJWT with cryptography and joserfc, and an OpenID provider of Authlib and Flask, in a virtual environment of
# their own: .build/judges.
need_judges() {
    [ "$(uname -s)" = Linux ] && need_packages python3-venv
    .build/judges/bin/python -c 'import authlib.oauth2.rfc9207, cbor2, cryptography, flask, joserfc, jwt' 2>/dev/null && return
    say "Setting up the judges (PyJWT, cryptography, cbor2, joserfc, Authlib and Flask) …"
    mkdir -p .build
    python3 -m venv .build/judges && .build/judges/bin/pip install --quiet --disable-pip-version-check \
            pyjwt cryptography cbor2 joserfc 'authlib>=1.8' flask ||
        { rm -rf .build/judges; stop "pip could not install pyjwt, cryptography, cbor2, joserfc, authlib and flask."; }
}
