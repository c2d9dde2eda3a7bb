# Shared by packaging/start and packaging/test (sourced; POSIX sh; the working folder is the project's top folder).
# Finds a Python, installs missing system packages on Debian and its kin, and keeps .venv equal to a hash-pinned lock.

# What the window needs from the system; desktops mostly lack libxcb-cursor0 only.
DISPLAY_PACKAGES="libegl1 libgl1 libdbus-1-3 libfontconfig1 libglib2.0-0 libgssapi-krb5-2 libxkbcommon-x11-0 libxcb-cursor0
libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xkb1 libwayland-cursor0 libwayland-egl1 fonts-dejavu-core"
# What the tests of the real window, of its accessibility and of its system calls need.
TEST_PACKAGES="xvfb xauth xdotool xclip openbox at-spi2-core python3-gi gir1.2-atspi-2.0 dbus-x11 dbus strace procps util-linux"

VENV=.venv
STAMP=$VENV/quarterdeck-stamp
ASSUME_YES=${ASSUME_YES:-no}

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 2
}

# is_python PROGRAM BELOW: it runs, and 3.11 <= its version < 3.BELOW
is_python() {
    "$1" -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, $2))" >/dev/null 2>&1
}

makes_environments() { "$1" -c 'import venv, ensurepip' >/dev/null 2>&1; }

# Sets PYTHON to a Python that can make environments, or to nothing; VENV_PACKAGE to the package that would enable one.
find_python() {
    PYTHON=""
    VENV_PACKAGE="python3 python3-venv"
    # 3.14 and later come last: qasync has not been released for them.
    for below in 14 99; do
        for candidate in python3 python3.13 python3.12 python3.11 python3.14 /usr/bin/python3 "${HOME:-}"/.pyenv/versions/3.1[123]*/bin/python; do
            is_python "$candidate" "$below" || continue
            if makes_environments "$candidate"; then
                PYTHON=$candidate
                [ "$below" = 14 ] || say "Only Python 3.14 or later was found: Quarterdeck is not tested with it."
                return 0
            fi
            minor=$("$candidate" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')
            VENV_PACKAGE="python3-venv $minor"
        done
    done
}

has_package() {
    # From Debian 13 on some libraries carry t64 at the end of their name.
    for name in "$1" "$1t64"; do
        case $(dpkg-query -W -f='${Status}' "$name" 2>/dev/null) in
        *"install ok installed") return 0 ;;
        esac
    done
    return 1
}

may_install() {
    [ "$(id -u)" = 0 ] || [ "$ASSUME_YES" = yes ] && return 0
    [ -t 0 ] || return 1
    printf 'Run it now? [y/N] ' >&2
    read -r answer
    case $answer in y | Y | yes | Yes) return 0 ;; *) return 1 ;; esac
}

# install_packages PACKAGE...: those that are missing, after asking (unless root or --yes).
install_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        say "This is not Debian or one of its kin. Quarterdeck needs what these Debian packages hold; if something fails to"
        say "load, install your system's equivalents:"
        say "  $*"
        return 0
    fi
    missing=""
    for package in "$@"; do
        has_package "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "Missing packages. As root, run:  apt-get install --no-install-recommends$missing"
        root="sudo"
    fi
    say "Missing system packages. The line that installs them:"
    say "  ${root:+$root }apt-get install --no-install-recommends$missing"
    may_install || fail "Nothing was installed. Run that line, or start this script again with --yes."
    $root apt-get update -qq >&2 || say "apt-get update had trouble; going on with the lists that are there."
    # shellcheck disable=SC2086
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 \
        $missing >/dev/null </dev/null ||
        fail "apt-get could not install:$missing"
}

# need_python: PYTHON is set afterwards, or the script ends.
need_python() {
    find_python
    [ -n "$PYTHON" ] && return 0
    # shellcheck disable=SC2086
    set -- $VENV_PACKAGE
    # Old releases have no package for each minor version apart from the default one.
    if [ $# = 2 ] && [ "$2" != python3-venv ] && command -v apt-cache >/dev/null 2>&1; then
        apt-cache show "$2" >/dev/null 2>&1 || set -- "$1"
    fi
    install_packages "$@"
    find_python
    [ -n "$PYTHON" ] || fail "Quarterdeck needs Python 3.11, 3.12 or 3.13 with its venv module, and found none."
}

# The state that .venv must be in: this lock, this description of the package, this place.
wanted_stamp() {
    "$PYTHON" - "$1" pyproject.toml <<'PY'
import hashlib, os, sys
digest = hashlib.sha256(os.getcwd().encode())
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        digest.update(hashlib.sha256(file.read()).digest())
print(os.path.basename(sys.argv[1]), digest.hexdigest())
PY
}

has_stamp() { # has_stamp LOCK
    [ -x "$VENV/bin/python" ] && [ -f "$STAMP" ] && "$VENV/bin/python" -c '' 2>/dev/null &&
        [ "$(cat "$STAMP")" = "$(wanted_stamp "$1")" ]
}

# make_environment LOCK [LARGER_LOCK]: an environment made from the larger lock serves as well.
make_environment() {
    for lock in "$@"; do
        has_stamp "$lock" && return 0
    done
    say "Making the Python environment in $VENV from $1 (about a minute) …"
    if [ -x "$VENV/bin/python" ] && "$VENV/bin/python" -m pip --version >/dev/null 2>&1 && is_python "$VENV/bin/python" 99; then
        rm -f "$STAMP"
    else
        [ ! -e "$VENV" ] || [ -f "$VENV/pyvenv.cfg" ] || fail "$VENV is in the way: it is not a Python environment."
        "$PYTHON" -m venv --clear "$VENV" || fail "$PYTHON could not make an environment in $VENV."
    fi
    PIP_DISABLE_PIP_VERSION_CHECK=1
    PIP_ROOT_USER_ACTION=ignore
    export PIP_DISABLE_PIP_VERSION_CHECK PIP_ROOT_USER_ACTION
    "$VENV/bin/python" -m pip install -q --no-input --require-hashes -r "$1" >&2 || fail "pip could not install from $1."
    "$VENV/bin/python" -m pip install -q --no-input --no-deps --no-build-isolation -e . >&2 ||
        fail "pip could not install Quarterdeck itself."
    wanted_stamp "$1" >"$STAMP"
}
