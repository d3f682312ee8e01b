#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice

/// What the system's sheet says and takes.
struct Sheet: Hashable, Sendable {
    /// Why the person is asked. Never empty: the system would end the app.
    var reason: String
    /// The cancel button; nil for the system's own word.
    var cancelTitle: String?
    /// How long ago the lock screen may have seen the person, in seconds; 0 for a sheet that is shown each time.
    var reuse: TimeInterval

    init?(reason: String, cancelTitle: String?, reuse: TimeInterval) {
        guard reason.contains(where: { !$0.isWhitespace }) else { return nil }
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.reuse = reuse
    }
}

extension PromptContext {
    /// Shows its one prompt, and returns when the person matched. Anything else is thrown, and the context is over then.
    ///
    /// The person is asked here and not by the keychain, which would leave three numbers of all that can go wrong.
    func ask(_ sheet: Sheet, for guarded: Guard, operation: LAAccessControlOperation) async throws(Failure) {
        guard !wasAsked else { throw Failure(.platform) }
        wasAsked = true
        do throws(Failure) {
            context.localizedCancelTitle = sheet.cancelTitle
            // The ladder goes on by the cancel button; a second way out beside it would only close the sheet.
            context.localizedFallbackTitle = ""
            context.touchIDAuthenticationAllowableReuseDuration = sheet.reuse
            try await evaluate(guarded.made(), operation, sheet.reason)
            didMatch = true
        } catch {
            end()
            throw error
        }
    }

    private func evaluate(
        _ control: SecAccessControl, _ operation: LAAccessControlOperation, _ reason: String
    ) async throws(Failure) {
        let cancelled = Failure(.cancelledByApp)
        guard !Task.isCancelled else { throw cancelled }
        let isMatch: Bool
        do {
            isMatch = try await withTaskCancellationHandler {
                try await context.evaluateAccessControl(control, operation: operation, localizedReason: reason)
            } onCancel: {
                Task(executorPreference: system.tasks) { await self.end() }
            }
        } catch {
            throw AppleStatus(error).failure
        }
        // Some systems leave the sheet up all the same; then what the person still does there opens nothing.
        guard !Task.isCancelled else { throw cancelled }
        guard isMatch else { throw AppleStatus(nil).failure }
    }
}
#endif
