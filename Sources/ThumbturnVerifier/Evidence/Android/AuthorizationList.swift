import SwiftASN1

/// What a key may be used for and where it comes from: one of the two lists of a `KeyDescription`.
package struct AuthorizationList: Hashable, Sendable {
    /// The tags that decide something here, by their names in KeyMint's `Tag.aidl`. Others are counted and not read.
    package enum Tag: UInt, Sendable, CaseIterable {
        case purpose = 1
        case algorithm = 2
        case keySize = 3
        case digest = 5
        case ecCurve = 10
        case rollbackResistance = 303
        case noAuthRequired = 503
        case userAuthType = 504
        case authTimeout = 505
        case allowWhileOnBody = 506
        case allApplications = 600
        case origin = 702
        /// Keymaster 2's form of rollback resistance.
        case rollbackResistant = 703
        case rootOfTrust = 704
        case osVersion = 705
        case osPatchLevel = 706
        case attestationApplicationID = 709
        case vendorPatchLevel = 718
        case bootPatchLevel = 719
    }

    /// All tags of the list, the unknown ones too.
    package private(set) var tags: Set<UInt> = []
    /// What the key may be used for; SIGN is 2, VERIFY 3.
    package private(set) var purposes: Set<Int64>?
    /// The kind of key; EC is 3.
    package private(set) var algorithm: Int64?
    /// The size in bits.
    package private(set) var keySize: Int64?
    /// The hash functions; SHA-256 is 4.
    package private(set) var digests: Set<Int64>?
    /// The curve; P-256 is 1.
    package private(set) var ecCurve: Int64?
    /// The bits of the factors that unlock the key: 1 is the passcode, 2 a strong biometric.
    package private(set) var userAuthType: UInt32?
    /// For how many seconds after an authentication the key can be used.
    package private(set) var authTimeout: Int64?
    /// Where the key was made; GENERATED is 0.
    package private(set) var origin: Int64?
    /// How the device booted.
    package private(set) var rootOfTrust: RootOfTrust?
    /// The version of the system.
    package private(set) var osVersion: Int64?
    /// The level of the system's security patches.
    package private(set) var osPatchLevel: AndroidPatchLevel?
    /// The app that asked for the key.
    package private(set) var application: AndroidApplication?

    /// Whether the list has a tag.
    package func has(_ tag: Tag) -> Bool { tags.contains(tag.rawValue) }

    /// Reads a list. Throws `malformed` where a tag comes twice or a known one has another form than its own.
    init(_ node: ASN1Node, _ name: String, _ leniency: DERLeniency) throws(EvidenceRefusal) {
        var members = try node.members(of: name)
        var last: UInt = 0
        while let member = members.next() {
            let number = member.identifier.tagNumber
            guard member.identifier.tagClass == .contextSpecific else {
                throw EvidenceRefusal(.malformed, "\(name) has a member with the tag \(member.identifier.name)")
            }
            guard tags.insert(number).inserted else {
                throw EvidenceRefusal(.malformed, "\(name) has the tag \(number) twice")
            }
            guard number > last || leniency.contains(.unordered) else {
                throw EvidenceRefusal(.malformed, "\(name) has the tag \(number) behind \(last)")
            }
            last = number
            let value = try member.tagged(member.identifier, "tag \(number)")
            if let tag = Tag(rawValue: number) { try read(value, as: tag, leniency) }
        }
    }

    private mutating func read(_ value: ASN1Node, as tag: Tag, _ leniency: DERLeniency) throws(EvidenceRefusal) {
        let name = "\(tag)"
        switch tag {
        case .purpose: purposes = try Self.integers(value, name, leniency)
        case .digest: digests = try Self.integers(value, name, leniency)
        case .algorithm: algorithm = try value.integer(name)
        case .keySize: keySize = try value.integer(name)
        case .ecCurve: ecCurve = try value.integer(name)
        case .authTimeout: authTimeout = try value.integer(name)
        case .origin: origin = try value.integer(name)
        case .osVersion: osVersion = try value.integer(name)
        case .osPatchLevel: osPatchLevel = AndroidPatchLevel(number: try value.integer(name))
        case .userAuthType:
            let number = try value.integer(name)
            guard let bits = UInt32(exactly: number) else {
                throw EvidenceRefusal(.malformed, "userAuthType is \(number), not a number of 32 bits")
            }
            userAuthType = bits
        case .rootOfTrust: rootOfTrust = try RootOfTrust(value, leniency)
        case .attestationApplicationID:
            application = try AndroidApplication(der: Array(value.bytes(.octetString, name)), leniency)
        // Their presence says all, whatever their value is: to read them more closely could only make them count less.
        case .noAuthRequired, .allowWhileOnBody, .allApplications: break
        case .rollbackResistance, .rollbackResistant: break
        // No rule asks for them; they are here for their names.
        case .vendorPatchLevel, .bootPatchLevel: break
        }
    }

    private static func integers(
        _ node: ASN1Node, _ name: String, _ leniency: DERLeniency
    ) throws(EvidenceRefusal) -> Set<Int64> {
        var numbers: Set<Int64> = []
        for member in try node.setMembers(name, leniency) { numbers.insert(try member.integer(name)) }
        return numbers
    }
}

extension ASN1Node {
    /// The members of a SET OF. None comes twice, and they are in ascending order of their bytes (X.690 section 11.6) unless
    /// `unordered` is accepted.
    func setMembers(_ name: String, _ leniency: DERLeniency) throws(EvidenceRefusal) -> [ASN1Node] {
        var members = try members(.set, of: name)
        var (found, seen): ([ASN1Node], Set<ArraySlice<UInt8>>) = ([], [])
        while let member = members.next() {
            guard seen.insert(member.encodedBytes).inserted else {
                throw EvidenceRefusal(.malformed, "the set \(name) has a member twice")
            }
            let isInOrder = found.last.map { $0.encodedBytes.lexicographicallyPrecedes(member.encodedBytes) } ?? true
            guard isInOrder || leniency.contains(.unordered) else {
                throw EvidenceRefusal(.malformed, "the set \(name) is not in order")
            }
            found.append(member)
        }
        return found
    }
}
