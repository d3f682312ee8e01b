import Synchronization
import ThumbturnCore

/// Collects the liveness evidence for the challenges of one request. A challenge that is asked for anew has evidence of
/// its own.
final class EvidenceCollector: Sendable {
    /// A challenge and its evidence.
    struct Entry: Sendable {
        /// When the challenge was asked for.
        var since: Moment
        /// Nil where no check runs.
        var evidence: LivenessEvidence?
    }

    private let check: (any LivenessCheck)?
    private let action: StepUpAction
    private let platform: DevicePlatform
    private let collected = Mutex<(entries: [String: Entry], latest: CheckedChallenge?)>(([:], nil))

    /// - Parameters:
    ///   - check: nil where no evidence is wanted.
    ///   - action: what the check is told that the evidence is for.
    init(_ check: (any LivenessCheck)?, for action: StepUpAction, on platform: DevicePlatform) {
        self.check = check
        self.action = action
        self.platform = platform
    }

    /// Runs the check over a challenge. It comes after the challenge, because the evidence has to name it.
    ///
    /// - Throws: what the check throws; `timedOut` where too little time is left to answer the prompt.
    func collect(for challenge: CheckedChallenge, askedAt since: Moment) async throws(Failure) {
        let evidence = try await check?.evidence(for: challenge.text, action: action)
        guard let elapsed = since.elapsed(until: platform.moment), challenge.leavesTimeToAnswer(after: elapsed) else {
            throw Failure(.timedOut)
        }
        collected.withLock {
            $0.entries[challenge.text] = Entry(since: since, evidence: evidence)
            $0.latest = challenge
        }
    }

    subscript(challenge: CheckedChallenge) -> Entry? { collected.withLock { $0.entries[challenge.text] } }

    /// Whether the latest evidence is so young that its challenge has not been replaced because of its age.
    var isRecent: Bool {
        let (entries, latest) = collected.withLock { $0 }
        guard let latest, let age = entries[latest.text]?.since.elapsed(until: platform.moment) else { return false }
        return latest.leavesTimeToAnswer(after: age)
    }
}
