# What scripts/android and scripts/android-aar demand of the native library; they source it after scripts/lib.sh.

# Below Swift 6.3 the functions that Java calls are not compiled.
need_swift_for_java() {
    need_swift
    local major minor
    read -r major minor <<<"$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)"
    [ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -ge 3 ]; } ||
        stop "The Android adapter needs Swift 6.3 or later; this is $major.$minor. See https://www.swift.org/install."
}

# check_exports NM LIBRARY: the library has each function that Java looks for, and shows nothing else.
check_exports() {
    local nm=$1 library=$2 exported name more
    exported=$("$nm" -D --defined-only --extern-only "$library" | awk '{ print $3 }')
    for name in JNI_OnLoad Java_com_thumbturn_internal_Bridge_answer Java_com_thumbturn_internal_Bridge_call; do
        grep -qx "$name" <<<"$exported" ||
            stop "$library does not export $name, which Java calls. Build it with THUMBTURN_ADD=java and Swift 6.3 or later: Sources/ThumbturnAndroid/Calls/Exports.swift is compiled only then."
    done
    more=$(grep -vE '^(JNI_OnLoad|Java_.*)?$' <<<"$exported" || true)
    [ -z "$more" ] || stop "$library exports more than Java looks for: $(head -n 3 <<<"$more")"
}
