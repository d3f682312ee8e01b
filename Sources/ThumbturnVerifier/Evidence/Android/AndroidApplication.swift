import SwiftASN1

/// The app that asked for a key, as the system tells it (`AttestationApplicationId`). It is worth as much as the verified
/// boot of the device.
public struct AndroidApplication: Hashable, Sendable {
    /// The packages that share the app's user id: mostly one.
    public let packages: [Package]
    /// The SHA-256 of the certificates that signed the packages.
    public let signingDigests: Set<[UInt8]>

    /// An installed package.
    public struct Package: Hashable, Sendable {
        /// The name, for example `com.example.bank`.
        public let name: String
        /// The version code.
        public let version: Int64
    }

    init(der: [UInt8], _ leniency: DERLeniency) throws(EvidenceRefusal) {
        let name = "attestationApplicationId"
        var members = try StrictDER.parse(der, name).members(of: name)
        let (infos, digests) = (try members.take(), try members.take())
        try members.end()
        var packages: [Package] = []
        for info in try infos.setMembers("of packages", leniency) {
            var members = try info.members(of: "a package")
            let bytes = try members.take().bytes(.octetString, "a package's name")
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw EvidenceRefusal(.malformed, "a package's name is not UTF-8")
            }
            packages.append(Package(name: text, version: try members.take().integer("a package's version")))
            try members.end()
        }
        var found: Set<[UInt8]> = []
        for digest in try digests.setMembers("of signing digests", leniency) {
            found.insert(Array(try digest.bytes(.octetString, "a signing digest")))
        }
        (self.packages, signingDigests) = (packages, found)
    }
}
