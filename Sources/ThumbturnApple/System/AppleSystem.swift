#if canImport(LocalAuthentication) && canImport(Security)
#if canImport(DeviceCheck)
import DeviceCheck
#endif
import Dispatch
import Foundation
import LocalAuthentication
import ThumbturnCore

/// The parts that differ between Apple's systems, their versions and tests. They are injected, so that every branch
/// runs in tests on every platform.
struct AppleSystem: Sendable {
    /// Runs calls that block, away from the main thread and from the threads that Swift's tasks share.
    var executor: any SerialExecutor = BlockingQueue.shared
    /// The executor of tasks that are not awaited; nil for the default. A virtual clock passes its own.
    var tasks: (any TaskExecutor)?
    /// Waits for a time. A virtual clock passes its own.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Reads the sensor's state without a prompt and without a context; nil where the system does not report it, as
    /// without a sensor.
    var environment: (@Sendable () -> SensorEnvironment?)? = SensorEnvironment.system
    /// The major version of the operating system.
    var majorVersion: @Sendable () -> Int = { ProcessInfo.processInfo.operatingSystemVersion.majorVersion }
    /// The app's reason for using Face ID, as its Info.plist states it.
    var faceIDReason: @Sendable () -> String? = { Bundle.main.faceIDReason }
    /// Whether this is a simulator, which has no Secure Enclave.
    var isSimulator = Self.isBuiltForSimulators
    /// Whether the system has App Attest.
    var hasAppAttest: @Sendable () -> Bool = Self.appAttest
    /// Whether VoiceOver or Switch Control runs.
    var assistive = AssistiveTechnology.system
    /// Reports advice to developers while they debug.
    var advise: @Sendable (String) -> Void = { FileHandle.standardError.write(Data("Thumbturn: \($0)\n".utf8)) }
}

extension AppleSystem {
    #if targetEnvironment(simulator)
    static let isBuiltForSimulators = true
    #else
    static let isBuiltForSimulators = false
    #endif

    static let appAttest: @Sendable () -> Bool = {
        #if canImport(DeviceCheck)
        DCAppAttestService.shared.isSupported
        #else
        false
        #endif
    }

    /// What a simulator's developers read with a failure, and before the first prompt.
    static let ofSimulators =
        "This is a simulator: keys behind a face cannot be made there, or open without a prompt, and no application password "
        + "is judged. Use DevicePlatform.appleWithSoftwareKeys(in:) there, and a device for everything else."

    /// The failure of a key or of a secret; in a simulator with a hint for the developers.
    func explained(_ failure: Failure) -> Failure {
        guard isSimulator, failure.status != nil, failure.developerHint == nil else { return failure }
        var explained = failure
        explained.developerHint = Self.ofSimulators
        return explained
    }
}

extension SensorEnvironment {
    static let system: (@Sendable () -> SensorEnvironment?)? = {
        LAEnvironment.currentUser.state.biometry.map {
            SensorEnvironment(isLockedOut: $0.isLockedOut, isCovered: $0.builtInSensorInaccessible)
        }
    }
}

/// A serial executor on a queue of Dispatch.
final class BlockingQueue: SerialExecutor {
    /// The queue of keychain calls.
    static let shared = BlockingQueue("thumbturn.keychain")

    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
#endif
