import ThumbturnCore

extension StepUpTable {
    /// Warnings for the operator: rules that are weaker than in the preset `standard`, and rules that can never be met.
    /// Each begins with its place.
    public var warnings: [String] {
        actions.sorted { $0.key < $1.key }.flatMap { name, rule in
            let place = "actions.\(name)"
            var warnings: [String] = []
            if let standard = Self.standard.actions[name], rule.maximumAge > standard.maximumAge {
                let (has, usual) = (rule.maximumAge.components.seconds, standard.maximumAge.components.seconds)
                warnings.append("\(place).max_age: is \(has) s, and \(usual) s in standard")
            }
            if rule.keys.contains(.passcode) {
                warnings.append("\(place).keys: anyone who knows the device's passcode may do it")
            }
            if rule.takesCredentials {
                warnings.append("\(place).credentials: anyone who knows the password may do it, without a device")
            }
            if rule.takesUnlock {
                warnings.append("\(place).unlock: an app that was unlocked a moment ago may do it without asking the person")
            }
            if name == StepUpAction.changePassword.name, rule.keys.contains(.pin) {
                warnings.append("\(place).keys: anyone who has watched the PIN may do it, and then bring other keys")
            }
            if rule.assurance.protection < .software {
                warnings.append("\(place).protection: is below software, the level of every key without evidence")
            }
            if rule.oneOf == [.secondApprover] {
                warnings.append("\(place).one_of: a step-up has no second approver, so only approvals meet it")
            }
            for (index, threshold) in rule.thresholds.enumerated() where threshold.oneOf == [.secondApprover] {
                warnings.append("\(place).thresholds[\(index)].one_of: above it a step-up is refused, and only approvals meet it")
            }
            return warnings
        }
            + Self.standard.actions.keys.filter { actions[$0] == nil }.sorted().map {
                "actions.\($0): is not there, so it is denied"
            }
    }
}
