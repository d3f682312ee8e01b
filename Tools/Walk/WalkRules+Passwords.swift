#if Tools
import ThumbturnCore

/// The rules for passwords: a full sign-in, and a change of the password with a session.
extension WalkRules {
    /// A full sign-in, which makes a ticket for the phone.
    static func signIn(
        _ phone: PhoneName, _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World
    ) throws -> Violation? {
        let person: Person = phone == .bens ? .ben : .ada
        let violation: Violation? =
            sent.password != world.people[person]?.passwords
            ? "a former password was accepted"
            : world.people[person]?.isOff == true ? "an account that is off signed in" : nil
        try add(answer, for: phone, of: person, voucher: nil, to: &world)
        return violation
    }

    static func changePassword(_ index: Int, in world: inout World) -> Violation? {
        let session = world.sessions[index]
        let violation = refusalToChangePassword(session, in: world)
        let person = world.person(of: session.phone) ?? .ada
        world.people[person]?.passwords += 1
        world.people[person]?.generation += 1
        world.endSessions { [phones = world.phones] in
            phones[$0.phone]?.person == person && $0.phone != session.phone
        }
        world.sessions[index].isOver = true
        return violation
    }

    private static func refusalToChangePassword(_ session: World.Session, in world: World) -> Violation? {
        if let refused = refusal(of: session, in: world) { return refused }
        if session.act != "change-password" { return "a session without the step-up set the password" }
        if session.shows != .biometric { return "a key that shows the \(session.shows) set the password" }
        return world.isCooling(session.phone) ? "a phone set the password during its cool-off" : nil
    }
}
#endif
