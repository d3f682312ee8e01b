#if Server
/// A mistake in a policy file.
public struct PolicyFileError: Error, CustomStringConvertible {
    /// The file, the place of the mistake in it, and the reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
#endif
