public import Foundation

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    public static let userPresence = Self(rawValue: 1 << 0)
    public static let biometryAny = Self(rawValue: 1 << 1)
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    public static let devicePasscode = Self(rawValue: 1 << 4)
    public static let companion = Self(rawValue: 1 << 5)
    public static let or = Self(rawValue: 1 << 14)
    public static let and = Self(rawValue: 1 << 15)
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    public static let applicationPassword = Self(rawValue: 1 << 31)

    /// The flags that name what the person has to show, without those that combine them or allow a use.
    var constraints: Self {
        intersection([.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .applicationPassword])
    }
}

public final class SecAccessControl: Hashable {
    public let standInProtection: String
    public let standInFlags: SecAccessControlCreateFlags
    /// The enrolled set to which the access control of an item is bound; nil for one that belongs to no item yet, and for
    /// one that accepts any set.
    public let standInSet: Int?

    init(_ protection: String, _ flags: SecAccessControlCreateFlags, boundTo set: Int? = nil) {
        standInProtection = protection
        standInFlags = flags
        standInSet = set
    }

    /// The access control as an item has it.
    func bound(to set: Int?) -> SecAccessControl {
        SecAccessControl(standInProtection, standInFlags, boundTo: standInFlags.contains(.biometryCurrentSet) ? set : nil)
    }

    public static func == (lhs: SecAccessControl, rhs: SecAccessControl) -> Bool {
        lhs.standInProtection == rhs.standInProtection && lhs.standInFlags == rhs.standInFlags
            && lhs.standInSet == rhs.standInSet
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(standInFlags.rawValue) }
}

@available(*, unavailable) extension SecAccessControl: @unchecked Sendable {}

public func SecAccessControlGetTypeID() -> CFTypeID { 2 }

public func CFGetTypeID(_ value: CFTypeRef) -> CFTypeID { value is SecAccessControl ? SecAccessControlGetTypeID() : 1 }

/// Makes an access control. Three rules give -50: `or` beside `and`, two biometric constraints, and `userPresence`
/// beside anything but an application password and the use of a private key.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    let isWrong =
        flags.isSuperset(of: [.or, .and]) || flags.isSuperset(of: [.biometryAny, .biometryCurrentSet])
        || (flags.contains(.userPresence)
            && !flags.subtracting([.userPresence, .applicationPassword, .privateKeyUsage]).isEmpty)
    guard !isWrong, let protection = protection as? String else {
        error?.pointee = Unmanaged.passRetained(osStatus(errSecParam))
        return nil
    }
    return SecAccessControl(protection, flags)
}
