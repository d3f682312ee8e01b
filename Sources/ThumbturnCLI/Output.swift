#if Tools
import ArgumentParser
import Foundation
import Thumbturn

/// How a command speaks: a plain sentence for people, or one JSON object for machines.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object instead of sentences.")
    var json = false

    func say(_ sentence: String, _ value: some Encodable) throws {
        guard json else {
            print(sentence)
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Runs a command's work. A failure becomes a sentence with the next step on standard error, and an exit status.
    func run(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let failure as Failure {
            struct Output: Encodable {
                var error: String
                var message: String
            }
            let message = failure.sentence
            if json { try say(message, Output(error: failure.code.name, message: message)) }
            let status = failure.status.map { " (\($0.domain) \($0.code))" } ?? ""
            FileHandle.standardError.write(Data("thumbturn: \(message)\(status)\n".utf8))
            throw failure.exitCode
        }
    }
}

extension Failure {
    /// What happened and what to do, for somebody at a terminal.
    fileprivate var sentence: String {
        switch code {
        case .alreadyEnrolled: "This device is enrolled already. Add --replace to enrol it anew."
        case .notEnrolled: "This device is not enrolled. Enrol it with: thumbturn device enrol --server URL --account NAME"
        case .sessionOver: "Nobody is signed in. Sign in with: thumbturn device sign-in --server URL"
        case .keyInvalidated:
            "The key is gone for good. Enrol anew with: thumbturn device enrol --replace --server URL --account NAME"
        case .refused:
            "The server refused. Check the account's name and password; if this device was revoked, enrol it anew with --replace."
        case .unreachable: "The server does not answer. Is it running, and is --server its address?"
        case .insecureServer: "--server must be an https address, or http to this machine itself, without a user name or a query."
        case .unexpectedAnswer:
            "The server's answer makes no sense here. --server must be its public address, exactly as `thumbturn-server serve` prints it."
        case .platform where status?.domain == "TPM": "The TPM refused. `thumbturn doctor` says more."
        case .platform: "The folder of the keys cannot be used. Check --home."
        case .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded: "Cancelled. Nothing has changed."
        case .lockedOut:
            "The sensor is locked, and this device has no other way. Wait, or enrol anew with: thumbturn device enrol --replace"
        case .approvalOver: "There is nothing open to approve. It may be approved, declined, taken back or expired."
        case .pinEasilyGuessed: "This PIN is one that a thief tries first. Choose another."
        case .paused: "After several tries there is a pause. \(recovery.message)"
        case .notYetReadable:
            "The keys cannot be read now. `thumbturn doctor` says whether the TPM answers. Nobody is signed out."
        case .biometryNotEnrolled: "No finger is enrolled on this machine. Enrol one: fprintd-enroll"
        case .biometryUnavailable, .permissionDenied:
            "The sensor or its matcher cannot be used. `thumbturn doctor` says what is missing."
        case .timedOut: "Nobody answered the sensor in time. Try again."
        case .superseded where recovery == .retry: "Another enrolment is running on this device. Try again when it is done."
        default: "\(message.text(in: .english)) (\(code.name))"
        }
    }

    /// The exit status for scripts, after sysexits.
    fileprivate var exitCode: ExitCode {
        switch code {
        case .unreachable: ExitCode(69)
        case .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded, .notYetReadable, .timedOut, .paused: ExitCode(75)
        case .refused, .sessionOver, .keyInvalidated, .notEnrolled, .lockedOut, .notMatched: ExitCode(77)
        case .insecureServer, .reasonMissing: ExitCode(64)
        default: ExitCode(1)
        }
    }
}

extension UnixTime {
    /// The time as a person reads it, in this machine's time zone.
    var readable: String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(date: .abbreviated, time: .standard)
    }
}
#endif
