import ThumbturnCore

/// The format of a sealed file.
///
///     offset  length
///     0       4       magic: 54 54 56 46, "TTVF"
///     4       1       version of the format: 1
///     5       8       revision, given by the app; most significant byte first
///     13      12      nonce, random for each file
///     25      n       ciphertext, as long as the plain bytes (AES-256-GCM)
///     25 + n  16      tag
///
/// The tag also authenticates the first 13 bytes, the vault's name and the file's name, which are not in the file. So a
/// file that was changed, cut, renamed, or exchanged with another one of the same vault is refused.
struct SealedFile {
    static let overhead = 41
    private static let magic: [UInt8] = [0x54, 0x54, 0x56, 0x46]
    private static let version: UInt8 = 1
    private static let headerLength = 13

    let vault: String
    let file: String

    func seal(_ plain: [UInt8], revision: UInt64, with key: VaultKey) throws(Failure) -> [UInt8] {
        guard plain.count <= Vault.fileLimit else { throw Failure(.tooLarge) }
        let header = Self.magic + [Self.version] + BoundText.bigEndian(revision)
        return header + (try key.seal(plain, for: .files, bound: bound(header)))
    }

    func open(_ sealed: [UInt8], revision: SealedRevision, with key: VaultKey) throws(Failure) -> [UInt8] {
        guard sealed.count <= Vault.fileLimit + Self.overhead else { throw Failure(.tooLarge) }
        guard sealed.count >= Self.overhead, sealed.starts(with: Self.magic + [Self.version]) else {
            throw Failure(.notAuthentic)
        }
        let header = Array(sealed[..<Self.headerLength])
        guard revision.accepts(header.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else { throw Failure(.notAuthentic) }
        return try key.open(sealed[Self.headerLength...], for: .files, bound: bound(header))
    }

    private func bound(_ header: [UInt8]) -> [UInt8] { header + BoundText.bytes(vault, file) }
}
