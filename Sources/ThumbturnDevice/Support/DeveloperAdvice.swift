import Foundation
import Synchronization
import ThumbturnCore

/// Sentences for the app's developers, each given once.
final class DeveloperAdvice: Sendable {
    private let given = Mutex<Set<String>>([])

    /// Whether a sentence is given for the first time.
    func isNew(_ sentence: String) -> Bool { given.withLock { $0.insert(sentence).inserted } }

    /// Writes a sentence to the standard error, in debug builds.
    static let write: @Sendable (String) -> Void = { sentence in
        #if DEBUG
        FileHandle.standardError.write(Data("Thumbturn: \(sentence)\n".utf8))
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
