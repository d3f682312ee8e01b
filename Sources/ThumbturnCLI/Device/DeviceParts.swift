#if Tools
import ArgumentParser
import Foundation
import Synchronization
import Thumbturn
import ThumbturnCommands
#if os(Linux)
import ThumbturnLinux
#endif

/// The options that select the device's keys and sensor.
struct DeviceParts: ParsableArguments {
    enum Keys: String, ExpressibleByArgument, CaseIterable, Sendable {
        case software, tpm

        /// The kind of keys, with a warning for software keys.
        var summary: String {
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

    @Option(help: "Where keys are stored: software (files, for development) or tpm.")
    var keys = Keys.software

    @Option(help: "The sensor: stand-in (reads no finger) or fprintd. Keys in a TPM always use fprintd.")
    var sensor: SensorKind?

    @OptionGroup var addresses: LinuxAddresses

    /// Creates the device's parts.
    ///
    /// - Parameters:
    ///   - home: the folder of keys and secrets.
    ///   - answers: the answers of the stand-in sensor, separated by commas.
    func platform(home: String, answers: String?) throws -> DevicePlatform {
        switch keys {
        case .software:
            let secrets = FileSecrets(folder: home)
            let pin = SoftwarePINKey(secrets: StoredPINSecrets(secrets))
            return DevicePlatform(
                sensor: try softwareSensor(answers), keys: SoftwareKeys(folder: home), secrets: secrets,
                place: .folder(home), transport: commandTransport(), pin: PINSupport(entry: TerminalPIN(), key: pin),
                promptGap: .zero
            )
        case .tpm:
            #if os(Linux)
            guard sensor != .standIn, answers == nil else {
                throw ValidationError("Keys in a TPM do not work with the stand-in sensor: omit --sensor stand-in and --answers.")
            }
            do {
                _ = try TPMFacts.read(addresses.tcti)
            } catch {
                let message = """
                    thumbturn: There is no TPM at \(addresses.tcti), or this user may not use it. `thumbturn doctor` finds the \
                    cause. Without a TPM there are software keys, for development, which any process that can read their files \
                    can use: --keys software.

                    """
                FileHandle.standardError.write(Data(message.utf8))
                throw ExitCode(69)
            }
            let keys = TPMKeys(tcti: addresses.tcti, folder: home, matcher: addresses.matcher)
            return DevicePlatform(
                sensor: MatcherSensor(socket: addresses.matcher, keys: keys), keys: keys, secrets: FileSecrets(folder: home),
                place: .folder(home), transport: commandTransport(), pin: PINSupport(entry: TerminalPIN(), key: keys),
                evidence: TPMEvidenceSource(of: keys), promptGap: .zero
            )
            #else
            throw ValidationError("--keys tpm works only on Linux.")
            #endif
        }
    }

    private func softwareSensor(_ answers: String?) throws -> any Sensor {
        switch sensor {
        case .standIn, nil:
            return StandInSensor(
                try (answers ?? "").split(separator: ",").map { word in
                    guard let answer = StandInSensor.Answer(rawValue: String(word)) else {
                        throw ValidationError(
                            "--answers does not accept “\(word)”. It accepts match, no-match, cancel and lockout.")
                    }
                    return answer
                }
            )
        case .fprintd:
            #if os(Linux)
            guard answers == nil else {
                throw ValidationError("--answers works only with the stand-in sensor.")
            }
            return FprintdSensor(bus: addresses.bus)
            #else
            throw ValidationError("--sensor fprintd works only on Linux.")
            #endif
        }
    }
}

/// The addresses of a Linux machine's parts.
struct LinuxAddresses: ParsableArguments {
    @Option(help: "The TCTI configuration by which libtss2 reaches the TPM.")
    var tcti = "device:/dev/tpmrm0"

    @Option(help: "The path of thumbturn-matcherd's socket.")
    var matcher = "/run/thumbturn/matcher"

    @Option(help: "The address of fprintd's bus; the system bus unless given.")
    var bus: String?
}

/// Reads a PIN from the environment variable THUMBTURN_PIN or from the terminal. It is never an argument, because the
/// list of processes shows arguments.
private final class TerminalPIN: PINEntry {
    /// Used once: repeating a wrong PIN would cost another guess.
    private let pin = Mutex(ProcessInfo.processInfo.environment["THUMBTURN_PIN"])

    private let newPIN = Mutex(ProcessInfo.processInfo.environment["THUMBTURN_NEW_PIN"])

    func enter(_ request: PINRequest) -> PINAnswer { answer(to: "\(request.reason) PIN: ", or: pin.withLock { $0.take() }) }
    func choose() -> PINAnswer {
        answer(
            to: "A new PIN for this device, 6 digits or more: ",
            or: newPIN.withLock { $0.take() } ?? pin.withLock { $0.take() })
    }

    private func answer(to question: String, or given: String?) -> PINAnswer {
        guard let digits = given ?? (isatty(0) == 1 ? Hidden.ask(question) : nil), !digits.isEmpty else {
            write("No PIN was given, or it did not match. Set THUMBTURN_PIN, or run this command at a terminal.")
            return .failed(Failure(.cancelledByUser))
        }
        guard let pin = PIN(digits) else {
            write("A PIN has 6 to 32 digits.")
            return .failed(Failure(.cancelledByUser))
        }
        return .entered(pin)
    }

    private func write(_ sentence: String) { FileHandle.standardError.write(Data("\(sentence)\n".utf8)) }
}
#endif
