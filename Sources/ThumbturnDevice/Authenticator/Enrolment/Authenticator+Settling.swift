import ThumbturnCore

extension Authenticator {
    /// Undoes what an enrolment left behind when the app was killed, or when the server's answer was lost: keys of the
    /// device, and the record at the server.
    ///
    /// Call it when the app starts. `enrol` begins with it and `authenticate` ends with it, so nothing depends on that
    /// call. Silent: it never prompts and never throws. What the server cannot be told now waits for the next time.
    /// `authenticate` does not wait for it.
    public func settle() async {
        let running = settling ?? startSettling()
        await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            running.cancel()
        }
    }

    private func settleNow() async {
        defer { settling = nil }
        guard let lock = try? platform.tryLock(enrolmentsName) else { return }
        defer { lock.release() }
        _ = try? await undoUnfinishedEnrolments()
        _ = try? await settleChange()
        await deleteUsedUpPINKey()
    }

    /// Settles after an unlock, which does not wait for it: the server may be slow.
    func beginSettling() async {
        guard settling == nil, let marks = try? await enrolments() else { return }
        guard marks.isUnsettled(at: platform.clock.civilTime) else { return await deleteUsedUpPINKey() }
        guard settling == nil else { return }
        _ = startSettling()
    }

    private func startSettling() -> Task<Void, Never> {
        let started = Task(executorPreference: platform.clock.executor) { await self.settleNow() }
        settling = started
        return started
    }

    /// Ends a settling that is running: it holds the journal. What is left waits for the next time.
    func stopSettling() async {
        settling?.cancel()
        await settling?.value
    }
}

// MARK: - Unfinished enrolments

extension Authenticator {
    /// Deletes the keys of enrolments that are over or were never finished, and has the server forget them. The caller
    /// holds the journal.
    func undoUnfinishedEnrolments() async throws(Failure) {
        // First they are given up: none of them can go live while its keys are being deleted.
        let now = platform.clock.civilTime
        let journal = try await edit { (journal) in
            journal.giveUp()
            journal.giveUpOldOpenings(at: now)
            return journal
        }
        for number in journal.ended {
            let token = await takeSession(of: number)
            try await deleteKeys(of: number, but: .session)
            // The record of an enrolment ends with its sessions; a visit has only this.
            if let token, !journal.sent.contains(number) { _ = try? await revoke(token, of: number) }
        }
        for number in journal.ended {
            // Its session key stays until the server has forgotten it, because only that key can end the record.
            guard try await isForgottenByServer(number, in: journal) else { continue }
            try await deleteKey(name(of: .session, in: number))
            try await edit { $0.undone(number) }
        }
    }

    /// Undoes an enrolment of this task that failed.
    ///
    /// - Returns: whether it failed because another task or process has ended it.
    func undo(_ number: Int, isSent: Bool) async -> Bool {
        // The journal decides: a write that was reported as failed may have been done all the same.
        guard let journal = try? await enrolments(), journal.live != number else { return false }
        let wasOvertaken = !journal.begun.contains(number)
        // Whatever ended it may have deleted its keys before all of them were made, and it is not listed any more. The
        // record is ended now: later no journal names its key.
        if wasOvertaken {
            if isSent { _ = try? await endOnServer(number) }
            try? await deleteKeys(of: number)
        }
        _ = try? await undoUnfinishedEnrolments()
        // Where the journal cannot be written, only the keys can go.
        if !isSent { try? await deleteKeys(of: number) }
        return wasOvertaken
    }

    private func isForgottenByServer(_ enrolment: Int, in marks: PlaceJournal) async throws(Failure) -> Bool {
        // Without its session key the record can neither be ended from here nor sign in.
        guard marks.sent.contains(enrolment), await platform.keys.state(of: name(of: .session, in: enrolment)) == .usable else {
            return true
        }
        do throws(Failure) {
            try await endOnServer(enrolment)
            return true
        } catch {
            return false
        }
    }

    /// Ends the enrolment on the server, which needs only its session key. A server that does not know the device has
    /// ended it already.
    func endOnServer(_ enrolment: Int) async throws(Failure) {
        do throws(Failure) {
            try await connection.send("DELETE", to: "/v1/devices/current", key: name(of: .session, in: enrolment))
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}
