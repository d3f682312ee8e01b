import Foundation
import ThumbturnCore
import ThumbturnDevice

/// What a device says to the matcher: one JSON object a line, 32 KiB at most.
enum MatcherRequest: Codable, Sendable {
    /// Whose word the TPM is to take.
    case identity
    /// The state of the reader.
    case state
    /// Asks for a finger.
    case match(MatchWish)
    /// Spends the match on a session of the TPM.
    case authorize(nonce: Data)
}

/// What a match is wanted for: everything that the matcher needs to compute by itself what it will sign.
struct MatchWish: Codable, Sendable {
    /// The parts of the key's name; see `KeyName`.
    var server: String
    var account: String
    var enrolment: Int
    /// The key's public area in the TPM's wire form.
    var key: Data
    /// What the key will sign: the signing input of a proof, with the challenge inside.
    var message: Data

    init(_ name: KeyName, key: TPMPublicArea, message: [UInt8]) {
        server = name.server
        account = name.account
        enrolment = name.enrolment
        self.key = Data(key.bytes)
        self.message = Data(message)
    }

    /// The matcher serves biometric keys alone.
    var name: KeyName { KeyName(server: server, account: account, enrolment: enrolment, kind: .biometric) }
}

/// What the matcher answers: for a match any number of `poor`, then one of the others.
enum MatcherReply: Codable, Sendable {
    case identity(MatcherIdentity)
    case state(ReaderState)
    case poor(PoorReading)
    case matched
    case notMatched
    case authorized(expiration: Int32, signature: Data)
    case refused(MatcherRefusal)
}

/// The states of the reader that travel.
enum ReaderState: String, Codable, Sendable {
    case ready
    case notEnrolled
    case permissionDenied
    case unavailable

    init(_ state: BiometryState) {
        self =
            switch state {
            case .ready: .ready
            case .notEnrolled: .notEnrolled
            case .permissionDenied: .permissionDenied
            // fprintd has no lockout; the matcher's own is told when a finger is asked for.
            case .lockedOut, .paused, .weak, .unconfirmed, .passcodeNotSet, .lidClosed, .switchedOff, .unavailable: .unavailable
            }
    }

    var biometry: BiometryState {
        switch self {
        case .ready: .ready
        case .notEnrolled: .notEnrolled
        case .permissionDenied: .permissionDenied
        case .unavailable: .unavailable
        }
    }
}

/// Why the matcher does not ask, or does not sign.
enum MatcherRefusal: Codable, Error, Hashable, Sendable {
    /// The request makes no sense, or the message is no proof for this key.
    case malformed
    /// Somebody else is at the reader, or asks too often.
    case busy
    /// Too many fingers did not match.
    case wait(seconds: Int64)
    /// A finger was enrolled or removed since this key was made.
    case enrolmentChanged
    /// The name that fprintd or the bus gave.
    case reader(String)
    /// The person did not answer, or the device asks no longer.
    case withdrawn
    case timedOut
    /// The matcher cannot reach the TPM, its own files, or the enrolled prints.
    case broken

    /// The failure that it stands for on the device.
    var failure: Failure {
        switch self {
        case .malformed: Failure(.platform, status: .init(domain: "matcher.malformed", code: 0))
        case .busy: Failure(.biometryUnavailable, recovery: .retry, status: .init(domain: "matcher.busy", code: 0))
        case .wait(let seconds): Failure(.lockedOut, recovery: .wait(.seconds(seconds)))
        case .enrolmentChanged: Failure(.keyInvalidated)
        case .reader(let name): Self.failure(ofReader: name)
        case .withdrawn: Failure(.cancelledByApp)
        case .timedOut: Failure(.timedOut)
        case .broken: Failure(.biometryUnavailable, recovery: .report, status: .init(domain: "matcher.broken", code: 0))
        }
    }

    private static func failure(ofReader name: String) -> Failure {
        guard case .failed(let failure) = FprintWords.statuses[name] else { return FprintWords.failure(ofError: name) }
        return failure
    }

    /// The other way: what a verification ended with.
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
