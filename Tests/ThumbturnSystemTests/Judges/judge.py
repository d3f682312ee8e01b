"""Verifies messages of our device and server with PyJWT and cryptography.

Reads one JSON object from standard input: jwks, issuer, token, challenge, key (the JWK that signed the proof), proof, dpop,
method, address. Prints "accepted", or prints the reason and exits with status 1.
"""
import base64
import hashlib
import json
import sys

import jwt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


def decoded(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert encoded(data) == text, "base64url is not canonical"
    return data


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def thumbprint(key):
    members = {name: key[name] for name in ("crv", "kty", "x", "y")}
    return encoded(hashlib.sha256(json.dumps(members, separators=(",", ":"), sort_keys=True).encode()).digest())


def verified_payload(jws, key):
    """The payload of an ES256 JWS, checked with cryptography and no JOSE library."""
    header, payload, signature = jws.split(".")
    raw = decoded(signature)
    assert len(raw) == 64, "an ES256 signature has 64 bytes"
    numbers = ec.EllipticCurvePublicNumbers(
        int.from_bytes(decoded(key["x"]), "big"), int.from_bytes(decoded(key["y"]), "big"), ec.SECP256R1()
    )
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    numbers.public_key().verify(der, f"{header}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
    return decoded(payload)


def judge(case):
    # The access token, by PyJWT from the JWKS (RFC 9068).
    kid = jwt.get_unverified_header(case["token"])["kid"]
    keys = {key["kid"]: key for key in case["jwks"]["keys"]}
    assert jwt.get_unverified_header(case["token"])["typ"] == "at+jwt"
    token = jwt.decode(
        case["token"],
        jwt.PyJWK(keys[kid]).key,
        algorithms=["ES256"],
        audience=case["issuer"],
        issuer=case["issuer"],
        options={"require": ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]},
    )
    assert kid == thumbprint(keys[kid]), "the kid is the thumbprint"

    # The challenge's format. The device can read it, but only the server can verify its MAC.
    header, payload, mac = (decoded(part) for part in case["challenge"].split("."))
    assert set(json.loads(header)) == {"typ", "alg", "kid"}
    assert json.loads(header)["typ"] == "thumbturn-challenge+jwt" and json.loads(header)["alg"] == "HS256" and len(mac) == 32
    claims = json.loads(payload)
    assert set(claims) == {"iss", "aud", "jti", "iat", "exp", "kids", "cnf", "purpose"}
    assert claims["iss"] == case["issuer"] and claims["purpose"] == "sign-in"
    assert len(decoded(claims["jti"])) == 20 and 0 < claims["exp"] - claims["iat"] <= 300

    # The proof: the challenge string, signed by the key that it names.
    header = jwt.get_unverified_header(case["proof"])
    assert header == {"typ": "thumbturn-proof+jwt", "alg": "ES256", "kid": thumbprint(case["key"])}
    assert verified_payload(case["proof"], case["key"]).decode() == case["challenge"]
    assert header["kid"] in claims["kids"]

    # The DPoP proof (RFC 9449), by PyJWT, with the key that it carries.
    header = jwt.get_unverified_header(case["dpop"])
    assert header["typ"] == "dpop+jwt" and set(header["jwk"]) == {"kty", "crv", "x", "y"}
    dpop = jwt.decode(case["dpop"], jwt.PyJWK(header["jwk"], algorithm="ES256").key, algorithms=["ES256"])
    assert dpop["htm"] == case["method"] and dpop["htu"] == case["address"] and len(dpop["jti"]) >= 16
    assert dpop["ath"] == encoded(hashlib.sha256(case["token"].encode()).digest())
    assert thumbprint(header["jwk"]) == token["cnf"]["jkt"] == claims["cnf"]["jkt"]


try:
    judge(json.load(sys.stdin))
except (AssertionError, InvalidSignature, jwt.PyJWTError, KeyError, ValueError) as error:
    print(f"refused: {type(error).__name__} {error}")
    sys.exit(1)
print("accepted")
