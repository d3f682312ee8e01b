import ThumbturnCore
import ThumbturnDevice

/// Android key attestation: the certificates that the Keystore gave each new key for the server's challenge.
struct AndroidEvidence: EvidenceSource {
    let system: any AndroidSystem

    var attestsNewKeys: Bool { true }

    func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        guard let challenge = request.makingChallenge else { return nil }
        var chains: [KeyKind: [[UInt8]]] = [:]
        for name in request.keys.keys where name.kind != .session && name.kind != .pin {
            let chain = try await chain(of: KeyAlias.of(name, in: .key))
            // One certificate alone is the key's own, which attests nothing.
            if chain.count > 1 { chains[name.kind] = chain }
        }
        return chains.isEmpty ? nil : .androidKey(AndroidKeyEvidence(challenge: challenge, chains: chains))
    }

    private func chain(of alias: String) async throws(Failure) -> [[UInt8]] {
        do throws(AndroidThrown) {
            return try await system.call(.certificateChain) {
                $0.put(alias)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.list { (reader) throws(BridgeReader.Malformed) in try reader.bytes() }
            }
        } catch {
            throw error.failure
        }
    }
}
