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
        let account = try await account(named: name)
        guard try await service.store.setGroup(group, of: account.id) else { throw SetupError.groupUnknown(group) }
    }

    /// The group of an account; nil where it has none. Throws `SetupError.accountUnknown`.
    package func group(ofAccountNamed name: String) async throws -> String? {
        let group = try await service.store.group(of: try await account(named: name).id)
        return group.isEmpty ? nil : group
    }

    /// The list of revoked Android certificates: how many it names, and when it was fetched; nil if there is none.
    package func statusList() async throws -> (count: Int, fetchedAt: UnixTime)? {
        guard let stored = try await service.store.evidenceList(.androidStatus) else { return nil }
        return (try AndroidStatusList(json: stored.text, fetched: stored.fetchedAt).count, stored.fetchedAt)
    }

    /// Whether evidence of Android keys is refused because there is no list of revoked certificates at all.
    package func lacksStatusList() async throws -> Bool {
        guard service.settings.evidence.current.android?.status.whenUnknown == .refuse else { return false }
        return try await service.store.evidenceList(.androidStatus) == nil
    }

    /// The evidence of all devices of an account. Throws `SetupError.accountUnknown`.
    package func evidence(ofAccountNamed name: String) async throws -> [StoredEvidence] {
        var found: [StoredEvidence] = []
        for device in try await devices(ofAccountNamed: name) {
            if let id = DeviceID(device.id) { found += try await service.store.evidence(of: id) }
        }
        return found
    }

    /// Judges all stored evidence anew by a policy, with the lists that the server has, and gives each key what it
    /// proves now.
    ///
    /// - Returns: how many pieces of evidence were judged, and how many prove less than before.
    /// - Throws: `SetupError.policyOutdated` if a node has used a later version of the policy.
    package func judgeEvidence(by policy: EvidencePolicy) async throws -> (judged: Int, lowered: Int) {
        try PolicyKind.evidence.check(policy.version, after: try await service.store.policyVersions())
        var policy = policy
        policy.lists = try await service.evidenceLists()
        let outcome = try await service.judgeAnew(by: policy)
        return (outcome.judged, outcome.lowered)
    }

    /// Accepts roots from a list as Google publishes it, each by the SHA-256 of its public key. What the list has beside them
    /// is not trusted. The roots that were accepted before are replaced, however old the list is: they are the operator's
    /// decision.
    ///
    /// - Parameter time: when they were accepted; now unless it is given.
    /// - Returns: the roots that are accepted from now on.
    /// - Throws: `EvidenceRefusal` for a text that is no such list, and `SetupError.rootMissing` for a public key that it does
    ///   not have.
    package func acceptRoots(
        from text: [UInt8], pinnedBy pins: Set<[UInt8]>, fetchedAt time: UnixTime? = nil
    ) async throws -> [TrustAnchor] {
        // The whole list is read, so that a damaged one is refused.
        _ = try TrustAnchor.read(json: text)
        let chosen = try StrictJSON.decodeIgnoringUnknown([String].self, from: text).filter { text in
            try TrustAnchor.read(pem: text).allSatisfy { pins.contains($0.spkiSHA256) }
        }
        let anchors = try chosen.flatMap { try TrustAnchor.read(pem: $0) }
        for pin in pins where !anchors.contains(where: { $0.spkiSHA256 == pin }) { throw SetupError.rootMissing(pin) }
        try await keepRoots(chosen, at: time ?? service.time.now)
        return anchors
    }

    /// Takes accepted roots out, each by the SHA-256 of its public key.
    ///
    /// - Returns: the roots that are no longer accepted.
    /// - Throws: `SetupError.rootNotAccepted` for a public key that no accepted root has.
    package func removeRoots(_ pins: Set<[UInt8]>) async throws -> [TrustAnchor] {
        let stored = try await service.store.evidenceList(.androidRoots)
        var (kept, removed): ([String], [TrustAnchor]) = ([], [])
        for text in try StrictJSON.decodeIgnoringUnknown([String].self, from: stored?.text ?? Array("[]".utf8)) {
            let anchors = try TrustAnchor.read(pem: text)
            if anchors.contains(where: { pins.contains($0.spkiSHA256) }) { removed += anchors } else { kept.append(text) }
        }
        for pin in pins where !removed.contains(where: { $0.spkiSHA256 == pin }) { throw SetupError.rootNotAccepted(pin) }
        if kept.isEmpty {
            // A list without roots cannot be told from a damaged one, so there is none.
            try await service.store.forget(.androidRoots)
        } else {
            try await keepRoots(kept, at: service.time.now)
        }
        return removed
    }

    /// Keeps roots in place of those before. Their time is later than that of those, so that every server sees the change.
    private func keepRoots(_ texts: [String], at time: UnixTime) async throws {
        let last = try await service.store.evidenceList(.androidRoots).map { $0.fetchedAt + .seconds(1) }
        let list = EvidenceList(kind: .androidRoots, text: WireJSON.encode(texts), fetchedAt: max(time, last ?? time))
        guard try await service.store.keep(list, naming: texts.count) else { throw SetupError.rootsNotKept }
    }
}

extension StoredEvidence {
    /// The format in words, for an operator; `damaged` for a record that cannot be read.
    package var format: String {
        switch contents?.evidence {
        case .appAttest?: "App Attest"
        case .androidKey?: "Android key attestation"
        case .tpm?: "TPM 2.0"
        case nil: "damaged"
        }
    }

    /// The kind of a key that it is for; nil if it does not name the key.
    package func kind(of kid: String) -> String? { contents?.keys.first { $0.kid == kid }?.kind.rawValue }

    private var contents: EvidenceRecord? { try? WireJSON.decode(EvidenceRecord.self, from: Array(record.utf8)) }
}
#endif
