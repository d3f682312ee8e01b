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

/// What a prompt asks for.
enum Demand: Sendable {
    /// What the key of the prompt demands: its own access control, or one with these flags where the system does not tell
    /// it. An access control that was just made is bound to no set of faces and fingers, so a prompt for it would match for
    /// a key whose set is gone.
    case key(Guard)
    /// The same for an item of the keychain.
    case item(KeychainItem, Guard)
    /// An access control with these flags, which belongs to no item.
    case access(Guard)
    /// A policy of the system, which opens no item: for keys in software.
    case policy(LAPolicy)
}

extension PromptContext {
    /// Shows the context's only prompt and returns once the person has matched. Every other outcome of the prompt is
    /// thrown and ends the context.
    ///
    /// The context shows the prompt, not the keychain, which would reduce all failures to three codes.
    func ask(_ sheet: Sheet, for demand: Demand) async throws(Failure) {
        guard !wasAsked else { throw Failure(.platform) }
        wasAsked = true
        do throws(Failure) {
            context.localizedCancelTitle = sheet.cancelTitle
            // The cancel button leads to the next rung; a second button beside it would only close the sheet.
            context.localizedFallbackTitle = ""
            context.touchIDAuthenticationAllowableReuseDuration = sheet.reuse
            try await answer(demand, sheet.reason)
            didMatch = true
        } catch {
            end()
            throw error
        }
    }

    /// How long the system's reply is waited for after the prompt was dismissed.
    private static let patience = Duration.seconds(1)

    /// Shows the prompt and waits for the person. A cancellation dismisses it; some systems leave the sheet up then and
    /// reply much later. Such a reply is not waited for, and a match in it opens nothing.
    private func answer(_ demand: Demand, _ reason: String) async throws(Failure) {
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
        let (answers, mailbox) = AsyncStream.makeStream(of: Result<Void, Failure>.self)
        Task(executorPreference: system.tasks) { mailbox.yield(await self.reply(demand, reason)) }
        // The answer is waited for in a task of its own: a cancelled task hears nothing more from a stream.
        let first = Task(executorPreference: system.tasks) {
            for await answer in answers { return answer }
            preconditionFailure("the stream is never finished, and its task is never cancelled")
        }
        let system = system
        let answer = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            Task(executorPreference: system.tasks) {
                await self.end()
                try? await system.sleep(Self.patience)
                mailbox.yield(.failure(Failure(.cancelledByApp)))
            }
        }
        try answer.get()
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
    }

    /// The system's reply to the context's prompt. It keeps the context alive, whose end would dismiss the prompt.
    private func reply(_ demand: Demand, _ reason: String) async -> Result<Void, Failure> {
        do throws(Failure) {
            switch demand {
            case .key(let guarded): try await evaluate(control(ownAccess(), or: guarded), .useKeySign, reason)
            case .item(let item, let guarded):
                try await evaluate(control(ownAccess(to: item), or: guarded), .useItem, reason)
            case .access(let guarded): try await evaluate(guarded.made(), .useItem, reason)
            case .policy(let policy): try await evaluate(policy, reason)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func control(_ own: SecAccessControl?, or guarded: Guard) throws(Failure) -> SecAccessControl {
        if let own { return own }
        return try guarded.made()
    }

    private func evaluate(
        _ control: SecAccessControl, _ operation: LAAccessControlOperation, _ reason: String
    ) async throws(Failure) {
        let isMatch: Bool
        do {
            isMatch = try await context.evaluateAccessControl(control, operation: operation, localizedReason: reason)
        } catch {
            throw AppleStatus(error).failure
        }
        guard isMatch else { throw AppleStatus(nil).failure }
    }

    private func evaluate(_ policy: LAPolicy, _ reason: String) async throws(Failure) {
        let isMatch: Bool
        do {
            isMatch = try await context.evaluatePolicy(policy, localizedReason: reason)
        } catch {
            throw AppleStatus(error).failure
        }
        guard isMatch else { throw AppleStatus(nil).failure }
    }
}
#endif
