public import ThumbturnCore

/// Google's list of attestation certificates that are revoked or suspended.
///
/// https://developer.android.com/privacy-and-security/security-key-attestation#certificate_status
public struct AndroidStatusList: Hashable, Sendable {
    /// The most bytes of a list.
    package static let largest = StrictJSON.maximumLength
    /// The most entries of a list. Google's had 467 in January 2025.
    package static let mostEntries = 16 * 1024

    /// When the list was fetched.
    public let fetched: UnixTime
    private let entries: [String: Status]

    private enum Status: Hashable, Sendable {
        case revoked, suspended
        /// A status that this version does not know.
        case other(String)

        init(_ text: String) {
            switch text {
            case "REVOKED": self = .revoked
            case "SUSPENDED": self = .suspended
            default: self = .other(text)
            }
        }
    }

    /// Reads the list as Google publishes it: strict JSON of at most 1 MiB and 16 384 entries, whose keys are serial numbers in
    /// hexadecimal. Unknown members are ignored. Throws `malformed` or `tooLarge`.
    ///
    /// - Parameter fetched: when the list was fetched, or when the server last said that it is still the same.
    public init(json: [UInt8], fetched: UnixTime) throws(EvidenceRefusal) {
        guard json.count <= Self.largest else {
            throw EvidenceRefusal(.tooLarge, "the status list has \(json.count) bytes, more than \(Self.largest)")
        }
        let tree: JSONTree
        do throws(JSONError) {
            tree = try JSONTree(json, members: Self.mostEntries)
        } catch {
            throw EvidenceRefusal(.malformed, "the status list is not strict JSON")
        }
        guard tree.nodes[0].kind == .object, let list = tree.member("entries", of: 0), tree.nodes[list].kind == .object else {
            throw EvidenceRefusal(.malformed, "the status list has no object \"entries\"")
        }
        var entries: [String: Status] = [:]
        for entry in tree.children(of: list) {
            let name = tree.name(tree.nodes[entry])
            guard let serial = Self.serial(name) else {
                throw EvidenceRefusal(.malformed, "\"\(name)\" in the status list is no serial number in hexadecimal")
            }
            guard tree.nodes[entry].kind == .object, let status = tree.member("status", of: entry),
                tree.nodes[status].kind == .string
            else { throw EvidenceRefusal(.malformed, "the entry \(serial) of the status list has no status") }
            guard entries.updateValue(Status(tree.string(tree.nodes[status])), forKey: serial) == nil else {
                throw EvidenceRefusal(.malformed, "the status list has the serial number \(serial) twice")
            }
        }
        (self.entries, self.fetched) = (entries, fetched)
    }

    /// How many certificates the list names.
    public var count: Int { entries.count }

    /// Checks certificates by their serial numbers, for example those of a verdict that was stored at enrolment. Throws
    /// `revoked` or `suspended` for the first that is on the list.
    ///
    /// - Parameter serials: in lower-case hexadecimal without leading zeros.
    public func check(_ serials: [String]) throws(EvidenceRefusal) {
        for serial in serials {
            switch entries[serial] {
            case nil: continue
            case .revoked: throw EvidenceRefusal(.revoked, "the certificate \(serial) is revoked")
            case .suspended: throw EvidenceRefusal(.suspended, "the certificate \(serial) is suspended")
            case .other(let status):
                throw EvidenceRefusal(.revoked, "the certificate \(serial) has the unknown status \"\(status)\"")
            }
        }
    }

    /// A key of the list as serial numbers are compared. Keys of digits only are hexadecimal too.
    private static func serial(_ key: String) -> String? {
        let isHexadecimal = key.utf8.allSatisfy { digit in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit)
                || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit)
        }
        guard isHexadecimal, !key.isEmpty else { return nil }
        let significant = key.lowercased().drop { $0 == "0" }
        return significant.isEmpty ? "0" : String(significant)
    }
}

/// What a server does about the age of its status list.
public struct AndroidStatusPolicy: Hashable, Sendable {
    /// The age from which a list is as good as none.
    public var maximumAge: Duration
    /// What happens without a list that is young enough.
    public var whenUnknown: WhenUnknown

    /// What happens where it is not known whether certificates are revoked.
    public enum WhenUnknown: String, Hashable, Sendable, Codable, CaseIterable {
        /// The evidence is refused: devices cannot enrol until the list can be fetched again.
        case refuse
        /// The evidence is accepted: keys that were stolen meanwhile can enrol. Entries of an old list count all the same.
        case accept
    }

    /// Creates a policy. It has no defaults, because both ways to fail cost something.
    public init(maximumAge: Duration, whenUnknown: WhenUnknown) {
        (self.maximumAge, self.whenUnknown) = (maximumAge, whenUnknown)
    }

    /// Checks certificates, and returns whether a list that is young enough said that they are good.
    func check(_ serials: [String], in list: AndroidStatusList?, at now: UnixTime) throws(EvidenceRefusal) -> Bool {
        try list?.check(serials)
        if let list, now - list.fetched <= maximumAge { return true }
        guard whenUnknown == .accept else {
            let found = list.map { "is from \($0.fetched), and now is \(now)" } ?? "is missing"
            throw EvidenceRefusal(.statusUnknown, "the status list \(found)")
        }
        return false
    }
}
