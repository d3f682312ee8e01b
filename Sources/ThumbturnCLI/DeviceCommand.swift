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
            The keys are software keys in files, for development: whoever can read them can sign. The sensor is a stand-in \
            that reads no finger; --answers says what it answers.
            """,
        subcommands: [Enrol.self, SignIn.self, MeCommand.self, Refresh.self, Revoke.self, Status.self]
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

    func authenticator() throws -> Authenticator {
        guard let url = URL(string: server) else {
            throw ValidationError("--server wants an address, for example http://127.0.0.1:8080.")
        }
        let sensor = StandInSensor(
            try (answers ?? "").split(separator: ",").map { word in
                guard let answer = StandInSensor.Answer(rawValue: String(word)) else {
                    throw ValidationError("--answers does not know “\(word)”. It knows match, no-match, cancel and lockout.")
                }
                return answer
            }
        )
        let platform = Platform(sensor: sensor, keys: SoftwareKeys(folder: home), secrets: FileSecrets(folder: home))
        let quiet = output.json
        return try Authenticator(server: url, platform: platform) { news in
            guard !quiet, case .moved(_, let rung, _) = news else { return }
            FileHandle.standardError.write(Data("Moving on. \(Recovery.fallBack(rung).advice)\n".utf8))
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

        @Option(help: "How this device is called in a list.")
        var name = "Terminal"

        @Flag(help: "Replace an enrolment that is already here.")
        var replace = false

        func run() async throws {
            try await device.output.run {
                let auth = try device.authenticator()
                let record = try await auth.enrol(
                    with: PasswordSignIn(account: account, password: try Password.read()), policy: .highRisk, deviceName: name,
                    ifExists: replace ? .replace : .fail
                )
                guard let record else { return }
                try device.output.say(
                    "This device is enrolled as “\(record.name)” with \(record.keys.count) keys (software keys, for development).",
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
                let grant = try await device.authenticator().authenticate(reason, policy: .highRisk)
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
                let me = try await device.authenticator().me()
                try device.output.say(
                    "Signed in as \(me.name), verified at \(me.authTime.readable), assurance \(me.acr).", me
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
                let readiness = try await device.authenticator().readiness(for: .highRisk)
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
