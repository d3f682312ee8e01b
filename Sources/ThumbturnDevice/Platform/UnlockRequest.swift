import ThumbturnCore

/// One request to authenticate a person: for which account or vault, with which reason and policy.
///
/// Equal requests of a kind that may be joined have one prompt and one outcome.
struct UnlockRequest: Hashable, Sendable {
    /// The account or vault that asks.
    var asker: String
    /// Shown in the system's prompt.
    var reason: String
    var policy: UnlockPolicy
    var kind: AskKind
    /// The access of the vault that asks: with another one it is another question.
    var access: VaultAccess? = nil
    /// The rung that the person chose to begin with: with another one it is another question.
    var startingAt: Rung? = nil
}

extension UnlockRequest {
    /// Refuses a blank reason: the person has to be told why they are asked. Warns the developers about a vague one.
    static func check(reason: String, on platform: DevicePlatform) throws(Failure) {
        guard reason.contains(where: { !$0.isWhitespace }) else {
            throw Failure(.reasonMissing, hint: "The reason of the prompt is empty: say what the person is about to do.")
        }
        platform.adviseOn(reason: reason)
    }

    /// Refuses a blank reason and a policy that contradicts itself, before a server is asked.
    func check(on platform: DevicePlatform) throws(Failure) {
        try Self.check(reason: reason, on: platform)
        if let problem = policy.problem { throw Failure(.policyDenies, hint: UnlockPolicy.hint(on: problem)) }
    }
}

/// What the person chose beside a prompt.
enum PromptChoice: Sendable {
    /// To be prompted now.
    case prompt
    case anotherWay
}
