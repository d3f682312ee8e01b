import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The system's mark of the enrolled faces and fingers, stored since the person of an account or a vault was last confirmed.
struct EnrolmentMarkFile: Sendable {
    private let name: String
    private let platform: DevicePlatform

    /// - Parameters:
    ///   - server: the server's issuer address, or the realm of vaults.
    ///   - account: the app's label for the account, or the vault's name.
    init(server: String, account: String, on platform: DevicePlatform) {
        name = "enrolment mark \(server) \(account)"
        self.platform = platform
    }

    /// How the system's mark differs from the stored one.
    func change() async -> EnrolmentMark.Change {
        let bytes = (try? await platform.secrets.readable(name)) ?? nil
        let stored = bytes.flatMap { try? JSONDecoder().decode(EnrolmentMark.self, from: Data($0)) }
        return EnrolmentMark.change(from: stored, to: await platform.sensor.enrolmentMark())
    }

    /// Stores the mark, because the person was confirmed: what is enrolled now is theirs. Where the system gives no
    /// mark, the old one stays.
    func keep() async {
        guard let mark = await platform.sensor.enrolmentMark() else { return }
        // Where this cannot be written the person is asked to confirm once more.
        try? await platform.secrets.write(StoredRecord.encode(mark), as: name)
    }

    func delete() async throws(Failure) { try await platform.secrets.delete(name) }
}
