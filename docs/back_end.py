"""A back end that calls thumbturn-server, with PyJWT 2 and cryptography.

Its tokens are bound to a key that never leaves this process (DPoP, RFC 9449): a token that leaks is of no use.
"""

import base64
import hashlib
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import jwt
from cryptography.hazmat.primitives.asymmetric import ec


class Refused(Exception):
    """The server's problem document, with its status and its code."""

    def __init__(self, problem):
        super().__init__(f"{problem['status']} {problem.get('error', problem['type'])}")
        self.problem = problem


def sha256(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class BackEnd:
    """A registered back end. `pem` is the private key whose public half the operator registered."""

    def __init__(self, server, client, pem):
        self.server, self.client, self.pem = server, client, pem
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.jwk = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key()))
        self.nonce, self.token, self.ends = "", None, 0

    def call(self, method, path, message=None, **headers):
        """Calls a route, and renews the token where it is about to end. Raises `Refused`."""
        if time.time() > self.ends - 30:
            self.renew()
        body = b"" if message is None else json.dumps(message).encode()
        return self.send(method, path, body, {"Content-Type": "application/json", **headers}, self.token)

    def renew(self):
        """Gets a token by an assertion (private_key_jwt, RFC 7523)."""
        now = int(time.time())
        claims = {"iss": self.client, "sub": self.client, "aud": self.server, "jti": str(uuid.uuid4())}
        form = urllib.parse.urlencode({
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": jwt.encode({**claims, "iat": now, "exp": now + 60}, self.pem, algorithm="ES256"),
        })
        answer = self.send("POST", "/v1/token", form.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
        self.token, self.ends = answer["access_token"], now + answer["expires_in"]

    def send(self, method, path, body, headers, token=None):
        for is_last in (False, True):
            headers = {**headers, "DPoP": self.proof(method, path, body, token)}
            if token is not None:
                headers["Authorization"] = "DPoP " + token
            data = None if method == "GET" else body
            request = urllib.request.Request(self.server + path, data=data, headers=headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    self.nonce = answer.headers["DPoP-Nonce"]
                    return json.load(answer)
            except urllib.error.HTTPError as refused:
                self.nonce = refused.headers["DPoP-Nonce"]
                problem = json.load(refused)
                # The first request has no nonce, and each nonce lives for a minute at most: the answer has the next.
                if is_last or problem.get("error") != "use_dpop_nonce":
                    raise Refused(problem) from None

    def proof(self, method, path, body, token):
        claims = {
            "jti": str(uuid.uuid4()), "htm": method, "htu": self.server + path, "iat": int(time.time()),
            "nonce": self.nonce,
        }
        if method != "GET":
            claims["bdy"] = sha256(body)  # the server's own claim: standard DPoP does not cover the body
        if token is not None:
            claims["ath"] = sha256(token.encode())
        return jwt.encode(claims, self.key, algorithm="ES256", headers={"typ": "dpop+jwt", "jwk": self.jwk})
