#if Server
import ThumbturnCore

extension AuthorizationServer {
    /// Sets the stored time to the machine's clock and begins an epoch, for the operator's command.
    ///
    /// All keys of access tokens are retired, because they may have signed tokens that become valid when the wrong time
    /// comes. Their public halves are kept for receipts.
    package func setTime() async throws {
        try await store.setTime(
            to: time.civil, retiring: secrets.current.tokens.keys.map(\.retired), coolOff: settings.coolOff)
        // The first reading after it makes the new secrets.
        try await secrets.reload()
    }
}
#endif
