"""Verifies evidence of Apple's App Attest and chains of Android key attestation with cryptography and cbor2.

Reads JSON lines from standard input. Bytes are in base64, certificates in DER, "root" is the trusted one, and "at" is a time in
seconds since 1970. Prints one line for each: "accepted" with what was found as JSON, or "refused:" with the reason. It reads
no certificate that is not DER, such as those of some old StrongBoxes.

    {"kind": "app-attest", "attestation", "keyID", "clientDataHash", "appID", "environment", "root", "at"}
    {"kind": "app-attest-assertion", "assertion", "clientDataHash", "appID", "key" (X9.63), "lastCounter"}
    {"kind": "android", "chain" (leaf first, with its root or without), "challenge", "root", "at"}
"""
import base64
import datetime
import hashlib
import io
import json
import sys

import cbor2
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

APPLE_NONCE = x509.ObjectIdentifier("1.2.840.113635.100.8.2")
KEY_DESCRIPTION = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.1.17")
AAGUIDS = {"development": b"appattestdevelop", "production": b"appattest" + bytes(7)}


class Refused(Exception):
    pass


def demand(is_so, reason):
    if not is_so:
        raise Refused(reason)


def sha256(data):
    return hashlib.sha256(data).digest()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def spki(certificate):
    return certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def value(certificate, oid):
    found = [extension for extension in certificate.extensions if extension.oid == oid]
    demand(len(found) <= 1, "an extension comes twice")
    return found[0].value.value if found else None


def chain_to(root, ders):
    """The certificates below the root, leaf first, each issued by the next one and the last one by the root."""
    root = x509.load_der_x509_certificate(root)
    chain = [x509.load_der_x509_certificate(der) for der in ders]
    if chain and spki(chain[-1]) == spki(root):
        chain.pop()
    demand(chain, "no certificate")
    for certificate, issuer in zip(chain, chain[1:] + [root]):
        certificate.verify_directly_issued_by(issuer)
    return chain


def is_valid(certificate, at):
    time = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
    return certificate.not_valid_before_utc <= time <= certificate.not_valid_after_utc


def canonical(data):
    """CBOR in its canonical form. A key that came twice would be missing when it is written again."""
    decoded = cbor2.loads(data)
    demand(cbor2.dumps(decoded, canonical=True) == data, "CBOR is not canonical")
    return decoded


def extensions(rest):
    """What follows in the authenticator data: one map or nothing."""
    if not rest:
        return {}
    stream = io.BytesIO(rest)
    found = cbor2.load(stream)
    demand(isinstance(found, dict) and not stream.read(), "extensions are one map")
    return {name: item.hex() if isinstance(item, bytes) else item for name, item in found.items()}


def app_attest(case):
    decoded = canonical(case["attestation"])
    demand(set(decoded) == {"fmt", "attStmt", "authData"} and decoded["fmt"] == "apple-appattest", "another format")
    data, key_id = decoded["authData"], case["keyID"]
    chain = chain_to(case["root"], decoded["attStmt"]["x5c"])
    for certificate in chain:
        demand(is_valid(certificate, case["at"]), "a certificate is not valid at the time")
    for issuer in chain[1:]:
        constraints = issuer.extensions.get_extension_for_class(x509.BasicConstraints).value
        demand(constraints.ca, "an issuer is no authority")
        demand(issuer.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign, "an issuer may not sign")
    leaf = chain[0]
    nonce = sha256(data + case["clientDataHash"])
    demand(value(leaf, APPLE_NONCE) == b"\x30\x24\xa1\x22\x04\x20" + nonce, "another nonce")
    key = point(leaf.public_key())
    demand(sha256(key) == key_id, "another key id")
    demand(data[:32] == sha256(case["appID"].encode()), "another app")
    demand(data[32] & 0x40 and data[33:37] == bytes(4), "a used key")
    demand(data[37:53] == AAGUIDS[case["environment"]], "another environment")
    demand(data[53:55] == b"\x00\x20" and data[55:87] == key_id, "another credential id")
    stream = io.BytesIO(data[87:])
    cose = cbor2.load(stream)
    demand(cose == {1: 2, 3: -7, -1: 1, -2: key[1:33], -3: key[33:]}, "another key in the data")
    return {"key": key.hex(), "launch": extensions(stream.read())}


def app_attest_assertion(case):
    decoded = canonical(case["assertion"])
    demand(set(decoded) == {"signature", "authenticatorData"}, "other members")
    data = decoded["authenticatorData"]
    nonce = sha256(data + case["clientDataHash"])
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), case["key"])
    key.verify(decoded["signature"], nonce, ec.ECDSA(hashes.SHA256()))
    demand(data[:32] == sha256(case["appID"].encode()), "another app")
    counter = int.from_bytes(data[33:37], "big")
    demand(counter > case["lastCounter"], "the counter is not greater")
    return {"counter": counter, "launch": extensions(data[37:])}


# Android


def read_der(data):
    """The tag's number, whether it is context-specific, the content and the rest, of one DER value."""
    first, index = data[0], 1
    number = first & 31
    if number == 31:
        number = 0
        while True:
            number = number << 7 | data[index] & 127
            index += 1
            if data[index - 1] < 128:
                break
    length = data[index]
    index += 1
    if length > 127:
        count = length & 127
        length = int.from_bytes(data[index : index + count], "big")
        index += count
    demand(index + length <= len(data), "DER ends too early")
    return number, first >> 6 == 2, data[index : index + length], data[index + length :]


def members(data):
    found = []
    while data:
        number, is_context, content, data = read_der(data)
        found.append((number, is_context, content))
    return found


def inside(data):
    """The content of the one value in the bytes."""
    _, _, content, rest = read_der(data)
    demand(not rest, "bytes follow a DER value")
    return content


def authorizations(data):
    found = {}
    for number, is_context, content in members(data):
        demand(is_context and number not in found, "a tag comes twice")
        found[number] = content
    return found


def whole(data):
    return int.from_bytes(inside(data), "big", signed=True)


def android(case):
    chain = chain_to(case["root"], case["chain"])
    holders = [index for index, certificate in enumerate(chain) if value(certificate, KEY_DESCRIPTION) is not None]
    demand(holders, "no key description")
    # From the root, the first certificate with a description is the one that attests; nothing may follow it.
    demand(holders[-1] == 0, "a certificate follows the one that attests")
    time = datetime.datetime.fromtimestamp(case["at"], datetime.timezone.utc)
    for certificate in chain[1:]:
        demand(certificate.not_valid_before_utc <= time, "a certificate is not yet valid")
    parts = [content for _, _, content in members(inside(value(chain[0], KEY_DESCRIPTION)))]
    demand(len(parts) == 8, "a key description has eight members")
    demand(parts[4] == case["challenge"], "another challenge")
    software, hardware = authorizations(parts[6]), authorizations(parts[7])
    levels = [int.from_bytes(parts[index], "big") for index in (1, 3)]
    demand(levels[0] == levels[1], "two security levels")
    key = chain[0].public_key()
    verdict = {
        "version": int.from_bytes(parts[0], "big"),
        "level": levels[0],
        "key": point(key).hex() if isinstance(key, ec.EllipticCurvePublicKey) else None,
        "origin": whole(hardware[702]) if 702 in hardware else None,
        "purposes": sorted(int.from_bytes(content, "big") for _, _, content in members(inside(hardware[1])))
        if 1 in hardware
        else [],
        "noAuthRequired": 503 in hardware or 503 in software,
        "userAuthType": whole(hardware[504]) & 0xFFFFFFFF if 504 in hardware else None,
        "authTimeout": whole(hardware[505]) if 505 in hardware else None,
        "patchLevel": whole(hardware[706]) if 706 in hardware else None,
    }
    if 704 in hardware:
        boot = [content for _, _, content in members(inside(hardware[704]))]
        verdict["deviceLocked"] = boot[1] == b"\xff"
        verdict["verifiedBoot"] = int.from_bytes(boot[2], "big")
    return verdict


KINDS = {"app-attest": app_attest, "app-attest-assertion": app_attest_assertion, "android": android}
BYTES = {"attestation", "keyID", "clientDataHash", "root", "assertion", "key", "challenge"}


def decoded(case):
    def bytes_of(text):
        return base64.b64decode(text, validate=True)

    found = {name: bytes_of(item) if name in BYTES else item for name, item in case.items()}
    if "chain" in found:
        found["chain"] = [bytes_of(item) for item in found["chain"]]
    return found


for line in sys.stdin:
    try:
        case = decoded(json.loads(line))
        print("accepted", json.dumps(KINDS[case["kind"]](case), sort_keys=True), flush=True)
    except Refused as refusal:
        print(f"refused: {refusal}", flush=True)
    except (
        InvalidSignature, x509.ExtensionNotFound, x509.DuplicateExtension, cbor2.CBORDecodeError,
        IndexError, KeyError, TypeError, ValueError,
    ) as error:
        print(f"refused: {type(error).__name__} {error}", flush=True)
