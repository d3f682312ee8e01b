#if Tools
/// The caps on what is read of an app. Its files come from anywhere, so each size and each count is bounded before it is
/// used.
enum AppFileLimits {
    /// The largest property list, provisioning profile and block of entitlements, in bytes. An Info.plist has a few KB.
    static let propertyList = 1 << 20
    /// The largest project.pbxproj, in bytes. Those of large apps have some MB.
    static let project = 8 << 20
    /// How deep a property list may be nested.
    static let nesting = 64
    /// The most that a binary property list may unfold to, in objects and bytes. Its objects may be referred to many times,
    /// so that a small file could unfold without end.
    static let unfolded = 2 << 20
    /// The most parts of a program for several processors.
    static let slices = 32
    /// The largest table of a program's load commands, in bytes.
    static let loadCommands = 1 << 20
    /// The most blocks of a code signature. Systems write about ten.
    static let signatureBlocks = 64
    /// The most files and folders that are looked at below a source folder.
    static let files = 20_000
    /// How deep a source folder is searched.
    static let folders = 8
    /// The most apps that are examined at a time: the products of an archive, or the configurations of a project's targets.
    static let subjects = 64
    /// How often a build setting may refer to another one.
    static let references = 8
    /// The longest value of a build setting whose references are replaced, in bytes.
    static let setting = 4096
}
#endif
