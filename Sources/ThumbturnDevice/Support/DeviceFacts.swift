#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TelemetryContext {
    /// What the system tells of itself and of the app. An Android app sets what it reads from `Build`.
    static let ofThisDevice = TelemetryContext(
        system: systemName, model: DeviceFacts.model.map { TelemetryLabel($0) }, systemVersion: DeviceFacts.systemVersion,
        appVersion: DeviceFacts.appVersion)

    private static var systemName: TelemetryLabel {
        #if os(macOS)
        "macOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(Linux)
        "Linux"
        #elseif os(Android)
        "Android"
        #else
        "other"
        #endif
    }
}

enum DeviceFacts {
    /// The maker's identifier of the model; nil where the system tells none.
    static var model: String? {
        #if canImport(Darwin)
        // A simulator runs on its host's hardware, and names what it imitates here.
        ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] ?? hardware
        #elseif os(Linux)
        line(of: "/sys/devices/virtual/dmi/id/product_name") ?? line(of: "/proc/device-tree/model")
        #else
        nil
        #endif
    }

    #if canImport(Darwin)
    /// On iPhones and iPads the machine is the model; a Mac's machine is its processor, and its model has a name of its own.
    private static var hardware: String? {
        #if os(macOS)
        let name = "hw.model"
        #else
        let name = "hw.machine"
        #endif
        var bytes = [CChar](repeating: 0, count: 128)
        var count = bytes.count
        guard unsafe sysctlbyname(name, &bytes, &count, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    #endif

    static var systemVersion: TelemetryLabel? {
        #if os(Linux)
        // The distribution's, because the kernel's names the build.
        systemVersion(osRelease: (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? "")
        #else
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let patch = version.patchVersion == 0 ? "" : ".\(version.patchVersion)"
        return TelemetryLabel("\(version.majorVersion).\(version.minorVersion)\(patch)")
        #endif
    }

    /// For example `debian 13`; see os-release(5).
    static func systemVersion(osRelease: String) -> TelemetryLabel? {
        let values = ["ID", "VERSION_ID"].compactMap { name in
            osRelease.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
                .map { $0.dropFirst(name.count + 1).filter { $0 != "\"" && $0 != "'" } }
        }
        return values.isEmpty ? nil : TelemetryLabel(values.joined(separator: " "))
    }

    static var appVersion: TelemetryLabel? {
        #if canImport(Darwin)
        (Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String).map { TelemetryLabel($0) }
        #else
        nil
        #endif
    }

    private static func line(of path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let line = text.prefix { $0 != "\n" && $0 != "\0" }
        return line.isEmpty ? nil : String(line)
    }
}
