import Synchronization
import ThumbturnCore
import ThumbturnDevice

struct PhoneSecrets: SecretStore {
    let phone: SimulatedPhone

    func read(_ name: String) throws(Failure) -> [UInt8]? {
        try readable { state in
            guard !state.unreadableSecrets.contains(name) else { return .failure(SimulatedPhone.sealedForever) }
            return .success(state.secrets[name])
        }
    }

    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) throws(Failure) -> Bool {
        try readable { state in
            guard !state.unreadableSecrets.contains(name) else { return .failure(SimulatedPhone.sealedForever) }
            guard state.secrets[name] == old else { return .success(false) }
            state.keep(new, as: name)
            return .success(true)
        }
    }

    func write(_ secret: [UInt8], as name: String) throws(Failure) { try set(secret, name) }
    func delete(_ name: String) throws(Failure) { try set(nil, name) }

    private func set(_ secret: [UInt8]?, _ name: String) throws(Failure) {
        try readable { state in
            state.keep(secret, as: name)
            return .success(())
        }
    }

    /// Before the first unlock after a start nothing can be read or written, and nothing is lost.
    private func readable<Value: Sendable>(
        _ body: (inout SimulatedPhone.State) -> Result<Value, Failure>
    ) throws(Failure) -> Value {
        try phone.state.withLock { state in
            state.isReadable ? body(&state) : .failure(SimulatedPhone.keychainIsLocked(state.model))
        }.get()
    }
}

extension SimulatedPhone.State {
    /// Stores a secret, or deletes it. The first one that is stored after the key of all was lost makes another key, and what
    /// the lost one sealed goes.
    fileprivate mutating func keep(_ secret: [UInt8]?, as name: String) {
        unreadableSecrets.remove(name)
        secrets[name] = secret
        guard secret != nil else { return }
        for lost in unreadableSecrets { secrets[lost] = nil }
        unreadableSecrets = []
    }
}

extension SimulatedPhone {
    static func keychainIsLocked(_ model: Model) -> Failure {
        var failure = Failure(.notYetReadable)
        if model.system == .apple { failure.status = .init(domain: "NSOSStatusErrorDomain", code: -25308) }
        return failure
    }

    /// The ciphertext exists, and its key does not.
    static let sealedForever = Failure(.keyInvalidated)
}
