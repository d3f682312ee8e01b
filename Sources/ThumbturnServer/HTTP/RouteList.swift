#if Server
import HTTPTypes

extension Routes {
    /// Every route of the server.
    var list: [Route] {
        [
            Route(.get, "health", anyone(health)),
            Route(.get, "ready", anyone(ready)),
            Route(.get, ".well-known/oauth-authorization-server", anyone(metadata)),
            Route(.get, ".well-known/jwks.json", anyone(keySet)),

            // Signing in, and the tokens of OAuth
            Route(.post, "v1/challenges", anyone(json: issueChallenge)),
            Route(.post, "v1/accounts/sign-in", sessionKey(.allowed, json: signIn)),
            Route(.post, "v1/accounts/recover", sessionKey(.allowed, json: recover)),
            Route(.post, "v1/token", sessionKeyOrBackEnd(token)),
            Route(.post, "v1/introspect", backEnd(.introspect, form: introspect)),
            Route(.post, "v1/revoke", sessionKey(.allowed, form: revokeToken)),

            // The account and its devices
            Route(.get, "v1/me", accessToken(.allowed, me)),
            Route(.get, "v1/notices", accessToken(.allowed, notices)),
            Route(.post, "v1/password", accessToken(.refused, json: changePassword)),
            Route(.post, "v1/tickets", accessToken(.refused, json: vouch)),
            Route(.get, "v1/devices", accessToken(.allowed, devices)),
            Route(.post, "v1/devices", sessionKey(.byCeremony, json: enrol)),
            Route(.post, "v1/evidence/tpm", sessionKey(.byCeremony, json: activateTPM)),
            Route(.get, "v1/devices/current", sessionKey(.allowed, currentDevice)),
            Route(.patch, "v1/devices/current", accessToken(.allowed, json: renameCurrentDevice)),
            Route(
                .delete, "v1/devices/current", accessToken(revokeCurrentDevice, orSessionKey: endCurrentDevice)),
            Route(.post, "v1/devices/current/keys", sessionKey(.byCeremony, json: changeKey)),
            Route(.patch, "v1/devices/{id}", accessToken(.itselfOnly, json: renameDevice)),
            Route(.delete, "v1/devices/{id}", accessToken(.itselfOnly, revokeDevice)),

            // Approvals: a back end creates and redeems them, a device signs or declines them
            Route(.post, "v1/approvals", backEnd(.approvals, json: createApproval)),
            Route(.get, "v1/approvals", settledKey(openApprovals)),
            Route(
                .get, "v1/approvals/{id}", backEnd(.approvals, createdApproval, orSettledKey: askedApproval)),
            Route(.delete, "v1/approvals/{id}", backEnd(.approvals, withdrawApproval)),
            Route(.post, "v1/approvals/{id}/challenge", settledKey(json: issueApprovalChallenge)),
            Route(.post, "v1/approvals/{id}/proofs", sessionKey(.byCeremony, json: approve)),
            Route(.post, "v1/approvals/{id}/decline", settledKey(decline)),
            Route(.post, "v1/approvals/{id}/redeem", backEnd(.approvals, json: redeemApproval)),
        ] + (service.settings.allowsPlainClients ? plainClients : [])
            + (service.settings.telemetryRetention == nil
                ? [] : [Route(.post, "v1/telemetry", telemetry)])
            + (service.settings.unlockPolicies.map {
                [Route(.get, "v1/unlock-policies", anyone(document(of: $0)))]
            } ?? [])
    }

    /// The routes of plain clients, which exist only where the operator allows such clients.
    private var plainClients: [Route] {
        [
            Route(.post, "v1/plain/devices", sessionKey(.byCeremony, json: enrolPlainKey)),
            Route(.post, "v1/plain/challenges", anyone(json: issuePlainChallenge)),
            Route(.post, "v1/plain/sign-in", anyone(json: signInPlainly)),
        ]
    }
}
#endif
