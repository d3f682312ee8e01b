import ThumbturnCore

/// The note that a vault was deleted, and that what the app showed to its person may still be there. While it stands, a vault that
/// is made anew opens no lock and approves no sheet: its person may be another one.
struct FormerVault: Sendable {
    private let name: String
    private let secrets: any SecretStore

    init(of vault: String, on platform: DevicePlatform) {
        name = "former vault \(vault)"
        secrets = platform.secrets
    }

    /// Notes that a vault is being deleted.
    func note() async throws(Failure) { try await secrets.write([1], as: name) }

    /// Forgets it, because the app has erased what it showed.
    func forget() async throws(Failure) { try await secrets.delete(name) }

    /// Why a vault that was made anew opens no lock; nil if nothing of a former vault's person can show. If that cannot be told,
    /// something may.
    var lockProblem: Failure? {
        get async {
            do throws(Failure) { if try await secrets.stored(name) == .nothing { return nil } } catch {}
            return Failure(
                .keyInvalidated,
                hint: "The vault was made anew after a deletion: pass delete(erasing:) what erases the contents behind the lock.")
        }
    }
}
