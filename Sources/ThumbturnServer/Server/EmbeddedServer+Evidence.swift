#if Server
package import ThumbturnCore
import ThumbturnMessages
package import ThumbturnVerifier

extension EmbeddedServer {
    /// Puts an account into a group, whose minimum its keys have to reach from now on; an empty name takes it out.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.groupUnknown` for a group that the evidence policy of the last
    ///   running server does not have.
    package func setGroup(_ group: String, ofAccountNamed name: String) async throws {
        guard let account = try await service.store.account(named: name) else { throw SetupError.accountUnknown(name) }
        guard try await service.store.setGroup(group, of: account.id) else { throw SetupError.groupUnknown(group) }
    }

    /// Takes a list of revoked Android certificates that was fetched at this time. Running servers judge all evidence by it
    /// within a minute.
    ///
    /// - Returns: how many certificates it names; nil if the server has one that is as new.
    package func keepStatusList(_ text: [UInt8], fetchedAt time: UnixTime) async throws -> Int? {
        let list = try AndroidStatusList(json: text, fetched: time)
        guard try await service.store.keep(EvidenceList(kind: .androidStatus, text: text, fetchedAt: time)) else { return nil }
        return list.count
    }

    /// The list of revoked Android certificates: how many it names, and when it was fetched; nil if there is none.
    package func statusList() async throws -> (count: Int, fetchedAt: UnixTime)? {
        guard let stored = try await service.store.evidenceList(.androidStatus) else { return nil }
        return (try AndroidStatusList(json: stored.text, fetched: stored.fetchedAt).count, stored.fetchedAt)
    }

    /// The evidence of all devices of an account. Throws `SetupError.accountUnknown`.
    package func evidence(ofAccountNamed name: String) async throws -> [StoredEvidence] {
        var found: [StoredEvidence] = []
        for device in try await service.devices(ofAccountNamed: name) {
            if let id = DeviceID(device.id) { found += try await service.store.evidence(of: id) }
        }
        return found
    }

    /// Judges all stored evidence anew by a policy, with the lists that the server has, and gives each key what it
    /// proves now.
    ///
    /// - Returns: how many pieces of evidence were judged, and how many prove less than before.
    package func judgeEvidence(by policy: EvidencePolicy) async throws -> (judged: Int, lowered: Int) {
        var policy = policy
        policy.lists = try await service.evidenceLists()
        let outcome = try await service.judgeAnew(by: policy)
        return (outcome.judged, outcome.lowered)
    }

    /// The roots that evidence of Android keys may lead to beside Google's built-in ones, as the operator accepted them.
    package func acceptedRoots() async throws -> [TrustAnchor] {
        try await service.evidenceLists().androidRoots
    }

    /// Accepts roots from a list as Google publishes it, each by the SHA-256 of its public key. What the list has beside them
    /// is not trusted.
    ///
    /// - Returns: the roots that are accepted from now on.
    /// - Throws: `SetupError.rootMissing` for a public key that the list does not have.
    package func acceptRoots(
        from text: [UInt8], pinnedBy pins: Set<[UInt8]>, fetchedAt time: UnixTime
    ) async throws -> [TrustAnchor] {
        // The whole list is read, so that a damaged one is refused.
        _ = try TrustAnchor.read(json: text)
        let chosen = try StrictJSON.decodeIgnoringUnknown([String].self, from: text).filter { text in
            try TrustAnchor.read(pem: text).allSatisfy { pins.contains($0.spkiSHA256) }
        }
        let anchors = try chosen.flatMap { try TrustAnchor.read(pem: $0) }
        for pin in pins where !anchors.contains(where: { $0.spkiSHA256 == pin }) { throw SetupError.rootMissing(pin) }
        _ = try await service.store.keep(
            EvidenceList(kind: .androidRoots, text: WireJSON.encode(chosen), fetchedAt: time))
        return anchors
    }
}
#endif
