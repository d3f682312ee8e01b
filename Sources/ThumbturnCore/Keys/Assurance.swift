/// Where a key lives, as far as evidence proves it.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KeyProtection: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// There is no key.
    case none
    /// The key may be in a file. Every key without evidence has this level.
    case software
    /// A genuine copy of the app, on a genuine device, says how the key is kept. It is no proof of the hardware: a bug of
    /// the app, or an attacker who controls it, can say so of another key.
    case attestedApp
    /// The hardware's maker signed an attestation of the key.
    case attestedHardware

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .software: 1
        case .attestedApp: 2
        case .attestedHardware: 3
        }
    }
}

/// The user verification that a key demands at each use.
public enum UserVerification: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The key demands nothing of the person.
    case none
    /// The key demands the app's PIN.
    case pin
    /// The key demands the device passcode.
    case passcode
    /// The key demands a match of the sensor.
    case biometric

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .pin: 1
        case .passcode: 2
        case .biometric: 3
        }
    }
}

/// How far a signature may be trusted: where its key lives, and which user verification it demands. The server computes
/// it from evidence.
///
/// The protection `software` means that nothing was proved: the verification is then only the claim made at enrolment.
public struct Assurance: Hashable, Sendable, Codable {
    /// Where the key lives.
    public var protection: KeyProtection
    /// The user verification that the key demands.
    public var verification: UserVerification

    /// Creates an assurance; the server does so from evidence.
    public init(protection: KeyProtection, verification: UserVerification) {
        self.protection = protection
        self.verification = verification
    }

    /// No key signed: full credentials alone, or a plain client of which nothing is known. It meets no demand of a key.
    package static let withoutKey = Assurance(protection: .none, verification: .none)

    /// A key of which nothing is proved.
    package static let withoutEvidence = Assurance(protection: .software, verification: .none)

    /// Whether both parts reach what a policy demands. Neither makes up for the other.
    public func meets(_ demanded: Assurance) -> Bool {
        protection >= demanded.protection && verification >= demanded.verification
    }

    /// The value of the token claim `acr` (RFC 9068 section 2.2.1): `urn:thumbturn:acr:<protection>:<verification>`.
    public var acr: String { "urn:thumbturn:acr:\(protection.rawValue):\(verification.rawValue)" }

    /// Reads the value of a token claim `acr`; nil for a value of another form.
    public init?(acr: String) {
        let parts = acr.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[..<3] == ["urn", "thumbturn", "acr"],
            let protection = KeyProtection(rawValue: String(parts[3])),
            let verification = UserVerification(rawValue: String(parts[4]))
        else { return nil }
        self.init(protection: protection, verification: verification)
    }

    /// The value of the token claim `amr` (RFC 8176): only what is known, never which part of the body.
    public var amr: [String] {
        var methods: [String] =
            switch protection {
            case .none: []
            case .software: ["swk", "pop"]
            // Neither hwk nor swk is proved.
            case .attestedApp: ["pop"]
            case .attestedHardware: ["hwk", "pop"]
            }
        // The person's presence is known only where hardware enforces it, or a genuine app says that it does.
        guard protection >= .attestedApp else { return methods }
        switch verification {
        case .none: break
        case .pin: methods += ["pin", "mfa"]
        case .passcode, .biometric: methods += ["user", "mfa"]
        }
        return methods
    }
}

extension KeyProtection: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension UserVerification: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension Assurance: CustomStringConvertible {
    /// For example `protection attestedHardware, verification biometric`.
    public var description: String { "protection \(protection), verification \(verification)" }
}
