public import Foundation

/// Something that a test needs and a machine may lack. What is absent is skipped with a printed line; what
/// `THUMBTURN_REQUIRE` names (with commas between) must be there, and its absence fails the run.
public enum Requirement: String, Sendable, CaseIterable {
    /// The outside test data beside the project.
    case vectors
    /// Python with the packages that `scripts/test --all` installs: `pyjwt`, `cryptography`, `cbor2`, `joserfc`,
    /// `authlib`, `flask`.
    case python
    /// Node, which runs a program of the page for resource servers.
    case node
    /// Go, which runs another one.
    case go
    /// A C compiler, LD_PRELOAD and the system's Python.
    case preload
    /// curl, openssl and perl, which the transcripts of the documentation use.
    case curl
    /// swtpm, a TPM 2.0 that these tests start.
    case tpm
    /// fprintd with its virtual reader, polkit and a bus, which these tests start as root.
    case fprintd
    /// Apple's frameworks, or on Linux the stand-ins of them, which THUMBTURN_ADD=apple-stubs builds.
    case apple

    /// Whether a test that needs this can run. Says so, and stops the run where it must be there.
    public func isMet(_ isPresent: Bool, needs: String? = nil) -> Bool {
        if isPresent { return true }
        let required = ProcessInfo.processInfo.environment["THUMBTURN_REQUIRE"]?.split(separator: ",").map(String.init) ?? []
        precondition(!required.contains(rawValue), "THUMBTURN_REQUIRE demands \(rawValue), and it is not here")
        print("skipped: \(rawValue) is not here" + (needs.map { "; it needs \($0)" } ?? ""))
        return false
    }
}

/// The repository's root.
public let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Outside test data: `THUMBTURN_VECTORS`, or `../shared/vectors` beside the repository.
public enum Vectors {
    public static let folder: URL = {
        let named = ProcessInfo.processInfo.environment["THUMBTURN_VECTORS"].map { URL(fileURLWithPath: $0) }
        return named ?? repository.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }()

    public static let areHere = Requirement.vectors.isMet(FileManager.default.fileExists(atPath: folder.path))

    public static func load<Value: Decodable>(_ path: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(contentsOf: folder.appendingPathComponent(path)))
    }
}
