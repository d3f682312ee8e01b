#if Server
import HTTPTypes

extension Routes {
    /// Every route of the server.
    var list: [Route] {
        [
            Route(.get, "health", anyone(health)),
            Route(.get, ".well-known/oauth-authorization-server", anyone(metadata)),
            Route(.get, ".well-known/jwks.json", anyone(keySet)),

            // Signing in, and the tokens of OAuth
            Route(.post, "v1/challenges", anyone(json: issueChallenge)),
            Route(.post, "v1/accounts/sign-in", sessionKey(json: signIn)),
            Route(.post, "v1/accounts/recover", sessionKey(json: recover)),
            Route(.post, "v1/token", sessionKeyOrBackEnd(token)),
            Route(.post, "v1/introspect", backEnd(.introspect, form: introspect)),
            Route(.post, "v1/revoke", sessionKey(form: revokeToken)),

            // The account and its devices
            Route(.get, "v1/me", accessToken(me)),
            Route(.get, "v1/notices", accessToken(notices)),
            Route(.post, "v1/tickets", accessToken(json: vouch)),
            Route(.get, "v1/devices", accessToken(devices)),
            Route(.post, "v1/devices", sessionKey(json: enrol)),
            Route(.get, "v1/devices/current", sessionKey(currentDevice)),
            Route(.patch, "v1/devices/current", accessToken(json: renameCurrentDevice)),
            Route(.delete, "v1/devices/current", accessToken(revokeCurrentDevice, orSessionKey: endCurrentDevice)),
            Route(.post, "v1/devices/current/keys", sessionKey(json: changeKey)),
            Route(.patch, "v1/devices/{id}", accessToken(json: renameDevice)),
            Route(.delete, "v1/devices/{id}", accessToken(revokeDevice)),

            // Approvals: a back end creates and redeems them, a device signs or declines them
            Route(.post, "v1/approvals", backEnd(.approvals, json: createApproval)),
            Route(.get, "v1/approvals", sessionKey(openApprovals)),
            Route(.get, "v1/approvals/{id}", backEnd(.approvals, createdApproval, orSessionKey: askedApproval)),
            Route(.delete, "v1/approvals/{id}", backEnd(.approvals, withdrawApproval)),
            Route(.post, "v1/approvals/{id}/challenge", sessionKey(json: issueApprovalChallenge)),
            Route(.post, "v1/approvals/{id}/proofs", sessionKey(json: approve)),
            Route(.post, "v1/approvals/{id}/decline", sessionKey(decline)),
            Route(.post, "v1/approvals/{id}/redeem", backEnd(.approvals, json: redeemApproval)),
        ] + (service.settings.allowsPlainClients ? plainClients : [])
    }

    /// The routes of plain clients, which exist only where the operator allows such clients.
    private var plainClients: [Route] {
        [
            Route(.post, "v1/plain/devices", sessionKey(json: enrolPlainKey)),
            Route(.post, "v1/plain/challenges", anyone(json: issuePlainChallenge)),
            Route(.post, "v1/plain/sign-in", anyone(json: signInPlainly)),
        ]
    }
}
#endif
