/// A value that holds a secret. It prints only the name of its type, so the secret cannot reach a log, an error or a
/// debugger's dump.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    public var description: String { "\(Self.self)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
