package import ThumbturnCore

/// An error of the TPM or of the connection to it.
package struct TPMError: Error, Hashable, Sendable {
    /// The response code of libtss2. Bits 16 to 23 name the layer; 0 is the TPM itself.
    var code: UInt32
    /// Whether a PIN was being checked. Elsewhere a wrong value means that the owner has a password, which is not a
    /// guess.
    var isAboutPIN = false

    /// `TPM_RC_AUTH_UNAVAILABLE`, the TPM's own answer to a PIN after the limit is reached.
    package static let pinLimitReached = TPMError(code: 0x12F)
    /// `TPM_RC_HANDLE` for the first handle: the index does not exist.
    package static let indexMissing = TPMError(code: 0x18B)
    /// `TPM_RC_NV_UNINITIALIZED`: the index exists and was never written.
    static let indexNotWritten = TPMError(code: 0x14A)
    /// `TPM_RC_FAILURE`: the TPM's answer cannot be read.
    package static let unexpectedAnswer = TPMError(code: 0x101)
    /// `TPM_RC_NV_SPACE`: every index of the range is in use.
    static let noIndexFree = TPMError(code: 0x14B)
    /// `TPM_RC_POLICY_FAIL`: the policy is not satisfied.
    package static let policyFails = TPMError(code: 0x9D)
}

extension TPMError {
    /// The meaning of a code, whichever parameter or handle it is about (TPM 2.0 Library, part 2, section 6.6).
    package enum Meaning: Hashable, Sendable {
        /// The TPM cannot be reached, or is not started.
        case unreachable
        /// The PIN is wrong.
        case wrongPIN
        /// The TPM's owner has a password, or a counter has been replaced by another one.
        case wrongValue
        /// The limit of wrong PINs is reached.
        case blocked
        /// The TPM's dictionary attack protection is active.
        case lockedOut
        /// The counter has been raised, so the policy's comparison is false.
        case counterMoved
        /// An authorisation is forged, was used before, or is for another use.
        case notAuthorized
        /// An authorisation is expired.
        case expired
        /// An index or key does not exist.
        case missing
        /// The key blob belongs to another TPM, or the TPM was cleared.
        case foreign
        /// The TPM's memory is full or the TPM is busy, for now.
        case busy
        case other
    }

    package var meaning: Meaning {
        guard code >> 16 == 0 else { return .unreachable }
        // Format-one codes carry a parameter or handle number in bits 6 and 8 to 11; the error is in the other bits.
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

    /// The failure for the app, with the raw code.
    package var failure: Failure {
        let status = Failure.PlatformStatus(domain: "TPM", code: Int(code))
        return switch meaning {
        case .unreachable, .busy: Failure(.notYetReadable, status: status)
        case .wrongPIN: Failure(.notMatched, status: status)
        case .wrongValue: Failure(.permissionDenied, status: status)
        case .blocked, .counterMoved, .missing, .foreign: Failure(.keyInvalidated, status: status)
        // The TPM accepts another try after its recovery time, which the app cannot read.
        case .lockedOut: Failure(.lockedOut, recovery: .fallBack(.fullCredentials), status: status)
        case .expired: Failure(.timedOut, status: status)
        case .notAuthorized, .other: Failure(.platform, status: status)
        }
    }
}
