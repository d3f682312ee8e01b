import ThumbturnCore
@testable import ThumbturnDevice

extension PlaceWalk {
    /// Something that the walk reaches, or it walked past what it is for.
    enum End: Hashable, Sendable {
        case nothing, aVisit, anEnrolment, aVisitBesideAnEnrolment
        case sessionsOfBoth, sessionOfOneProcess
        case openByAVisit, openByAKey, closedByADismissal, closedByAnotherProcess
        case sensorOff, panicEndsBySignIn, panicEndsByEnrolment, panicEndsByPasscode
        case mayAddBiometrics, anOffer, addedBiometrics, rightEndsByADismissal
        case visitTakenOver, enrolmentTakenOver, anotherIsRefused
        case aStepUp, aTap
        /// A slow act that ended: as a success or not, dismissed meanwhile or not.
        case slowSignIn(isSuccess: Bool, isVoid: Bool), slowEnrolment(isSuccess: Bool, isVoid: Bool)
        case slowBiometrics(isSuccess: Bool, isVoid: Bool)

        static func slow(_ slow: Slow, isSuccess: Bool, isVoid: Bool) -> End {
            switch slow {
            case .signIn: .slowSignIn(isSuccess: isSuccess, isVoid: isVoid)
            case .enrol: .slowEnrolment(isSuccess: isSuccess, isVoid: isVoid)
            case .addBiometrics: .slowBiometrics(isSuccess: isSuccess, isVoid: isVoid)
            }
        }
    }

    /// Every end. What was dismissed never succeeds; a slow enrolment also ends if its own person signs in on a phone that was
    /// of nobody.
    static let ends: Set<End> = [
        .nothing, .aVisit, .anEnrolment, .aVisitBesideAnEnrolment, .sessionsOfBoth, .sessionOfOneProcess, .openByAVisit,
        .openByAKey,
        .closedByADismissal, .closedByAnotherProcess, .sensorOff, .panicEndsBySignIn, .panicEndsByEnrolment, .panicEndsByPasscode,
        .mayAddBiometrics, .anOffer, .addedBiometrics, .rightEndsByADismissal, .visitTakenOver, .enrolmentTakenOver,
        .anotherIsRefused, .aStepUp, .aTap, .slowSignIn(isSuccess: true, isVoid: false),
        .slowSignIn(isSuccess: false, isVoid: false),
        .slowSignIn(isSuccess: false, isVoid: true), .slowEnrolment(isSuccess: true, isVoid: false),
        .slowEnrolment(isSuccess: false, isVoid: false), .slowEnrolment(isSuccess: false, isVoid: true),
        .slowBiometrics(isSuccess: true, isVoid: false),
        .slowBiometrics(isSuccess: false, isVoid: false), .slowBiometrics(isSuccess: false, isVoid: true),
    ]

    /// The ends that a state, or a step to it, shows by itself.
    static func ends(of act: Act, _ before: State, _ after: State) -> Set<End> {
        var ends: Set<End> = []
        let isVisit = after.sessions.values.contains(.visit)
        if after.owner == nil { ends.insert(.nothing) }
        if after.isEnrolled {
            ends.insert(isVisit ? .aVisitBesideAnEnrolment : .anEnrolment)
        } else if isVisit {
            ends.insert(.aVisit)
        }
        if after.sessions.count == 1 { ends.insert(.sessionOfOneProcess) }
        if after.sessions.count == 2 { ends.insert(.sessionsOfBoth) }
        if after.isOpen { ends.insert(after.sessions[.app] == .visit ? .openByAVisit : .openByAKey) }
        if before.isOpen, !after.isOpen {
            ends.insert(before.unheard != nil && act == .leave ? .closedByAnotherProcess : .closedByADismissal)
        }
        if after.isSensorOff { ends.insert(.sensorOff) }
        if after.mayAddBiometrics { ends.insert(.mayAddBiometrics) }
        if before.mayAddBiometrics, !after.mayAddBiometrics, after.owner == before.owner { ends.insert(.rightEndsByADismissal) }
        return ends
    }
}

extension PlaceWalk {
    /// What the walk should have reached and did not, and what it reached without being listed.
    func gaps(in report: Report) -> [String] {
        // A stored session is every process's.
        let expected = keeping == .stored ? Self.ends.subtracting([.sessionOfOneProcess]) : Self.ends
        return expected.subtracting(report.ends).map { "not reached: \($0)" }.sorted()
            + report.ends.subtracting(expected).map { "not listed: \($0)" }.sorted()
    }
}
