import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The numbers under which copies of a vault's key may lie, kept among the small secrets. A number is written down before
/// its copies are made, so that deleting the vault finds those of a process that was killed, too.
struct VaultNumbers: Sendable {
    private let name: String
    private let secrets: any SecretStore

    init(vault: String, on platform: DevicePlatform) {
        name = "numbers of vault \(vault)"
        secrets = platform.secrets
    }

    /// Takes a number that no other process has. It is random: a count would start anew after a deletion, while a process
    /// that began before still writes copies under the old number.
    func take() async throws(Failure) -> Int {
        let number = Int.random(in: (VaultRecord.firstNumber + 1)...Int(Int32.max))
        try await change { $0 + [number] }
        return number
    }

    /// All numbers that were taken and not given back.
    func all() async throws(Failure) -> [Int] { Self.read(try await secrets.stored(name)) }

    /// Forgets numbers whose copies are deleted.
    func giveBack(_ numbers: [Int]) async throws(Failure) { try await change { $0.filter { !numbers.contains($0) } } }

    private func change(_ body: ([Int]) -> [Int]) async throws(Failure) {
        try await secrets.change(name) { stored in
            let numbers = body(Self.read(stored))
            return (numbers.isEmpty ? nil : StoredRecord.encode(numbers), ())
        }
    }

    private static func read(_ stored: StoredSecret) -> [Int] {
        guard case .bytes(let bytes) = stored else { return [] }
        return (try? JSONDecoder().decode([Int].self, from: Data(bytes))) ?? []
    }
}
