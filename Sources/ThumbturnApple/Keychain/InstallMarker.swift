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
import ThumbturnHost

/// A file that is deleted with the app. The keychain outlives an app on iOS: where the file is missing, the app was
/// reinstalled, and the items in the keychain are an earlier installation's.
///
/// Several apps share an access group, and its items outlive each of them. So nothing in a group is deleted, unless the
/// app names a folder that is deleted with the group: the container of an app group.
struct InstallMarker: Sendable {
    private let folder: URL
    private let name: String

    init(folder: URL, of place: KeychainPlace) {
        self.folder = folder
        name = "installed \(Signing.hash(Array(place.mark.utf8)))"
    }

    /// The folder of the app's own files; nil for a place that several apps share.
    static func folder(for place: KeychainPlace) -> URL? {
        guard place.accessGroup == nil else { return nil }
        return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?
            .appendingPathComponent("Thumbturn", isDirectory: true)
    }

    enum Finding: Hashable, Sendable {
        case found, missing
        /// The file may exist but cannot be opened, as before the first unlock. That is no reason to delete anything.
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
        // A backup would bring the file and not the keys. If the attributes cannot be set, the file still serves its
        // purpose.
        var file = URL(fileURLWithPath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? file.setResourceValues(values)
        try? FileManager.default.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: path)
        #endif
    }

    private var path: String { folder.appendingPathComponent(name).path }
}
