#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice

/// What asks nobody: items and keys, one call at a time and where calls may block. A method that takes several steps takes them without
/// another one in between.
actor Keychain {
    let place: KeychainPlace
    private let system: AppleSystem
    /// To be looked at before the first use; nil once it was.
    private var marker: InstallMarker?

    /// - Parameter marker: of this installation of the app; nil where what is kept outlives the app.
    init(_ place: KeychainPlace, on system: AppleSystem, marker: InstallMarker? = nil) {
        self.place = place
        self.marker = marker
        self.system = system
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe system.executor.asUnownedSerialExecutor() }

    /// Wipes what an earlier installation left, once. Comes before every use.
    ///
    /// - Parameter toMake: whether something will be made or written. That waits for a marker that can be read: it would be wiped if the
    ///   marker then proved to be missing.
    func open(toMake: Bool = false) throws(Failure) {
        switch marker?.look() {
        case nil: break
        case .found?: marker = nil
        case .unreadable?: if toMake { throw Failure(.notYetReadable) }
        case .missing?:
            try KeychainCalls.delete(place.keys)
            try KeychainCalls.delete(place.passwords)
            // After the wipe, so that a crash in between wipes again; before anything is made, so that nothing new is wiped.
            try marker?.set()
            marker = nil
        }
    }

    /// A context that nobody is asked through.
    func silentContext(password: [UInt8]? = nil) -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = true
        if let password { context.setCredential(Data(password), type: .applicationPassword) }
        return context
    }
}

// MARK: - Items that nobody has to unlock

extension Keychain {
    /// The bytes of an item; nil for none.
    func read(_ item: KeychainItem) throws(Failure) -> [UInt8]? {
        try open()
        return try KeychainCalls.data(place.query(item))
    }

    /// Keeps bytes, in the place of those that were there: at no time is there nothing.
    func write(_ bytes: [UInt8], as item: KeychainItem) throws(Failure) {
        try open(toMake: true)
        let query = place.query(item)
        if try KeychainCalls.update(query, data: bytes) { return }
        var attributes = query
        attributes[kSecValueData as String] = Data(bytes)
        attributes[kSecAttrAccessible as String] = Guard.Protection.afterFirstUnlockThisDeviceOnly.attribute
        try KeychainCalls.add(attributes, needsPasscode: false)
    }

    /// Deletes an item; one that is not there is no failure.
    func delete(_ item: KeychainItem) throws(Failure) {
        try open()
        try KeychainCalls.delete(place.query(item))
    }
}

// MARK: - What is in the way, and what is dead

extension Keychain {
    /// Why nothing can be put behind a rung: nobody could ever open it. A lockout passes, a lid is opened, a permission can be given.
    func obstacle(toMaking kind: KeyKind) -> Failure? {
        let context = LAContext()
        defer { context.invalidate() }
        switch kind {
        case .session, .pin: return nil
        case .passcode: return context.obstacle(to: .deviceOwnerAuthentication)?.failure
        case .biometric:
            let found = context.preflight(on: system)
            switch found.state {
            case .notEnrolled, .passcodeNotSet, .unavailable: return found.obstacle?.failure
            default: return nil
            }
        }
    }

    /// What a use that could ask nobody tells of the item.
    ///
    /// - Parameter isOfTheSet: whether it dies with the enrolled faces and fingers.
    func state(afterSilentUse refusal: Failure, of kind: KeyKind, isOfTheSet: Bool) -> KeyState {
        switch SilentRefusal(refusal.status) {
        // What nobody has to unlock asks for the first unlock alone.
        case .asks: return kind == .session ? .notYetReadable : .usable
        case .isGone: return .invalidated(.unknown)
        case .unclear: return .notYetReadable
        case .refused:
            let context = LAContext()
            defer { context.invalidate() }
            let isDead = SilentRefusal.isDead(kind, whileSensorIs: context.preflight(on: system).state, isOfTheSet: isOfTheSet)
            return isDead ? .invalidated(.unknown) : .usable
        }
    }
}
#endif
