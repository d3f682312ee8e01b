#if Tools
import ArgumentParser
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnSimulator

/// The options that every simulation has.
struct SimulationOptions: ParsableArguments {
    @Option(
        help: "A population file. The built-in one is fitted to the published figures of one app's fixed prompt.",
        completion: .file(extensions: ["json"]))
    var population: String?

    @Option(help: "The number of unlocks under each policy.")
    var sessions = 1_000_000

    @Option(help: "The seed. The same seed and files give the same bytes on any machine.")
    var seed: UInt64 = 1

    mutating func validate() throws {
        guard (1...1_000_000_000).contains(sessions) else { throw ValidationError("--sessions must be 1 to 1000000000.") }
    }

    /// Reads the population, and the SHA-256 of its file.
    func readPopulation() throws -> (Population, fingerprint: String) {
        let bytes = try population.map { try Self.read($0) } ?? Population.defaultFile
        do throws(JSONError) {
            let population = try Population(json: bytes)
            return (population, Hex.text(SHA256.hash(data: bytes)))
        } catch {
            throw Self.unusable(population ?? "the built-in population", because: error.description)
        }
    }

    static func read(_ file: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw unusable(file, because: "there is no such file, or it cannot be read")
        }
        return Array(data)
    }

    static func unusable(_ file: String, because reason: String) -> ExitCode {
        FileHandle.standardError.write(Data("thumbturn: \(file): \(reason)\n".utf8))
        return ExitCode(64)
    }

    /// Writes how far a run is, on one line of a terminal.
    static func progress(_ name: String) -> @Sendable (Double) -> Void {
        guard isatty(STDERR_FILENO) == 1 else { return { _ in } }
        return { share in
            let line = "\r\(name): \(Int(share * 100)) %" + (share < 1 ? "" : "\n")
            FileHandle.standardError.write(Data(line.utf8))
        }
    }
}

/// The one policy that a simulation begins from.
struct PolicyOption: ParsableArguments {
    @Option(
        help: "A policy file, or the name of a preset. Without it the adaptive numbers of the library.",
        completion: .file(extensions: ["json"]))
    var policy: String?

    func read() throws -> UnlockPolicy { try policy.map(Self.read) ?? Article.adaptive }

    /// Reads a policy. One without a name is called by its file.
    static func read(_ file: String) throws -> UnlockPolicy {
        if let preset = UnlockPolicy.presets[file] { return preset }
        let bytes = try SimulationOptions.read(file)
        do throws(DecodingError) {
            var policy = try UnlockPolicy(json: bytes)
            policy.name = policy.name ?? TelemetryLabel(URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent)
            return policy
        } catch {
            guard case .dataCorrupted(let context) = error else { throw SimulationOptions.unusable(file, because: "\(error)") }
            throw SimulationOptions.unusable(file, because: context.debugDescription)
        }
    }
}
#endif
