#if LinuxDevice && os(Linux)
import Crypto
import Dispatch
public import ThumbturnCore
import ThumbturnMessages
public import ThumbturnDevice

/// Keys in a TPM 2.0. They are made there and never leave it; a file keeps each one, encrypted by the TPM.
///
/// The session key signs for this user of the machine. The biometric key signs what the matcher vouches for (see
/// ``MatcherSensor``), while no finger was enrolled or removed since. The PIN key signs for its PIN; ten wrong ones in a row shut
/// it for good.
public struct TPMKeys: DeviceKeys, PINKey {
    /// So many wrong PINs in a row shut a PIN key for good.
    public static let pinLimit = 10

    let tcti: String
    private let files: PrivateFiles
    private let matcher: (any Matcher)?
    private let queue: DispatchQueue
    /// Where PIN indexes are made: a part of the range that the TCG leaves to the owner (Registry of Reserved TPM 2.0 Handles).
    private static let pinIndexes: ClosedRange<UInt32> = 0x0180_7500...0x0180_75FF

    /// - Parameters:
    ///   - tcti: how libtss2 reaches the TPM: `device:/dev/tpmrm0`, `swtpm:host=127.0.0.1,port=2321`, and others.
    ///   - folder: where the key files are; made with mode 0700 where it does not exist.
    ///   - matcher: the socket of `thumbturn-matcherd`; nil for a device without a biometric key.
    public init(tcti: String, folder: String, matcher: String? = nil) {
        self.init(tcti: tcti, folder: folder, matcher: matcher.map(MatcherConnection.init(socket:)))
    }

    init(tcti: String, folder: String, matcher: (any Matcher)?) {
        self.tcti = tcti
        files = PrivateFiles(folder: folder)
        self.matcher = matcher
        queue = DispatchQueue(label: "thumbturn.tpm")
    }

    public func create(_ name: KeyName) async throws(Failure) -> PublicKey {
        try await onQueue { () throws(Failure) in
            switch name.kind {
            case .session:
                return try make(name, .session, guarded: .none)
            case .biometric:
                guard let matcher else { throw Failure(.biometryUnavailable, recovery: .fallBack(.appPIN)) }
                let identity = try matcher.identity()
                guard let key = identity.key.publicKey.map(TPMPublicArea.init(verifying:)) else { throw Failure(.platform) }
                let policy = TPMPolicy.biometric(
                    matcher: key.name, reference: name.reference, counter: identity.counter.name, at: identity.value
                )
                return try make(name, .guarded(by: policy), guarded: .matcher(identity))
            case .passcode, .pin:
                // Linux has no passcode that a key could ask for, and a PIN key needs its PIN.
                throw Failure(.policyDenies)
            }
        }
    }

    public func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey {
        try await onQueue { () throws(Failure) in
            try remove(name)
            let value = Self.value(of: pin, for: name)
            let index = try connected { tpm throws(TPMError) in
                try tpm.definePIN(at: try tpm.freeIndex(in: Self.pinIndexes), value: value, limit: UInt32(Self.pinLimit))
            }
            do throws(Failure) {
                let policy = TPMPolicy.pin(index: index.name, reference: name.reference)
                return try make(name, .guarded(by: policy), guarded: .pin(index))
            } catch {
                try? connected { tpm throws(TPMError) in try tpm.undefine(index.handle) }
                throw error
            }
        }
    }

    public func state(of name: KeyName) async -> KeyState {
        await onQueue { () throws(Never) in
            do throws(Failure) {
                guard let file = try read(name) else { return .missing }
                try connected { tpm throws(TPMError) in try probe(file, on: tpm) }
                return .usable
            } catch {
                return error.recovery == .reEnrol ? .invalidated(.unknown) : .notYetReadable
            }
        }
    }

    public func publicKey(of name: KeyName) async throws(Failure) -> PublicKey {
        guard let publicKey = try publicArea(of: name).publicKey else { throw Failure(.platform, recovery: .reEnrol) }
        return publicKey
    }

    /// What the TPM calls public, for the matcher.
    func publicArea(of name: KeyName) throws(Failure) -> TPMPublicArea {
        guard let area = TPMPublicArea(try kept(name).publicArea) else { throw Failure(.platform, recovery: .reEnrol) }
        return area
    }

    public func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await onQueue { () throws(Failure) in
            let file = try kept(name)
            let digest = Array(SHA256.hash(data: message))
            switch file.guarded {
            case .none:
                return try connected { tpm throws(TPMError) in
                    try tpm.withLoaded(file.blob) { key throws(TPMError) in try tpm.sign(digest, with: key) }
                }
            case .matcher(let identity):
                // Only what the matcher's prompt gave is taken, and the TPM takes only the matcher's signature.
                guard let match = presence?.context as? any Match else { throw Failure(.notMatched) }
                return try sign(digest, with: name, file, match, identity)
            case .pin:
                throw Failure(.notMatched)
            }
        }
    }

    public func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        try await onQueue { () throws(Failure) in
            let file = try kept(name)
            guard case .pin(let index) = file.guarded else { throw Failure(.notMatched) }
            let digest = Array(SHA256.hash(data: message))
            let value = Self.value(of: pin, for: name)
            return try connected { tpm throws(TPMError) in
                try tpm.withLoaded(file.blob) { key throws(TPMError) in
                    try tpm.withPolicySession { session throws(TPMError) in
                        // Here the TPM judges the PIN, and counts.
                        try tpm.satisfySecret(value, of: index, reference: name.reference, in: session)
                        return try tpm.sign(digest, with: key, session: session)
                    }
                }
            }
        }
    }

    public func delete(_ name: KeyName) async throws(Failure) {
        try await onQueue { () throws(Failure) in try remove(name) }
    }
}

// MARK: - On the queue

extension TPMKeys {
    private func sign(
        _ digest: [UInt8], with name: KeyName, _ file: TPMKeyFile, _ match: any Match, _ identity: MatcherIdentity
    ) throws(Failure) -> [UInt8] {
        guard let signer = identity.key.publicKey.map(TPMPublicArea.init(verifying:)), let area = TPMPublicArea(file.publicArea) else {
            throw Failure(.platform, recovery: .reEnrol)
        }
        // What the matcher throws and what the TPM throws are told apart: the first is a failure already.
        var refusal: Failure?
        do throws(TPMError) {
            return try TPM.connected(tcti) { tpm throws(TPMError) in
                try tpm.withLoaded(file.blob) { key throws(TPMError) in
                    try tpm.withPolicySession { session throws(TPMError) in
                        let nonce = try tpm.nonce(of: session)
                        let signed: SignedMatch
                        do throws(Failure) {
                            signed = try match.authorize(nonce)
                        } catch {
                            refusal = error
                            throw .policyFails
                        }
                        let authorization = TPMAuthorization(
                            nonce: nonce, expiration: signed.expiration,
                            command: TPMAuthorization.signing(digest, with: area.name), reference: name.reference
                        )
                        try tpm.satisfySigned(authorization, signature: signed.signature, by: signer, in: session)
                        try tpm.satisfyCounter(identity.counter, equals: identity.value, in: session)
                        return try tpm.sign(digest, with: key, session: session)
                    }
                }
            }
        } catch {
            throw refusal ?? error.failure
        }
    }

    /// Whether a key would sign, found without asking anybody: the TPM opens it, and what guards it stands as it did.
    private func probe(_ file: TPMKeyFile, on tpm: TPM) throws(TPMError) {
        try tpm.withLoaded(file.blob) { _ throws(TPMError) in }
        switch file.guarded {
        case .none: break
        case .matcher(let identity):
            try tpm.withPolicySession { session throws(TPMError) in
                try tpm.satisfyCounter(identity.counter, equals: identity.value, in: session)
            }
        case .pin(let index):
            let wrong: (count: UInt32, limit: UInt32)
            do throws(TPMError) {
                wrong = try tpm.wrongValues(index)
            } catch {
                // Only the owner may look. The TPM judges all the same.
                guard error.meaning == .wrongValue else { throw error }
                return
            }
            guard wrong.count < wrong.limit else { throw .pinLimitReached }
        }
    }

    /// Makes a key and keeps it, in the place of one of the same name.
    private func make(
        _ name: KeyName, _ template: TPMPublicArea, guarded: TPMKeyFile.Guard
    ) throws(Failure) -> PublicKey {
        let blob = try connected { tpm throws(TPMError) in
            try tpm.create(template)
        }
        guard let publicKey = blob.publicArea.publicKey else { throw Failure(.platform) }
        let file = TPMKeyFile(
            publicArea: blob.publicArea, sealed: blob.sealed, parent: blob.parent, guarded: guarded
        )
        try files.write(try file.bytes, to: name.file)
        return publicKey
    }

    private func remove(_ name: KeyName) throws(Failure) {
        // A damaged file names no index; then there is only the file to delete.
        if case .pin(let index) = (try? read(name))?.guarded {
            // Where the TPM cannot be asked, or its owner has a password, the index stays: it opens nothing without the file.
            try? connected { tpm throws(TPMError) in
                // Another index in its place is somebody else's.
                guard try tpm.exists(index) else { return }
                try tpm.undefine(index.handle)
            }
        }
        try files.delete(name.file)
    }

    private func kept(_ name: KeyName) throws(Failure) -> TPMKeyFile {
        guard let file = try read(name) else { throw Failure(.notEnrolled) }
        return file
    }

    private func read(_ name: KeyName) throws(Failure) -> TPMKeyFile? {
        guard let bytes = try files.read(name.file) else { return nil }
        return try TPMKeyFile(bytes)
    }

    /// The PIN as the TPM gets it, different for every key. It needs no stretching: the TPM counts, and nothing outside it can be
    /// tried against.
    private static func value(of pin: PIN, for name: KeyName) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: pin.digits, using: SymmetricKey(data: name.reference)))
    }

    private func connected<Result>(_ work: (TPM) throws(TPMError) -> Result) throws(Failure) -> Result {
        do throws(TPMError) {
            return try TPM.connected(tcti, work)
        } catch {
            throw error.failure
        }
    }

    /// The TPM's commands block, so they run on a thread of their own, one at a time.
    private func onQueue<Result: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> Result
    ) async throws(E) -> Result {
        let outcome: Swift.Result<Result, E> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { () throws(E) in try work() }) }
        }
        return try outcome.get()
    }
}

extension TPMKeyFile {
    fileprivate var blob: TPM.Blob {
        guard let area = TPMPublicArea(publicArea) else { preconditionFailure("a key file is read only with a good public area") }
        return TPM.Blob(publicArea: area, sealed: sealed, parent: parent)
    }
}
#endif
