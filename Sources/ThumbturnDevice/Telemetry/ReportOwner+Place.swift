import ThumbturnCore
import ThumbturnMessages

/// The mark of an account or a vault is kept in its place and is the same for all processes. It is deleted with everything else
/// that was the person's, as by `Authenticator.revoke()`: what still waits then belongs to no owner any more, and the next
/// person's session never sends it.
extension ReportOwner {
    /// The mark of now, made at the first call; nil if it can neither be read nor kept.
    ///
    /// - Parameter asker: the account or the vault.
    static func now(of asker: String, on platform: DevicePlatform) async -> ReportOwner? {
        try? await platform.secrets.change(name(asker)) { stored in
            if let bytes = stored.bytes, bytes.count == length { return (bytes, ReportOwner(Base64URL.encode(bytes))) }
            let fresh = RandomBytes.sixteen()
            return (fresh, ReportOwner(Base64URL.encode(fresh)))
        }
    }

    /// Deletes the mark, because the account or the vault is no longer the person's.
    static func forget(_ asker: String, on platform: DevicePlatform) async throws(Failure) {
        try await platform.secrets.delete(name(asker))
    }

    private static func name(_ asker: String) -> String { "telemetry owner \(asker)" }
    private static let length = 16
}

extension TelemetryScope {
    /// The reports of one account, and of the vaults that are named beside it. A vault has no server, so its reports go nowhere
    /// unless a scope names it.
    ///
    /// - Parameters:
    ///   - auth: the authenticator of the account.
    ///   - vaults: the vaults whose reports go in the account's name.
    public static func only(_ auth: Authenticator, vaults: [Vault] = []) -> TelemetryScope {
        let askers = [(auth.asker, auth.platform)] + vaults.map { ($0.asker, $0.platform) }
        return .only {
            var owners: Set<ReportOwner> = []
            for (asker, platform) in askers {
                guard let owner = await ReportOwner.now(of: asker, on: platform) else { return nil }
                owners.insert(owner)
            }
            return owners
        }
    }
}
