#!/bin/bash
# Compiles the Kotlin half, and the starts in docs/android.md and in the README: android/kotlin.sh OUTPUT
# OUTPUT is the one of scripts/check-android-api, which has to run first.
set -euo pipefail
if [ $# -ne 1 ]; then
    echo "usage: android/kotlin.sh OUTPUT" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
out=$1
api=$(echo "$here"/../.build/android-api/lib/python3*/site-packages)
[ -d "$api" ] || { echo "run scripts/check-android-api first: it fetches the description of Android's API" >&2; exit 1; }

# The compiler, its library and coroutines, as a wheel for notebooks brings them.
version=0.19.0.944
venv=$out/kotlin-compiler
# Not grep -q, which ends before pip has written all: pip fails then.
if ! "$venv/bin/pip" show kotlin-jupyter-kernel 2>/dev/null | grep "^Version: $version$" >/dev/null; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "kotlin-jupyter-kernel==$version"
fi
jars=$(echo "$venv"/lib/python3*/site-packages/run_kotlin_kernel/jars)
compiler=$(echo "$jars"/kotlin-jupyter-kernel-*-all.jar)
stdlib=$(echo "$jars"/kotlin-stdlib-*.jar)

# kotlinc OUTPUT CLASS-PATH FILE…
kotlinc() {
    local to=$1 path=$2
    shift 2
    java -Xmx1g -cp "$jars/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -jvm-target 17 -Werror \
        -cp "$path:$stdlib:$compiler" -d "$to" "$@"
}

rm -rf "$out/kotlin" "$out/start-kotlin" "$out/tests-kotlin"
mkdir -p "$out/kotlin" "$out/start-kotlin" "$out/tests-kotlin"
kotlinc "$out/kotlin" "$out/stand-ins:$out/main" $(find "$here/thumbturn/src/main/kotlin" -name '*.kt')

# The tests, over the fake phone and the double of the Swift side that Java's tests have.
tests=$out/stand-ins:$out/main:$out/tests:$out/kotlin
kotlinc "$out/tests-kotlin" "$tests" "$here"/tests/kotlin/*.kt
java -ea -cp "$out/tests-kotlin:$tests:$stdlib:$compiler" com.thumbturn.internal.CoroutineTestsKt

start() {
    mkdir -p "$out/start-kotlin/$1"
    python3 "$here/check/start.py" kotlin "$here/../$2" "$3" >"$out/start-kotlin/$1/Start.kt"
    kotlinc "$out/start-kotlin/$1" "$out/stand-ins:$out/main:$out/kotlin" "$out/start-kotlin/$1/Start.kt"
}
start page docs/android.md Start
start readme README.md "On an Android phone"

# The sample. aapt checks its manifest and resources and writes their numbers; Gradle takes the package from build.gradle.kts, and
# aapt wants it in the manifest.
sample=$here/../Examples/AndroidVault/src/main
rm -rf "$out/sample"
mkdir -p "$out/sample/numbers" "$out/sample/classes"
sed 's/<manifest /<manifest package="net.thumbturn.example.vault" /' "$sample/AndroidManifest.xml" >"$out/sample/AndroidManifest.xml"
aapt package -f -m -M "$out/sample/AndroidManifest.xml" -S "$sample/res" -J "$out/sample/numbers" -F "$out/sample/resources.apk" \
    -I /usr/share/android-framework-res/framework-res.apk --min-sdk-version 28
javac --release 17 -encoding UTF-8 -proc:none -d "$out/sample/classes" $(find "$out/sample/numbers" -name '*.java')
kotlinc "$out/sample/classes" "$out/stand-ins:$out/main:$out/kotlin:$out/sample/classes" $(find "$sample/kotlin" -name '*.kt')

# The bridges for Flutter and React Native, against stand-ins of those and of org.json.
bridges=$here/../Examples/Bridges
rm -rf "$out/bridges"
mkdir -p "$out/bridges/stand-ins" "$out/bridges/classes"
javac --release 17 -encoding UTF-8 -proc:none -cp "$out/stand-ins" -d "$out/bridges/stand-ins" $(find "$here/bridges/stand-ins" -name '*.java')
kotlinc "$out/bridges/classes" "$out/stand-ins:$out/main:$out/kotlin:$out/bridges/stand-ins" "$bridges"/android/*.kt
# A test of the one for Flutter, without the native library.
mkdir -p "$out/bridges/tests/META-INF/services"
echo com.example.bridge.FakeMainFactory >"$out/bridges/tests/META-INF/services/kotlinx.coroutines.internal.MainDispatcherFactory"
tests=$out/stand-ins:$out/main:$out/tests:$out/kotlin:$out/bridges/stand-ins:$out/bridges/classes
kotlinc "$out/bridges/tests" "$tests" "$here"/bridges/tests/*.kt
java -ea -cp "$out/bridges/tests:$tests:$stdlib:$compiler" com.example.bridge.BridgeTestsKt
# What all of them name of Android's API, as scripts/check-android-api asks of the Java.
java_home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
PYTHONDONTWRITEBYTECODE=1 python3 "$here/check/check_api.py" "$api" "$java_home/lib/ct.sym" \
    --kotlin "$out/kotlin" "$out/sample/classes" "$out/bridges/classes"
# lines LIMIT FILE…: the lines of code of a bridge on one platform, without comments.
lines() {
    local limit=$1 count
    shift
    count=$(cat "$@" | grep -cvE '^[[:space:]]*(//.*|/\*\*.*)?$')
    [ "$count" -le "$limit" ] || { echo "a bridge has $count lines, and at most $limit were expected: $*" >&2; exit 1; }
}
lines 100 "$bridges"/android/Thumbturn{Calls,Plugin}.kt
lines 100 "$bridges"/android/Thumbturn{Calls,Module}.kt
lines 100 "$bridges"/ios/Thumbturn{Calls,Plugin}.swift
lines 100 "$bridges"/ios/Thumbturn{Calls,Module}.swift "$bridges"/ios/ThumbturnModule.m
echo "android: the Kotlin half, the starts in Kotlin, the sample and the bridges compile; aapt takes the sample's manifest and resources"
