import Foundation
import ThumbturnCore

/// A key of the TPM as its file keeps it: JSON. Nothing in it is secret: the private part can be opened by this TPM alone.
struct TPMKeyFile: Hashable, Sendable, Codable {
    enum Guard: Hashable, Sendable, Codable {
        /// Signs for whoever has the file and the TPM.
        case none
        /// Signs after a match that this matcher vouches for, while its enrolment counter stands still.
        case matcher(MatcherIdentity)
        /// Signs for a PIN; this index counts the wrong ones.
        case pin(TPMIndex)
    }

    /// The public area in its wire form.
    var publicArea: [UInt8]
    /// The private area, encrypted by the storage root.
    var sealed: [UInt8]
    /// The storage root's name. A machine may get another one that looks like the standard one.
    var parent: [UInt8]
    /// Who has to agree.
    var guarded: Guard

    var bytes: [UInt8] {
        get throws(Failure) {
            guard let data = try? JSONEncoder().encode(self) else { throw Failure(.platform) }
            return Array(data)
        }
    }

    /// Throws `platform` with `reEnrol` for a file that is damaged.
    init(_ bytes: [UInt8]) throws(Failure) {
        guard let file = try? JSONDecoder().decode(Self.self, from: Data(bytes)), TPMPublicArea(file.publicArea) != nil,
            file.sealed.count <= 1024, file.guarded.isWellFormed
        else {
            throw Failure(.platform, recovery: .reEnrol)
        }
        self = file
    }

    init(publicArea: TPMPublicArea, sealed: [UInt8], parent: [UInt8], guarded: Guard) {
        self.publicArea = publicArea.bytes
        self.sealed = sealed
        self.parent = parent
        self.guarded = guarded
    }
}

extension TPMKeyFile.Guard {
    /// Names are those that the TPM gives: the algorithm and a SHA-256.
    fileprivate var isWellFormed: Bool {
        switch self {
        case .none: true
        case .matcher(let identity): identity.counter.name.count == 34
        case .pin(let index): index.name.count == 34
        }
    }
}
