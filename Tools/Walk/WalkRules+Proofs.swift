#if Tools
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The rules for messages with proofs: sign-ins, step-ups, signatures of approvals, and changes of keys.
extension WalkRules {
    static func accept(
        _ attempt: Attempt, _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World, _ server: WalkServer,
        _ cast: Cast
    ) throws -> Violation? {
        let before = world
        let violation =
            refusal(of: attempt, sent, in: before) ?? refusal(of: attempt.act, by: sent.signers, on: attempt.caller, in: before)
        // A right signature makes a key active and ends its count.
        for signer in sent.signers {
            guard world.phones[attempt.caller]?.keys[signer.name.kind]?.kid == signer.kid else { continue }
            world.phones[attempt.caller]?.keys[signer.name.kind]?.isProven = true
            world.phones[attempt.caller]?.keys[signer.name.kind]?.wrong = 0
            world.phones[attempt.caller]?.keys[signer.name.kind]?.pausedUntil = .zero
        }
        guard let first = sent.signers.first else { return violation ?? "it was accepted without a signature" }
        switch attempt.act {
        case .signIn:
            let tokens = try answer.read(TokenAnswer.self)
            let session = World.Session(
                phone: attempt.caller, key: first.name, shows: first.shows, access: tokens.accessToken,
                accessAt: before.elapsed, openedAt: before.elapsed, refresh: tokens.refreshToken, refreshedAt: before.elapsed)
            add(session, to: &world)
            return violation ?? refusal(of: tokens.accessToken, of: session, by: server, cast, in: before)
        case .stepUp(let act):
            let token = try answer.read(StepUpAnswer.self).accessToken
            // The strongest of the keys counts.
            let shown = Set(sent.signers.map(\.shows))
            let session = World.Session(
                phone: attempt.caller, key: first.name, shows: shown.contains(.biometric) ? .biometric : first.shows, act: act,
                access: token, accessAt: before.elapsed, openedAt: before.elapsed, refreshedAt: before.elapsed, factors: shown)
            add(session, to: &world)
            return violation ?? refusal(of: token, of: session, by: server, cast, in: before)
        case .approve(let index):
            guard let person = before.person(of: attempt.caller) else { return violation }
            // Signatures of one phone count together, and a key's new one takes the place of its former one.
            world.approvals[index].signatures.removeAll {
                $0.person == person && ($0.key.name.phone != attempt.caller || $0.key.name.kind == first.name.kind)
            }
            world.approvals[index].signatures.append(.init(person: person, key: first, at: before.elapsed))
            if world.approvals[index].people.allSatisfy({ isSigned(world.approvals[index], by: $0, in: world) }) {
                world.approvals[index].expiresAt = max(world.approvals[index].expiresAt, before.elapsed + .seconds(300))
            }
            return violation
        case .change(let change):
            replace(change.kind, with: sent.brought.first, broughtBy: first.shows, on: attempt.caller, in: &world)
            if first.name.kind != change.kind {
                world.endSessions { $0.phone == attempt.caller && $0.key.kind == change.kind }
            }
            return violation
        }
    }

    /// Why a message must not be accepted, whatever it is for: its parts do not belong together, or its time is over.
    private static func refusal(of attempt: Attempt, _ sent: Prepared, in world: World) -> Violation? {
        if attempt.challengeFor != attempt.act {
            return "a challenge for \(attempt.challengeFor) was accepted for \(attempt.act)"
        }
        if attempt.bound != attempt.caller { return "a challenge for \(attempt.bound) was accepted from \(attempt.caller)" }
        if attempt.isWrong { return "a wrong PIN was accepted" }
        if sent.epoch != world.epoch { return "a challenge of an earlier epoch was accepted" }
        if world.elapsed - sent.madeAt >= .seconds(300) { return "a challenge was accepted after its time" }
        if attempt.signers.contains(where: { $0.phone != attempt.caller }) { return "a key of another phone was accepted" }
        return nil
    }

    /// Why these keys must not authorise an act.
    private static func refusal(
        of act: Act, by signers: [World.Key], on phone: PhoneName, in world: World
    ) -> Violation? {
        guard world.isLive(phone) else { return "\(phone) was accepted, and it is removed, or its account is off" }
        for signer in signers {
            guard let key = world.phones[phone]?.keys[signer.name.kind], key.kid == signer.kid else {
                return "\(signer.name) was accepted, and it was replaced or removed"
            }
            if world.elapsed < key.pausedUntil { return "\(signer.name) was accepted during its pause" }
            if key.name.kind == .pin, key.wrong >= mostWrongPINs { return "\(signer.name) was accepted after ten wrong PINs" }
        }
        if Set(signers.map(\.name.kind)).count != signers.count { return "one key was accepted as two" }
        if act != .signIn, world.isCooling(phone) { return "\(phone) did \(act) during its cool-off" }
        let shown = signers.map(\.shows)
        switch act {
        case .signIn: return nil
        case .stepUp(let name):
            let enough: [KeyKind] = name == "change-password" ? [.biometric] : [.biometric, .pin]
            return shown.contains(where: enough.contains) ? nil : "\(list(shown)) was enough for the step-up \(name)"
        case .approve(let index):
            let approval = world.approvals[index]
            guard let person = world.person(of: phone), approval.people.contains(person) else {
                return "a stranger approved"
            }
            if approval.end != nil || world.elapsed >= approval.expiresAt { return "an approval that is over was signed" }
            let takes = approval.demand.keys ?? [.biometric, .pin]
            return shown.allSatisfy(takes.contains) ? nil : "\(list(shown)) approved a payment"
        case .change(let change):
            let isThere = world.phones[phone]?.keys[change.kind] != nil
            let isItself = signers.first?.name.kind == change.kind
            switch change {
            case .setPIN:
                if isThere { return "a second PIN was set" }
                return shown == [.biometric] || shown == [.passcode] ? nil : "\(list(shown)) set a PIN"
            case .changePIN, .removePIN:
                if !isThere { return "a PIN was changed that is not there" }
                return isItself || shown == [.biometric] ? nil : "\(list(shown)) changed a PIN"
            case .removeBiometric: return isThere ? nil : "a biometric key was removed that is not there"
            case .resetPIN, .replaceBiometric: return "\(list(shown)) did \(change.rawValue), which needs full credentials"
            }
        }
    }

    private static func list(_ kinds: [KeyKind]) -> String {
        "a key that shows the " + kinds.map(\.rawValue).joined(separator: " and the ")
    }

    /// Counts a wrong signature as the server says that it does.
    static func count(
        _ attempt: Attempt, _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World
    ) -> Violation? {
        guard attempt.isWrong, sent.epoch == world.epoch, world.isLive(attempt.caller), let signer = sent.signers.first,
            let key = world.phones[attempt.caller]?.keys[signer.name.kind], key.kid == signer.kid,
            world.elapsed >= key.pausedUntil
        else { return nil }
        let (kind, wrong) = (signer.name.kind, key.wrong + 1)
        world.phones[attempt.caller]?.keys[kind]?.wrong = wrong
        guard kind == .pin else {
            // Every key but a PIN key pauses from the fifth wrong signature on.
            if wrong >= 5 { world.phones[attempt.caller]?.keys[kind]?.pausedUntil = world.elapsed + .seconds(30 << (wrong - 5)) }
            return nil
        }
        let left = (try? WireJSON.decodeClaims(Problem.self, from: answer.body))?.triesLeft
        return left == max(0, mostWrongPINs - wrong) ? nil : "a wrong PIN was not counted before the answer"
    }
}
#endif
