#if Server
import CSodium
import Foundation
import NIOPosix
import Synchronization

/// Password hashes: argon2id through libsodium, with OWASP's parameters (19 MiB, 2 passes, 1 lane).
///
/// At most two threads hash at once, and a bounded number of requests waits, of each sender and in all. Beyond that the
/// answer is 429 or 503, so that a flood of sign-ins does not take the memory and the cores that all other requests
/// need, and so that one sender does not hold all places.
package final class Passwords: Sendable {
    /// The shortest password, in characters. NIST SP 800-63B-4 section 3.1.1.2 demands this length where the password
    /// is the only factor.
    package static let minimumLength = 15
    /// The longest password, in bytes of UTF-8. Hashing a longer one would take time without making it stronger.
    package static let maximumBytes = 1024

    /// The cost of a hash.
    package enum Cost: Sendable {
        /// OWASP's parameters, for every real account.
        case full
        /// The lowest cost that libsodium allows. It protects nothing and adds little noise to measurements.
        case least
    }

    private let threads = NIOThreadPool(numberOfThreads: Limits.passwordThreads)
    private let cost: Cost
    /// The requests that wait or work.
    let places = Mutex(Places())
    private let queueLimit: Int
    private let senderLimit: Int
    private let comparisons = Mutex(0)
    private let hashes = Mutex(0)
    /// The hash that a password is compared with when the account is unknown, so that the answer takes the same time.
    private let decoy: String

    /// The maximum number of requests waits already.
    package struct QueueFull: Error {
        /// Whether only the sender has too many.
        package var isOfSender: Bool
    }

    /// The places in the queue that are taken. There are no more senders than places.
    struct Places {
        var taken = 0
        var bySender: [ThrottleID: Int] = [:]
    }

    /// libsodium failed, because there was not enough memory.
    package struct Failed: Error {}

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - queueLimit: the most requests that may wait or be hashed at once.
    ///   - senderLimit: the most of them of one sender.
    ///   - cost: the cost of a hash.
    /// - Throws: `Failed`.
    package init(
        queueLimit: Int = Limits.passwordQueue, senderLimit: Int = Limits.passwordsOfSender, cost: Cost = .full
    ) throws {
        self.queueLimit = queueLimit
        self.senderLimit = senderLimit
        self.cost = cost
        guard sodium_init() >= 0 else { throw Failed() }
        decoy = try Self.hash(Self.normalized("no account has this password"), cost)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// The hash of a password in libsodium's text format, with a random salt. Throws `QueueFull` or `Failed`.
    ///
    /// - Parameter sender: who asks for it; nil for the operator.
    package func hash(_ password: String, for sender: ThrottleID? = nil) async throws -> String {
        let bytes = Self.normalized(password)
        let cost = cost
        hashes.withLock { $0 += 1 }
        return try await work(for: sender, isStranger: false) { try Self.hash(bytes, cost) }
    }

    /// A hash in the form of `hash`'s that fits no password, for an account that has none: its salt and its digest are
    /// random. It takes no time to make, and a comparison with it takes the same time as with any other hash.
    package func unfittingHash() -> String {
        func base64(_ count: Int) -> String {
            let text = Data((0..<count).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
            return String(text.prefix { $0 != "=" })
        }
        let (passes, memory) = Self.parameters(cost)
        return "$argon2id$v=19$m=\(memory / 1024),t=\(passes),p=1$\(base64(16))$\(base64(32))"
    }

    /// Whether a new password has an acceptable length: at least `minimumLength` characters and at most `maximumBytes`.
    package static func isAcceptable(_ password: String) -> Bool {
        password.count >= minimumLength && password.utf8.count <= maximumBytes
    }

    /// Whether a password fits a hash. Without a hash the same work is done, and the result is false.
    ///
    /// - Parameters:
    ///   - sender: the network of the sender, as wrong attempts are counted; nil if its places are not counted.
    ///   - isStranger: whether the sender has no enrolled session key. A quarter of the queue, and of the places of a
    ///     network, is reserved for senders that have one.
    package func verify(
        _ password: String, against hash: String?, for sender: ThrottleID? = nil, isStranger: Bool = true
    ) async throws -> Bool {
        let bytes = Self.normalized(password)
        let compared = hash ?? decoy
        comparisons.withLock { $0 += 1 }
        let fits = try await work(for: sender, isStranger: isStranger) { Self.verify(bytes, compared) }
        return fits && hash != nil
    }

    /// The number of comparisons so far, with a hash or with the decoy.
    package var comparisonCount: Int { comparisons.withLock { $0 } }
    /// The number of passwords hashed so far.
    package var hashCount: Int { hashes.withLock { $0 } }

    private func work<Value: Sendable>(
        for sender: ThrottleID?, isStranger: Bool, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        func share(_ limit: Int) -> Int { isStranger ? limit - limit / 4 : limit }
        let (inAll, ofSender) = (share(queueLimit), share(senderLimit))
        let full = places.withLock { places in places.take(for: sender, of: inAll, ofSender: ofSender) }
        if let full { throw full }
        defer { places.withLock { $0.free(of: sender) } }
        return try await threads.runIfActive(body)
    }

    /// One spelling for each password (Unicode NFC), because keyboards encode accents differently.
    private static func normalized(_ password: String) -> [CChar] {
        password.precomposedStringWithCanonicalMapping.utf8.map { CChar(bitPattern: $0) }
    }

    private static func hash(_ password: [CChar], _ cost: Cost) throws -> String {
        let (passes, memory) = parameters(cost)
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        guard unsafe crypto_pwhash_str(&text, password, UInt64(password.count), passes, memory) == 0 else { throw Failed() }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func verify(_ password: [CChar], _ hash: String) -> Bool {
        unsafe crypto_pwhash_str_verify(hash, password, UInt64(password.count)) == 0
    }

    private static func parameters(_ cost: Cost) -> (passes: UInt64, memory: Int) {
        switch cost {
        case .full: (2, 19 * 1024 * 1024)
        case .least: (1, 8192)
        }
    }
}

extension Passwords.Places {
    /// Takes a place, or returns which bound allows none.
    fileprivate mutating func take(for sender: ThrottleID?, of most: Int, ofSender mostOfSender: Int) -> Passwords.QueueFull? {
        guard taken < most else { return Passwords.QueueFull(isOfSender: false) }
        if let sender {
            guard bySender[sender, default: 0] < mostOfSender else { return Passwords.QueueFull(isOfSender: true) }
            bySender[sender, default: 0] += 1
        }
        taken += 1
        return nil
    }

    fileprivate mutating func free(of sender: ThrottleID?) {
        taken -= 1
        guard let sender, let count = bySender[sender] else { return }
        bySender[sender] = count > 1 ? count - 1 : nil
    }
}
#endif
