#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice

/// The keychain calls that show no prompt, for items and keys. They run one at a time, on an executor for calls that
/// block. A method of several steps runs to its end before the next one starts.
actor Keychain {
    let place: KeychainPlace
    nonisolated let system: AppleSystem
    /// The marker to look at before the first use; nil afterwards.
    private var marker: InstallMarker?

    /// - Parameter marker: the marker of this installation of the app; nil where items outlive the app.
    init(_ place: KeychainPlace, on system: AppleSystem, marker: InstallMarker? = nil) {
        self.place = place
        self.marker = marker
        self.system = system
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe system.executor.asUnownedSerialExecutor() }

    /// Deletes the items of an earlier installation, once. Every use of the keychain starts with this call.
    ///
    /// - Parameter toMake: whether an item will be made or written. That needs a marker that can be read: if the marker
    ///   later proved to be missing, the new item would be deleted.
    func open(toMake: Bool = false) throws(Failure) {
        switch marker?.look() {
        case nil: break
        case .found?: marker = nil
        case .unreadable?: if toMake { throw Failure(.notYetReadable) }
        case .missing?:
            try KeychainCalls.delete(place.keys)
            try KeychainCalls.delete(place.passwords)
            // After the deletion, so that a crash in between repeats it; before anything is made, so that no new item
            // is deleted.
            try marker?.set()
            marker = nil
        }
    }

    /// A context that cannot show a prompt.
    func silentContext(password: [UInt8]? = nil) -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = true
        if let password { context.setCredential(Data(password), type: .applicationPassword) }
        return context
    }
}

// MARK: - Items that need no prompt

extension Keychain {
    /// Reads the bytes of an item; nil if there is none.
    func read(_ item: KeychainItem) throws(Failure) -> [UInt8]? {
        try open()
        return try KeychainCalls.data(place.query(item))
    }

    /// Writes an item. Existing bytes are replaced in one step, so the item is never missing.
    func write(_ bytes: [UInt8], as item: KeychainItem) throws(Failure) {
        try open(toMake: true)
        let query = place.query(item)
        if try KeychainCalls.update(query, to: changed(to: bytes)) { return }
        if try add(bytes, as: item) { return }
        // Another process added it in between.
        guard try KeychainCalls.update(query, to: changed(to: bytes)) else { throw AppleStatus(errSecDuplicateItem).failure }
    }

    /// Replaces the bytes of an item if it still has the expected ones; nil bytes stand for no item. Returns false, and
    /// changes nothing, where it has others.
    ///
    /// Each change gives the item another mark, and the keychain finds an item by its mark. So it compares by itself, and
    /// no other process comes in between. The mark is random: a digest would tell about the secret.
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as item: KeychainItem) throws(Failure) -> Bool {
        try open(toMake: new != nil)
        var query = place.query(item)
        guard let found = try KeychainCalls.marked(query) else {
            guard old == nil else { return false }
            guard let new else { return true }
            return try add(new, as: item)
        }
        guard found.bytes == old else { return false }
        query[kSecAttrGeneric as String] = found.mark
        guard let new else { return try KeychainCalls.delete(query) }
        return try KeychainCalls.update(query, to: changed(to: new))
    }

    private func add(_ bytes: [UInt8], as item: KeychainItem) throws(Failure) -> Bool {
        var attributes = place.query(item).merging(changed(to: bytes)) { $1 }
        attributes[kSecAttrAccessible as String] = Guard.Protection.afterFirstUnlockThisDeviceOnly.attribute
        return try KeychainCalls.add(attributes, needsPasscode: false)
    }

    /// The attributes that a change gives an item: its bytes, and the mark of this change.
    private func changed(to bytes: [UInt8]) -> [String: Any] {
        [kSecValueData as String: Data(bytes), kSecAttrGeneric as String: Data(UUID().uuidString.utf8)]
    }

    /// Deletes an item. A missing item is no failure.
    func delete(_ item: KeychainItem) throws(Failure) {
        try open()
        try KeychainCalls.delete(place.query(item))
    }
}

// MARK: - Obstacles and invalidated items

extension Keychain {
    /// The reason why nothing can be put behind a rung, because it could never be opened. A lockout, a closed lid and a
    /// denied permission are none: they can end.
    func obstacle(toMaking kind: KeyKind) -> Failure? {
        let context = LAContext()
        defer { context.invalidate() }
        switch kind {
        case .session, .pin: return nil
        case .passcode: return context.obstacle(to: .deviceOwnerAuthentication)?.failure
        case .biometric:
            let found = context.preflight(on: system)
            switch found.state {
            case .notEnrolled, .passcodeNotSet, .absent, .unavailable: return found.obstacle?.failure
            default: return nil
            }
        }
    }

    /// The state of an item whose use without a prompt was refused.
    ///
    /// - Parameter isOfTheSet: whether a change of the enrolled faces and fingers invalidates it.
    func state(afterSilentUse refusal: Failure, of kind: KeyKind, isOfTheSet: Bool) -> KeyState {
        switch SilentRefusal(refusal.status) {
        // A key without user verification is refused only before the first unlock.
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
