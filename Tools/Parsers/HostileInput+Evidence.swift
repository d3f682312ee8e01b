import ThumbturnTestKit

extension HostileInput {
    /// Bytes in the form of DER: wide, deep, and with headers that lie.
    static func values(_ size: Int) -> [HostileInput] {
        let room = max(8, size - 4)
        func repeated(_ value: [UInt8]) -> [UInt8] {
            MintedDER.sequence([[UInt8]](repeating: value, count: room / value.count))
        }
        func nested(_ depth: Int) -> [UInt8] { (0..<depth).reduce([]) { inner, _ in MintedDER.sequence([inner]) } }
        return der(size) + [
            HostileInput("many nulls", repeated(MintedDER.null)),
            HostileInput("many empty sets", repeated(MintedDER.set([]))),
            HostileInput("as deep as allowed, many times", repeated(nested(15))),
            HostileInput("one too deep, many times", repeated(nested(16))),
            HostileInput("as deep as the size allows", nested(room / 4)),
            HostileInput("a long tag", [0xBF] + [UInt8](repeating: 0xFF, count: size - 1)),
            HostileInput("many long tags", repeated(MintedDER.context(.max >> 1, []))),
            HostileInput("long object identifier", MintedDER.value(0x06, [UInt8](repeating: 0x81, count: room - 1) + [1])),
            HostileInput("an object identifier of many parts", MintedDER.value(0x06, [UInt8](repeating: 1, count: room))),
        ]
    }

    /// Certificates of which one field is as large as the size allows, beside DER of any kind.
    static func certificates(_ size: Int) -> [HostileInput] {
        // What the other fields of a certificate with a P-256 key take.
        let room = max(16, size - 480)
        let key = SampleChain.root.key
        func minted(_ name: String, _ edit: (inout MintedCertificate) -> Void) -> HostileInput {
            var certificate = MintedCertificate(named: "Hostile", spki: key.spki)
            edit(&certificate)
            return HostileInput(name, certificate.signed(by: key, named: SampleChain.root.name))
        }
        func many(_ element: [UInt8], in size: Int) -> [[UInt8]] {
            [[UInt8]](repeating: element, count: max(1, size / element.count))
        }
        let attribute = MintedDER.set([MintedDER.sequence([MintedDER.oid("2.5.4.3"), MintedDER.utf8("a")])])
        return values(size) + [
            minted("a long serial number") { $0.serial = [UInt8](repeating: 1, count: room) },
            minted("a long name") { $0.subject = MintedDER.name(String(repeating: "a", count: room)) },
            minted("many names") { $0.subject = MintedDER.sequence(many(attribute, in: room)) },
            minted("many names of the issuer") { $0.issuer = MintedDER.sequence(many(attribute, in: room)) },
            minted("32 extensions") {
                $0.extensions = (0..<32).map {
                    MintedExtension("1.2.3.\($0)", value: [UInt8](repeating: 0, count: max(0, room / 32 - 16)))
                }
            },
            minted("too many extensions") {
                $0.extensions = (0..<(room / 16)).map { MintedExtension("1.2.3.\($0)", value: []) }
            },
            minted("an extension twice") {
                $0.extensions = [MintedExtension](
                    repeating: MintedExtension("1.2.3", value: [UInt8](repeating: 0, count: max(0, room / 2 - 32))), count: 2)
            },
            minted("a long extension") {
                $0.extensions = [MintedExtension("1.2.3", value: [UInt8](repeating: 0, count: room - 16))]
            },
            minted("a long basicConstraints") {
                $0.extensions = [MintedExtension("2.5.29.19", value: MintedDER.sequence(many(MintedDER.null, in: room - 32)))]
            },
            minted("a large RSA key") {
                $0.spki = MintedKey.spki(modulus: [UInt8](repeating: 0xFF, count: room))
            },
            minted("a large exponent") {
                $0.spki = MintedKey.spki(
                    modulus: [UInt8](repeating: 0xFF, count: 256), exponent: [UInt8](repeating: 0xFF, count: max(8, room - 256)))
            },
        ]
    }

    /// Key descriptions with many tags, long sets and long applications, beside DER of any kind.
    static func keyDescriptions(_ size: Int) -> [HostileInput] {
        let room = max(16, size - 400)
        func minted(_ name: String, _ edit: (inout MintedKeyDescription) -> Void) -> HostileInput {
            var description = SampleChain.description
            edit(&description)
            return HostileInput(name, description.der)
        }
        return values(size) + [
            minted("many tags") {
                $0.hardwareEnforced.members += (0..<(room / 7)).map { (UInt(1000 + $0), .null) }
            },
            minted("many values of a tag") { $0.hardwareEnforced[1] = .integers(Array(0..<min(room / 4, 30_000))) },
            minted("a tag many times") {
                $0.hardwareEnforced.members += [(tag: UInt, value: MintedAuthorization)](
                    repeating: (1000, .null), count: room / 7)
            },
            minted("a long challenge") { $0.challenge = [UInt8](repeating: 0, count: room) },
            minted("many packages") {
                var app = MintedApplication(package: "a", signingDigest: [])
                app.packages = (0..<(room / 14)).map { ("a\(1000 + $0)", 1) }
                $0.softwareEnforced[709] = app.value
            },
            minted("many signing digests") {
                var app = MintedApplication(package: "a", signingDigest: [])
                app.signingDigests = (0..<(room / 4)).map { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
                $0.softwareEnforced[709] = app.value
            },
            minted("a long package") {
                $0.softwareEnforced[709] =
                    MintedApplication(
                        package: String(repeating: "\u{301}", count: room / 2), signingDigest: []
                    ).value
            },
        ]
    }
}
