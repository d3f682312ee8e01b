public import Foundation
import ThumbturnCore

extension Scenario {
    /// The value of the member `format`.
    static let format = "thumbturn-scenario/1"
    /// The limits of a file: a longer one was hardly written and read by a person.
    package static let (longest, mostEvents) = (262_144, 500)

    /// Reads a scenario. Throws `ScenarioProblem` with the line for a text that is not JSON, and with the path of the
    /// member for a member that is unknown, absent or invalid, for times that go back, and for a file that is too long.
    public init(json: some DataProtocol) throws {
        guard json.count <= Self.longest else { throw ScenarioProblem("the file: is longer than \(Self.longest) bytes") }
        let file: Place
        do throws(JSONError) {
            file = try Place(Array(json))
        } catch {
            throw ScenarioProblem(error.description)
        }
        try self.init(file)
    }

    private init(_ file: Place) throws {
        let members = try file.members(
            ["format", "name", "shows", "pains", "policy", "start", "events", "end"], optional: ["person"])
        func member(_ name: String) throws -> Place {
            guard let place = members[name] else { throw file.problem("lacks the member \"\(name)\"") }
            return place
        }
        let format = try member("format")
        guard try format.text() == Self.format else { throw format.problem("is not \"\(Self.format)\"") }
        name = try member("name").text()
        shows = try member("shows").text()
        pains = try member("pains").list().map { Int(try $0.number(1...44)) }
        policy = try Self.policy(member("policy"))
        person = try members["person"].map(Person.init) ?? Person()
        end = try UnlockFlow.End(member("end"))

        let start = try member("start").members(["by", "biometry", "keys", "effects"], optional: ["full_sign_in"])
        let ladder = policy.ladder
        let began = UnlockFlow.Event.began(
            try Readiness(start, ladder: ladder), by: try UnlockFlow.Start(start["by"]!)
        )
        var moments = [Moment(at: .zero, event: began, effects: try start["effects"]!.list().map(UnlockFlow.Effect.init))]
        let events = try member("events")
        let list = try events.list()
        guard list.count <= Self.mostEvents else { throw events.problem("holds more than \(Self.mostEvents) events") }
        for place in list {
            let parts = try place.members(["at", "event", "effects"])
            let at = try parts["at"]!.duration()
            guard at >= moments[moments.count - 1].at else { throw parts["at"]!.problem("is before the event above") }
            let event = try UnlockFlow.Event(parts["event"]!, ladder: ladder)
            moments.append(Moment(at: at, event: event, effects: try parts["effects"]!.list().map(UnlockFlow.Effect.init)))
        }
        self.moments = moments
    }

    /// Reads a preset's name, or an object as `UnlockPolicy` reads it.
    private static func policy(_ place: Place) throws -> UnlockPolicy {
        guard place.isText else { return try place.decoded() }
        let name = try place.text()
        guard let preset = UnlockPolicy.presets[name] else {
            throw place.problem("\"\(name)\" is none of \(UnlockPolicy.presets.keys.sorted().joined(separator: ", "))")
        }
        return preset
    }
}

extension Person {
    fileprivate init(_ place: Place) throws {
        self.init()
        let members = try place.members([], optional: ["time_limits", "preferred", "pace"])
        extraTime = try members["time_limits"].map(ExtraTime.init) ?? extraTime
        preferred = try members["preferred"]?.named()
        pace = try members["pace"].map(Self.pace) ?? pace
    }

    /// Reads the pace of earlier flows, with times in milliseconds.
    private static func pace(_ place: Place) throws -> Pace {
        var numbers = try place.members(["samples", "misses_in_a_row", "usual", "variation"]).mapValues { try $0.number() }
        numbers["missesInARow"] = numbers.removeValue(forKey: "misses_in_a_row")
        do throws(JSONError) {
            return try StrictJSON.decodeIgnoringUnknown(Pace.self, from: StrictJSON.encode(numbers))
        } catch {
            throw place.problem(error.description)
        }
    }
}

extension ExtraTime {
    /// Reads the member `time_limits`, whose names are older than those of this type.
    fileprivate init(_ place: Place) throws {
        switch try place.text() {
        case "ofThePolicy": self = .none
        case "tenfold": self = .tenfold
        case "lifted": self = .unlimited
        case let other: throw place.problem("\"\(other)\" has no meaning here")
        }
    }
}
