import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice

@Suite struct URLSessionTransportTests {
    @Test func aClosedPortIsUnreachable() async {
        // Port 1 of this machine is reserved, and no server listens there.
        await expectFailure(.unreachable) {
            _ = try await URLSessionTransport().send(TransportRequest(method: "GET", url: "http://127.0.0.1:1/"))
        }
    }
}
