import ThumbturnDevice
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
#if canImport(UIKit)
import UIKit
#elseif os(macOS)
import Foundation
#endif

/// The name of an Apple device for a person's list.
enum AppleDeviceName {
    /// The name that the person gave the device, where an app may read it. Without the entitlement for it
    /// (`com.apple.developer.device-information.user-assigned-device-name`) every iPhone is called "iPhone" since iOS 16, so
    /// the identifier of the hardware stands beside it.
    static func label(name: String, model: String, hardware: String) -> String {
        // A simulator and a Mac name their processor here.
        name == model && hardware.contains(",") ? "\(name) (\(hardware))" : name
    }

    /// The identifier of the hardware, such as `iPhone17,3`.
    static var hardware: String {
        var facts = utsname()
        guard unsafe uname(&facts) == 0 else { return "" }
        return unsafe withUnsafeBytes(of: facts.machine) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// This device's name; nil where the system tells none.
    @MainActor static var current: String? {
        #if canImport(UIKit)
        let device = UIDevice.current
        return label(name: device.name, model: device.model, hardware: hardware)
        #elseif os(macOS)
        return Host.current().localizedName
        #else
        return nil
        #endif
    }
}
