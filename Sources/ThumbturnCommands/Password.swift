#if Tools
import ArgumentParser
import Foundation

/// Reads a password from the environment variable THUMBTURN_PASSWORD or the first line of standard input. It is never
/// an argument, because the list of processes shows arguments.
package enum Password {
    /// The explanation in the help of commands that need a password.
    package static let help = """
        The password is read from the environment variable THUMBTURN_PASSWORD or, without it, from the first line of standard \
        input, because the list of processes shows arguments.
        """

    /// Reads the password. Throws a `ValidationError` if there is none.
    package static func read() throws -> String {
        if let given = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"], !given.isEmpty { return given }
        guard let typed = isatty(0) == 1 ? ask() : readLine(), !typed.isEmpty else {
            throw ValidationError("There is no password. Set THUMBTURN_PASSWORD, or type it on standard input.")
        }
        return typed
    }

    private static func ask() -> String? { Hidden.ask("Password: ") }
}

/// A question on the terminal whose answer is not echoed.
package enum Hidden {
    /// Returns the answer; nil if there is no terminal.
    package static func ask(_ question: String) -> String? {
        unsafe getpass(question).map { unsafe String(cString: $0) }
    }
}
#endif
