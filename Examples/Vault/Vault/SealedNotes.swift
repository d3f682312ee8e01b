import CryptoKit
import Foundation
import Thumbturn

/// One note.
struct Note: Codable, Hashable, Identifiable {
    var id = UUID()
    var text = ""

    /// The first line, for the list.
    var title: String { text.split(separator: "\n").first.map { String($0) } ?? "New note" }
}

/// The file of the notes: AES-256-GCM, with a new nonce for each revision.
///
/// The app seals by itself, because each change is written at once, long after the vault was closed. Where all is written in
/// one unlock, `LocalUnlock.seal(_:to:as:revision:)` needs no key in the app.
struct SealedNotes: Codable {
    static let name = "notes.sealed"

    /// The number of the version. It is readable and cannot be changed.
    let revision: UInt64
    private let box: Data

    /// Seals notes.
    init(_ notes: [Note], revision: UInt64, with key: SymmetricKey) throws {
        let sealed = try AES.GCM.seal(
            JSONEncoder().encode(notes), using: key, authenticating: Self.context(of: revision))
        // Only a nonce of another size than 12 bytes has no combined form.
        guard let box = sealed.combined else { throw Failure(.platform) }
        (self.revision, self.box) = (revision, box)
    }

    /// Opens the notes. A file that was changed, or that another key has sealed, is refused.
    func notes(with key: SymmetricKey) throws(Failure) -> [Note] {
        guard let sealed = try? AES.GCM.SealedBox(combined: box),
            let plain = try? AES.GCM.open(sealed, using: key, authenticating: Self.context(of: revision)),
            let notes = try? JSONDecoder().decode([Note].self, from: plain)
        else { throw .lostNotes }
        return notes
    }

    /// What the seal covers beside the notes: so no other file, and no other version, passes for this one.
    private static func context(of revision: UInt64) -> Data { Data("\(name) \(revision)".utf8) }

    /// Reads the file; nil where there is none.
    static func read(in folder: URL) throws -> SealedNotes? {
        let file = folder.appending(path: name)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        // One that cannot be read now may be readable later.
        let bytes = try Data(contentsOf: file)
        guard let sealed = try? JSONDecoder().decode(Self.self, from: bytes) else { throw Failure.lostNotes }
        return sealed
    }

    /// Replaces the file as a whole: a crash leaves the old one or the new one.
    func write(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(self).write(to: folder.appending(path: Self.name), options: .atomic)
    }

    static func delete(in folder: URL) throws {
        let file = folder.appending(path: name)
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }
}

extension Failure {
    /// Nothing can open the notes any more. The next step is a new notebook.
    static var lostNotes: Failure { Failure(.notAuthentic, recovery: .reEnrol) }
}
