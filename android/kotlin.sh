#!/bin/bash
# Compiles the Kotlin half, and the starts in docs/android.md: android/kotlin.sh OUTPUT
# OUTPUT is the one of android/build.sh, which has to run first.
set -euo pipefail
if [ $# -ne 1 ]; then
    echo "usage: android/kotlin.sh OUTPUT" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
out=$1

# The compiler, its library and coroutines, as a wheel for notebooks brings them.
version=0.19.0.944
venv=$out/kotlin-compiler
if ! "$venv/bin/pip" show kotlin-jupyter-kernel 2>/dev/null | grep -q "^Version: $version$"; then
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

rm -rf "$out/kotlin" "$out/start-kotlin"
mkdir -p "$out/kotlin" "$out/start-kotlin"
kotlinc "$out/kotlin" "$out/stand-ins:$out/main" $(find "$here/thumbturn/src/main/kotlin" -name '*.kt')
python3 "$here/check/start.py" kotlin "$here/../docs/android.md" >"$out/start-kotlin/Start.kt"
kotlinc "$out/start-kotlin" "$out/stand-ins:$out/main:$out/kotlin" "$out/start-kotlin/Start.kt"
echo "android: the Kotlin half and the start in Kotlin compile"
