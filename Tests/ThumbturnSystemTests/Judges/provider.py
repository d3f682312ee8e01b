"""An OpenID provider of Authlib and Flask on 127.0.0.1: authorization code with PKCE, which it demands, and RFC 9207.

    provider.py FOLDER ES256|RS256 [by-cookie|without-auth-time]

Writes providers.json and its key set into FOLDER, for `thumbturn-server serve --providers`, and prints its issuer. One public client, "our-app",
whose redirect is http://127.0.0.1/signed-in with any port (RFC 8252 section 7.3). The person is "ada" with the password "analytical engine"; the page asks
for them, and then for consent. Every request of a client is judged by Authlib.

A cookie remembers who signed in in a browser, and then only consent is asked for, unless `prompt=login` or `max_age` demands more. With `by-cookie` the
provider does not listen to either, and its person has signed in a year ago; `without-auth-time` leaves `auth_time` out.
"""
import json
import os
import pathlib
import socket
import sys
import time
import urllib.parse

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # plain http on this machine itself

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin
from authlib.oauth2.rfc6749.errors import AccessDeniedError, OAuth2Error
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import OpenIDCode, UserInfo
from joserfc.jwk import ECKey, KeySet, RSAKey
from werkzeug.serving import make_server

PASSWORD = "analytical engine"
YEAR = 365 * 24 * 3600


class Client(ClientMixin):
    def get_client_id(self):
        return "our-app"

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in scope.split() if word in ("openid", "profile"))

    def check_redirect_uri(self, uri):
        parts = urllib.parse.urlsplit(uri)
        return (parts.scheme, parts.hostname, parts.path, parts.query) == ("http", "127.0.0.1", "/signed-in", "")

    def check_client_secret(self, secret):
        return False

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, kind):
        return kind == "code"

    def check_grant_type(self, kind):
        return kind == "authorization_code"


class Code(AuthorizationCodeMixin):
    weakness = None

    def __init__(self, code, request):
        payload = request.payload
        self.code, self.user, self.made = code, request.user, time.time()
        self.auth_time = flask.session["auth_time"]
        self.redirect_uri, self.scope, self.nonce = payload.redirect_uri, payload.scope, payload.data.get("nonce")
        self.code_challenge = payload.data.get("code_challenge")
        self.code_challenge_method = payload.data.get("code_challenge_method")

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return None if self.weakness == "without-auth-time" else self.auth_time

    def get_acr(self):
        return None

    def get_amr(self):
        return ["pwd"]


codes, nonces, client = {}, set(), Client()


class Grant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, request):
        codes[code] = Code(code, request)
        nonces.add(codes[code].nonce)

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and time.time() - found.made < 60 else None

    def delete_authorization_code(self, code):
        del codes[code.code]

    def authenticate_user(self, code):
        return code.user


def main(folder, algorithm, weakness=None):
    Code.weakness = weakness
    key = ECKey.generate_key("P-256", auto_kid=True) if algorithm == "ES256" else RSAKey.generate_key(2048, auto_kid=True)
    listener = socket.create_server(("127.0.0.1", 0))
    issuer = f"http://127.0.0.1:{listener.getsockname()[1]}"

    class Issuer(IssuerParameter):
        def get_issuer(self):
            return issuer

    class Connect(OpenIDCode):
        def exists_nonce(self, nonce, request):
            return nonce in nonces

        def resolve_client_private_key(self, client):
            return key

        def get_client_algorithm(self, client):
            return algorithm

        def get_encode_header(self, client):
            return {"alg": algorithm, "kid": key.kid, "typ": "JWT"}

        def get_client_claims(self, client):
            return {"iss": issuer, "aud": [client.get_client_id()]}

        def get_compatible_claims(self, request):
            # Authlib puts the token's own time there, which says nothing about the person.
            claims = super().get_compatible_claims(request)
            del claims["auth_time"]
            return claims

        def generate_user_info(self, user, scope):
            return UserInfo(sub=user)

    app = flask.Flask("provider")
    app.secret_key = os.urandom(16)
    server = AuthorizationServer(app, query_client=lambda name: client if name == "our-app" else None,
                                 save_token=lambda token, request: None)
    server.register_grant(Grant, [CodeChallenge(required=True), Connect(require_nonce=True)])
    server.register_extension(Issuer())

    @app.get("/.well-known/openid-configuration")
    def metadata():
        return {
            "issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
            "jwks_uri": issuer + "/jwks", "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [algorithm], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"], "authorization_response_iss_parameter_supported": True,
        }

    @app.get("/jwks")
    def keys():
        return KeySet([key]).as_dict(private=False)

    def login(word):
        return f"""<!doctype html><title>Provider</title><p>{word}</p><form method="post">
            <input name="user"><input name="password" type="password"><button name="step" value="login">Log in</button></form>"""

    def must_login():
        """Whether the cookie is not enough for this page."""
        if "user" not in flask.session:
            return True
        if weakness == "by-cookie":
            return False
        age = time.time() - flask.session["auth_time"]
        return "login" in flask.request.args.get("prompt", "").split() or age >= int(flask.request.args.get("max_age", 10 * YEAR))

    consent = """<!doctype html><title>Provider</title><form method="post"><button name="step" value="allow">Allow</button>
        <button name="step" value="deny">Deny</button></form>"""

    @app.route("/authorize", methods=["GET", "POST"])
    def authorize():
        try:
            grant = server.get_consent_grant(end_user=flask.session.get("user"))
        except OAuth2Error as error:
            return server.handle_error_response(None, error)
        form = flask.request.form
        if form.get("step") == "login":
            if (form.get("user"), form.get("password")) != ("ada", PASSWORD):
                return login("That did not match.")
            signed_in = int(time.time()) - (YEAR if weakness == "by-cookie" else 0)
            flask.session.update(user="ada", auth_time=signed_in, page=flask.request.query_string.decode())
            return consent
        # The page that was signed in on needs no second password.
        is_known = not must_login() or flask.session.get("page") == flask.request.query_string.decode()
        if form.get("step") == "allow" and is_known:
            return server.create_authorization_response(grant_user=flask.session["user"], grant=grant)
        if form.get("step") == "deny":
            return server.create_authorization_response(grant_user=None, grant=grant)
        return consent if is_known else login("Who are you?")

    @app.post("/token")
    def token():
        return server.create_token_response()

    (pathlib.Path(folder) / "keys.json").write_text(json.dumps(KeySet([key]).as_dict(private=False)))
    (pathlib.Path(folder) / "providers.json").write_text(
        json.dumps({"providers": [{"issuer": issuer, "audience": "our-app", "jwks": "keys.json"}]}))
    web = make_server("127.0.0.1", 0, app, threaded=True, fd=listener.fileno())
    print(issuer, flush=True)
    web.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
