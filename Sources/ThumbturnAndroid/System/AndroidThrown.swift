import ThumbturnCore

/// What an operation threw: the exception and its causes, the outermost first.
struct AndroidThrown: Error, Hashable {
    var chain: [Link]

    /// One exception of the chain.
    struct Link: Hashable {
        /// The name of its class.
        var name: String
        /// `getNumericErrorCode()` of `android.security.KeyStoreException`; -1 for every other class.
        var code: Int
        /// `isTransientFailure()`, where there is one.
        var isTransient: Bool

        init(name: String, code: Int = -1, isTransient: Bool = false) {
            (self.name, self.code, self.isTransient) = (name, code, isTransient)
        }
    }

    init(chain: [Link]) { self.chain = chain }

    /// An answer that breaks the contract.
    static func malformed(_ problem: BridgeReader.Malformed) -> AndroidThrown {
        AndroidThrown(chain: [Link(name: "thumbturn.bridge.\(problem)")])
    }

    /// The message of a thrown answer.
    var message: [UInt8] {
        var writer = BridgeWriter()
        writer.put(Int64(1))
        writer.put(Int64(chain.count))
        for link in chain {
            writer.put(link.name)
            writer.put(Int64(link.code))
            writer.put(link.isTransient)
        }
        return writer.message
    }

    /// No last answer came.
    static let silence = AndroidThrown(chain: [Link(name: "thumbturn.bridge.silence")])
}

extension AndroidThrown {
    /// The meaning of an exception for a key or a secret, with the next step. `keyInvalidated` is a suspicion: see
    /// ``KeyVerdict``.
    var failure: Failure {
        let (row, link) = found
        // What passes is never a reason to enrol anew, whatever its class.
        if chain.contains(where: \.isTransient) { return Failure(.platform, recovery: .retry, status: link.status) }
        guard let row else { return Failure(.platform, recovery: .report, status: link.status) }
        return Failure(row.code, recovery: row.recovery, status: link.status)
    }

    /// Whether the Keystore says that the key is gone for good.
    var saysInvalidated: Bool {
        !chain.contains(where: \.isTransient) && chain.contains { $0.name == Self.invalidated }
    }

    /// Whether the person, a lock screen or a face or finger is missing that a new key needs.
    var saysNothingIsSetUp: Bool {
        chain.contains { $0.name == "java.security.InvalidAlgorithmParameterException" }
            && chain.contains { $0.name == "java.lang.IllegalStateException" }
    }

    /// Whether the device cannot attest a new key, now or ever, and could make it without an attestation.
    var saysNoAttestation: Bool {
        !chain.contains(where: \.isTransient) && chain.contains { $0.name == Self.keyStore && [8, 16].contains($0.code) }
    }

    /// The row that applies, and the exception that it is for. A number says more than the class
    /// around it, except where a row comes before the numbers.
    private var found: (Row?, Link) {
        for row in Self.rows {
            if let link = chain.first(where: row.applies) { return (row, link) }
        }
        return (nil, chain.first { $0.code != -1 } ?? chain.first ?? Link(name: "none"))
    }
}

extension AndroidThrown.Link {
    /// The class, and its number where it has one.
    fileprivate var status: Failure.PlatformStatus { .init(domain: name, code: code == -1 ? 0 : code) }
}

// MARK: - The table

extension AndroidThrown {
    /// One class of exceptions, or one number of `android.security.KeyStoreException`, with its meaning.
    struct Row: Sendable {
        var name: String
        /// The number; nil for a class whatever its number.
        var number: Int?
        var code: Failure.Code
        var recovery: Recovery
        /// Why, for the documentation.
        var why: String

        init(_ name: String, _ number: Int?, _ code: Failure.Code, _ recovery: Recovery, _ why: String) {
            (self.name, self.number, self.code, self.recovery, self.why) = (name, number, code, recovery, why)
        }

        init(_ name: String, _ code: Failure.Code, _ recovery: Recovery, _ why: String) {
            self.init(name, nil, code, recovery, why)
        }

        func applies(to link: Link) -> Bool { link.name == name && (number == nil || link.code == number) }
    }

    static let invalidated = "android.security.keystore.KeyPermanentlyInvalidatedException"
    static let keyStore = "android.security.KeyStoreException"

    /// The rows, the first that applies first. What is not listed is a fault to report.
    static let rows: [Row] = [
        Row(invalidated, .keyInvalidated, .reEnrol, "the key is dead if its alias exists and a second look agrees"),
        // Before the numbers: from API 33 on its cause has 10, which KeyMint also gives for faults that pass.
        Row(
            "javax.crypto.AEADBadTagException", .keyInvalidated, .reEnrol, "a file that another key encrypted, as after a restore"
        ),
        Row(keyStore, 2, .platform, .retry, "USER_AUTHENTICATION_REQUIRED"),
        Row(keyStore, 3, .notYetReadable, .retry, "KEYSTORE_UNINITIALIZED: not unlocked since the start"),
        Row(keyStore, 4, .platform, .retry, "INTERNAL_SYSTEM_ERROR"),
        Row(keyStore, 5, .platform, .report, "PERMISSION_DENIED"),
        Row(keyStore, 6, .notEnrolled, .reEnrol, "KEY_DOES_NOT_EXIST"),
        Row(keyStore, 7, .keyInvalidated, .reEnrol, "KEY_CORRUPTED"),
        Row(keyStore, 8, .platform, .report, "ID_ATTESTATION_FAILURE"),
        Row(keyStore, 9, .platform, .report, "ATTESTATION_CHALLENGE_TOO_LARGE"),
        Row(keyStore, 10, .platform, .retry, "KEYMINT_FAILURE"),
        Row(keyStore, 11, .platform, .retry, "KEYSTORE_FAILURE"),
        Row(keyStore, 12, .platform, .report, "UNIMPLEMENTED"),
        Row(keyStore, 13, .platform, .report, "INCORRECT_USAGE"),
        Row(keyStore, 14, .platform, .report, "KEY_NOT_TEMPORALLY_VALID"),
        Row(keyStore, 15, .platform, .retry, "KEY_OPERATION_EXPIRED: other operations took its place"),
        Row(keyStore, 16, .platform, .retry, "ATTESTATION_KEYS_UNAVAILABLE"),
        Row(
            keystore("UserNotAuthenticatedException"), .notYetReadable, .retry,
            "thrown for a per-use key while the store is locked"),
        Row(keystore("BackendBusyException"), .platform, .retry, "too many operations at once"),
        Row(keystore("StrongBoxUnavailableException"), .platform, .retry, "StrongBox failed, and so did the attempt without it"),
        Row("java.security.UnrecoverableKeyException", .platform, .retry, "the store could not load the key"),
        Row("java.security.InvalidKeyException", .platform, .retry, "says nothing about whether the key is alive"),
        Row("java.security.SignatureException", .platform, .retry, "the operation ended without a signature"),
        Row("javax.crypto.IllegalBlockSizeException", .platform, .retry, "the operation ended without a result"),
        Row("javax.crypto.BadPaddingException", .platform, .retry, "the operation ended without a result"),
        Row("java.security.ProviderException", .platform, .retry, "the store failed; the class says no more"),
        Row("java.security.KeyStoreException", .platform, .retry, "the store could not list, show or delete a key"),
        Row(keyStore, .platform, .retry, "another number"),
        Row("java.lang.SecurityException", .platform, .report, "a permission is missing in the manifest"),
        Row(
            "java.lang.NullPointerException", .biometryUnavailable, .fallBack(.devicePasscode),
            "some systems of API 29 without a sensor service"),
        Row("thumbturn.bridge.silence", .platform, .retry, "no last answer came"),
    ]

    private static func keystore(_ name: String) -> String { "android.security.keystore.\(name)" }
}
