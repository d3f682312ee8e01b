#if LinuxDevice && os(Linux)
import ThumbturnMatcher

/// The TPM's identity and condition.
package struct TPMFacts: Hashable, Sendable {
    /// The manufacturer's id from the TCG's vendor list, for example `IFX`.
    package var manufacturer: String
    /// The vendor's own string, for example `SW   TPM` for the simulator.
    package var vendor: String
    /// The firmware version, in the vendor's numbering.
    package var firmware: String
    /// Whether the dictionary attack protection is active, so that the TPM refuses the values that it protects.
    package var isLockedOut: Bool
    /// Whether the owner hierarchy has a password, so that PIN keys and counters cannot be created.
    package var isOwnerPasswordSet: Bool
    /// Whether a storage root is kept at the standard handle, so that it is not derived again for every signature.
    package var keepsStorageRoot: Bool
    /// The number of keys in the TPM's memory and of active and saved sessions.
    package var loaded: Int

    /// Whether this is a program instead of a chip, so that its keys can be copied with its files.
    package var isSimulator: Bool { vendor.hasPrefix("SW") || manufacturer == "IBM" }

    /// Reads the facts. Throws if there is no TPM or this user may not use it.
    package static func read(_ tcti: String) throws -> TPMFacts {
        try TPM.connected(tcti) { tpm throws(TPMError) in
            let firmware = (try tpm.property(0x10B) ?? 0, try tpm.property(0x10C) ?? 0)
            let permanent = try tpm.property(0x200) ?? 0
            var vendor = ""
            for number: UInt32 in 0x106...0x109 { vendor += text(try tpm.property(number) ?? 0) }
            return TPMFacts(
                manufacturer: text(try tpm.property(0x105) ?? 0), vendor: vendor.trimmed,
                firmware: "\(firmware.0 >> 16).\(firmware.0 & 0xFFFF).\(firmware.1 >> 16).\(firmware.1 & 0xFFFF)",
                isLockedOut: permanent & 1 << 9 != 0, isOwnerPasswordSet: permanent & 1 != 0,
                keepsStorageRoot: try tpm.handles(from: 0x8100_0000).contains(0x8100_0001),
                loaded: try loaded(on: tpm)
            )
        }
    }

    /// Counts transient keys (0x80), loaded sessions (0x02) and saved sessions (0x03).
    private static func loaded(on tpm: TPM) throws(TPMError) -> Int {
        var count = 0
        for kind: UInt32 in [0x8000_0000, 0x0200_0000, 0x0300_0000] { count += try tpm.handles(from: kind).count }
        return count
    }

    private static func text(_ word: UInt32) -> String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        return String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
#endif
