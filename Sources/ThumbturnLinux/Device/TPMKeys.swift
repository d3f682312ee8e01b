#if LinuxDevice && os(Linux)
import Crypto
import Dispatch
public import ThumbturnCore
public import ThumbturnDevice
import ThumbturnHost
import ThumbturnMatcher
import ThumbturnMessages

/// Keys in a TPM 2.0. They are created in the TPM and never leave it in the clear; a file holds each key, encrypted by
/// the TPM.
///
/// The session key signs for every process that can read its file. The biometric key signs with the matcher's signature
/// for a match (see ``MatcherSensor``), until a finger is enrolled or removed. The PIN key signs with its PIN; ten
/// consecutive wrong PINs disable it for good.
public struct TPMKeys: DeviceKeys, PINKey {
    /// Consecutive wrong PINs after which the TPM disables a PIN key for good.
    public static let pinLimit = 10

    let tcti: String
    private let files: PrivateFiles
    private let matcher: (any Matcher)?
    private let queue: DispatchQueue
    /// The NV indexes of PINs: a part of the range that the TCG reserves for the owner (Registry of Reserved TPM 2.0
    /// Handles).
    private static let pinIndexes: ClosedRange<UInt32> = 0x0180_7500...0x0180_75FF

    /// Creates the keys' interface. The TPM is contacted when a key is used.
    ///
    /// - Parameters:
    ///   - tcti: the TCTI configuration by which libtss2 reaches the TPM, for example `device:/dev/tpmrm0` or
    ///     `swtpm:host=127.0.0.1,port=2321`.
    ///   - folder: the folder of the key files, created with mode 0700 if it does not exist.
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

    /// Creates a session or biometric key, replacing a key of the same name.
    public func create(_ name: KeyName) async throws(Failure) -> PublicKey {
        try await onQueue { () throws(Failure) in
            switch name.kind {
            case .session:
                return try make(name, .session, guarded: .none)
            case .biometric:
                guard let matcher else { throw Failure(.biometryUnavailable, recovery: .fallBack(.appPIN)) }
                let identity = try matcher.identity()
                guard let key = identity.key.publicKey.map(TPMPublicArea.init(verifying:)) else { throw Failure(.platform) }
                let policy = TPMKeyPolicy.biometric(
                    matcher: key.name, reference: name.reference, counter: identity.counter.name, at: identity.value
                )
                return try make(name, .guarded(by: policy), guarded: .matcher(identity))
            case .passcode, .pin:
                // Linux has no passcode that a key could ask for, and a PIN key needs its PIN.
                throw Failure(.policyDenies)
            }
        }
    }

    /// Creates a PIN key with an NV index that counts wrong PINs, replacing a key of the same name.
    public func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey {
        try await onQueue { () throws(Failure) in
            try remove(name.file)
            let value = Self.value(of: pin, for: name)
            let index = try connected { tpm throws(TPMError) in
                try tpm.definePIN(at: try tpm.freeIndex(in: Self.pinIndexes), value: value, limit: UInt32(Self.pinLimit))
            }
            do throws(Failure) {
                let policy = TPMKeyPolicy.pin(index: index.name, reference: name.reference)
                return try make(name, .guarded(by: policy), guarded: .pin(index))
            } catch {
                try? connected { tpm throws(TPMError) in try tpm.undefine(index.handle) }
                throw error
            }
        }
    }

    /// The state of a key, found without prompting.
    public func state(of name: KeyName) async -> KeyState {
        await onQueue { () throws(Never) in
            do throws(Failure) {
                guard let file = try read(name.file) else { return .missing }
                try connected { tpm throws(TPMError) in try probe(file, on: tpm) }
                return .usable
            } catch {
                return error.recovery == .reEnrol ? .invalidated(.unknown) : .notYetReadable
            }
        }
    }

    /// The public key, read from its file without the TPM.
    public func publicKey(of name: KeyName) async throws(Failure) -> PublicKey {
        guard let publicKey = try publicArea(of: name).publicKey else { throw Failure(.platform, recovery: .reEnrol) }
        return publicKey
    }

    /// The key's public area, which the matcher needs.
    func publicArea(of name: KeyName) throws(Failure) -> TPMPublicArea {
        guard let area = TPMPublicArea(try kept(name).publicArea) else { throw Failure(.platform, recovery: .reEnrol) }
        return area
    }

    /// Signs with a session key, or with a biometric key and the match that ``MatcherSensor`` returned. A match signs
    /// once.
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
                // Only a match from the matcher's prompt is used, and the TPM accepts only the matcher's signature.
                guard let match = presence?.context as? any Match else { throw Failure(.notMatched) }
                return try sign(digest, with: name, file: file, match: match, identity: identity)
            case .pin:
                throw Failure(.notMatched)
            }
        }
    }

    /// Signs with a PIN key. The TPM checks the PIN and counts a wrong one.
    public func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        try await onQueue { () throws(Failure) in
            let file = try kept(name)
            guard case .pin(let index) = file.guarded else { throw Failure(.notMatched) }
            let digest = Array(SHA256.hash(data: message))
            let value = Self.value(of: pin, for: name)
            return try connected { tpm throws(TPMError) in
                try tpm.withLoaded(file.blob) { key throws(TPMError) in
                    try tpm.withPolicySession { session throws(TPMError) in
                        // Here the TPM checks the PIN and counts a wrong one.
                        try tpm.satisfySecret(value, of: index, reference: name.reference, in: session)
                        return try tpm.sign(digest, with: key, session: session)
                    }
                }
            }
        }
    }

    /// Deletes a key and its NV index. A missing key is not an error.
    public func delete(_ name: KeyName) async throws(Failure) {
        try await onQueue { () throws(Failure) in try remove(name.file) }
    }

    /// Deletes every key of this server and account, with the NV indexes of its PINs.
    public func deleteAll(server: String, account: String) async throws(Failure) {
        try await onQueue { () throws(Failure) in
            for file in try files.names(from: KeyName.fileOwner(server, account), to: KeyName.fileEnding) { try remove(file) }
        }
    }
}

// MARK: - On the queue

extension TPMKeys {
    private func sign(
        _ digest: [UInt8], with name: KeyName, file: TPMKeyFile, match: any Match, identity: MatcherIdentity
    ) throws(Failure) -> [UInt8] {
        guard let signer = identity.key.publicKey.map(TPMPublicArea.init(verifying:)), let area = TPMPublicArea(file.publicArea)
        else {
            throw Failure(.platform, recovery: .reEnrol)
        }
        // A failure of the matcher is kept, because the closures below can throw only errors of the TPM.
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

    /// Checks without prompting that a key can sign: the TPM loads it, and its counter or PIN index is unchanged.
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
                // Only the owner may read the count, and here the owner has a password. The TPM still enforces the
                // limit.
                guard error.meaning == .wrongValue else { throw error }
                return
            }
            guard wrong.count < wrong.limit else { throw .pinLimitReached }
        }
    }

    /// Creates a key and writes its file, replacing a key of the same name.
    private func make(
        _ name: KeyName, _ template: TPMPublicArea, guarded: TPMKeyFile.Guard
    ) throws(Failure) -> PublicKey {
        let blob = try connected { tpm throws(TPMError) in
            try tpm.create(template)
        }
        guard let publicKey = blob.publicArea.publicKey else { throw Failure(.platform) }
        let file = TPMKeyFile(
            publicArea: blob.publicArea, sealed: blob.sealed, parent: blob.parent, guarded: guarded, creation: blob.creation
        )
        try files.write(try file.bytes, to: name.file)
        return publicKey
    }

    private func remove(_ file: String) throws(Failure) {
        // A damaged file names no index; then only the file is deleted.
        if case .pin(let index) = (try? read(file))?.guarded {
            // If the TPM does not answer or its owner has a password, the index stays. It is useless without the file.
            try? connected { tpm throws(TPMError) in
                // Another index at the same handle belongs to another program.
                guard try tpm.exists(index) else { return }
                try tpm.undefine(index.handle)
            }
        }
        try files.delete(file)
    }

    /// The file of a key.
    func kept(_ name: KeyName) throws(Failure) -> TPMKeyFile {
        guard let file = try read(name.file) else { throw Failure(.notEnrolled) }
        return file
    }

    private func read(_ file: String) throws(Failure) -> TPMKeyFile? {
        guard let bytes = try files.read(file) else { return nil }
        return try TPMKeyFile(bytes)
    }

    /// The authorisation value that the TPM gets for a PIN, different for every key. It needs no stretching: the TPM
    /// counts wrong values, and no data outside the TPM allows guesses to be tested.
    private static func value(of pin: PIN, for name: KeyName) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: pin.digits, using: SymmetricKey(data: name.reference)))
    }

    /// Connects to the TPM for some commands.
    func connected<Result>(_ work: (TPM) throws(TPMError) -> Result) throws(Failure) -> Result {
        do throws(TPMError) {
            return try TPM.connected(tcti, work)
        } catch {
            throw error.failure
        }
    }

    /// Runs blocking TPM commands on a serial queue.
    func onQueue<Result: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> Result
    ) async throws(E) -> Result {
        let outcome: Swift.Result<Result, E> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { () throws(E) in try work() }) }
        }
        return try outcome.get()
    }
}

extension TPMKeyFile {
    var blob: TPM.Blob {
        guard let area = TPMPublicArea(publicArea) else {
            preconditionFailure("a key file is accepted only with a readable public area")
        }
        return TPM.Blob(publicArea: area, sealed: sealed, parent: parent)
    }
}
#endif
