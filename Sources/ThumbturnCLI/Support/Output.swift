#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands

extension OutputOptions {
    /// Runs a command's work. For a failure it prints a sentence with the next step to standard error and exits with a
    /// status.
    func run(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let failure as Failure {
            struct Output: Encodable {
                var error: String
                var message: String
            }
            let message = failure.sentence
            if json { try report(message, Output(error: failure.code.name, message: message)) }
            let status = failure.status.map { " (\($0.domain) \($0.code))" } ?? ""
            FileHandle.standardError.write(Data("thumbturn: \(message)\(status)\n".utf8))
            throw failure.exitCode
        }
    }
}

extension Failure {
    /// The failure and the next step, for a person at a terminal.
    fileprivate var sentence: String {
        switch code {
        case .alreadyEnrolled: "This device is already enrolled. Add --replace to enrol it again."
        case .notEnrolled: "This device is not enrolled. Enrol it with: thumbturn device enrol --server URL --account NAME"
        case .coolingOff:
            "This device came with credentials a short time ago: it can do this from \(until?.readable ?? "tomorrow") on. A device "
                + "that was enrolled earlier can do it now."
        case .sessionOver: "This device is not signed in. Sign in with: thumbturn device sign-in --server URL"
        case .keyInvalidated:
            "The key is gone for good. Enrol again with: thumbturn device enrol --replace --server URL --account NAME"
        case .refused where status?.domain.hasPrefix("OAuth") == true:
            "The provider did not sign you in. Start again, and allow the sign-in on its page."
        case .foreignAnswer:
            "The provider's answer belongs to another sign-in, so it was not used. Close old pages of it, and start again."
        case .providerMismatch:
            "The provider and this registration do not fit. Check --issuer, --client-id and the redirect that is registered."
        case .refused:
            "The server refused. Check the account's name and password. If the device was revoked, enrol it again with --replace."
        case .unreachable: "The server does not answer. Is it running, and is --server its address?"
        case .insecureServer: "--server must be an https address, or http to this machine itself, without a user name or a query."
        case .unexpectedAnswer:
            "The server's answer was not expected. --server must be its public address, as `thumbturn-server serve` prints it."
        case .platform where status?.domain == "TPM": "The TPM refused. `thumbturn doctor` finds the cause."
        case .platform: "The folder of the keys cannot be used. Check --home."
        case .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded: "Cancelled. Nothing has changed."
        case .lockedOut:
            "The sensor is locked, and this device has no other rung. Wait, or enrol again with: thumbturn device enrol --replace"
        case .approvalOver: "There is no open approval. It may be approved, declined, withdrawn or expired."
        case .pinEasilyGuessed: "This PIN is easily guessed. Choose another."
        case .paused: "PINs are paused after several tries. \(recovery.message)"
        case .notYetReadable:
            "The keys cannot be read now. `thumbturn doctor` checks whether the TPM answers. The device stays signed in."
        case .biometryNotEnrolled: "No finger is enrolled on this machine. Enrol one: fprintd-enroll"
        case .biometryUnavailable, .biometryAbsent, .biometryForbidden, .permissionDenied:
            "The sensor or its matcher cannot be used. `thumbturn doctor` finds the cause."
        case .timedOut: "The sensor got no answer in time. Try again."
        case .superseded where recovery == .retry: "Another enrolment is running on this device. Try again when it has ended."
        default: "\(message.text(in: .english)) (\(code.name))"
        }
    }

    /// The exit status for scripts, as in sysexits(3).
    fileprivate var exitCode: ExitCode {
        switch code {
        case .unreachable: ExitCode(69)
        case .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded, .notYetReadable, .timedOut, .paused,
            .coolingOff:
            ExitCode(75)
        case .refused, .sessionOver, .keyInvalidated, .notEnrolled, .lockedOut, .notMatched: ExitCode(77)
        case .insecureServer, .reasonMissing: ExitCode(64)
        default: ExitCode(1)
        }
    }
}

extension UnixTime {
    /// The time in words, in this machine's time zone.
    var readable: String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(date: .abbreviated, time: .standard)
    }
}
#endif
