import Synchronization
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnDevice

/// A secret is changed by comparing, as often as others are faster.
@Suite struct StoredSecretTests {
    /// A store in which another process adds a byte before each of the next replacements.
    final class Contended: SecretStore {
        private let store = NamedSecrets()
        private let rivals: Mutex<Int>
        let isSealed = Mutex(false)

        init(rivals: Int) { self.rivals = Mutex(rivals) }

        func read(_ name: String) throws(Failure) -> [UInt8]? {
            if isSealed.withLock({ $0 }) { throw Failure(.keyInvalidated) }
            return store.read(name)
        }
        func write(_ secret: [UInt8], as name: String) {
            isSealed.withLock { $0 = false }
            store.write(secret, as: name)
        }
        func delete(_ name: String) {
            isSealed.withLock { $0 = false }
            store.delete(name)
        }
        func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) -> Bool {
            let hasRival = rivals.withLock { rivals in
                rivals -= 1
                return rivals >= 0
            }
            if hasRival { store.write((store.read(name) ?? []) + [0], as: name) }
            return store.replace(old, by: new, as: name)
        }
    }

    private func append(_ byte: UInt8, to store: any SecretStore) async throws(Failure) -> Int {
        try await store.change("a") { stored in
            guard case .bytes(let bytes) = stored else { return ([byte], 0) }
            return (bytes + [byte], bytes.count)
        }
    }

    @Test func whatOthersWroteMeanwhileIsKept() async throws {
        let store = Contended(rivals: 3)
        #expect(try await append(7, to: store) == 3)
        #expect(try store.read("a") == [0, 0, 0, 7])
    }

    @Test func aChangeThatNeverComesFirstIsGivenUp() async throws {
        let store = Contended(rivals: 1000)
        await expectFailure(.platform) { _ = try await append(7, to: store) }
        #expect(try store.read("a") == [UInt8](repeating: 0, count: 100))
    }

    @Test func aFailureOfTheBodyChangesNothing() async throws {
        let store = Contended(rivals: 0)
        _ = try await append(7, to: store)
        await expectFailure(.superseded) {
            try await store.change("a") { _ throws(Failure) in throw Failure(.superseded) }
        }
        #expect(try store.read("a") == [7])
    }

    @Test func aSecretThatIsSealedForEverIsReplaced() async throws {
        let store = Contended(rivals: 0)
        _ = try await append(7, to: store)
        store.isSealed.withLock { $0 = true }
        expect(try await store.stored("a"), is: .sealedForEver)
        #expect(try await append(8, to: store) == 0)
        #expect(try store.read("a") == [8])
    }

    @Test func nothingIsWrittenWhereNothingChanges() async throws {
        let store = Contended(rivals: 1)
        try await store.change("a") { _ in (nil, ()) }
        #expect(try store.read("a") == nil, "its rival had no turn")
    }
}
