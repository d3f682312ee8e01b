"""Verifies messages of our device and server with joserfc, independently of judge.py.

Reads the same JSON object from standard input. Prints "accepted", or prints the reason and exits with status 1.
"""
import base64
import hashlib
import json
import sys
import time

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet

ES256 = ["ES256"]


def hashed(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def judge(case):
    # The access token, with the key of the set that its kid names (RFC 9068).
    keys = KeySet.import_key_set(case["jwks"])
    token = jwt.decode(case["token"], keys, algorithms=ES256)
    assert token.header["typ"] == "at+jwt"
    required = {name: {"essential": True} for name in ("exp", "sub", "client_id", "iat", "jti", "auth_time", "acr")}
    required |= {name: {"essential": True, "value": case["issuer"]} for name in ("iss", "aud")}
    jwt.JWTClaimsRegistry(now=int(time.time()), **required).validate(token.claims)
    for key in keys.keys:
        assert key.kid == key.thumbprint(), "the kid is the thumbprint"

    # The proof: the challenge string, signed by the key that it names.
    key = ECKey.import_key(case["key"])
    proof = jws.deserialize_compact(case["proof"], key, algorithms=ES256)
    assert proof.headers() == {"typ": "thumbturn-proof+jwt", "alg": "ES256", "kid": key.thumbprint()}
    assert proof.payload.decode() == case["challenge"]
    challenge = json.loads(jws.extract_compact(case["challenge"].encode()).payload)
    assert key.thumbprint() in challenge["kids"]

    # The DPoP proof, with the key that it carries (RFC 9449).
    header = jws.extract_compact(case["dpop"].encode()).headers()
    assert header["typ"] == "dpop+jwt" and "d" not in header["jwk"]
    session = ECKey.import_key(header["jwk"])
    dpop = jwt.decode(case["dpop"], session, algorithms=ES256).claims
    assert dpop["htm"] == case["method"] and dpop["htu"] == case["address"]
    assert dpop["ath"] == hashed(case["token"])
    assert session.thumbprint() == token.claims["cnf"]["jkt"] == challenge["cnf"]["jkt"]


try:
    judge(json.load(sys.stdin))
except (AssertionError, JoseError, KeyError, ValueError) as error:
    print(f"refused: {type(error).__name__} {error}")
    sys.exit(1)
print("accepted")
