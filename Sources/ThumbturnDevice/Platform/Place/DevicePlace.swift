#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a device's keys and secrets are kept. Platforms over one place are one: they show one prompt at a time and wait
/// for each other's changes, in one process; its locks keep several processes apart.
///
/// Two places of one process know nothing of each other: both may have a prompt up at once, and a lock or a dismissal on one
/// ends nothing on the other. An app that has several asks on one of them at a time.
public struct DevicePlace: Sendable {
    /// Tells the place from the other places of the device.
    public let name: String
    let locks: any PlaceLocks

    /// Names a place.
    ///
    /// - Parameters:
    ///   - name: the same for each platform over this place, and for no other place.
    ///   - locks: the locks that every process of the place uses. The first platform's are used for all of this process.
    public init(_ name: String, locks: any PlaceLocks) {
        self.name = name
        self.locks = locks
    }

    /// A folder of files, with file locks in it.
    public static func folder(_ path: String) -> DevicePlace {
        DevicePlace("folder \(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)", locks: FileLocks(folder: path))
    }

    /// A place that no other process uses; its locks are in memory.
    public static func ofThisProcess(_ name: String) -> DevicePlace { DevicePlace(name, locks: ProcessLocks()) }
}
