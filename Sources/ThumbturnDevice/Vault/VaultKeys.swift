import ThumbturnCore

/// The copies of a vault's key, one behind each rung: the platform releases one after its prompt.
struct VaultKeys: RungKeys {
    /// The release of one copy.
    struct Use: KeyUse {
        var key: KeyName
        /// A copy is released and signs nothing.
        var message: [UInt8] { [] }
    }

    let store: any ProtectedStore
    let copies: [Rung: KeyName]

    /// The copies are there or not: nothing is fetched for them.
    func isFresh() -> Bool { true }
    func refresh() {}
    func asksTheServer(_ rung: Rung) -> Bool { false }

    func use(for rung: Rung) -> Use? { copies[rung].map(Use.init) }

    func unlock(_ rung: Rung, _ use: Use, with permit: Permit) async throws(Failure) -> VaultKey {
        guard case .presence(let presence) = permit else {
            preconditionFailure("a vault asks only rungs that have a copy of its key, and never for a PIN")
        }
        // A copy that was cut or exchanged is no vault's key.
        guard let key = VaultKey(try await store.release(use.key, presence: presence)) else { throw Failure(.keyInvalidated) }
        return key
    }
}
