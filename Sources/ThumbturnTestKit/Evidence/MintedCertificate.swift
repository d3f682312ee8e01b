public import ThumbturnCore

/// An X.509 certificate of which every field can be set, also to what no authority would write.
public struct MintedCertificate: Sendable {
    /// The number of the version: 2 means version 3, and nil leaves the field out.
    public var version: Int? = 2
    /// The content of the serial number.
    public var serial: [UInt8] = [1]
    /// The issuer's name in DER; nil for the name of the authority that issues it.
    public var issuer: [UInt8]?
    /// The subject's name in DER.
    public var subject: [UInt8]
    /// The first second at which it is valid.
    public var notBefore = UnixTime(seconds: 1_577_836_800)
    /// The last second at which it is valid.
    public var notAfter = UnixTime(seconds: 2_208_988_800)
    /// The SubjectPublicKeyInfo in DER.
    public var spki: [UInt8]
    /// The extensions in their order.
    public var extensions: [MintedExtension]
    /// The algorithm of the signature; nil for the usual one of the issuer's key.
    public var algorithm: MintedAlgorithm?
    /// The algorithm that the signed part names, where it differs from the other one.
    public var innerAlgorithm: MintedAlgorithm?

    /// A certificate for a key.
    ///
    /// - Parameters:
    ///   - name: the common name of the subject.
    ///   - spki: the key, a SubjectPublicKeyInfo in DER.
    ///   - extensions: the extensions in their order.
    public init(named name: String, spki: [UInt8], extensions: [MintedExtension] = []) {
        self.init(subject: MintedDER.name(name), spki: spki, extensions: extensions)
    }

    /// A certificate for a key and a name in DER.
    public init(subject: [UInt8], spki: [UInt8], extensions: [MintedExtension] = []) {
        self.subject = subject
        self.spki = spki
        self.extensions = extensions
    }

    /// The certificate in DER, signed by a key.
    ///
    /// - Parameters:
    ///   - key: the issuer's key.
    ///   - issuer: the issuer's name in DER, unless the certificate sets another one.
    public func signed(by key: MintedKey, named issuer: [UInt8]) -> [UInt8] {
        let algorithm = algorithm ?? key.algorithm()
        let tbs = tbs(issuer: self.issuer ?? issuer, innerAlgorithm ?? algorithm)
        return MintedDER.sequence([tbs, algorithm.der, MintedDER.bits(key.sign(tbs, algorithm.hash))])
    }

    private func tbs(issuer: [UInt8], _ algorithm: MintedAlgorithm) -> [UInt8] {
        var members: [[UInt8]] = []
        if let version { members.append(MintedDER.context(0, MintedDER.integer(version))) }
        members += [
            MintedDER.integer(content: serial), algorithm.der, issuer,
            MintedDER.sequence([MintedDER.time(notBefore), MintedDER.time(notAfter)]), subject, spki,
        ]
        if !extensions.isEmpty {
            members.append(MintedDER.context(3, MintedDER.sequence(extensions.map(\.der))))
        }
        return MintedDER.sequence(members)
    }
}

/// An extension of a minted certificate.
public struct MintedExtension: Hashable, Sendable {
    /// The object identifier in its dotted form.
    public var id: String
    /// Whether it is critical.
    public var criticality: Criticality
    /// The content of the OCTET STRING.
    public var value: [UInt8]

    /// How the field `critical` is written.
    public enum Criticality: Hashable, Sendable {
        /// The field is left out.
        case no
        /// TRUE as FF.
        case yes
        /// TRUE as 01, which is not DER.
        case one
        /// FALSE is spelled out, which is not DER.
        case explicitNo
    }

    /// Creates an extension.
    public init(_ id: String, _ criticality: Criticality = .no, value: [UInt8]) {
        self.id = id
        self.criticality = criticality
        self.value = value
    }

    /// basicConstraints of an authority.
    public static func authority(pathLength: Int? = nil, _ criticality: Criticality = .yes) -> MintedExtension {
        MintedExtension(
            "2.5.29.19", criticality,
            value: MintedDER.sequence([MintedDER.boolean(true)] + (pathLength.map { [MintedDER.integer($0)] } ?? [])))
    }

    /// basicConstraints of what is no authority.
    public static let notAuthority = MintedExtension("2.5.29.19", .yes, value: MintedDER.sequence([]))

    /// keyUsage of an authority: keyCertSign and cRLSign.
    public static let signsCertificates = MintedExtension("2.5.29.15", .yes, value: MintedDER.bits([0x06], unused: 1))

    /// keyUsage of a key for signatures: digitalSignature.
    public static let signsData = MintedExtension("2.5.29.15", .yes, value: MintedDER.bits([0x80], unused: 7))

    package var der: [UInt8] {
        let critical: [[UInt8]] =
            switch criticality {
            case .no: []
            case .yes: [MintedDER.boolean(true)]
            case .one: [MintedDER.booleanOne]
            case .explicitNo: [MintedDER.boolean(false)]
            }
        return MintedDER.sequence([MintedDER.oid(id)] + critical + [MintedDER.octets(value)])
    }
}
