#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Acts as a device: enrols, signs in and calls the server.",
        discussion: """
            Without further options the keys are software keys in files, for development: any process that can read the files \
            can sign. The sensor is a stand-in that reads no finger; --answers sets its answers.

            On Linux, --keys tpm --sensor fprintd uses real hardware: keys in the TPM 2.0, fingers that fprintd matches, and \
            thumbturn-matcherd, which authorises the key for each match. `thumbturn doctor` finds missing parts.

            A PIN is read from the environment variable THUMBTURN_PIN or from the terminal; a new PIN that replaces another one \
            is read from THUMBTURN_NEW_PIN.
            """,
        subcommands: [
            Enrol.self, SignIn.self, Approve.self, MeCommand.self, Refresh.self, Revoke.self, Status.self, PINCommand.self,
        ]
    )
}

/// The options that select the device and the server.
struct DeviceOptions: ParsableArguments {
    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The folder of this device's keys.")
    var home = FileManager.default.homeDirectoryForCurrentUser.path + "/.thumbturn"

    @Option(help: "The answers of the stand-in sensor in order: match, no-match, cancel or lockout, separated by commas.")
    var answers: String?

    @OptionGroup var output: OutputOptions

    @OptionGroup var parts: DeviceParts

    /// The policy with this device's rungs.
    var policy: UnlockPolicy {
        parts.keys == .tpm ? UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials]) : .transaction
    }

    /// The policy of an enrolment, which creates a key for each of its rungs. With software keys, a PIN is set
    /// afterwards.
    var enrolmentPolicy: UnlockPolicy { parts.keys == .tpm ? policy : .highRisk }

    func authenticator() throws -> Authenticator {
        guard let url = URL(string: server) else {
            throw ValidationError("--server must be an address, for example http://127.0.0.1:8080.")
        }
        let quiet = output.json
        return try Authenticator(server: url, platform: try parts.platform(home: home, answers: answers)) { news in
            guard !quiet, let words = news.words else { return }
            FileHandle.standardError.write(Data("\(words)\n".utf8))
        }
    }
}

extension UnlockNews {
    /// The text for a person at a terminal; nil for what only programs need.
    fileprivate var words: String? {
        switch self {
        case .hint(let rung): rung.hint.description
        case .readPoorly(.tooShort), .readPoorly(.tooPoor): "A little longer, please."
        case .readPoorly(.notCentered): "The middle of the finger, please."
        case .readPoorly(.removeAndRetry): "Lift the finger, and put it down again."
        case .offerSetUp(let failure): failure.message.text(in: .english)
        case .moved(_, let rung, _, _): rung.announcement.description
        case .began, .ended, .telemetry: nil
        }
    }
}

extension DeviceCommand {
    struct Enrol: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates keys on this device and registers them with an account.",
            discussion: """
                \(Password.help)

                With --issuer and --client-id the person signs in at the app's own OpenID provider, in the system's browser. \
                The provider sends the browser back to 127.0.0.1, at a port of this command's choice.
                """
        )

        @OptionGroup var device: DeviceOptions

        @OptionGroup var provider: ProviderOptions

        @Option(help: "The account's name. An account of a provider has none here.")
        var account: String?

        @Option(help: "The code of an authenticator app, if the account requires one.")
        var oneTimeCode: String?

        @Flag(help: "Sign in with a recovery code, which is read instead of the password.")
        var recover = false

        @Option(help: "The device's name in the list of devices.")
        var name = "Terminal"

        @Flag(help: "Replace an existing enrolment.")
        var replace = false

        func validate() throws {
            try provider.validate()
            guard (account == nil) == (provider.issuer != nil) else {
                throw ValidationError("Enrolling needs either --account or --issuer with --client-id.")
            }
            guard account != nil || (oneTimeCode == nil && !recover) else {
                throw ValidationError("--one-time-code and --recover belong to an account with a password: give --account.")
            }
        }

        private func signIn(on platform: DevicePlatform) throws -> any PrimarySignIn {
            guard let account else { return try provider.signIn(on: platform) }
            let typed = try Password.read()
            return recover
                ? RecoverySignIn(account: account, code: typed)
                : PasswordSignIn(account: account, password: typed, oneTimeCode: oneTimeCode)
        }

        func run() async throws {
            try await device.output.run {
                let auth = try device.authenticator()
                let signIn = try signIn(on: auth.platform)
                let record = try await auth.enrol(
                    with: signIn, policy: device.enrolmentPolicy, deviceName: name, ifExists: replace ? .replace : .fail
                )
                try device.output.report(
                    "This device is enrolled as “\(record.name)” with \(record.keys.count) keys (\(device.parts.keys.summary)).",
                    EnrolledDeviceOutput(record)
                )
            }
        }
    }

    struct SignIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Signs a challenge of the server and gets tokens.")

        @OptionGroup var device: DeviceOptions

        @Option(help: "The reason to show in the prompt.")
        var reason = "Sign in"

        func run() async throws {
            try await device.output.run {
                let grant = try await device.authenticator().authenticate(reason, policy: device.policy)
                struct Output: Encodable {
                    var rung: String
                    var expires_at: Int64
                }
                try device.output.report(
                    "Signed in with the \(grant.rung.rawValue) key. The token expires at \(grant.session.expiresAt.readable).",
                    Output(rung: grant.rung.rawValue, expires_at: grant.session.expiresAt.seconds)
                )
            }
        }
    }

    struct MeCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "me", abstract: "Prints the signed-in account, as the server reports it.")

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
                try device.output.report(
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
                try device.output.report(
                    "Refreshed. The token expires at \(session.expiresAt.readable).",
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
                try device.output.report("This device is no longer enrolled, and its keys are deleted.", Output())
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints how this device can sign in now, without a prompt.")

        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await device.output.run {
                let readiness = try await device.authenticator().readiness(for: device.policy)
                struct Output: Encodable {
                    var enrolled: Bool
                    var next_rung: String
                }
                try device.output.report(
                    readiness.isEnrolled
                        ? "Enrolled. \(readiness.nextRung.announcement)"
                        : "Not enrolled. Enrol with: thumbturn device enrol --server \(device.server) --account NAME",
                    Output(enrolled: readiness.isEnrolled, next_rung: readiness.nextRung.rawValue)
                )
            }
        }
    }
}
#endif
