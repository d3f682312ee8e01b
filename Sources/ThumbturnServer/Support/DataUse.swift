#if Server
/// What a process opens the data folder for, which decides what it may make there.
package enum DataUse: Sendable {
    /// A server: makes what is missing, and refuses to start with a clock that cannot be right.
    case serving
    /// The command that adds an account, which may be the first one: makes what is missing.
    case adding
    /// Any other command: makes nothing, so that a wrong path is an error and no empty folder.
    case command
    /// A restore: may make the database, in a folder that has its master key.
    case restoring
    /// The command that begins an epoch.
    case beginning

    var mayMakeFolder: Bool { self == .serving || self == .adding }
    var mayMakeDatabase: Bool { self != .command && self != .beginning }
    /// Whether it may decide if a database that was restored, copied or promoted begins an epoch.
    var maySettle: Bool { self == .serving || self == .restoring || self == .beginning }
    /// Only a server, whose clock dates tokens, has to be sure of the time.
    var keepsStoredTime: Bool { self != .serving }
}
#endif
