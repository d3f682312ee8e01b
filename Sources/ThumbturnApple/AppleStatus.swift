import Foundation
import ThumbturnCore

/// What a system of Apple's said: a domain and a number within it. One without the other means nothing: -4 is "cancelled by the system"
/// in one domain and "cancelled by the person" in another.
struct AppleStatus: Hashable, Sendable {
    var domain: String
    var code: Int

    init(domain: String, code: Int) {
        self.domain = domain
        self.code = code
    }

    /// An error without more is as good as a fault of the system that has no name.
    init(_ error: (any Error)?) {
        let error = error.map { $0 as NSError }
        self.init(domain: error?.domain ?? "none", code: error?.code ?? 0)
    }

    /// A status of the keychain.
    init(_ status: Int32) { self.init(domain: NSOSStatusErrorDomain, code: Int(status)) }

    /// What it means, with the next step. To be written.
    var failure: Failure { Failure(.platform, recovery: .report, status: .init(domain: domain, code: code)) }
}
