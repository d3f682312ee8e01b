#!/bin/bash
# Compiles the Java half against the stand-ins and runs its tests: android/build.sh OUTPUT
set -euo pipefail
if [ $# -ne 1 ]; then
    echo "usage: android/build.sh OUTPUT" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
out=$1
javac=(javac --release 17 -Xlint:all -Werror -encoding UTF-8 -proc:none)

rm -rf "$out/stand-ins" "$out/main" "$out/tests" "$out/start"
mkdir -p "$out/stand-ins" "$out/main" "$out/tests" "$out/start"
"${javac[@]}" -d "$out/stand-ins" $(find "$here/stand-ins/src" -name '*.java')
"${javac[@]}" -cp "$out/stand-ins" -d "$out/main" $(find "$here/thumbturn/src/main/java" -name '*.java')
"${javac[@]}" -cp "$out/stand-ins:$out/main" -d "$out/tests" $(find "$here/tests/src" -name '*.java')
# The starts in docs/android.md and in the README.
start() {
    mkdir -p "$out/start/$1"
    python3 "$here/check/start.py" java "$here/../$2" "$3" >"$out/start/$1/Bank.java"
    "${javac[@]}" -cp "$out/stand-ins:$out/main" -d "$out/start/$1" "$out/start/$1/Bank.java"
}
start page docs/android.md Start
start readme README.md "On an Android phone"
java -ea -cp "$out/stand-ins:$out/main:$out/tests" com.thumbturn.internal.Tests
