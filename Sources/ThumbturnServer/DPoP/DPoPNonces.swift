#if Server
import Crypto
import Synchronization
package import ThumbturnCore
import ThumbturnMessages
package import ThumbturnVerifier

/// The server's DPoP nonces, and the proofs that it has seen with them (RFC 9449 sections 8 and 11.1).
///
/// A nonce is a MAC over a time bucket, with a key of this process. So it expires by the server's own clock, no other
/// node accepts it, and it is invalid after a restart; the proofs that were seen can be remembered in this process.
///
/// Nodes behind a balancer have one key, so that a client may get its nonce from one and use it at another. They remember
/// the proofs in their database (`SharedProofs`), and in the process as well, which refuses what it knows without asking.
package final class DPoPNonces: Sendable {
    private let state: Mutex<State>

    private struct State {
        var key = SymmetricKey(size: .bits256)
        /// The nonces of this bucket and of the previous one.
        var nonces = (current: "", before: "")
        /// The proofs seen in this bucket and in the previous one.
        var bucket: Int64
        var seen: Set<UInt128> = []
        var seenBefore: Set<UInt128> = []
    }

    /// The length of a bucket, in seconds. A nonce is valid for the rest of its bucket and for the next one: 30 to 60
    /// seconds.
    private static let bucketLength: Int64 = 30
    /// The most proofs that are remembered. At this number a new key is made, which invalidates all nonces, and clients
    /// retry with a new one.
    private let capacity: Int
    /// The key of all nodes, which changes with the secrets of the database; nil for one of this process.
    private let sharedKey: (@Sendable () -> SymmetricKey)?

    package convenience init(now: UnixTime, capacity: Int = Limits.dpopProofs) {
        self.init(now: now, capacity: capacity, sharedKey: nil)
    }

    init(now: UnixTime, capacity: Int = Limits.dpopProofs, sharedKey: (@Sendable () -> SymmetricKey)?) {
        self.capacity = capacity
        self.sharedKey = sharedKey
        var state = State(bucket: Self.bucket(now))
        if let sharedKey { state.key = sharedKey() }
        Self.renewNonces(&state)
        self.state = Mutex(state)
    }

    /// The nonce for answers at this time.
    package func current(at now: UnixTime) -> String {
        state.withLock { state in
            advance(&state, to: now)
            return state.nonces.current
        }
    }

    package func isLive(_ nonce: String, at now: UnixTime) -> Bool {
        state.withLock { state in
            advance(&state, to: now)
            return Self.bucket(of: nonce, in: state) != nil
        }
    }

    /// Remembers a verified proof. Throws for a proof that was seen before, and for one whose nonce has just expired.
    ///
    /// - Returns: the time at which the nonce expires, which is the same on every node.
    @discardableResult
    package func admit(_ proof: DPoPProof, at now: UnixTime) throws(VerificationError) -> UnixTime {
        let key = proof.replayKey.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return try state.withLock { state throws(VerificationError) in
            advance(&state, to: now)
            guard let nonce = proof.nonce, let bucket = Self.bucket(of: nonce, in: state) else { throw .nonceNeeded }
            if state.seen.count + state.seenBefore.count >= capacity {
                state.seen = []
                state.seenBefore = []
                // The database has those of several nodes. One node forgets its own, and accepts no nonce from before.
                if sharedKey == nil {
                    state.key = SymmetricKey(size: .bits256)
                    Self.renewNonces(&state)
                    throw .nonceNeeded
                }
            }
            // The same `jti` is refused with either nonce. It is remembered with the bucket of its nonce.
            guard !state.seen.contains(key), !state.seenBefore.contains(key) else { throw .replayed }
            if bucket == state.bucket { state.seen.insert(key) } else { state.seenBefore.insert(key) }
            return UnixTime(seconds: (bucket + 2) * Self.bucketLength)
        }
    }

    /// Forgets expired nonces and their proofs. Every request does so too.
    func tidy(at now: UnixTime) {
        state.withLock { advance(&$0, to: now) }
    }

    private func advance(_ state: inout State, to now: UnixTime) {
        let bucket = Self.bucket(now)
        if let key = sharedKey?(), key != state.key {
            state = State(key: key, bucket: bucket)
            Self.renewNonces(&state)
            return
        }
        // An operator has set the time back. Without a new key the nonces would stay live until the time comes again.
        // One bucket back is another request that read the time earlier.
        if bucket < state.bucket - 1 {
            state = State(key: sharedKey?() ?? SymmetricKey(size: .bits256), bucket: bucket)
            Self.renewNonces(&state)
            return
        }
        guard bucket > state.bucket else { return }
        state.seenBefore = bucket == state.bucket + 1 ? state.seen : []
        state.seen = []
        state.bucket = bucket
        Self.renewNonces(&state)
    }

    private static func renewNonces(_ state: inout State) {
        state.nonces = (nonce(of: state.bucket, key: state.key), nonce(of: state.bucket - 1, key: state.key))
    }

    private static func bucket(of nonce: String, in state: State) -> Int64? {
        // The nonce has 128 bits, so the time of this comparison does not help an attacker to guess it.
        if nonce == state.nonces.current { return state.bucket }
        if nonce == state.nonces.before { return state.bucket - 1 }
        return nil
    }

    private static func nonce(of bucket: Int64, key: SymmetricKey) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: bucket >> (8 * $0)) }
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(16))
    }

    private static func bucket(_ now: UnixTime) -> Int64 { now.seconds / bucketLength }
}
#endif
