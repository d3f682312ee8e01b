import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    struct State {
        var model: Model
        var name = "Simulated phone"
        // The person.
        var acts: [(act: Act, after: Duration?)] = []
        var answerTimes: AnswerTimes?
        // Enrolment: the number of faces or fingers, the set's number for the system's mark, and the number that
        // biometric keys are bound to, which the model may keep where one of several is removed. Numbers never repeat.
        var faces: Int
        var enrolledSet = 1
        var enrolment = 1
        var hasPasscode: Bool
        var passcode = 1
        var permissionDenied = false
        var isSwitchedOff = false
        var isLidClosed = false
        var systemVersion = 18
        // The sensor's own count.
        var tries = 0
        var pausedUntil: Instant?
        var wantsPasscode = false
        var lastMatch: Instant?
        // Unlocks of the phone itself.
        var deviceUnlockReuse = Duration.zero
        var lastDeviceUnlock: Instant?
        var reusedUnlocks = 0
        // The screen.
        var prompts = 0
        var shown: [Int: AsyncStream<PromptAnswer>.Continuation] = [:]
        var spent: Set<Int> = []
        var phase = AppPhase.front
        /// Whether a part of the system covers the app; then the end of a prompt does not make it active again.
        var isCovered = false
        var watchers: [Int: AsyncStream<AppPhase>.Continuation] = [:]
        var nextWatcher = 0
        // Storage.
        var isReadable = true
        var keys: [KeyName: StoredKey] = [:]
        var pins = PINs()
        var secrets: [String: [UInt8]] = [:]
        /// Secrets that were restored from a backup without the key that decrypts them.
        var unreadableSecrets: Set<String> = []
        var vaults: [KeyName: ProtectedSecret] = [:]
        // Processes: the locks that they hold, and how often the phone and the app were started.
        var locks: [String: (process: String, number: Int)] = [:]
        var lastLock = 0
        var starts = 1
        var appStarts = 1

        var hasSensor: Bool { model.sensor != nil }
        var hasFace: Bool { faces > 0 }
    }
}
