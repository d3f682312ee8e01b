#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import Synchronization
import ThumbturnCore

/// Sentences for the app's developers, each given once.
final class DeveloperAdvice: Sendable {
    private let given = Mutex<Set<String>>([])

    /// Whether a sentence is given for the first time.
    func isNew(_ sentence: String) -> Bool { given.withLock { $0.insert(sentence).inserted } }

    /// Writes a sentence to the standard error, in debug builds.
    static let toStandardError: @Sendable (String) -> Void = { sentence in
        #if DEBUG
        var line = "Thumbturn: \(sentence)\n"
        // Advice that cannot be written is no failure.
        line.withUTF8 { text in _ = unsafe write(STDERR_FILENO, text.baseAddress, text.count) }
        #endif
    }
}

extension DevicePlatform {
    /// Warns the developers about a reason that tells the person nothing.
    func adviseOn(reason: String) {
        guard PromptReason.isVague(reason) else { return }
        let sentence = "The reason “\(reason)” does not say why the person is asked. Name what it is for, like “Unlock Acme”."
        if shared.advice.isNew(sentence) { advise(sentence) }
    }
}
