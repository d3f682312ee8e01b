#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Plays a device: enrols, signs in, asks the server.",
        discussion: """
            Unless told otherwise the keys are software keys in files, for development: whoever can read them can sign. The \
            sensor is a stand-in that reads no finger; --answers says what it answers.

            On Linux, --keys tpm --sensor fprintd makes it a real device: keys in the TPM 2.0, fingers that fprintd matches, and \
            thumbturn-matcherd between them. `thumbturn doctor` says what is missing.

            A PIN comes from the environment variable THUMBTURN_PIN, or is asked on the terminal; a new one that takes the place \
            of another comes from THUMBTURN_NEW_PIN.
            """,
        subcommands: [
            Enrol.self, SignIn.self, Approve.self, MeCommand.self, Refresh.self, Revoke.self, Status.self, PINCommand.self,
        ]
    )
}

/// Which device, which server.
struct DeviceOptions: ParsableArguments {
    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The folder of this device's keys.")
    var home = FileManager.default.homeDirectoryForCurrentUser.path + "/.thumbturn"

    @Option(help: "What the stand-in sensor answers, in order: match, no-match, cancel or lockout, with commas between them.")
    var answers: String?

    @OptionGroup var output: OutputOptions

    @OptionGroup var parts: DeviceParts

    /// The rungs of this device: below the finger there is the PIN, where there is one.
    var policy: UnlockPolicy {
        parts.keys == .tpm ? UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials]) : .transaction
    }

    /// The rungs for which an enrolment makes keys. A PIN of software keys is set afterwards, if at all.
    var enrolmentPolicy: UnlockPolicy { parts.keys == .tpm ? policy : .highRisk }

    func authenticator() throws -> Authenticator {
        guard let url = URL(string: server) else {
            throw ValidationError("--server wants an address, for example http://127.0.0.1:8080.")
        }
        let quiet = output.json
        return try Authenticator(server: url, platform: try parts.platform(home: home, answers: answers)) { news in
            guard !quiet, let words = news.words else { return }
            FileHandle.standardError.write(Data("\(words)\n".utf8))
        }
    }
}

extension UnlockNews {
    /// What a person at a terminal should hear; nil for what is only counted.
    fileprivate var words: String? {
        switch self {
        case .hint(let rung): "Having trouble? \(Recovery.fallBack(rung).advice)"
        case .readPoorly(.tooShort), .readPoorly(.tooPoor): "A little longer, please."
        case .readPoorly(.notCentered): "The middle of the finger, please."
        case .readPoorly(.removeAndRetry): "Lift the finger, and put it down again."
        case .offerSetUp(let failure): failure.message.text(in: .english)
        case .moved(_, let rung, _): "Moving on. \(Recovery.fallBack(rung).advice)"
        case .telemetry: nil
        }
    }
}

extension DeviceCommand {
    struct Enrol: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes keys on this device and registers them with an account.",
            discussion: Password.help
        )

        @OptionGroup var device: DeviceOptions

        @Option(help: "The account's name.")
        var account: String

        @Option(help: "The code of an authenticator app, where the account asks for one.")
        var oneTimeCode: String?

        @Flag(help: "Signs in with a recovery code, which is asked for in the password's place.")
        var recover = false

        @Option(help: "How this device is called in a list.")
        var name = "Terminal"

        @Flag(help: "Replace an enrolment that is already here.")
        var replace = false

        func run() async throws {
            try await device.output.run {
                let auth = try device.authenticator()
                let typed = try Password.read()
                let signIn: any PrimarySignIn =
                    recover
                    ? RecoverySignIn(account: account, code: typed)
                    : PasswordSignIn(account: account, password: typed, oneTimeCode: oneTimeCode)
                let record = try await auth.enrol(
                    with: signIn, policy: device.enrolmentPolicy, deviceName: name, ifExists: replace ? .replace : .fail
                )
                guard let record else { return }
                try device.output.say(
                    "This device is enrolled as “\(record.name)” with \(record.keys.count) keys (\(device.parts.keys.honestName)).",
                    record
                )
            }
        }
    }

    struct SignIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Signs the server's challenge and gets tokens.")

        @OptionGroup var device: DeviceOptions

        @Option(help: "The reason that the prompt shows.")
        var reason = "Sign in"

        func run() async throws {
            try await device.output.run {
                let grant = try await device.authenticator().authenticate(reason, policy: device.policy)
                struct Output: Encodable {
                    var rung: String
                    var expires_at: Int64
                }
                try device.output.say(
                    "Signed in with the \(grant.rung.rawValue) key. The token is good until \(grant.session.expiresAt.readable).",
                    Output(rung: grant.rung.rawValue, expires_at: grant.session.expiresAt.seconds)
                )
            }
        }
    }

    struct MeCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "me", abstract: "Asks the server who is signed in.")

        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await device.output.run {
                struct Output: Encodable {
                    var account: String
                    var name: String
                    var device: String
                    var acr: String
                    var amr: [String]
                    var auth_time: UnixTime
                }
                let me = try await device.authenticator().me()
                try device.output.say(
                    "Signed in as \(me.name), verified at \(me.verifiedAt.readable), assurance \(me.acr).",
                    Output(
                        account: me.id, name: me.name, device: me.deviceID, acr: me.acr, amr: me.amr, auth_time: me.verifiedAt)
                )
            }
        }
    }

    struct Refresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Exchanges the refresh token for new tokens, without a prompt.")

        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await device.output.run {
                let session = try await device.authenticator().refresh()
                struct Output: Encodable { var expires_at: Int64 }
                try device.output.say(
                    "Refreshed. The token is good until \(session.expiresAt.readable).",
                    Output(expires_at: session.expiresAt.seconds)
                )
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Ends this device's enrolment and deletes its keys.")

        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await device.output.run {
                try await device.authenticator().revoke()
                struct Output: Encodable { var revoked = true }
                try device.output.say("This device is no longer enrolled, and its keys are gone.", Output())
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says what this device can do now, without a prompt.")

        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await device.output.run {
                let readiness = try await device.authenticator().readiness(for: device.policy)
                struct Output: Encodable {
                    var enrolled: Bool
                    var next_rung: String
                }
                try device.output.say(
                    readiness.isEnrolled
                        ? "Enrolled. \(Recovery.fallBack(readiness.nextRung).advice)"
                        : "Not enrolled. Enrol with: thumbturn device enrol --server \(device.server) --account NAME",
                    Output(enrolled: readiness.isEnrolled, next_rung: readiness.nextRung.rawValue)
                )
            }
        }
    }
}
#endif
