#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands
#if os(Linux)
import ThumbturnLinux
#endif

/// What the device in the terminal is made of.
struct DeviceParts: ParsableArguments {
    enum Keys: String, ExpressibleByArgument, CaseIterable, Sendable {
        case software, tpm

        var honestName: String {
            switch self {
            case .software: "software keys, for development"
            case .tpm: "keys in the TPM"
            }
        }
    }

    enum SensorKind: String, ExpressibleByArgument, CaseIterable, Sendable {
        case standIn = "stand-in"
        case fprintd
    }

    @Option(help: "Where keys live: software (files, for development) or tpm.")
    var keys = Keys.software

    @Option(help: "Who matches: stand-in (reads no finger) or fprintd.")
    var sensor = SensorKind.standIn

    @OptionGroup var addresses: LinuxAddresses

    /// - Parameters:
    ///   - home: the folder of keys and secrets.
    ///   - answers: what the stand-in sensor answers, with commas between.
    func platform(home: String, answers: String?) throws -> Platform {
        switch keys {
        case .software:
            return Platform(
                sensor: try softwareSensor(answers), keys: SoftwareKeys(folder: home), secrets: FileSecrets(folder: home)
            )
        case .tpm:
            #if os(Linux)
            if answers != nil { throw ValidationError("--answers is for the stand-in sensor, and keys in a TPM believe none.") }
            do {
                _ = try TPMFacts.read(addresses.tcti)
            } catch {
                throw ValidationError(
                    """
                    There is no TPM at \(addresses.tcti), or this user may not use it. `thumbturn doctor` says more. Without one there \
                    are software keys, for development, which whoever can read their files can use: --keys software.
                    """
                )
            }
            let keys = TPMKeys(tcti: addresses.tcti, folder: home, matcher: addresses.matcher)
            return Platform(
                sensor: MatcherSensor(socket: addresses.matcher, keys: keys), keys: keys, secrets: FileSecrets(folder: home),
                pin: PINSupport(entry: TerminalPIN(), key: keys)
            )
            #else
            throw ValidationError("--keys tpm is for Linux.")
            #endif
        }
    }

    private func softwareSensor(_ answers: String?) throws -> any Sensor {
        switch sensor {
        case .standIn:
            return StandInSensor(
                try (answers ?? "").split(separator: ",").map { word in
                    guard let answer = StandInSensor.Answer(rawValue: String(word)) else {
                        throw ValidationError("--answers does not know “\(word)”. It knows match, no-match, cancel and lockout.")
                    }
                    return answer
                }
            )
        case .fprintd:
            #if os(Linux)
            return FprintdSensor(bus: addresses.bus)
            #else
            throw ValidationError("--sensor fprintd is for Linux.")
            #endif
        }
    }
}

/// Where a Linux machine's parts are.
struct LinuxAddresses: ParsableArguments {
    @Option(help: "How libtss2 reaches the TPM.")
    var tcti = "device:/dev/tpmrm0"

    @Option(help: "The socket of thumbturn-matcherd.")
    var matcher = "/run/thumbturn/matcher"

    @Option(help: "The address of the bus on which fprintd is; the system bus unless given.")
    var bus: String?
}

/// The PIN from the environment variable THUMBTURN_PIN, or asked on the terminal; never an argument, because those can be seen in
/// the list of processes.
private struct TerminalPIN: PINEntry {
    func enter(_ request: PINRequest) -> PINAnswer { answer(to: "\(request.reason) PIN: ") }
    func choose() -> PINAnswer { answer(to: "A PIN for this device, 6 digits or more: ") }

    private func answer(to question: String) -> PINAnswer {
        let given = ProcessInfo.processInfo.environment["THUMBTURN_PIN"] ?? (isatty(0) == 1 ? Hidden.ask(question) : nil)
        guard let given, !given.isEmpty else { return .failed(Failure(.cancelledByUser, recovery: .retry)) }
        guard let pin = PIN(given) else { return .failed(Failure(.policyDenies, recovery: .retry)) }
        return .entered(pin)
    }
}
#endif
