#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import Foundation
import ThumbturnCore
import ThumbturnDevice

/// A file that goes with the app. The keychain outlives an app on iOS; where the file is missing, the app was installed anew, and what
/// the keychain has is an earlier installation's.
///
/// An access group is shared by several apps, and what lies in it ends with the last of them, not with one. So nothing is wiped in a group,
/// unless the app names a folder that lives as long: the container of an app group.
struct InstallMarker: Sendable {
    private let folder: URL
    private let name: String

    init(folder: URL, of place: KeychainPlace) {
        self.folder = folder
        name = "installed \(Signing.hash(Array(place.mark.utf8)))"
    }

    /// Where the app's own files are; nil for a place that several apps share.
    static func folder(for place: KeychainPlace) -> URL? {
        guard place.accessGroup == nil else { return nil }
        return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?
            .appendingPathComponent("Thumbturn", isDirectory: true)
    }

    enum Finding: Hashable, Sendable {
        case found, missing
        /// Before the first unlock a file may be there that nobody can open: no reason to wipe anything.
        case unreadable
    }

    func look() -> Finding {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file < 0 else {
            close(file)
            return .found
        }
        return errno == ENOENT ? .missing : .unreadable
    }

    func set() throws(Failure) {
        try PrivateFiles(folder: folder.path).write([], to: name)
        #if canImport(Darwin)
        // A backup would bring the file and not the keys. Where this cannot be said the file does its work all the same.
        var file = URL(fileURLWithPath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? file.setResourceValues(values)
        try? FileManager.default.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: path)
        #endif
    }

    private var path: String { folder.appendingPathComponent(name).path }
}
