import Foundation
import Testing
import ThumbturnCore
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
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
        let read = try request.urlRequest()
        #expect(read.url?.absoluteString == "https://api.bank.example/plans" && read.httpMethod == "PUT")
        #expect(read.value(forHTTPHeaderField: "Accept") == "text/plain")
        #expect(read.httpBody == (body.isEmpty ? nil : Data(body)))
    }

    @Test("the first and the last status of HTTP are answers", arguments: [Int64(100), 599])
    func outermostStatus(_ status: Int64) throws {
        let url = try #require(URL(string: "https://api.bank.example/plans"))
        var request = reading {
            $0.put(status)
            $0.put([:] as [String: String])
        }
        let answer = try request.answer(to: URLRequest(url: url))
        #expect(answer.statusCode == Int(status))
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
