/// The key description of Android's secure hardware, of which every field can be set.
public struct MintedKeyDescription: Sendable {
    /// The version of the attestation.
    public var version = 400
    /// Where the attestation claims to be signed: 0 software, 1 trusted environment, 2 StrongBox.
    public var attestationLevel = 1
    /// The version of KeyMint.
    public var keyMintVersion = 400
    /// Where KeyMint claims to run.
    public var keyMintLevel = 1
    /// The challenge.
    public var challenge: [UInt8]
    /// The unique id.
    public var uniqueID: [UInt8] = []
    /// What the system enforces.
    public var softwareEnforced = MintedAuthorizations()
    /// What the hardware enforces.
    public var hardwareEnforced = MintedAuthorizations()

    /// The description of a P-256 key that signs with SHA-256 and needs a strong biometric at each use, made by an app on a
    /// device that booted a verified system.
    public init(challenge: [UInt8], app: MintedApplication) {
        self.challenge = challenge
        softwareEnforced[701] = .integer(1_800_000_000_000)
        softwareEnforced[709] = app.value
        hardwareEnforced[1] = .integers([2])
        hardwareEnforced[2] = .integer(3)
        hardwareEnforced[3] = .integer(256)
        hardwareEnforced[5] = .integers([4])
        hardwareEnforced[10] = .integer(1)
        hardwareEnforced[504] = .integer(2)
        hardwareEnforced[702] = .integer(0)
        hardwareEnforced[704] = .rootOfTrust()
        hardwareEnforced[705] = .integer(160_000)
        hardwareEnforced[706] = .integer(202_607)
        hardwareEnforced[718] = .integer(20_260_705)
        hardwareEnforced[719] = .integer(20_260_705)
    }

    /// The same level for key and attestation.
    public mutating func setLevel(_ level: Int) { (attestationLevel, keyMintLevel) = (level, level) }

    /// The value of the extension in DER.
    public var der: [UInt8] {
        MintedDER.sequence([
            MintedDER.integer(version), MintedDER.enumerated(attestationLevel), MintedDER.integer(keyMintVersion),
            MintedDER.enumerated(keyMintLevel), MintedDER.octets(challenge), MintedDER.octets(uniqueID),
            softwareEnforced.der, hardwareEnforced.der,
        ])
    }
}

/// One of the two lists of a key description.
public struct MintedAuthorizations: Sendable {
    /// The tags with their values in the order in which they are written.
    public var members: [(tag: UInt, value: MintedAuthorization)] = []

    /// An empty list.
    public init() {}

    /// The value of a tag. A new one is written in the ascending order of tags; nil leaves the tag out.
    public subscript(tag: UInt) -> MintedAuthorization? {
        get { members.first { $0.tag == tag }?.value }
        set {
            members.removeAll { $0.tag == tag }
            guard let newValue else { return }
            members.insert((tag, newValue), at: members.firstIndex { $0.tag > tag } ?? members.count)
        }
    }

    package var der: [UInt8] { MintedDER.sequence(members.map { MintedDER.context($0.tag, $0.value.der) }) }
}

/// The value of a tag.
public struct MintedAuthorization: Hashable, Sendable {
    /// The value in DER.
    public var der: [UInt8]

    /// Any value.
    public init(der: [UInt8]) { self.der = der }

    /// An INTEGER.
    public static func integer(_ number: Int) -> MintedAuthorization { MintedAuthorization(der: MintedDER.integer(number)) }
    /// A SET OF INTEGER, in the order given.
    public static func integers(_ numbers: [Int]) -> MintedAuthorization {
        MintedAuthorization(der: MintedDER.set(numbers.map(MintedDER.integer)))
    }
    /// The value of a tag that says all by its presence.
    public static let null = MintedAuthorization(der: MintedDER.null)

    /// How the device booted.
    ///
    /// - Parameters:
    ///   - key: the verified boot key, 32 bytes.
    ///   - isLocked: whether the bootloader is locked.
    ///   - isLockedAsOne: whether true is written as 1, as some devices do, in place of DER's 255.
    ///   - state: 0 verified, 1 self-signed, 2 unverified, 3 failed.
    ///   - hash: the verified boot hash; nil leaves it out, as old versions do.
    public static func rootOfTrust(
        key: [UInt8] = [UInt8](repeating: 7, count: 32), isLocked: Bool = true, isLockedAsOne: Bool = false, state: Int = 0,
        hash: [UInt8]? = [UInt8](repeating: 8, count: 32)
    ) -> MintedAuthorization {
        MintedAuthorization(
            der: MintedDER.sequence(
                [
                    MintedDER.octets(key), isLockedAsOne ? MintedDER.booleanOne : MintedDER.boolean(isLocked),
                    MintedDER.enumerated(state),
                ] + (hash.map { [MintedDER.octets($0)] } ?? [])))
    }
}

/// The app that asked for a minted key.
public struct MintedApplication: Sendable {
    /// The names of the packages with their versions.
    public var packages: [(name: String, version: Int)]
    /// The SHA-256 of the signing certificates.
    public var signingDigests: [[UInt8]]

    /// An app of one package.
    public init(package: String, version: Int = 1, signingDigest: [UInt8]) {
        (packages, signingDigests) = ([(package, version)], [signingDigest])
    }

    /// The value of the tag `attestationApplicationId`.
    public var value: MintedAuthorization {
        let infos = packages.map {
            MintedDER.sequence([MintedDER.octets(Array($0.name.utf8)), MintedDER.integer($0.version)])
        }
        let id = MintedDER.sequence([MintedDER.set(infos), MintedDER.set(signingDigests.map(MintedDER.octets))])
        return MintedAuthorization(der: MintedDER.octets(id))
    }
}
