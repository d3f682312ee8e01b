/// An error with its next step.
///
/// `message` and `recovery.message` are texts for the person. `description` is for logs: it begins with the code's
/// name, and is safe to show to anyone. The raw status of the platform, and the hint for the app's developers, are in
/// `debugDescription` only.
///
///     do {
///         let grant = try await auth.authenticate("Unlock Acme")
///     } catch .cancelledByUser {
///         …
///     } catch {
///         label.text = error.message.localized
///     }
public struct Failure: Error, Hashable, Sendable {
    /// Identifies what happened. Codes may be added: match with `==` or in a `catch`, and keep a default.
    public struct Code: Hashable, Sendable {
        /// The name of the code, for logs and telemetry.
        public let name: String
        /// The next step after a failure of this code, unless the place where it happens knows a better one.
        public let usualRecovery: Recovery

        init(_ name: String, recovery: Recovery) {
            self.name = name
            usualRecovery = recovery
        }

        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The raw status of the operating system: always the pair, because a code means nothing without its domain.
    public struct PlatformStatus: Hashable, Sendable {
        /// For example an error domain of Apple's, or `HTTP`.
        public var domain: String
        /// The number within the domain.
        public var code: Int
        /// The code of the secure hardware behind it, where the system tells one: `AKSError` of the Secure Enclave.
        public var hardware: Int?

        /// Creates a raw status.
        public init(domain: String, code: Int, hardware: Int? = nil) {
            self.domain = domain
            self.code = code
            self.hardware = hardware
        }
    }

    /// What happened.
    public var code: Code
    /// The next step.
    public var recovery: Recovery
    /// The raw status of the platform, where there is one.
    public var status: PlatformStatus?
    /// Which mistake of the app or of its server it is, in English for developers; nil where it is none. It is not compared:
    /// two failures with the same code, recovery, status and `until` are equal.
    public package(set) var developerHint: String?
    /// The kind of a `lockedOut`, where it is known; nil for every other code. It is not compared.
    public private(set) var lockout: Lockout?
    /// Whether it is what one mismatch or one wrong PIN has brought about: a pause, a lockout, or the end of a key. It is
    /// not compared.
    package private(set) var followsMismatch = false
    /// When a `coolingOff` ends, by the server's clock; nil for every other code.
    public private(set) var until: UnixTime?

    /// Creates a failure with the code's usual next step, unless another one is given.
    public init(_ code: Code, recovery: Recovery? = nil, status: PlatformStatus? = nil) {
        self.code = code
        self.recovery = recovery ?? code.usualRecovery
        self.status = status
    }

    /// A failure by a mistake of the app's developers or of the server's operators, with a sentence that names it.
    package init(_ code: Code, recovery: Recovery? = nil, status: PlatformStatus? = nil, hint: String) {
        self.init(code, recovery: recovery, status: status)
        developerHint = hint
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.code == rhs.code && lhs.recovery == rhs.recovery && lhs.status == rhs.status && lhs.until == rhs.until
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(recovery)
        hasher.combine(status)
        hasher.combine(until)
    }

    /// The server refuses this device until a time, although its person is signed in.
    ///
    /// - Parameters:
    ///   - end: when it is over, by the server's clock.
    ///   - rest: how long that is from now. The recovery is `wait` with it.
    ///   - status: the raw status, where there is one.
    public static func coolingOff(until end: UnixTime, rest: Duration, status: PlatformStatus? = nil) -> Failure {
        var failure = Failure(.coolingOff, recovery: .wait(rest), status: status)
        failure.until = end
        return failure
    }

    /// The same failure, brought about by one mismatch or one wrong PIN.
    package var afterMismatch: Failure {
        var failure = self
        failure.followsMismatch = true
        return failure
    }

    /// A sensor that refuses for now, with the rung that helps, or the time after which it is back.
    package static func lockedOut(_ lockout: Lockout, recovery: Recovery) -> Failure {
        var failure = Failure(.lockedOut, recovery: recovery)
        failure.lockout = lockout
        return failure
    }

    /// A rung that takes no answer for this long.
    package static func paused(for time: Duration) -> Failure { Failure(.paused, recovery: .wait(time)) }
}

extension Failure: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "\(code.name): \(message)" }

    public var debugDescription: String {
        description + (status.map { " (\($0))" } ?? "") + (developerHint.map { " \($0)" } ?? "")
    }
}

extension Failure.Code: CustomStringConvertible {
    public var description: String { name }

    /// Matches a failure with this code, in `catch .cancelledByUser` and in a `case` of a `switch` over a failure.
    public static func ~= (code: Self, failure: Failure) -> Bool { failure.code == code }

    /// Matches an error that is a failure with this code, in a `catch` after closures that may throw anything.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? Failure)?.code == code }
}

extension Failure.PlatformStatus: CustomStringConvertible {
    /// The domain and the number, with the code of the hardware where there is one.
    public var description: String { "\(domain) \(code)" + (hardware.map { ", hardware \($0)" } ?? "") }
}
