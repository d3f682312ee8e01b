import ThumbturnCore

/// The facts on which prompts and keys depend, for developers and bug reports. They contain no secret and show no prompt.
struct AndroidDiagnostics: Sendable, CustomStringConvertible {
    var facts: AndroidFacts
    /// The keys that were made since the process began.
    var made: [NewKeyKind: NewKey]

    var description: String {
        func told(_ number: Int?) -> String { number.map(String.init) ?? "not told" }
        func told(_ flag: Bool?) -> String { flag.map { $0 ? "yes" : "no" } ?? "not told" }
        let sensors = facts.sensors.isEmpty ? "none" : facts.sensors.map(\.rawValue).joined(separator: ", ")
        let lines = [
            "system: Android \(facts.release), API level \(facts.level), security patch \(facts.securityPatch)",
            "phone: \(facts.name)",
            "app: \(facts.package), language \(facts.language)",
            "sensor: \(sensors); \(facts.biometry)",
            "canAuthenticate: strong \(told(facts.strong)), weak \(told(facts.weak)), credential \(told(facts.credential))",
            "fingerprints: reader \(told(facts.fingers.isDetected)), enrolled \(told(facts.fingers.hasEnrolled))",
            "lock screen: \(facts.hasLockScreen ? "set" : "not set"), \(facts.isLocked ? "locked" : "unlocked")",
            "unlocked since the start: \(told(facts.isUserUnlocked)), \(facts.elapsed / 1000) s after it",
            "touch exploration: \(facts.exploresByTouch ? "on" : "off")",
            "keys made by this process: \(made.isEmpty ? "none" : keys)",
        ]
        return lines.joined(separator: "\n")
    }

    private var keys: String {
        NewKeyKind.allCases.compactMap { kind in
            guard let key = made[kind] else { return nil }
            return "\(kind) in \(key.place)" + (key.strongBoxRefusal.map { ", without StrongBox (\($0))" } ?? "")
        }.joined(separator: "; ")
    }
}
