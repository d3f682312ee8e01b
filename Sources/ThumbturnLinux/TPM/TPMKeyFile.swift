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
    /// Who has to agree.
    var guarded: Guard

    var bytes: [UInt8] {
        get throws(Failure) {
            guard let data = try? JSONEncoder().encode(self) else { throw Failure(.platform, recovery: .report) }
            return Array(data)
        }
    }

    /// Throws `platform` with `reEnrol` for a file that is damaged.
    init(_ bytes: [UInt8]) throws(Failure) {
        guard let file = try? JSONDecoder().decode(Self.self, from: Data(bytes)), TPMPublicArea(file.publicArea) != nil else {
            throw Failure(.platform, recovery: .reEnrol)
        }
        self = file
    }

    init(publicArea: TPMPublicArea, sealed: [UInt8], guarded: Guard) {
        self.publicArea = publicArea.bytes
        self.sealed = sealed
        self.guarded = guarded
    }
}
