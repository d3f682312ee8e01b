import Foundation

/// The addresses of the app, and what stands for the bank's own API.
enum Configuration {
    /// The server that signs people in: the one that `scripts/run --stay` leaves running. Any other needs https.
    static let server = URL(string: "http://127.0.0.1:8080")!

    /// The OpenID provider of the bank; nil for names and passwords that the server keeps itself.
    static let provider: Provider? = nil

    struct Provider {
        /// Exactly as the provider's metadata names it, such as https://id.example.com.
        var issuer: URL
        /// The app's id there, where it is registered as a public client with the redirect of `scheme`.
        var clientID: String
        /// The scheme of the redirect `scheme:/signed-in`.
        var scheme: String
    }

    /// What a bank's API would answer to `auth.send`; this app has none behind it.
    static let balance = "€1,250.00"
}
