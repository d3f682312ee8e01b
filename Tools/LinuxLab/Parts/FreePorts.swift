#if os(Linux)
/// Finds free TCP ports.
enum FreePorts {
    /// A port of 127.0.0.1 that is free together with the next one, below the kernel's range for outgoing connections.
    static func pair() throws -> UInt16 {
        for _ in 0..<200 {
            let port = UInt16.random(in: 10_000..<16_000) * 2
            if LocalSocket.isFree(port) && LocalSocket.isFree(port + 1) { return port }
        }
        throw LabError(.didNotStart, "no two free TCP ports in a row on 127.0.0.1 after 200 tries")
    }
}
#endif
