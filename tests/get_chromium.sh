#!/bin/sh
# Prints the path of a working Chromium: $CHROMIUM, an installed one, the system's package, or Playwright's.
# All other output goes to stderr.
#   usage: get_chromium.sh PYTHON       a Python with playwright
set -eu

python=${1:?usage: get_chromium.sh PYTHON}

say() { echo "$*" >&2; }

# It must start, not just exist: Ubuntu's package is a stub that works only with snap.
starts() { "$1" --version >/dev/null 2>&1 </dev/null; }

done_if_starts() {
    if starts "$1"; then
        echo "$1"
        exit 0
    fi
}

look_on_path() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
        if path=$(command -v "$name"); then
            done_if_starts "$path"
        fi
    done
    done_if_starts "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    done_if_starts "/Applications/Chromium.app/Contents/MacOS/Chromium"
}

apt() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >&2 </dev/null
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >&2 </dev/null
    fi
}

may_use_apt() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

if [ -n "${CHROMIUM:-}" ]; then
    done_if_starts "$CHROMIUM"
    say "CHROMIUM is $CHROMIUM, and \`$CHROMIUM --version\` fails."
    exit 1
fi

look_on_path

if may_use_apt; then
    say "Installing Chromium with apt-get; this takes a minute or two, once"
    # Debian has a package for the headless shell only, which is smaller; Ubuntu does not.
    if apt update && { apt install --no-install-recommends chromium-headless-shell fonts-dejavu-core ||
        apt install --no-install-recommends chromium fonts-dejavu-core; }; then
        look_on_path
    fi
fi

say "Downloading Playwright's Chromium; this takes a minute or two, once"
if "$python" -m playwright install chromium >&2 </dev/null; then
    path=$("$python" -c 'from playwright.sync_api import sync_playwright
with sync_playwright() as p:
    print(p.chromium.executable_path)')
    done_if_starts "$path"
    say "$path does not start. To install its system libraries: $python -m playwright install-deps chromium"
fi

say "Found no Chromium. Install it as chromium, chromium-browser or google-chrome on PATH,"
say "or give its path: CHROMIUM=/path/to/chrome make test"
exit 1
