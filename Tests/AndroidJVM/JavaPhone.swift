import CJVMPhone
import Foundation

/// The fake phone of Java's tests. Each call returns once what it asks for has happened.
enum JavaPhone {
    /// Starts a new phone, whose bridge leads to this library.
    static func start(level: Int) {
        precondition(jvm_phone_start(Int32(level)) == 0, "Java's fake phone starts")
    }

    /// Tells the phone one of the commands of `FakeAndroid.tell`, and lets its main thread do what follows.
    @discardableResult static func tell(_ command: String) -> String {
        let answer = once(command)
        // What the command did may have posted callbacks, and these something more.
        for _ in 1...2 { _ = once("settle") }
        return answer
    }

    private static func once(_ command: String) -> String {
        guard let answer = unsafe jvm_phone_tell(command) else { preconditionFailure("Java's fake phone knows: \(command)") }
        defer { unsafe free(answer) }
        return unsafe String(cString: answer)
    }
}
