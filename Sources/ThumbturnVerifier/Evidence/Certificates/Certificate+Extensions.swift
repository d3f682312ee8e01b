package import SwiftASN1

extension ASN1ObjectIdentifier {
    /// basicConstraints (RFC 5280 section 4.2.1.9).
    package static let basicConstraints: ASN1ObjectIdentifier = "2.5.29.19"
    /// keyUsage (RFC 5280 section 4.2.1.3).
    package static let keyUsage: ASN1ObjectIdentifier = "2.5.29.15"
}

extension Certificate {
    /// The name's bytes. Names are compared byte by byte and never read.
    static func name(_ node: ASN1Node, _ name: String) throws(EvidenceRefusal) -> [UInt8] {
        _ = try node.members(of: name)
        return Array(node.encodedBytes)
    }

    static func extensions(_ node: ASN1Node?, _ leniency: DERLeniency) throws(EvidenceRefusal) -> [Extension] {
        guard let node else { return [] }
        var list = try node.tagged(.context(3), "the extensions").members(of: "the extensions")
        var found: [Extension] = []
        while let node = list.next() {
            guard found.count < mostExtensions else {
                throw EvidenceRefusal(.tooLarge, "a certificate has more than \(mostExtensions) extensions")
            }
            var members = try node.members(of: "an extension")
            let id = try members.take().oid("an extension's identifier")
            let critical = try members.takeIf(.boolean)?.boolean("an extension's criticality", leniency)
            guard critical != false else {
                throw EvidenceRefusal(.malformed, "an extension spells out the default that it is not critical")
            }
            let value = Array(try members.take().bytes(.octetString, "an extension's value"))
            try members.end()
            guard !found.contains(where: { $0.id == id }) else {
                throw EvidenceRefusal(.malformed, "a certificate has the extension \(id) twice")
            }
            found.append(Extension(id: id, isCritical: critical ?? false, value: value))
        }
        return found
    }

    static func constraints(
        _ extensions: [Extension], _ leniency: DERLeniency
    ) throws(EvidenceRefusal) -> (isAuthority: Bool, pathLength: Int?) {
        guard let constraints = extensions.first(where: { $0.id == .basicConstraints }) else { return (false, nil) }
        let name = "basicConstraints"
        var members = try StrictDER.parse(constraints.value, name).members(of: name)
        let isAuthority = try members.takeIf(.boolean)?.boolean(name, leniency) ?? false
        let length = try members.takeIf(.integer)?.integer("the path length")
        try members.end()
        guard let length else { return (isAuthority, nil) }
        guard (0...Int64(UInt8.max)).contains(length) else {
            throw EvidenceRefusal(.malformed, "basicConstraints has the path length \(length)")
        }
        return (isAuthority, Int(length))
    }

    static func keyUsage(_ extensions: [Extension]) throws(EvidenceRefusal) -> KeyUsage? {
        guard let usage = extensions.first(where: { $0.id == .keyUsage }) else { return nil }
        return KeyUsage(rawValue: try StrictDER.parse(usage.value, "keyUsage").bits("keyUsage").bytes.first ?? 0)
    }
}
