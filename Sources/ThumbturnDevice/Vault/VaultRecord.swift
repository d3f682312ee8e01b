import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The stored part of a vault beside the protected copies of its key. It is one document, replaced as a whole: after a
/// crash there is the old content or the new one, never a mixture.
package struct VaultRecord: Codable, Equatable, Sendable {
    /// The number that vaults of earlier versions have, without writing it down.
    static let firstNumber = 1

    let access: VaultAccess
    /// The number in the names of the copies of the key. Processes that make the vault at once have different ones, so
    /// none overwrites the copies of another.
    var number: Int { storedNumber ?? Self.firstNumber }
    private let storedNumber: Int?
    /// The rungs that have a copy of the key.
    var rungs: [Rung]
    /// Whether no other rung could switch the sensor on again.
    var opensOnlyBySensor: Bool { rungs == [.biometric] }
    /// Hashes of the secrets' names, so that `contains` needs no prompt. They are a hint: the box decides what is
    /// there.
    var names: [String]
    /// The secrets, sealed under the vault's key; base64url.
    private var box: String

    private enum CodingKeys: String, CodingKey {
        case access
        case storedNumber = "number"
        case rungs, names, box
    }

    /// Makes the record of a vault without secrets.
    init(access: VaultAccess, number: Int, rungs: [Rung], vault: String, key: VaultKey) throws(Failure) {
        self.access = access
        storedNumber = number
        self.rungs = rungs
        names = []
        box = ""
        try set([:], of: vault, with: key)
    }

    /// Reads a record; nil for bytes that are not one. Nothing vouches for them before the box is opened, so they are read
    /// as strictly as a message.
    package init?(_ bytes: [UInt8]) {
        guard let record = try? StrictJSON.decodeIgnoringUnknown(VaultRecord.self, from: bytes) else { return nil }
        self = record
    }

    /// The secrets by name.
    func secrets(of vault: String, with key: VaultKey) throws(Failure) -> [String: [UInt8]] {
        guard let sealed = Base64URL.decode(box) else { throw Failure(.notAuthentic) }
        let plain = try key.open(sealed, for: .secrets, bound: bound(vault))
        guard let kept = try? JSONDecoder().decode([String: Data].self, from: Data(plain)) else {
            throw Failure(.notAuthentic)
        }
        return kept.mapValues { Array($0) }
    }

    mutating func set(_ secrets: [String: [UInt8]], of vault: String, with key: VaultKey) throws(Failure) {
        let plain = StoredRecord.encode(secrets.mapValues { Data($0) })
        guard plain.count <= Vault.secretsLimit else { throw Failure(.tooLarge) }
        box = Base64URL.encode(try key.seal(plain, for: .secrets, bound: bound(vault)))
        names = secrets.keys.map { Self.hash(ofName: $0, in: vault) }.sorted()
    }

    static func hash(ofName name: String, in vault: String) -> String { Signing.hash(BoundText.bytes(vault, name)) }

    private func bound(_ vault: String) -> [UInt8] { BoundText.bytes(vault, access.rawValue) }
}
