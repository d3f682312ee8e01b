import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The names of devices in a person's list.
enum DeviceName {
    /// What a server takes: 64 characters in at most 256 bytes of UTF-8.
    private static let (longest, mostBytes) = (64, 256)

    /// The name as a server takes it: one line without what cannot be shown, cut where it is longer.
    static func fitting(_ name: String) -> String {
        var name = String(ShownText.line(from: name).prefix(longest))
        while name.utf8.count > mostBytes { name.removeLast() }
        return ShownText.line(from: name)
    }
}

/// The name of the machine.
enum HostName {
    /// Its first part; nil except on Linux: elsewhere the system's adapter tells a name, and this one takes a look-up in the
    /// network.
    static var current: String? {
        #if os(Linux)
        let name = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
        return name.isEmpty || name == "localhost" ? nil : String(name)
        #else
        return nil
        #endif
    }
}

extension DevicePlatform {
    /// The name that the app gave this device, or its own one, so that a person with two of them can tell them apart.
    func name(given: String?) async -> String {
        if let given { return given }
        guard let name = await deviceName(), name.contains(where: { !$0.isWhitespace }) else { return "This device" }
        return DeviceName.fitting(name)
    }
}
