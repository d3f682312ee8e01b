#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice

/// The texts of the system's sheet, and whether a device unlock can replace it.
struct Sheet: Hashable, Sendable {
    /// The reason that the person reads. It is never empty: the system would end the app.
    var reason: String
    /// The title of the cancel button; nil for the system's own.
    var cancelTitle: String?
    /// How many seconds ago the device may have been unlocked to count as a match; 0 for a sheet that is shown each
    /// time.
    var reuse: TimeInterval

    init?(reason: String, cancelTitle: String?, reuse: TimeInterval) {
        guard reason.contains(where: { !$0.isWhitespace }) else { return nil }
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.reuse = reuse
    }
}

extension PromptContext {
    /// Shows the context's only prompt and returns once the person has matched. Every other outcome of the prompt is
    /// thrown and ends the context.
    ///
    /// The context shows the prompt, not the keychain, which would reduce all failures to three codes.
    func ask(_ sheet: Sheet, for guarded: Guard, operation: LAAccessControlOperation) async throws(Failure) {
        guard !wasAsked else { throw Failure(.platform) }
        wasAsked = true
        do throws(Failure) {
            context.localizedCancelTitle = sheet.cancelTitle
            // The cancel button leads to the next rung; a second button beside it would only close the sheet.
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
        // Some systems leave the sheet up after the cancellation. A match there opens nothing.
        guard !Task.isCancelled else { throw cancelled }
        guard isMatch else { throw AppleStatus(nil).failure }
    }
}
#endif
