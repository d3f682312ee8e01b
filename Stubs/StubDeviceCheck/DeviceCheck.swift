public import Foundation
import StubSecurity
import Synchronization
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A text of our own. Apple's value is not documented, so no code may depend on it.
public let DCErrorDomain: String = "stand-in for DCErrorDomain"

public struct DCError {
    public enum Code: Int, Sendable {
        case unknownSystemFailure = 0
        case featureUnsupported = 1
        case invalidInput = 2
        case invalidKey = 3
        case serverUnavailable = 4
    }
}

/// The App Attest of a simulated device. Tests control it.
public final class StandInAttest: Sendable {
    private let state = Mutex(State())

    struct State {
        var isSupported = true
        var keys: [String: Bool] = [:]
        var errors: [Int?] = []
        var always: [Call: Int] = [:]
        var counter: UInt32 = 0
    }

    public init() {}

    @TaskLocal public static var current: StandInAttest?

    public var isSupported: Bool {
        get { state.withLock { $0.isSupported } }
        set { state.withLock { $0.isSupported = newValue } }
    }

    /// The code of an error whose domain is neither DeviceCheck's nor the network's.
    public static let unknownDomain = -1_000_000

    /// Sets the results of the next calls: codes from 0 are those of `DCError`, negative ones are network errors except
    /// `unknownDomain`, and nil lets a call succeed.
    public func failNext(_ codes: Int?...) { state.withLock { $0.errors += codes } }

    /// The three calls of App Attest.
    public enum Call: Hashable, Sendable { case generate, attest, assert }

    /// Lets each call of this name fail with a code of `DCError`, for whatever key; nil lets them succeed.
    public func failAlways(_ call: Call, with code: Int?) { state.withLock { $0.always[call] = code } }

    /// Deletes all keys, as a reinstallation does.
    public func forget() { state.withLock { $0.keys = [:] } }

    func next(_ call: Call) throws {
        let code: Int? = state.withLock { state in
            (state.errors.isEmpty ? nil : state.errors.removeFirst()) ?? state.always[call]
        }
        guard let code else { return }
        let domain = code == Self.unknownDomain ? "stand-in for another domain" : code < 0 ? NSURLErrorDomain : DCErrorDomain
        throw NSError(domain: domain, code: code)
    }

    func make() -> String {
        let id = Data(SHA256.hash(data: Data(UUID().uuidString.utf8))).base64EncodedString()
        state.withLock { $0.keys[id] = false }
        return id
    }

    func attest(_ id: String) throws {
        let isNew = state.withLock { state in
            guard state.keys[id] == false else { return false }
            state.keys[id] = true
            return true
        }
        // A second attestation fails like a missing key.
        guard isNew else { throw NSError(domain: DCErrorDomain, code: DCError.Code.invalidKey.rawValue) }
    }

    func assert(_ id: String) throws -> UInt32 {
        let counter: UInt32? = state.withLock { state in
            guard state.keys[id] == true else { return nil }
            state.counter += 1
            return state.counter
        }
        guard let counter else { throw NSError(domain: DCErrorDomain, code: DCError.Code.invalidKey.rawValue) }
        return counter
    }
}

open class DCAppAttestService: NSObject {
    nonisolated(unsafe) private static let only = DCAppAttestService()
    public class var shared: DCAppAttestService { only }

    private var device: StandInAttest {
        guard let device = StandInAttest.current else { preconditionFailure("the stand-in of App Attest has no device here") }
        return device
    }

    /// False where a test sets no device up, as on a Mac of 2025.
    open var isSupported: Bool { StandInAttest.current?.isSupported ?? false }

    nonisolated(nonsending) open func generateKey() async throws -> String {
        StandIns.current.calls.note("generateKey")
        try device.next(.generate)
        return device.make()
    }

    /// Returns data that names the key and the hash. It is not an attestation by Apple.
    nonisolated(nonsending) open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data {
        StandIns.current.calls.note("attestKey")
        try device.next(.attest)
        guard clientDataHash.count == 32 else { throw NSError(domain: DCErrorDomain, code: DCError.Code.invalidInput.rawValue) }
        try device.attest(keyId)
        return Data("stand-in attestation \(keyId) ".utf8) + clientDataHash
    }

    nonisolated(nonsending) open func generateAssertion(_ keyId: String, clientDataHash: Data) async throws -> Data {
        StandIns.current.calls.note("generateAssertion")
        try device.next(.assert)
        let counter = try device.assert(keyId)
        return Data("stand-in assertion \(keyId) \(counter) ".utf8) + clientDataHash
    }
}

@available(*, unavailable) extension DCAppAttestService: @unchecked Sendable {}
