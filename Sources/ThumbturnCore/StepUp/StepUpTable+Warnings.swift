extension StepUpTable {
    /// What weakens the table against the preset `standard`, or can never be met: for the operator to read. Each begins with its place.
    public var warnings: [String] {
        actions.sorted { $0.key < $1.key }.flatMap { name, rule in
            let place = "actions.\(name)"
            var says: [String] = []
            if let standard = Self.standard.actions[name], rule.maximumAge > standard.maximumAge {
                let (has, usual) = (rule.maximumAge.components.seconds, standard.maximumAge.components.seconds)
                says.append("\(place).max_age: is \(has) s, and \(usual) s in standard")
            }
            if rule.keys.contains(.passcode) {
                says.append("\(place).keys: whoever knows the device's passcode may do it")
            }
            if rule.assurance.protection < .software {
                says.append("\(place).protection: is below software, the level of every key without evidence")
            }
            if rule.oneOf == [.secondApprover] {
                says.append("\(place).one_of: a step-up never has a second approver, so only approvals do it")
            }
            for (index, threshold) in rule.thresholds.enumerated() where threshold.oneOf == [.secondApprover] {
                says.append("\(place).thresholds[\(index)].one_of: above it a step-up is refused, and only approvals do it")
            }
            return says
        }
            + Self.standard.actions.keys.filter { actions[$0] == nil }.sorted().map {
                "actions.\($0): is not there, so it is denied"
            }
    }
}
