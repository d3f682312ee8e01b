/// Parses the output of `dbus-monitor` line by line.
///
/// A message is one line at the margin, followed by its values, indented by at least three spaces. Nothing marks the
/// end of a message, so each kind is complete with its last value; waiting for the next message would mean waiting for
/// the next press.
struct MonitorText: Sendable {
    /// The match rules for the messages that this parser reads.
    static let matchRules = [
        "type='signal',interface='net.reactivated.Fprint.Device'",
        "type='signal',interface='org.freedesktop.DBus.Properties',arg0='net.reactivated.Fprint.Device'",
        "type='signal',interface='org.freedesktop.DBus.ObjectManager',member='InterfacesRemoved'",
        "type='signal',interface='org.freedesktop.PolicyKit1.Authority',member='Changed'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='net.reactivated.Fprint'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.PolicyKit1'",
    ]

    private var member: Substring?
    private var values: [Substring] = []

    /// Takes one line without its newline and returns the signals that it completes.
    mutating func take(_ line: String) -> [BusSignal] {
        guard line.hasPrefix("   ") else {
            values = []
            member = line.hasPrefix("signal ") ? Self.member(in: line) : nil
            if member == "Changed" { return finish([.rulesChanged]) }
            return []
        }
        guard let member else { return [] }
        // No message of interest has eighty lines, so a longer one is skipped.
        guard values.count < 80 else { return finish([]) }
        values.append(line.dropFirst(3))
        switch member {
        case "VerifyFingerSelected":
            return text(0).map { finish([.verifyFingerSelected($0)]) } ?? []
        case "VerifyFingerMatched":
            return text(0).map { finish([.verifyFingerMatched($0)]) } ?? []
        case "VerifyStatus":
            guard let status = text(0), let done = flag(1) else { return [] }
            return finish([.verifyStatus(status, done: done)])
        case "EnrollStatus":
            guard let status = text(0), let done = flag(1) else { return [] }
            return finish([.enrollStatus(status, done: done)])
        case "NameOwnerChanged":
            guard let name = text(0), let was = text(1), let now = text(2) else { return [] }
            return finish([.nameOwner(name, was: was, now: now)])
        case "NameLost":
            // The bus takes a client's name away when it makes the client a monitor.
            return finish([.listening])
        case "InterfacesRemoved":
            guard values.last == "]", let path = text(0) else { return [] }
            return finish([.deviceRemoved(path)])
        case "PropertiesChanged":
            // Two arrays: the changed properties, then the invalidated names.
            guard values.filter({ $0 == "]" }).count == 2 else { return [] }
            return finish(changedProperties())
        default:
            return []
        }
    }

    private mutating func finish(_ signals: [BusSignal]) -> [BusSignal] {
        member = nil
        values = []
        return signals
    }

    private func changedProperties() -> [BusSignal] {
        zip(values, values.dropFirst()).compactMap { name, value in
            let on = value.hasSuffix("boolean true")
            if name.hasSuffix("\"finger-needed\"") { return .fingerNeeded(on) }
            if name.hasSuffix("\"finger-present\"") { return .fingerPresent(on) }
            return nil
        }
    }

    private static func member(in line: String) -> Substring? {
        guard let last = line.split(separator: " ").last, last.hasPrefix("member=") else { return nil }
        return last.dropFirst("member=".count)
    }

    /// The n-th value, if it is a string or an object path.
    private func text(_ index: Int) -> String? {
        guard values.indices.contains(index) else { return nil }
        let value = values[index]
        guard let open = value.firstIndex(of: "\""), let close = value.lastIndex(of: "\""), open < close else { return nil }
        return String(value[value.index(after: open)..<close])
    }

    private func flag(_ index: Int) -> Bool? {
        guard values.indices.contains(index) else { return nil }
        return ["boolean true": true, "boolean false": false][values[index]]
    }
}
