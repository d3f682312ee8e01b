#if Tools && os(Linux)
import Glibc

/// The ids of this machine's users and groups.
enum UserDatabase {
    static func user(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else { return nil }
        return unsafe entry.pw_uid
    }

    static func group(named name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        // A group with many members needs a large buffer.
        var buffer = [CChar](repeating: 0, count: 256 * 1024)
        guard unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else { return nil }
        return unsafe entry.gr_gid
    }
}
#endif
