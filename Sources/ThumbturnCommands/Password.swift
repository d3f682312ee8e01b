#if Tools
import ArgumentParser
import Foundation

/// Where commands get a password: the environment variable THUMBTURN_PASSWORD, or the first line of standard input. Never an
/// argument, because those can be seen in the list of processes.
package enum Password {
    package static let help = """
        The password comes from the environment variable THUMBTURN_PASSWORD or, without it, from the first line of standard \
        input, so that it stays out of the list of processes.
        """

    /// The password; throws wrong usage where there is none.
    package static func read() throws -> String {
        if let given = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"], !given.isEmpty { return given }
        guard let typed = isatty(0) == 1 ? ask() : readLine(), !typed.isEmpty else {
            throw ValidationError("No password. Type it on standard input, or set THUMBTURN_PASSWORD.")
        }
        return typed
    }

    private static func ask() -> String? { Hidden.ask("Password: ") }
}

/// A question on the terminal whose answer is not shown.
package enum Hidden {
    /// Nil where there is no terminal.
    package static func ask(_ question: String) -> String? {
        unsafe getpass(question).map { unsafe String(cString: $0) }
    }
}
#endif
