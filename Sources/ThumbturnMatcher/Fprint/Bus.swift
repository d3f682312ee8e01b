#if LinuxDevice && os(Linux)
import CSystemd
import Glibc

/// An error that came over the bus, or the loss of the bus itself.
package struct BusError: Error, Hashable, Sendable {
    /// For example `net.reactivated.Fprint.Error.NoSuchDevice`.
    package var name: String

    package static let disconnected = BusError(name: "org.freedesktop.DBus.Error.Disconnected")
}

/// A connection to a D-Bus bus. It must be used from one thread at a time.
@safe final class Bus {
    /// One argument of a method call.
    enum Argument {
        case text(String)
        case number(UInt32)
    }

    /// The leading arguments of a reply or signal: its strings and its last 32-bit number.
    struct Reply {
        var texts: [String]
        var number: UInt32?
    }

    /// One interface of one object of one process on the bus.
    struct Object {
        /// The name of the process on the bus.
        var destination: String
        var path: String
        var interface: String
    }

    private let bus: OpaquePointer

    /// - Parameter address: the address of the bus; nil for the system bus.
    init(address: String?) throws(BusError) {
        var opened: OpaquePointer?
        if let address {
            guard unsafe sd_bus_new(&opened) >= 0, unsafe sd_bus_set_address(opened, address) >= 0,
                unsafe sd_bus_set_bus_client(opened, 1) >= 0, unsafe sd_bus_start(opened) >= 0
            else {
                unsafe sd_bus_unref(opened)
                throw .disconnected
            }
        } else {
            guard unsafe sd_bus_open_system(&opened) >= 0 else { throw .disconnected }
        }
        guard let opened = unsafe opened else { throw .disconnected }
        unsafe bus = opened
        unsafe sd_bus_set_method_call_timeout(bus, 5_000_000)
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    /// Calls a method and waits at most 5 s for its reply. Signals that arrive meanwhile are queued.
    @discardableResult
    func call(_ member: String, of object: Object, _ arguments: Argument...) throws(BusError) -> Reply {
        var request: OpaquePointer?
        guard
            unsafe sd_bus_message_new_method_call(
                bus, &request, object.destination, object.path, object.interface, member) >= 0
        else {
            throw .disconnected
        }
        defer { unsafe sd_bus_message_unref(request) }
        for argument in arguments {
            switch argument {
            case .text(let text): unsafe sd_bus_message_append_basic(request, CChar(UInt8(ascii: "s")), text)
            case .number(var number): unsafe sd_bus_message_append_basic(request, CChar(UInt8(ascii: "u")), &number)
            }
        }
        var error = unsafe sd_bus_error()
        var reply: OpaquePointer?
        defer {
            unsafe sd_bus_error_free(&error)
            unsafe sd_bus_message_unref(reply)
        }
        guard unsafe sd_bus_call(bus, request, 0, &error, &reply) >= 0 else {
            guard let name = unsafe error.name else { throw .disconnected }
            throw unsafe BusError(name: String(cString: name))
        }
        return unsafe Self.read(reply)
    }

    /// The next signal that has already arrived; nil if there is none.
    func received() throws(BusError) -> BusSignal? {
        while true {
            var message: OpaquePointer?
            let progress = unsafe sd_bus_process(bus, &message)
            defer { unsafe sd_bus_message_unref(message) }
            guard progress >= 0 else { throw .disconnected }
            if let message = unsafe message, unsafe sd_bus_message_is_signal(message, nil, nil) > 0 {
                return unsafe BusSignal(
                    sender: Self.text(sd_bus_message_get_sender(message)), path: Self.text(sd_bus_message_get_path(message)),
                    interface: Self.text(sd_bus_message_get_interface(message)),
                    member: Self.text(sd_bus_message_get_member(message)),
                    texts: Self.read(message).texts
                )
            }
            if progress == 0 { return nil }
        }
    }

    /// The descriptor and events that `poll` has to watch for this connection.
    var pollDescriptor: pollfd {
        pollfd(fd: unsafe sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: unsafe sd_bus_get_events(bus)), revents: 0)
    }

    private static func read(_ message: OpaquePointer?) -> Reply {
        var read = Reply(texts: [])
        while true {
            var kind: CChar = 0
            var contents: UnsafePointer<CChar>?
            guard unsafe sd_bus_message_peek_type(message, &kind, &contents) > 0 else { return read }
            switch UInt8(bitPattern: kind) {
            case UInt8(ascii: "s"), UInt8(ascii: "o"):
                var value: UnsafePointer<CChar>?
                guard unsafe sd_bus_message_read_basic(message, kind, &value) > 0 else { return read }
                unsafe read.texts.append(text(value))
            case UInt8(ascii: "u"):
                var value: UInt32 = 0
                guard unsafe sd_bus_message_read_basic(message, kind, &value) > 0 else { return read }
                read.number = value
            case UInt8(ascii: "a") where unsafe text(contents) == "s", UInt8(ascii: "v") where unsafe text(contents) == "s":
                guard unsafe sd_bus_message_enter_container(message, kind, contents) > 0 else { return read }
                var value: UnsafePointer<CChar>?
                while unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &value) > 0 {
                    unsafe read.texts.append(text(value))
                }
                unsafe sd_bus_message_exit_container(message)
            default: return read
            }
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(cString: pointer)
    }
}
#endif
