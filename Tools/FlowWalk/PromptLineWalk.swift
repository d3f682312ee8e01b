import ThumbturnCore

/// Visits every state that a few flows can bring `PromptLine` into, and checks its rules in each.
///
/// In each state every flow comes, leaves and gives the screen up, whether it has it or not. A flow that had the screen says
/// so when it comes again.
package struct PromptLineWalk: Sendable {
    /// The number of flows.
    package let flows: Int

    /// A walk with this many flows.
    package init(flows: Int = 5) {
        self.flows = flows
    }

    /// The ends that a walk should reach.
    package static let ends: Set<String> = [
        "a free screen was given at once", "the screen was given on", "the screen was given to a flow that is back",
        "a flow left the line", "the screen is free again",
    ]

    /// Walks all states. An end that is not reached is a violation.
    package func run() -> FlowWalk.Report {
        var report = FlowWalk.Report()
        var seen: Set<Place> = [Place()]
        var waiting = Array(seen)
        while let place = waiting.popLast() {
            for flow in 1...flows {
                let came = PromptLine.Event.came(flow, isBack: place.hadScreen.contains(flow))
                for event in [came, .left(flow), .done(flow)] {
                    var after = place
                    let effects = after.line.handle(event)
                    if let holder = after.line.holder { after.hadScreen.insert(holder) }
                    report.transitions += 1
                    check(place, event, after, effects, &report)
                    if seen.insert(after).inserted { waiting.append(after) }
                }
            }
        }
        report.states = seen.count
        report.violations += Self.ends.subtracting(report.ends).sorted().map { "the end is not reached: \($0)" }
        return report
    }

    private struct Place: Hashable {
        var line = PromptLine()
        var hadScreen: Set<Int> = []
    }
}

// MARK: - Rules

extension PromptLineWalk {
    private func check(
        _ before: Place, _ event: PromptLine.Event, _ after: Place, _ effects: [PromptLine.Effect],
        _ report: inout FlowWalk.Report
    ) {
        var broken: [String] = []
        func demand(_ holds: Bool, _ rule: String) {
            if !holds { broken.append("\(rule): \(event) at \(before)") }
        }
        let (line, earlier) = (after.line, before.line)
        demand(line.holder != nil || line.waiting.isEmpty, "a flow that waits gets a screen that is free")
        demand(Set(line.waiting).count == line.waiting.count, "a flow waits once")
        demand(!line.waiting.contains { $0 == line.holder }, "a flow that has the screen does not wait")
        let given = line.holder == earlier.holder ? nil : line.holder
        demand(effects == (given.map { [.give($0)] } ?? []), "one flow has the screen, and is told so once")
        if let holder = earlier.holder, event != .done(holder) {
            demand(line.holder == holder, "no flow takes the screen from another")
        }
        switch event {
        case .came(let flow, let isBack):
            if earlier.holder == flow || earlier.waiting.contains(flow) {
                demand(line == earlier, "a flow that is in the line does not come again")
            } else if earlier.holder == nil {
                demand(line.holder == flow, "a free screen is given at once")
                report.ends.insert("a free screen was given at once")
            } else {
                demand(line.waiting.filter { $0 != flow } == earlier.waiting, "the others keep their places")
                let ahead = line.waiting.prefix { $0 != flow }
                let first = isBack ? earlier.waiting.filter(before.hadScreen.contains) : earlier.waiting
                demand(Array(ahead) == first, "flows that are back come before the others, each in the order of arrival")
            }
        case .left(let flow):
            demand(line.waiting == earlier.waiting.filter { $0 != flow }, "a flow that leaves waits no longer")
            if line != earlier { report.ends.insert("a flow left the line") }
        case .done(let flow) where earlier.holder != flow:
            demand(line == earlier, "only the flow that has the screen gives it on")
        case .done:
            demand(line.holder == earlier.waiting.first, "the first that waits gets the screen")
            demand(line.waiting == Array(earlier.waiting.dropFirst()), "the others keep their places")
            switch line.holder {
            case nil: report.ends.insert("the screen is free again")
            case let next?:
                let isBack = before.hadScreen.contains(next)
                report.ends.insert(isBack ? "the screen was given to a flow that is back" : "the screen was given on")
            }
        }
        report.violations += broken
    }
}
