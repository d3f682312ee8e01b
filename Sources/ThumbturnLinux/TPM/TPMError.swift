import ThumbturnCore

/// A TPM, or the way to it, refused.
struct TPMError: Error, Hashable, Sendable {
    /// The response code as libtss2 gives it: bits 16 to 23 name the layer, 0 is the TPM itself.
    var code: UInt32
    /// Whether it came of showing a PIN: elsewhere a wrong value is the owner's password, which nobody guessed at.
    var isAboutPIN = false

    /// `TPM_RC_AUTH_UNAVAILABLE`, as the TPM itself answers a PIN at the limit.
    static let pinLimitReached = TPMError(code: 0x12F)
    /// `TPM_RC_HANDLE` of the first handle: there is no such index.
    static let indexMissing = TPMError(code: 0x18B)
    /// `TPM_RC_FAILURE`: the TPM answered something that makes no sense.
    static let nonsense = TPMError(code: 0x101)
    /// `TPM_RC_NV_SPACE`
    static let noIndexFree = TPMError(code: 0x14B)
    /// `TPM_RC_POLICY_FAIL`
    static let policyFails = TPMError(code: 0x9D)
}

extension TPMError {
    /// What the code means, without the number of the parameter or handle that is at fault (TPM 2.0 Library, part 2, section 6.6).
    enum Meaning: Hashable, Sendable {
        /// The way to the TPM is broken, or it is not started.
        case unreachable
        /// The PIN that was shown is wrong.
        case wrongPIN
        /// The owner of the TPM has a password, or a counter is not the one that was made.
        case wrongValue
        /// The limit of wrong values is reached.
        case blocked
        /// The TPM's own guard against guessing holds.
        case lockedOut
        /// A comparison does not hold: the counter moved on.
        case counterMoved
        /// An authorisation is forged, was used before, or is for something else.
        case notAuthorized
        case expired
        /// An index or key is not there.
        case missing
        /// The blob is not from this TPM, or the TPM was cleared.
        case foreign
        /// Something is full or busy, and may be free again.
        case busy
        case other
    }

    var meaning: Meaning {
        guard code >> 16 == 0 else { return .unreachable }
        // Format one carries a number in bits 6 and 8 to 11; the error is the rest.
        if code & 0x80 != 0 {
            switch code & 0xBF {
            case 0x8E, 0xA2: return isAboutPIN ? .wrongPIN : .wrongValue
            case 0x9B, 0x9D: return .notAuthorized
            case 0xA3: return .expired
            case 0x8B: return .missing
            case 0x9F, 0x8D: return .foreign
            default: return .other
            }
        }
        switch code {
        case 0x100: return .unreachable
        case 0x126: return .counterMoved
        case 0x12F: return .blocked
        case 0x921: return .lockedOut
        case 0x900...0x90A, 0x910...0x916, 0x920, 0x922, 0x923: return .busy
        default: return .other
        }
    }

    /// What to tell the app, with the raw code.
    var failure: Failure {
        let status = Failure.PlatformStatus(domain: "TPM", code: Int(code))
        return switch meaning {
        case .unreachable, .busy: Failure(.notYetReadable, status: status)
        case .wrongPIN: Failure(.notMatched, status: status)
        case .wrongValue: Failure(.permissionDenied, status: status)
        case .blocked, .counterMoved, .missing, .foreign: Failure(.keyInvalidated, status: status)
        // The TPM lets one more value through after its own while; how long that is, it does not say.
        case .lockedOut: Failure(.lockedOut, recovery: .fallBack(.fullCredentials), status: status)
        case .expired: Failure(.timedOut, status: status)
        case .notAuthorized, .other: Failure(.platform, status: status)
        }
    }
}
