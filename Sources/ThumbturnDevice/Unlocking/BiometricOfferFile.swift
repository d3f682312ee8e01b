import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the person of one account or one vault answered to the offer of biometrics, kept among the small secrets.
struct BiometricOfferFile: Sendable {
    private let name: String
    private let platform: DevicePlatform

    /// - Parameters:
    ///   - server: the server's issuer address, or the realm of vaults.
    ///   - account: the app's label for the account, or the vault's name.
    init(server: String, account: String, on platform: DevicePlatform) {
        name = "biometric offer \(server) \(account)"
        self.platform = platform
    }

    /// The answers until now. Some that are damaged, or that a backup brought without the key that opens them, count as
    /// never asked.
    func read() async throws(Failure) -> BiometricOffer { Self.offer(try await platform.secrets.stored(name)) }

    func take(_ answer: BiometricOffer.Answer) async throws(Failure) {
        let now = platform.clock.civilTime
        try await platform.secrets.change(name) { stored in
            var offer = Self.offer(stored)
            offer.take(answer, at: now)
            return (StoredRecord.encode(offer), ())
        }
    }

    func delete() async throws(Failure) { try await platform.secrets.delete(name) }

    private static func offer(_ stored: StoredSecret) -> BiometricOffer {
        guard case .bytes(let bytes) = stored else { return BiometricOffer() }
        return (try? JSONDecoder().decode(BiometricOffer.self, from: Data(bytes))) ?? BiometricOffer()
    }
}
