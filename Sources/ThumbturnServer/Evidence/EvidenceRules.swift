#if Server
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnVerifier

/// The evidence policy in use, with the lists that it judges by. A request reads it once and is judged by that policy.
public final class EvidenceRules: Sendable {
    private struct State {
        var policy: EvidencePolicy
        /// What all stored evidence was last judged by, in this process, and how often.
        var judged: (by: Edition, times: Int)?
    }

    /// What a verdict depends on, beside the evidence.
    private struct Edition: Equatable {
        var policy: String
        var lists: [UnixTime?]
        var epoch: Int64

        init(_ policy: EvidencePolicy, _ epoch: Int64) {
            (self.policy, lists, self.epoch) = (policy.digest, policy.lists.fetched, epoch)
        }
    }

    private let state: Mutex<State>
    private let file: String?

    /// Creates rules from a policy. `reload` does not change it.
    public init(_ policy: EvidencePolicy = .nothing) {
        state = Mutex(State(policy: policy))
        file = nil
    }

    /// Creates rules from a file; see `docs/evidence.md`. Throws `PolicyFileError` with the place of a mistake.
    public init(file: String) throws(PolicyFileError) {
        state = Mutex(State(policy: try EvidencePolicy(file: file)))
        self.file = file
    }

    /// The policy in use now.
    public var current: EvidencePolicy { state.withLock { $0.policy } }

    /// Whether the policy was read from a file.
    public var isFromFile: Bool { file != nil }

    /// Reads the file again; without a file it does nothing. If it throws, also for a lower version, the policy stays as it was.
    public func reload() throws(PolicyFileError) {
        guard let file else { return }
        let fresh = try EvidencePolicy(file: file)
        try PolicyFileError.check(version: fresh.version, after: current.version, of: file)
        replace(fresh)
    }

    /// Judges by this policy from now on, as after `reload`.
    func replace(_ policy: EvidencePolicy) {
        state.withLock { state in
            let lists = state.policy.lists
            state.policy = policy
            state.policy.lists = lists
        }
    }

    /// Judges by these lists from now on.
    func use(_ lists: EvidenceLists) { state.withLock { $0.policy.lists = lists } }

    /// Whether all stored evidence has to be judged by this policy, because it was judged by another one, in another epoch, or
    /// not at all, since the process started. It is judged twice: a request that was judged by the policy before may have been
    /// committed behind the first round.
    func isDue(_ policy: EvidencePolicy, in epoch: Int64) -> Bool {
        state.withLock { state in
            guard let judged = state.judged, judged.by == Edition(policy, epoch) else { return true }
            return judged.times < 2
        }
    }

    /// All stored evidence was judged by this policy, in this epoch.
    func wasJudged(by policy: EvidencePolicy, in epoch: Int64) {
        let edition = Edition(policy, epoch)
        state.withLock { state in
            let before = state.judged.map { $0.by == edition ? $0.times : 0 } ?? 0
            state.judged = (edition, before + 1)
        }
    }
}
#endif
