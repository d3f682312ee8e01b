import Testing
import ThumbturnCore
import ThumbturnDevice
@testable import ThumbturnAndroid

/// The values of a call, as they are read from its fields.
@Suite struct AppRequestTests {
    private let world = AppWorld()

    private func reading(_ write: (inout BridgeWriter) -> Void) -> AppRequest {
        AppRequest(BridgeWriter.fields(write).message, to: world.calls)
    }

    @Test(
        "a request that the app sends itself has the method, the fields and the body that the app gave",
        arguments: [[], [1, 2]] as [[UInt8]])
    func ownRequest(_ body: [UInt8]) throws {
        var request = reading {
            $0.put("PUT")
            $0.put("https://api.bank.example/plans")
            $0.put(["Accept": "text/plain"])
            $0.put(body)
        }
        let read = try request.resourceRequest()
        #expect(read.url == "https://api.bank.example/plans" && read.method == "PUT")
        #expect(read.headers == ["Accept": "text/plain"] && read.body == body)
    }

    @Test("the first and the last status of HTTP are answers", arguments: [Int64(100), 599])
    func outermostStatus(_ status: Int64) throws {
        var request = reading {
            $0.put(status)
            $0.put([:] as [String: String])
        }
        #expect(try request.answer().status == Int(status))
    }

    @Test("other numbers are no status of HTTP", arguments: [Int64.min, 99, 600, Int64.max])
    func noStatus(_ status: Int64) throws {
        var request = reading {
            $0.put(status)
            $0.put([:] as [String: String])
        }
        #expect(throws: Failure.self) { try request.answer() }
    }

    @Test("the names of an answer's fields are in lower case")
    func answerFields() throws {
        var request = reading {
            $0.put(401 as Int64)
            $0.put(3 as Int64)
            for text in ["DPoP-Nonce", "n", "WWW-Authenticate", "Basic", "www-authenticate", "DPoP"] { $0.put(text) }
        }
        #expect(try request.answer().headers == ["dpop-nonce": "n", "www-authenticate": "Basic, DPoP"])
    }

    @Test("every number but 0 is a screen")
    func screens() throws {
        for number in [Int64(0), 1, 2] {
            var request = reading { $0.put(number) }
            let screen = try request.optionalScreen()
            #expect(screen?.number == (number == 0 ? nil : number))
        }
    }
}
