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
    /// What the system says of its sensor without a prompt and without a context; nil where it has nothing that says so.
    var environment: (@Sendable () -> SensorEnvironment?)? = SensorEnvironment.system
}

/// What `LAEnvironment` says (iOS 18, macOS 15).
struct SensorEnvironment: Sendable, Hashable {
    var isEnrolled: Bool
    var isLockedOut: Bool
    /// The lid of a portable Mac covers its sensor.
    var isCovered: Bool
    var isPasscodeSet: Bool?

    #if os(visionOS)
    static let system: (@Sendable () -> SensorEnvironment?)? = nil
    #else
    static let system: (@Sendable () -> SensorEnvironment?)? = {
        let state = LAEnvironment.currentUser.state
        return state.biometry.map {
            SensorEnvironment(
                isEnrolled: $0.isEnrolled, isLockedOut: $0.isLockedOut, isCovered: $0.builtInSensorInaccessible,
                isPasscodeSet: state.userPassword?.isSet)
        }
    }
    #endif
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
