"""The numbers of Android's constants that our tables in Swift, and Prompt.java, have: each with the names under which the constant
may stand in api-levels.tsv, the public one first."""

import pathlib
import re

HERE = pathlib.Path(__file__).parent.parent
SWIFT = HERE.parent / "Sources" / "ThumbturnAndroid"
PROMPT = HERE / "thumbturn/src/main/java/com/thumbturn/internal/Prompt.java"
BIOMETRICS = "android/hardware/biometrics/"

# Where our name is shorter than the platform's.
LONGER = {"SENSOR_PRIVACY": "SENSOR_PRIVACY_ENABLED", "STRONG_BOX": "STRONGBOX"}


def _prompt_error(name):
    return [(BIOMETRICS + owner, "BIOMETRIC_ERROR_" + name) for owner in ("BiometricPrompt", "BiometricConstants")]


def _state(name):
    return [(owner + "/BiometricManager", "BIOMETRIC_" + name) for owner in ("android/hardware/biometrics", "androidx/biometric")]


def _finger(name):
    return [(BIOMETRICS + "BiometricFingerprintConstants", "FINGERPRINT_ACQUIRED_" + name)]


def _face(name):
    return [(BIOMETRICS + "BiometricFaceConstants", "FACE_ACQUIRED_" + name)]


def _key_store(name):
    return [("android/security/KeyStoreException", "ERROR_" + name)]


def _level(name):
    return [("android/security/keystore/KeyProperties", "SECURITY_LEVEL_" + name)]


_ROW = r'(?P<number>-?\w+), "(?P<name>\w+)"'

# The file; what begins a row in it; the rest of the row, with the number and the name; the constant.
_TABLES = [
    (SWIFT / "System/PromptErrors.swift", r"\bRow\(", _ROW, _prompt_error),
    (SWIFT / "System/AuthenticatorStates.swift", r"\bRow\(", _ROW, _state),
    (SWIFT / "System/HelpCodes.swift", r"\bRow\(\.finger, ", _ROW, _finger),
    (SWIFT / "System/HelpCodes.swift", r"\bRow\(\.face, ", _ROW, _face),
    # The name begins the last text of the row.
    (SWIFT / "System/AndroidThrown.swift", r"\bRow\(keyStore, (?=-?\d)", r'(?P<number>-?\d+), [^"]*"(?P<name>[A-Z_]+)', _key_store),
    (SWIFT / "Keystore/KeyPlace.swift", r"\bcase (?=\w+ =)", r"(?P<name>\w+) = (?P<number>-?\d+)", _level),
    (PROMPT, r"\bint (?=(?:CANCELED|NEGATIVE_BUTTON) =)", r"(?P<name>\w+) = (?P<number>-?\d+);", _prompt_error),
]


def _number(text, written):
    """A number, or that of a constant of the same file."""
    if re.fullmatch(r"-?\d+", written):
        return int(written)
    constant = re.search(rf"\bstatic let {written} = (-?\d+)$", text, re.MULTILINE)
    if not constant:
        raise SystemExit(f"{written}: a number or a constant of the file was expected")
    return int(constant[1])


def numbers():
    """Each number: where it is, the constants that it may be, and the number itself."""
    for path, begin, rest, constants in _TABLES:
        text = path.read_text()
        found = list(re.finditer(begin + rest, text))
        begun = len(re.findall(begin, text))
        if not found or len(found) != begun:
            raise SystemExit(f"{path.name}: {begun} rows begin with {begin}, and {len(found)} of them were understood")
        for match in found:
            # trustedEnvironment as TRUSTED_ENVIRONMENT.
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", match["name"]).upper()
            yield f"{path.name}, {match['name']}", constants(LONGER.get(name, name)), _number(text, match["number"])
