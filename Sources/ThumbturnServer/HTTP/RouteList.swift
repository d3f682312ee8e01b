#if Server
import HTTPTypes

extension Routes {
    /// Every route of the server.
    var list: [Route] {
        [
            Route(.get, "health", anyone(health), coolOff: .noDevice),
            Route(.get, "ready", anyone(ready), coolOff: .noDevice),
            Route(.get, ".well-known/oauth-authorization-server", anyone(metadata), coolOff: .noDevice),
            Route(.get, ".well-known/jwks.json", anyone(keySet), coolOff: .noDevice),

            // Signing in, and the tokens of OAuth
            Route(.post, "v1/challenges", anyone(json: issueChallenge), coolOff: .noDevice),
            Route(.post, "v1/accounts/sign-in", sessionKey(json: signIn), coolOff: .allowed),
            Route(.post, "v1/accounts/recover", sessionKey(json: recover), coolOff: .allowed),
            Route(.post, "v1/token", sessionKeyOrBackEnd(token), coolOff: .byCeremony),
            Route(.post, "v1/introspect", backEnd(.introspect, form: introspect), coolOff: .noDevice),
            Route(.post, "v1/revoke", sessionKey(form: revokeToken), coolOff: .allowed),

            // The account and its devices
            Route(.get, "v1/me", accessToken(me), coolOff: .allowed),
            Route(.get, "v1/notices", accessToken(notices), coolOff: .allowed),
            Route(.post, "v1/password", accessToken(json: changePassword), coolOff: .refused),
            Route(.post, "v1/tickets", accessToken(json: vouch), coolOff: .refused),
            Route(.get, "v1/devices", accessToken(devices), coolOff: .allowed),
            Route(.post, "v1/devices", sessionKey(json: enrol), coolOff: .byCeremony),
            Route(.post, "v1/evidence/tpm", sessionKey(json: activateTPM), coolOff: .byCeremony),
            Route(.get, "v1/devices/current", sessionKey(currentDevice), coolOff: .allowed),
            Route(.patch, "v1/devices/current", accessToken(json: renameCurrentDevice), coolOff: .allowed),
            Route(
                .delete, "v1/devices/current", accessToken(revokeCurrentDevice, orSessionKey: endCurrentDevice),
                coolOff: .allowed),
            Route(.post, "v1/devices/current/keys", sessionKey(json: changeKey), coolOff: .byCeremony),
            Route(.patch, "v1/devices/{id}", accessToken(json: renameDevice), coolOff: .itselfOnly),
            Route(.delete, "v1/devices/{id}", accessToken(revokeDevice), coolOff: .itselfOnly),

            // Approvals: a back end creates and redeems them, a device signs or declines them
            Route(.post, "v1/approvals", backEnd(.approvals, json: createApproval), coolOff: .noDevice),
            Route(.get, "v1/approvals", sessionKey(openApprovals), coolOff: .refused),
            Route(
                .get, "v1/approvals/{id}", backEnd(.approvals, createdApproval, orSessionKey: askedApproval),
                coolOff: .refused),
            Route(.delete, "v1/approvals/{id}", backEnd(.approvals, withdrawApproval), coolOff: .noDevice),
            Route(.post, "v1/approvals/{id}/challenge", sessionKey(json: issueApprovalChallenge), coolOff: .refused),
            Route(.post, "v1/approvals/{id}/proofs", sessionKey(json: approve), coolOff: .byCeremony),
            Route(.post, "v1/approvals/{id}/decline", sessionKey(decline), coolOff: .refused),
            Route(.post, "v1/approvals/{id}/redeem", backEnd(.approvals, json: redeemApproval), coolOff: .noDevice),
        ] + (service.settings.allowsPlainClients ? plainClients : [])
            + (service.settings.telemetryRetention == nil
                ? [] : [Route(.post, "v1/telemetry", telemetry, coolOff: .allowed)])
            + (service.settings.unlockPolicies.map {
                [Route(.get, "v1/unlock-policies", anyone(document(of: $0)), coolOff: .noDevice)]
            } ?? [])
    }

    /// The routes of plain clients, which exist only where the operator allows such clients.
    private var plainClients: [Route] {
        [
            Route(.post, "v1/plain/devices", sessionKey(json: enrolPlainKey), coolOff: .byCeremony),
            Route(.post, "v1/plain/challenges", anyone(json: issuePlainChallenge), coolOff: .noDevice),
            Route(.post, "v1/plain/sign-in", anyone(json: signInPlainly), coolOff: .noDevice),
        ]
    }
}
#endif
