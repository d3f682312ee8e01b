#if Tools
import ArgumentParser
import Foundation
import Synchronization
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

    @Option(help: "Who matches: stand-in (reads no finger) or fprintd; fprintd where the keys are in the TPM.")
    var sensor: SensorKind?

    @OptionGroup var addresses: LinuxAddresses

    /// - Parameters:
    ///   - home: the folder of keys and secrets.
    ///   - answers: what the stand-in sensor answers, with commas between.
    func platform(home: String, answers: String?) throws -> DevicePlatform {
        switch keys {
        case .software:
            let secrets = FileSecrets(folder: home)
            let pin = SoftwarePINKey(secrets: StoredPINSecrets(secrets))
            return DevicePlatform(
                sensor: try softwareSensor(answers), keys: SoftwareKeys(folder: home), secrets: secrets,
                pin: PINSupport(entry: TerminalPIN(), key: pin), promptGap: .zero
            )
        case .tpm:
            #if os(Linux)
            guard sensor != .standIn, answers == nil else {
                throw ValidationError("Keys in a TPM believe no stand-in: leave --sensor stand-in and --answers out.")
            }
            do {
                _ = try TPMFacts.read(addresses.tcti)
            } catch {
                let sentence = """
                    thumbturn: There is no TPM at \(addresses.tcti), or this user may not use it. `thumbturn doctor` says more. Without one \
                    there are software keys, for development, which whoever can read their files can use: --keys software.

                    """
                FileHandle.standardError.write(Data(sentence.utf8))
                throw ExitCode(69)
            }
            let keys = TPMKeys(tcti: addresses.tcti, folder: home, matcher: addresses.matcher)
            return DevicePlatform(
                sensor: MatcherSensor(socket: addresses.matcher, keys: keys), keys: keys, secrets: FileSecrets(folder: home),
                pin: PINSupport(entry: TerminalPIN(), key: keys), promptGap: .zero
            )
            #else
            throw ValidationError("--keys tpm is for Linux.")
            #endif
        }
    }

    private func softwareSensor(_ answers: String?) throws -> any Sensor {
        switch sensor {
        case .standIn, nil:
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
            guard answers == nil else {
                throw ValidationError("--answers is for the stand-in sensor; fprintd asks for a finger.")
            }
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
private final class TerminalPIN: PINEntry {
    /// Given once: the same wrong PIN again would cost another guess.
    private let given = Mutex(ProcessInfo.processInfo.environment["THUMBTURN_PIN"])

    private let new = Mutex(ProcessInfo.processInfo.environment["THUMBTURN_NEW_PIN"])

    func enter(_ request: PINRequest) -> PINAnswer { answer(to: "\(request.reason) PIN: ", given.withLock { $0.take() }) }
    func choose() -> PINAnswer {
        answer(to: "A new PIN for this device, 6 digits or more: ", new.withLock { $0.take() } ?? given.withLock { $0.take() })
    }

    private func answer(to question: String, _ once: String?) -> PINAnswer {
        guard let typed = once ?? (isatty(0) == 1 ? Hidden.ask(question) : nil), !typed.isEmpty else {
            say("No PIN was given, or it did not match. Set THUMBTURN_PIN, or run this at a terminal.")
            return .failed(Failure(.cancelledByUser))
        }
        guard let pin = PIN(typed) else {
            say("A PIN has 6 to 32 digits.")
            return .failed(Failure(.cancelledByUser))
        }
        return .entered(pin)
    }

    private func say(_ sentence: String) { FileHandle.standardError.write(Data("\(sentence)\n".utf8)) }
}
#endif
