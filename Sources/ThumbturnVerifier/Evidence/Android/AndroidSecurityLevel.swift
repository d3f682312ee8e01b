/// Where an Android key lives, by the key description (`SecurityLevel`).
public enum AndroidSecurityLevel: Int, Hashable, Sendable, Codable, CaseIterable {
    /// In the memory of the system.
    case software = 0
    /// In the trusted execution environment of the main processor.
    case trustedEnvironment = 1
    /// In a chip of its own.
    case strongBox = 2
}

extension AndroidSecurityLevel: CustomStringConvertible {
    /// As Android's documentation calls it.
    public var description: String {
        switch self {
        case .software: "Software"
        case .trustedEnvironment: "TrustedEnvironment"
        case .strongBox: "StrongBox"
        }
    }
}

/// The level of the system's security patches: a year and a month.
public struct AndroidPatchLevel: Hashable, Sendable, Codable, Comparable {
    /// The year, for example 2026.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int

    /// Creates a level; nil where the month is not 1 to 12 or the year not 2000 to 9999.
    public init?(year: Int, month: Int) {
        guard (2000...9999).contains(year), (1...12).contains(month) else { return nil }
        (self.year, self.month) = (year, month)
    }

    /// Reads the number of a key description: `YYYYMM`, or `YYYYMMDD`, whose day is dropped.
    init?(number: Int64) {
        let months = number >= 10_000_000 ? number / 100 : number
        guard months >= 0, months < 1_000_000 else { return nil }
        self.init(year: Int(months) / 100, month: Int(months) % 100)
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { (lhs.year, lhs.month) < (rhs.year, rhs.month) }
}

extension AndroidPatchLevel: CustomStringConvertible {
    /// For example `2026-07`.
    public var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }
}
