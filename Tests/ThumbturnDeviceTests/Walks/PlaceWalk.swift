import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Visits the states of a phone that two persons share, by the real library: an app with a lock and its extension, with acts that
/// overlap. A fresh phone goes the shortest known way to a state, and every act is tried in it.
///
/// One act at a time is slow: held once the server has answered its last request. The persons are alike: a state counts as the
/// one with their names exchanged.
struct PlaceWalk: Sendable {
    /// Where an act happens.
    enum Process: String, Hashable, Sendable { case app, other }

    /// An act whose last answer is held.
    enum Slow: Hashable, Sendable {
        case signIn(Resident), enrol(Resident), addBiometrics
    }

    enum Act: Hashable, Sendable {
        case signIn(Resident, Process), enrol(Resident), unlock(Process), addBiometrics, stepUp, offer
        case lockNow, leave, panic(Process), everyonesPanic, forget, signOut, revoke(Process)
        /// The person taps one of two questions with the same words.
        case tapOneOfTwo
        case begin(Slow), release
    }

    /// Whose session a process has.
    enum Session: Hashable, Sendable { case visit, key }

    /// What the app hears of when it comes to the front.
    enum Unheard: Hashable, Sendable { case panic, revocation, anotherPerson }

    /// What a phone is like, as far as the rules can tell.
    struct State: Hashable, Sendable {
        var owner: Resident?
        var isEnrolled = false
        var sessions: [Process: Session] = [:]
        /// Whether the app shows its contents.
        var isOpen = false
        /// What another process has done to whose success opened the app, which has not heard of it yet.
        var unheard: Unheard?
        var isSensorOff = false
        var mayAddBiometrics = false
        var slow: Slow?
        /// Whether what is held was dismissed.
        var isSlowVoid = false
    }

    struct Report: Sendable {
        var states = 0
        /// The states to which their own way did not lead again.
        var lost = 0
        var transitions = 0
        var phones = 0
        var ends: Set<End> = []
        var violations: [String] = []
    }

    let keeping: SessionKeeping
    /// A walk ends after it has tried this many acts; nil for every act in every state.
    let most: Int?

    /// A walk that finds this many violations ends.
    private static let mostViolations = 20
    /// After this many acts a fresh phone is taken.
    private static let mostActs = 100

    func run() async throws -> Report {
        var (map, report) = (PlaceMap(), Report())
        while map.tried < most ?? .max, report.violations.count < Self.mostViolations, let (place, way) = map.next() {
            let begun = map
            let (steps, seen) = try await PlaceStory.tell(keeping, after: way) { story in
                var (map, steps) = (begun, [PlaceStory.Step]())
                if await story.state.canonical != place { map.lose(place) }
                // The same phone goes on as long as its acts lead to something that is left to try.
                while steps.count < Self.mostActs, let act = map.takeAct(in: await story.state) {
                    let step = try await story.take(act)
                    steps.append(step)
                    guard step.violations.isEmpty else { break }
                    map.note(step)
                }
                return (steps, map)
            }
            map = seen
            report.phones += 1
            for step in steps {
                report.ends.formUnion(step.ends)
                if !step.violations.isEmpty { report.violations += try await shortest(step, map) }
            }
        }
        (report.states, report.transitions, report.lost) = (map.count, map.tried, map.lost)
        return report
    }

    /// What is wrong in a step, told by the shortest way that shows it.
    private func shortest(_ step: PlaceStory.Step, _ map: PlaceMap) async throws -> [String] {
        let (way, act) = map.way(to: step)
        let again = try await PlaceStory.tell(keeping, after: way) { try await $0.take(act) }
        return again.violations.isEmpty ? step.violations : again.violations
    }
}

/// The states that a walk has found, each with the shortest way that led to it, what is left to try there, and where acts led.
private struct PlaceMap: Sendable {
    private struct Place {
        var way: [PlaceWalk.Act]
        var untried: [PlaceWalk.Act]
        var next: [PlaceWalk.Act: PlaceWalk.State] = [:]
    }

    /// An act that leads from one state to another.
    private struct Leg {
        var start: PlaceWalk.State
        var act: PlaceWalk.Act
    }

    private var places = [PlaceWalk.State(): Place(way: [], untried: PlaceWalk.acts.filter(PlaceWalk.State().allows))]
    /// The acts that lead from a state to the next one in which something is left to try.
    private var plan: [Leg] = []

    var count: Int { places.count }
    /// How many acts were tried, each in one state.
    private(set) var tried = 0
    /// The states to which their own way did not lead again.
    private(set) var lost = 0

    /// The nearest state in which something is left to try, and the way there.
    func next() -> (PlaceWalk.State, way: [PlaceWalk.Act])? {
        let open = places.filter { !$0.value.untried.isEmpty }
        return open.min { ($0.value.way.count, "\($0.value.way)") < ($1.value.way.count, "\($1.value.way)") }.map {
            ($0.key, $0.value.way)
        }
    }

    /// Tries nothing more in a state, unless another way leads there.
    mutating func lose(_ state: PlaceWalk.State) {
        places[state]?.untried = []
        lost += 1
    }

    /// The next act in a state: one to try, which counts as tried, or one that leads to a state in which one is left. Nil if no
    /// known act leads there.
    mutating func takeAct(in state: PlaceWalk.State) -> PlaceWalk.Act? {
        let here = state.canonical
        if let act = places[here]?.untried.first {
            places[here]?.untried.removeFirst()
            (plan, tried) = ([], tried + 1)
            return act.named(as: state)
        }
        if plan.first?.start != here { plan = planned(from: here) }
        return plan.isEmpty ? nil : plan.removeFirst().act.named(as: state)
    }

    private func planned(from here: PlaceWalk.State) -> [Leg] {
        var (seen, waiting): (Set, [(state: PlaceWalk.State, legs: [Leg])]) = ([here], [(here, [])])
        while let (state, legs) = waiting.first {
            waiting.removeFirst()
            guard let place = places[state] else { continue }
            if !place.untried.isEmpty { return legs }
            for act in PlaceWalk.acts {
                guard let next = place.next[act], seen.insert(next).inserted else { continue }
                waiting.append((next, legs + [Leg(start: state, act: act)]))
            }
        }
        return []
    }

    /// The shortest way to what a step began with, and its act, in the names of the states that count.
    func way(to step: PlaceStory.Step) -> (way: [PlaceWalk.Act], act: PlaceWalk.Act) {
        (places[step.before.canonical]?.way ?? [], step.act.named(as: step.before))
    }

    mutating func note(_ step: PlaceStory.Step) {
        let next = step.after.canonical
        places[step.before.canonical]?.next[step.act.named(as: step.before)] = next
        // All ways have the names of the states that count.
        let way = step.way.map { $0.named(as: step.after) }
        if let known = places[next] {
            if way.count < known.way.count { places[next]?.way = way }
        } else {
            places[next] = Place(way: way, untried: PlaceWalk.acts.filter(next.allows))
        }
    }
}

extension PlaceWalk.State {
    /// Whether the state counts as the one with the names exchanged.
    fileprivate var isExchanged: Bool { (owner ?? slow?.who) == .bob }

    /// The one of two states that counts.
    fileprivate var canonical: Self {
        var state = self
        if isExchanged { (state.owner, state.slow) = (owner?.other, slow?.exchanged) }
        return state
    }

    /// Whether an act is possible, and another one than its mirror image.
    fileprivate func allows(_ act: PlaceWalk.Act) -> Bool {
        switch act {
        case .release: slow != nil
        case .begin(let next): slow == nil && (owner != nil || next.who != .bob)
        case .signIn(let who, _), .enrol(let who): owner != nil || slow != nil || who == .ada
        case .tapOneOfTwo: isEnrolled
        default: true
        }
    }
}

extension PlaceWalk.Act {
    /// The act with the names of the states that count, or back from them.
    fileprivate func named(as state: PlaceWalk.State) -> Self { state.isExchanged ? exchanged : self }
}
