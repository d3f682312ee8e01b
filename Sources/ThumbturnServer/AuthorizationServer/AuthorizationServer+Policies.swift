#if Server
import Foundation
import ThumbturnMessages

extension AuthorizationServer {
    /// Compares the versions of the policies in use with the latest that any node has used. A later one becomes that of all nodes.
    ///
    /// - Throws: `SetupError.policyOutdated` if another node has used a later version of a policy.
    package func agreeOnPolicies() async throws {
        let (own, latest) = (settings.policyVersions, try await store.policyVersions())
        for policy in latest.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            // Devices go back to their apps' own unlock policies where a server has none.
            if policy == .unlock, settings.unlockPolicies == nil { continue }
            try policy.check(own[policy], after: latest)
        }
        let later = own.filter { $0.value > latest[$0.key] ?? 0 }
        if !later.isEmpty { try await store.raise(policyVersions: later) }
    }
}

extension PolicyKind {
    /// Refuses a version that is lower than the latest one that any node has used.
    func check(_ version: Int64?, after latest: [PolicyKind: Int64]) throws(SetupError) {
        guard let used = latest[self], version ?? 0 < used else { return }
        throw .policyOutdated(rawValue, version: version, latest: used)
    }
}

extension ServerSettings {
    /// The versions of the policies in use that have one.
    var policyVersions: [PolicyKind: Int64] {
        let versions: [PolicyKind: Int64?] = [
            .stepUp: stepUp.current.version, .evidence: evidence.current.version, .unlock: unlockPolicies?.version,
        ]
        return versions.compactMapValues { $0 }
    }
}

extension PolicyFileError {
    /// Refuses a version that nothing could follow on: devices and nodes take no lower one than they have.
    static func check(version: Int64?, of file: String) throws(PolicyFileError) {
        guard let version else { return }
        guard version > 0 else { throw PolicyFileError("\(file): version: is not 1 or more") }
        guard version <= Int64(Date().timeIntervalSince1970) else {
            throw PolicyFileError("\(file): version: is higher than the number of seconds since 1970")
        }
    }

    /// Refuses a version that is lower than the one in use, which other nodes may judge by.
    static func check(version: Int64?, after used: Int64?, of file: String) throws(PolicyFileError) {
        guard let used, version ?? 0 < used else { return }
        throw PolicyFileError("\(file): version: is lower than \(used), which is in use: give it \(used + 1) or more")
    }
}
#endif
