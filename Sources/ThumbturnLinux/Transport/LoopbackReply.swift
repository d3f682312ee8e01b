#if LinuxDevice && os(Linux)
import Foundation
import ThumbturnDevice

/// What the listener replies to a request, and the sign-in's answer where the request is that.
struct LoopbackReply {
    private let status: String
    private let text: String
    let answer: URL?

    private init(_ status: String, _ text: String, answer: URL? = nil) {
        (self.status, self.text, self.answer) = (status, text, answer)
    }

    /// - Parameters:
    ///   - request: the bytes of the request, up to its end or as far as they are read.
    ///   - isWhole: whether the end of its head is among them.
    ///   - port: the port that is listened on.
    ///   - page: the sign-in that waits.
    init(to request: some Collection<UInt8>, isWhole: Bool, at port: Int, for page: SignInPage) {
        let line = String(decoding: request.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard isWhole, words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/"),
            let url = URL(string: "http://127.0.0.1:\(port)\(words[1])")
        else {
            self.init("400 Bad Request", "This request could not be read.")
            return
        }
        guard page.redirectURI(of: url) != nil else {
            self.init("404 Not Found", "There is nothing here.")
            return
        }
        guard words[0] == "GET" else {
            self.init("405 Method Not Allowed", "This address is only read.")
            return
        }
        guard page.isAnswered(by: url) else {
            self.init("400 Bad Request", "This page belongs to another sign-in. Go back to the app and start again there.")
            return
        }
        self.init(
            "200 OK", "You can close this page. Go back to the app: it says whether you are signed in.", answer: url)
    }

    /// The reply in HTTP: a page that loads nothing, is not kept, and does not tell its address, which holds the code.
    var bytes: [UInt8] {
        let html = """
            <!doctype html>
            <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Sign in</title><p>\(text)</p></html>

            """
        let head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(html.utf8.count)",
            "Cache-Control: no-store", "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + html).utf8)
    }
}
#endif
