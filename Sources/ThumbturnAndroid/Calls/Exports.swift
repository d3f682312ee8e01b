#if canImport(CJNI) && compiler(>=6.3)
import CJNI
import ThumbturnDevice

// What Java finds in the library. Nothing here waits: Java calls from its main thread, too.

/// Called when Java loads the library; returns the version of JNI, or an error where a class or method is missing.
@c(JNI_OnLoad)
public func loadBridge(_ machine: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?) -> Int32 {
    unsafe thumbturn_load(machine)
}

/// `static native void Bridge.answer(long id, byte[] message)`
@c(Java_com_thumbturn_internal_Bridge_answer)
public func bridgeAnswer(
    _ environment: UnsafeMutableRawPointer?, _ bridge: UnsafeMutableRawPointer?, _ id: Int64,
    _ message: UnsafeMutableRawPointer?
) {
    JNISystem.shared.calls.answer(id, unsafe bytes(of: message, environment))
}

/// `static native void Bridge.call(long id, int operation, byte[] request)`: a call of the app's.
@c(Java_com_thumbturn_internal_Bridge_call)
public func bridgeCall(
    _ environment: UnsafeMutableRawPointer?, _ bridge: UnsafeMutableRawPointer?, _ id: Int64, _ operation: Int32,
    _ request: UnsafeMutableRawPointer?
) {
    AppCalls.shared.begin(id, operation, unsafe bytes(of: request, environment))
}

/// The bytes of a Java array. A missing array and one beyond the bound have none, which no message is.
private func bytes(of array: UnsafeMutableRawPointer?, _ environment: UnsafeMutableRawPointer?) -> [UInt8] {
    let count = unsafe thumbturn_length(environment, array)
    guard (1...longestMessage).contains(count) else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
        written = unsafe thumbturn_read(environment, array, buffer.baseAddress, count) == 0 ? Int(count) : 0
    }
}

/// A call that seals the longest file, with 1 MiB for its other fields: far beyond the longest answer of a server.
private let longestMessage = Int64(Vault.fileLimit) + (1 << 20)
#endif
