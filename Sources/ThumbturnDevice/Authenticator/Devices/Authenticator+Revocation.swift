public import ThumbturnCore

extension Authenticator {
    /// Ends this device's enrolment and visits on the server and deletes their keys, and every other key of this account. Never
    /// prompts, and needs no session.
    ///
    /// An enrolment or a change of keys that is running ends with `superseded`; the call waits for it at most five
    /// seconds. Whatever fails on the way, such as a write on a full disk, the rest is deleted all the same, and the
    /// failure is thrown at the end. Where the server cannot be told, within ten seconds, the record that is left there
    /// can never sign in again, and another device can delete it; after a damaged journal it is left as well. An app that
    /// is killed meanwhile is not enrolled when it starts again, and deletes the rest.
    ///
    /// - Throws: `notEnrolled` where there was nothing to end; `notYetReadable` before anything is deleted, while the
    ///   device has not been unlocked yet; why a key could not be deleted, or the server not be told.
    public func revoke() async throws(Failure) {
        // An enrolment that is running may undo itself once it is dismissed: then that is what was ended.
        let wasEmpty = (try? await enrolments().isEmpty) ?? false
        forgetRecentAuthentication()
        // An authentication that succeeded while the keys were being deleted is forgotten as well.
        defer { forgetRecentAuthentication() }
        settling?.cancel()
        let lock = await platform.lock(enrolmentsName, waitingAtMost: .seconds(5))
        defer { lock?.release() }
        guard try await !deleteDamagedJournal() else { return }
        let before = try await enrolments()
        guard !before.isEmpty else {
            try await deleteAllKeys()
            guard !wasEmpty else { throw Failure(.notEnrolled) }
            return
        }
        var failures: [Failure] = []
        // Before the edit: an app that is killed after it has no owner, whose answers it would forget.
        do throws(Failure) {
            try await forgetAnswers()
        } catch {
            failures.append(error)
        }
        // From here on nothing is live, also for an app that is killed. A full disk refuses the write; then the keys are
        // deleted all the same.
        var ended = before
        ended.end()
        if let written = try? await edit({ (journal) in
            journal.end()
            return journal
        }) {
            ended = written
        }

        // The keys that verify the person go first: whatever fails after that, none of them is left. The session key
        // tells the server, and goes then.
        var left = Set<Int>()
        var visits: [(number: Int, refreshToken: String)] = []
        for number in ended.ended {
            // The record of an enrolment ends with its sessions; a visit has only its token.
            if let token = await takeSession(of: number), !ended.sent.contains(number) { visits.append((number, token)) }
            do throws(Failure) {
                try await deleteKeys(of: number, but: .session)
            } catch {
                failures.append(error)
                left.insert(number)
            }
        }
        do throws(Failure) {
            try await endOnServer(ended.sent, atLeast: before.live, visits: visits)
        } catch {
            failures.append(error)
        }
        for number in ended.ended {
            do throws(Failure) {
                try await deleteKey(name(of: .session, in: number))
            } catch {
                failures.append(error)
                left.insert(number)
            }
        }
        do throws(Failure) {
            try await deleteAllKeys()
            // What another process is still making is deleted once more, when that has ended.
            let running = lock != nil ? [] : before.begun + [before.change?.number].compactMap { $0 }
            let gone = ended.ended.filter { !left.contains($0) && !running.contains($0) }
            try await edit { journal in
                journal.end()
                gone.forEach { journal.undone($0) }
            }
        } catch {
            failures.append(error)
        }
        if let failure = failures.first { throw failure }
    }

    /// Deletes a key, and the ledger beside it.
    func deleteKey(_ key: KeyName) async throws(Failure) {
        guard key.kind != .pin else { return try await CountedPINKey.delete(key, on: platform) }
        try await platform.keys.delete(key)
        if key.kind == .biometric { try await CountedSensor.delete(key, on: platform) }
    }

    /// Deletes the keys and the session of an enrolment. One that cannot be deleted keeps no other one.
    func deleteKeys(of enrolment: Int, but kept: KeyKind? = nil) async throws(Failure) {
        var refusal: Failure?
        for kind in KeyKind.allCases where kind != kept {
            do throws(Failure) {
                try await deleteKey(name(of: kind, in: enrolment))
            } catch {
                refusal = refusal ?? error
            }
        }
        try await forgetSession(of: enrolment)
        if let refusal { throw refusal }
    }
}

extension Authenticator {
    /// Ends enrolments and visits on the server, within ten seconds in all.
    ///
    /// - Parameter live: the enrolment that was live; the others are ended where their session keys are left.
    private func endOnServer(
        _ enrolments: [Int], atLeast live: Int?, visits: [(number: Int, refreshToken: String)]
    ) async throws(Failure) {
        try await withinTenSeconds { (auth) async throws(Failure) in
            for number in enrolments {
                let session = await auth.platform.keys.state(of: auth.name(of: .session, in: number))
                if number == live || session == .usable { try await auth.endOnServer(number) }
            }
            for visit in visits { try await auth.revoke(visit.refreshToken, of: visit.number) }
        }
    }

    /// Tells the server something, within ten seconds in all; throws `unreachable` after that.
    func withinTenSeconds(
        _ tell: @escaping @Sendable (isolated Authenticator) async throws(Failure) -> Void
    ) async throws(Failure) {
        let clock = platform.clock
        let end = clock.now.advanced(by: .seconds(10))
        let outcome = await withTaskGroup(of: Result<Void, Failure>.self) { group in
            group.addTask {
                do throws(Failure) {
                    try await tell(self)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await clock.sleep(until: end)
                return .failure(Failure(.unreachable))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Failure(.unreachable))
        }
        try outcome.get()
    }
}
