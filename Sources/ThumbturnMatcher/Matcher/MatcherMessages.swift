import Foundation
package import ThumbturnCore

/// A message from a device to the matcher: one JSON object per line, 32 KiB at most.
enum MatcherCommand: Codable, Sendable {
    /// Asks for the matcher's key and enrolment counter.
    case identity
    /// Asks for the state of the reader.
    case state
    /// Asks for a finger.
    case match(MatchRequest)
    /// Consumes the match for the TPM session with this nonce.
    case authorize(nonce: Data)
    /// Forgets a user's fingers that did not match. Only root may ask for it.
    case unlock(user: UInt32)
}

/// The key and message for which a device needs a match. The matcher computes from them what it will sign.
package struct MatchRequest: Codable, Sendable {
    /// The server to which the key belongs, by its issuer address.
    var server: String
    /// The app's label for the account.
    var account: String
    /// The number of the enrolment.
    var enrolment: Int
    /// The key's public area in the TPM's wire form.
    var key: Data
    /// The message that the key will sign: the signing input of a proof, with the challenge inside.
    var message: Data

    package init(server: String, account: String, enrolment: Int, key: TPMPublicArea, message: [UInt8]) {
        self.server = server
        self.account = account
        self.enrolment = enrolment
        self.key = Data(key.bytes)
        self.message = Data(message)
    }

    /// The key's name as 32 bytes. The matcher serves only biometric keys.
    var reference: [UInt8] {
        KeyReference.key(server: server, account: account, enrolment: enrolment, kind: .biometric)
    }
}

/// A message from the matcher to a device. A `match` is answered by any number of `poor`, then by one of the others.
enum MatcherReply: Codable, Sendable {
    case identity(MatcherIdentity)
    case state(ReaderState)
    case poor(PoorReading)
    case matched
    case notMatched
    case authorized(expiration: Int32, signature: Data)
    case unlocked
    case refused(MatcherRefusal)
}

/// The state of the reader as it travels in a reply.
package enum ReaderState: String, Codable, Sendable {
    case ready
    case notEnrolled
    case permissionDenied
    /// Too many consecutive fingers did not match: no finger is asked for until an administrator allows it again.
    case off
    /// No reader is connected.
    case absent
    case unavailable

    init(_ state: BiometryState) {
        self =
            switch state {
            case .ready: .ready
            case .notEnrolled: .notEnrolled
            case .permissionDenied, .forbidden: .permissionDenied
            case .absent: .absent
            // fprintd has no lockout. The matcher reports its own when a device asks for a finger.
            case .lockedOut, .paused, .weak, .unconfirmed, .passcodeNotSet, .lidClosed, .switchedOff, .unavailable: .unavailable
            }
    }

    package var biometry: BiometryState {
        switch self {
        case .ready: .ready
        case .notEnrolled: .notEnrolled
        case .permissionDenied: .forbidden
        case .absent: .absent
        // No rung of the app ends this state, unlike the lockouts of phones.
        case .off, .unavailable: .unavailable
        }
    }
}

/// Why the matcher does not ask for a finger, or does not sign.
enum MatcherRefusal: Codable, Error, Hashable, Sendable {
    /// The request cannot be read, or its message is not a proof for this key.
    case malformed
    /// Another user holds the reader, or this user sends too many requests.
    case busy
    /// Too many fingers in a row did not match, or the enrolment changed too often.
    case wait(seconds: Int64)
    /// So many fingers in a row did not match that an administrator has to allow the reader again.
    case off
    /// No finger of this user is enrolled.
    case notEnrolled
    /// Only root may ask for this.
    case notPermitted
    /// A finger was enrolled or removed since this key was created.
    case enrolmentChanged
    /// An error of fprintd or the bus, by its name.
    case reader(String)
    /// The device cancelled the request.
    case withdrawn
    /// No finger came in time.
    case timedOut
    /// The matcher cannot reach the TPM, its own files, or the enrolled prints.
    case broken

    /// The failure that the device reports for this refusal.
    var failure: Failure {
        switch self {
        case .malformed: Failure(.platform, status: .init(domain: "matcher.malformed", code: 0))
        case .busy: Failure(.biometryUnavailable, recovery: .retry, status: .init(domain: "matcher.busy", code: 0))
        case .wait(let seconds): Failure(.lockedOut, recovery: .wait(.seconds(seconds)))
        case .off: Failure(.lockedOut, recovery: .fallBack(.appPIN), status: .init(domain: "matcher.off", code: 0))
        case .notEnrolled: Failure(.biometryNotEnrolled)
        case .notPermitted: Failure(.permissionDenied, status: .init(domain: "matcher.notPermitted", code: 0))
        case .enrolmentChanged: Failure(.keyInvalidated)
        case .reader(let name): Self.failure(ofReader: name)
        case .withdrawn: Failure(.cancelledByApp)
        case .timedOut: Failure(.timedOut)
        case .broken: Failure(.biometryUnavailable, recovery: .report, status: .init(domain: "matcher.broken", code: 0))
        }
    }

    private static func failure(ofReader name: String) -> Failure {
        guard case .failed(let failure) = FprintStatus.statuses[name] else { return FprintStatus.failure(ofError: name) }
        return failure
    }

    /// The refusal for a verification that ended with this failure.
    init(_ failure: Failure) {
        self =
            switch failure.code {
            case .cancelledByApp: .withdrawn
            case .timedOut: .timedOut
            case .keyInvalidated: .enrolmentChanged
            default: failure.status.map { $0.domain.hasPrefix("matcher.") ? .broken : .reader($0.domain) } ?? .broken
            }
    }
}
