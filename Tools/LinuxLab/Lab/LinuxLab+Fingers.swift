#if os(Linux)
extension LinuxLab {
    /// Runs one of fprintd's tools as `run` does, and repeats it while the reader is still claimed by a client that has
    /// ended.
    ///
    /// A client that ends without `Release` leaves the device claimed. fprintd notices and releases it some 200 ms
    /// later, without a signal; until then every other client gets `AlreadyInUse`. If the reader is not free after
    /// three seconds, that is the result.
    public nonisolated func runWhenFree(
        _ tool: String, _ arguments: [String] = [], as user: String? = nil, within limit: Duration = .seconds(30)
    ) async throws -> ToolResult {
        let clock = ContinuousClock()
        let latest = clock.now + .seconds(3)
        while true {
            let result = try await run(tool, arguments, as: user, within: limit)
            guard result.output.contains("Fprint.Error.AlreadyInUse"), clock.now < latest else { return result }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Enrols a finger through fprintd's own tool, with a press for every stage.
    ///
    /// - Parameters:
    ///   - name: fprintd's name of the finger, such as `left-thumb`.
    ///   - user: the user for whom the finger is enrolled.
    /// - Throws: `LabError.Code.tool` with fprintd's output, for example `enroll-duplicate` for a finger that is
    ///   enrolled already.
    public func enrol(_ finger: SyntheticFinger, as name: String = "right-index-finger", user: String) async throws {
        let place = self.place
        setEnrolling(Enrolling(finger: finger))
        defer { setEnrolling(nil) }
        let result = try await runWhenFree("fprintd-enroll", ["-f", name, user])
        // The tool may have ended before the lab's listener received the last status.
        let status = result.status == 0 ? await signalLog.first(from: place, within: .seconds(5), where: \.endsEnrolment) : nil
        guard status == .enrollStatus("enroll-completed", done: true) else {
            throw LabError(.tool, "fprintd-enroll ended with \(result.status); its output: \(result.output)")
        }
    }

    /// Deletes every print of a user. A user without prints is not an error.
    public func deletePrints(user: String) async throws {
        let result = try await runWhenFree("fprintd-delete", [user])
        guard result.status == 0 || result.output.contains("NoEnrolledPrints") else {
            throw LabError(.tool, "fprintd-delete ended with \(result.status); its output: \(result.output)")
        }
    }
}

extension BusSignal {
    fileprivate var endsEnrolment: Bool {
        if case .enrollStatus(_, done: true) = self { true } else { false }
    }
}
#endif
