import Foundation
import ThumbturnCore
import ThumbturnMatcher

/// A TPM key as a JSON file. The file holds no secret: only this TPM can decrypt the private part.
struct TPMKeyFile: Hashable, Sendable, Codable {
    /// The condition under which the key signs.
    enum Guard: Hashable, Sendable, Codable {
        /// Signs for every process that can read the file and use the TPM.
        case none
        /// Signs with a signature of this matcher, while the enrolment counter has this value.
        case matcher(MatcherIdentity)
        /// Signs with a PIN. This index counts wrong PINs.
        case pin(TPMIndex)
    }

    /// The public area in its wire form.
    var publicArea: [UInt8]
    /// The private area, encrypted by the storage root.
    var sealed: [UInt8]
    /// The name of the storage root that encrypted the key. A machine may later keep another root of the standard kind.
    var parent: [UInt8]
    /// The condition under which the key signs.
    var guarded: Guard
    /// How the TPM made the key; nil in files of earlier versions, whose keys the TPM cannot certify.
    var creation: TPMCreation?

    var bytes: [UInt8] {
        get throws(Failure) {
            guard let data = try? JSONEncoder().encode(self) else { throw Failure(.platform) }
            return Array(data)
        }
    }

    /// Reads a file. Throws `platform` with `reEnrol` if it is damaged.
    init(_ bytes: [UInt8]) throws(Failure) {
        guard let file = try? JSONDecoder().decode(Self.self, from: Data(bytes)), TPMPublicArea(file.publicArea) != nil,
            file.sealed.count <= 1024, file.guarded.isWellFormed, file.creation?.isWellFormed ?? true
        else {
            throw Failure(.platform, recovery: .reEnrol)
        }
        self = file
    }

    init(publicArea: TPMPublicArea, sealed: [UInt8], parent: [UInt8], guarded: Guard, creation: TPMCreation? = nil) {
        self.publicArea = publicArea.bytes
        self.sealed = sealed
        self.parent = parent
        self.guarded = guarded
        self.creation = creation
    }
}

extension TPMKeyFile.Guard {
    /// Whether the index's name has the length of the TPM's names: two bytes for the algorithm and a SHA-256.
    fileprivate var isWellFormed: Bool {
        switch self {
        case .none: true
        case .matcher(let identity): identity.counter.name.count == 34
        case .pin(let index): index.name.count == 34
        }
    }
}

extension TPMCreation {
    /// Whether the parts have the lengths of a TPM's, so that they fit into libtss2's structures.
    fileprivate var isWellFormed: Bool { data.count <= 1024 && hash.count == 32 && ticket.count <= 128 }
}
