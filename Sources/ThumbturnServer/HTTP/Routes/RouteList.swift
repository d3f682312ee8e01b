#if Server
import HTTPTypes

extension Routes {
    /// Every route of the server.
    var list: [Route] {
        always
            + (service.settings.allowsPlainClients ? ofPlainClients : [])
            + (service.settings.telemetryRetention == nil ? [] : [Route(.post, "v1/telemetry", telemetry)])
            + (service.settings.unlockPolicies.map {
                [Route(.get, "v1/unlock-policies", anyone(.unread(document(of: $0))))]
            } ?? [])
    }

    private var always: [Route] {
        [
            Route(.get, "health", anyone(.unread(health))),
            Route(.get, "ready", anyone(.unread(ready))),
            Route(.get, ".well-known/oauth-authorization-server", anyone(.unread(metadata))),
            Route(.get, ".well-known/jwks.json", anyone(.unread(keySet))),

            // Signing in, and the tokens of OAuth
            Route(.post, "v1/challenges", anyone(.json(service.challenge(_:)))),
            Route(.post, "v1/accounts/sign-in", sessionKey(.allowed, .message(signIn))),
            Route(.post, "v1/accounts/recover", sessionKey(.allowed, .message(recover))),
            Route(.post, "v1/token", sessionKeyOrBackEnd(token)),
            Route(.post, "v1/introspect", backEnd(.introspect, .form(introspect))),
            Route(.post, "v1/revoke", sessionKey(.allowed, .form(revokeToken))),

            // The account and its devices
            Route(.get, "v1/me", accessToken(.allowed, .json(service.me))),
            Route(.get, "v1/notices", accessToken(.allowed, .json(service.notices))),
            Route(.post, "v1/password", accessToken(.refused, .noContent(service.changePassword))),
            Route(.post, "v1/tickets", accessToken(.refused, .json(service.vouch))),
            Route(.get, "v1/devices", accessToken(.allowed, .json(service.devices(_:)))),
            Route(.post, "v1/devices", sessionKey(.byCeremony, .json(service.enrol(_:dpop:), status: .created))),
            Route(.post, "v1/evidence/tpm", sessionKey(.byCeremony, .json(service.activate))),
            Route(.get, "v1/devices/current", sessionKey(.allowed, .json(service.currentDevice))),
            Route(
                .patch, "v1/devices/current", accessToken(.allowed, .json { try await service.rename("current", $0, $1) })),
            Route(
                .delete, "v1/devices/current",
                accessToken(
                    .noContent { try await service.revoke("current", $0) }, orSessionKey: .noContent(service.endDevice))),
            Route(.post, "v1/devices/current/keys", sessionKey(.byCeremony, .json(service.change))),
            Route(.patch, "v1/devices/{id}", accessToken(.itselfOnly, .json(service.rename))),
            Route(.delete, "v1/devices/{id}", accessToken(.itselfOnly, .noContent(service.revoke(_:_:)))),

            // Approvals: a back end creates and redeems them, a device signs or declines them
            Route(.post, "v1/approvals", backEnd(.approvals, .message(createApproval))),
            Route(.get, "v1/approvals", settledKey(.json(service.approvals))),
            Route(
                .get, "v1/approvals/{id}",
                backEnd(.approvals, .json(service.approval(_:for:)), orSettledKey: .json(service.approval(_:_:)))),
            Route(.delete, "v1/approvals/{id}", backEnd(.approvals, .json(service.withdraw))),
            Route(.post, "v1/approvals/{id}/challenge", settledKey(.json(service.challenge(for:_:_:)))),
            Route(.post, "v1/approvals/{id}/proofs", sessionKey(.byCeremony, .json(service.approve))),
            Route(.post, "v1/approvals/{id}/decline", settledKey(.json(service.decline))),
            Route(.post, "v1/approvals/{id}/redeem", backEnd(.approvals, .message(redeemApproval))),
        ]
    }

    /// The routes of plain clients, which exist only if the operator allows such clients.
    private var ofPlainClients: [Route] {
        [
            Route(.post, "v1/plain/devices", sessionKey(.byCeremony, .json(service.enrol(plain:dpop:), status: .created))),
            Route(.post, "v1/plain/challenges", anyone(.json(service.challenge(plain:)))),
            Route(.post, "v1/plain/sign-in", anyone(.message(signInPlainly))),
        ]
    }
}
#endif
