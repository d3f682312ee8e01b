import ThumbturnTestKit
import ThumbturnVerifier

extension Parser {
    /// The public area of a key in a TPM.
    static let tpmPublic = Parser(
        "tpm-public", upTo: TPMPublic.largest,
        examples: [SampleTPM.area],
        hostile: { HostileInput.tpm(after: Array(SampleTPM.area.prefix(8)), $0) },
        accepts: { (try? TPMPublic($0)) != nil }
    )

    /// What a TPM says about a key.
    static let tpmAttest = Parser(
        "tpm-attest", upTo: TPMAttest.largest,
        examples: [SampleTPM.attest],
        hostile: { size in
            // The list of registers in a quote is the only one of any length.
            let quote = [0xFF, 0x54, 0x43, 0x47, 0x80, 0x18] + [UInt8](repeating: 0, count: 29)
            return HostileInput.tpm(after: Array(SampleTPM.attest.prefix(6)), size) + HostileInput.tpm(after: quote, size)
        },
        accepts: { (try? TPMAttest($0)) != nil }
    )
}

/// Structures of a minted TPM that are accepted.
enum SampleTPM {
    private static let key = MintedTPMPublic(x963: Sample.key.x963, attributes: MintedTPMPublic.attestation)
    static let area = key.bytes
    static let attest = MintedTPMAttest(
        name: key.name, creationHash: [UInt8](repeating: 7, count: 32), extraData: [UInt8](repeating: 7, count: 32)
    ).bytes
}

extension HostileInput {
    /// A TPM's structures: sizes and counts that lie, many empty parts, and one long part.
    ///
    /// - Parameter start: the beginning of a valid structure, before a size or a list.
    static func tpm(after start: [UInt8], _ size: Int) -> [HostileInput] {
        let room = max(8, size - start.count)
        return [
            HostileInput("zeros", start + [UInt8](repeating: 0, count: room)),
            HostileInput("a size without bytes", start + [0xFF, 0xFF]),
            HostileInput("the largest sizes", start + [UInt8](repeating: 0xFF, count: room)),
            HostileInput("a list without end", start + [0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: room - 4)),
            HostileInput(
                "many empty selections",
                start + [0, 0, 0, 16] + (0..<(room - 4) / 3).flatMap { _ -> [UInt8] in [0x00, 0x0B, 0] }),
            HostileInput(
                "one long part",
                start + [UInt8(truncatingIfNeeded: (room - 2) >> 8), UInt8(truncatingIfNeeded: room - 2)]
                    + [UInt8](repeating: 1, count: room - 2)),
        ]
    }
}
