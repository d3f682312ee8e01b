import Foundation
import ThumbturnCore
import ThumbturnMessages

/// What is kept of a vault outside the protected copies of its key: one document, replaced as a whole. So after a crash there is the
/// old content or the new one, never a mixture.
struct VaultRecord: Codable, Equatable {
    let access: VaultAccess
    /// The rungs that have a copy of the key.
    var rungs: [Rung]
    /// Hashes of the secrets' names, so that `contains` needs no prompt. A hint: what is there is decided by the box.
    var names: [String]
    /// The secrets, under the vault's key; base64url.
    private var box: String

    /// A vault without secrets.
    init(access: VaultAccess, rungs: [Rung], vault: String, key: VaultKey) throws(Failure) {
        self.access = access
        self.rungs = rungs
        names = []
        box = ""
        try set([:], vault, key)
    }

    /// Reads a record; nil for bytes that are none.
    init?(_ bytes: [UInt8]) {
        guard let record = try? JSONDecoder().decode(VaultRecord.self, from: Data(bytes)) else { return nil }
        self = record
    }

    /// The secrets by name.
    func secrets(_ vault: String, _ key: VaultKey) throws(Failure) -> [String: [UInt8]] {
        guard let sealed = Base64URL.decode(box) else { throw Failure(.notAuthentic) }
        let plain = try key.open(sealed, for: .secrets, bound: bound(vault))
        guard let kept = try? JSONDecoder().decode([String: Data].self, from: Data(plain)) else {
            throw Failure(.notAuthentic)
        }
        return kept.mapValues { Array($0) }
    }

    mutating func set(_ secrets: [String: [UInt8]], _ vault: String, _ key: VaultKey) throws(Failure) {
        let plain = Signing.encode(secrets.mapValues { Data($0) })
        guard plain.count <= Vault.secretsLimit else { throw Failure(.tooLarge) }
        box = Base64URL.encode(try key.seal(plain, for: .secrets, bound: bound(vault)))
        names = secrets.keys.map { Self.hash($0, vault) }.sorted()
    }

    static func hash(_ name: String, _ vault: String) -> String { Signing.hash(BoundText.bytes(vault, name)) }

    private func bound(_ vault: String) -> [UInt8] { BoundText.bytes(vault, access.rawValue) }
}
