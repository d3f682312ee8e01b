#if canImport(LocalAuthentication) && canImport(Security)
import Dispatch
import Foundation
import LocalAuthentication
import ThumbturnCore

/// What differs between the systems of Apple, their versions, and tests: given, so that each branch can be run everywhere.
struct AppleSystem: Sendable {
    /// Where calls run that block, perhaps for as long as a prompt is shown: not the main thread, and not the threads that Swift's tasks
    /// share.
    var executor: any SerialExecutor = BlockingQueue.shared
    /// Where tasks begin that nobody waits for; nil for the usual threads. A clock that stands still while code runs gives its own.
    var tasks: (any TaskExecutor)?
    /// What the system says of its sensor without a prompt and without a context; nil where nothing says so, as on a system without it.
    var environment: (@Sendable () -> SensorEnvironment?)? = SensorEnvironment.system
    /// The major version of the operating system.
    var majorVersion: @Sendable () -> Int = { ProcessInfo.processInfo.operatingSystemVersion.majorVersion }
    /// Why the app asks for a face, as its Info.plist tells the person.
    var faceIDReason: @Sendable () -> String? = { Bundle.main.faceIDReason }
    /// Tells developers something while they debug.
    var advise: @Sendable (String) -> Void = { FileHandle.standardError.write(Data("Thumbturn: \($0)\n".utf8)) }
}

extension SensorEnvironment {
    static let system: (@Sendable () -> SensorEnvironment?)? = {
        LAEnvironment.currentUser.state.biometry.map {
            SensorEnvironment(isLockedOut: $0.isLockedOut, isCovered: $0.builtInSensorInaccessible)
        }
    }
}

/// One thread's worth of work, on a queue of Dispatch.
final class BlockingQueue: SerialExecutor {
    /// For what does not wait for a person.
    static let shared = BlockingQueue("thumbturn.keychain")

    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
#endif
